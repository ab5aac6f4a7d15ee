"""The rules of Ganz schön clever: known figures, every bonus of the sheet, and a slow second implementation."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.clever import check_game, new
from tests.oracles import clever as plain
from tichu_models.game import IllegalAction
from tichu_models.games.clever import simple, views
from tichu_models.games.registry import game

CLEVER = game("clever")
KEPT = ("rerolls", "extras", "foxes")
VARIANTS = [("1", "0"), ("1", "1"), ("2", "0"), ("3", "0"), ("4", "1")]
RANDOM_GAMES = 20_000


def at_random(seed: int):
    """Chooses any legal action."""
    generator = np.random.default_rng(seed)
    return lambda _, found: int(generator.choice(found))


def for_entries(seed: int):
    """Chooses an entry rather than to pass or to lose a roll, and so comes further."""
    generator = np.random.default_rng(seed)

    def choose(_, found: list[int]) -> int:
        entries = [action for action in found if action < plain.REROLL]
        return int(generator.choice(entries or found[:1]))

    return choose


@pytest.mark.parametrize(("players", "seed_rules"), VARIANTS)
def test_random_games_are_those_of_the_reference(players, seed_rules):
    """A mask, a bonus or a turn that differs from the rules."""
    for key in range(12):
        check_game(players, seed_rules, key, at_random(key))
        check_game(players, seed_rules, key, for_entries(key))


@pytest.mark.proof
@pytest.mark.parametrize(("players", "seed_rules"), VARIANTS)
def test_many_random_games_are_those_of_the_reference(players, seed_rules):
    """As above, 2,000 games of each kind."""
    for key in range(1000):
        check_game(players, seed_rules, key, at_random(key))
        check_game(players, seed_rules, key, for_entries(key))


def filled(**changes):
    """A sheet as JSON that is full but for what is given."""
    full = {
        "yellow": [[True] * 4] * 4,
        "blue": [[True] * 4] * 3,
        "green": 11,
        "orange": [6 * times for times in plain.ORANGE],
        "purple": [6] * 11,
        "rerolls": 0,
        "extras": 0,
        "foxes": 0,
    }
    return {**full, **changes}


def owing(sheet: dict, *bonuses: str):
    """A game alone in which these bonuses have to be entered, at the third roll."""
    written = CLEVER.notation.write_state(new())
    owed = {bonus: bonuses.count(bonus) for bonus in bonuses}
    done = {"phase": "active", "roll": 3, "rolling": False, "dice": dict.fromkeys(plain.DICE, 1)}
    return CLEVER.notation.read_state({**written, **done, "players": [sheet], "owed": owed})


def say(state, words: str) -> None:
    """Makes an action by its words."""
    CLEVER.step(state, CLEVER.notation.hear_action(state, words))


def but(rows: list[list], row: int, column: int) -> list[list[bool]]:
    """All crosses but one."""
    return [[(r, c) != (row, column) for c in range(len(rows[r]))] for r in range(len(rows))]


EMPTY = {"yellow": [[n == "X" for n in row] for row in plain.YELLOW], "green": 0, "orange": [], "purple": []}
EMPTY["blue"] = [[n == "X" for n in row] for row in plain.BLUE]
YELLOW_BOXES = [(r, c) for r in range(4) for c in range(4) if plain.YELLOW[r][c] != "X"]
BLUE_BOXES = [(r, c) for r in range(3) for c in range(4) if plain.BLUE[r][c] != "X"]
PLACES = [(area, i) for area in ("green", "orange", "purple") for i in range(11)]


def check_gains(state, words: str, bonuses: list[str]) -> None:
    """An entry gives these bonuses, and nothing else."""
    say(state, words)
    written = CLEVER.notation.write_state(state)
    long = {"yellow X": "yellow cross", "blue X": "blue cross", "green X": "green cross"}
    owed = {long.get(bonus, bonus) for bonus in bonuses} - {"reroll", "extra", "fox"}
    assert set(written["owed"]) == owed
    sheet = written["players"][0]
    kept = [bonuses.count("reroll"), bonuses.count("extra"), bonuses.count("fox")]
    assert [sheet[name] for name in KEPT] == kept


@pytest.mark.parametrize(("row", "column"), YELLOW_BOXES)
def test_yellow_lines_give_their_bonus_with_the_last_box(row, column):
    """A row, or the diagonal, that is completed by one of its boxes only."""
    sheet = {**filled(**EMPTY), "yellow": but(plain.YELLOW, row, column)}
    diagonal = ["extra"] if row == column else []
    check_gains(owing(sheet, "yellow cross"), f"yellow {'abcd'[column]}{row + 1}", [plain.YELLOW_ROWS[row], *diagonal])


@pytest.mark.parametrize(("row", "column"), BLUE_BOXES)
def test_blue_lines_give_their_bonus_with_the_last_box(row, column):
    """As above, where a row and a column may end at once."""
    sheet = {**filled(**EMPTY), "blue": but(plain.BLUE, row, column)}
    bonuses = [plain.BLUE_ROWS[row], plain.BLUE_COLUMNS[column]]
    check_gains(owing(sheet, "blue cross"), f"blue {plain.BLUE[row][column]}", bonuses)


@pytest.mark.parametrize(("area", "place"), PLACES)
def test_boxes_of_rows_give_their_bonus(area, place):
    """A bonus one box too early or too late."""
    rows = {"green": plain.GREEN_BONUS, "orange": plain.ORANGE_BONUS, "purple": plain.PURPLE_BONUS}
    before = place if area == "green" else filled()[area][:place]
    bonus = {"green": "green cross", "orange": "orange 6", "purple": "purple 6"}[area]
    state = owing({**filled(**EMPTY), area: before}, bonus)
    check_gains(state, f"{area} {place + 1}", [each for each in [rows[area][place]] if each])


def test_a_long_chain_of_bonuses():
    """A bonus of a bonus that is forgotten: yellow, blue, green, purple, orange, and yellow again."""
    sheet = filled(
        yellow=but(plain.YELLOW, 0, 0), blue=but(plain.BLUE, 0, 1), green=8, orange=[6, 6, 6, 12], purple=[6] * 9
    )
    sheet["yellow"][3][1] = False
    state = owing(sheet, "yellow cross")
    for words in ("yellow a1", "blue 2", "green 9", "orange 5", "yellow b4", "purple 10", "orange 6"):
        assert CLEVER.kernels.mover(state) == 0
        say(state, words)
    written = CLEVER.notation.write_state(state)["players"][0]
    assert written["orange"][4:] == [5, 6]  # of blue's first row, of the tenth purple box
    assert (written["foxes"], written["extras"]) == (1, 2)  # yellow's last row; its diagonal, and the sixth orange box
    assert not int(state.owed)


def test_of_two_orange_numbers_the_player_chooses():
    """A 6 that has to be wasted on a box that does not multiply."""
    for words, numbers in (("orange 3", [1, 1, 6, 8]), ("smaller orange 3", [1, 1, 4, 12])):
        state = owing({**filled(**EMPTY), "orange": [1, 1]}, "orange 4", "orange 6")
        say(state, words)
        say(state, "orange 4")
        assert CLEVER.notation.write_state(state)["players"][0]["orange"] == numbers


def test_a_bonus_without_a_box_lapses():
    """A game that waits for ever for a cross that nothing is left for."""
    state = owing(filled(yellow=but(plain.YELLOW, 0, 0), foxes=5), "yellow cross")
    say(state, "yellow a1")
    assert not int(state.owed)
    assert CLEVER.kernels.mover(state) != 0 or state.phase != 1


def test_most_points():
    """An area that can have more, or a total that is out of reach."""
    state = owing(filled(foxes=sum(row.count("fox") for row in every_bonus())))
    assert [views.points_of(state, 0, area) for area in range(5)] == [60, 56, 66, 96, 66]
    assert views.score(state, 0) == views.MOST_POINTS == 624


def every_bonus() -> list[list[str]]:
    """The bonuses of all areas."""
    rows = [plain.YELLOW_ROWS, plain.BLUE_ROWS, plain.BLUE_COLUMNS]
    return [*rows, plain.GREEN_BONUS, plain.ORANGE_BONUS, plain.PURPLE_BONUS]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("blue blue 3", "does not fit"),
        ("yellow yellow a1", "does not fit"),
        ("reroll", "no reroll"),
        ("pass", "has to be"),
        ("purple purple 2", "does not fit"),
        ("green 12", "no action"),
        ("red 3", "no action"),
    ],
)
def test_an_illegal_action_is_explained(words, reason):
    """A person who is refused and not told why."""
    written = CLEVER.notation.write_state(new())
    dice = {"yellow": 2, "blue": 1, "green": 1, "orange": 1, "purple": 1, "white": 1}
    sheets = [{**written["players"][0], "rerolls": 0}]
    state = CLEVER.notation.read_state({**written, "dice": dice, "rolling": False, "players": sheets})
    with pytest.raises(IllegalAction, match=reason):
        say(state, words)


@pytest.mark.parametrize("words", [{"players": "5"}, {"players": "0"}, {"seed_rules": "yes"}, {"speed": "1"}])
def test_options_that_make_no_sense_are_refused(words):
    """A game of five."""
    with pytest.raises(ValueError, match=r"expected|unknown"):
        CLEVER.read_options(words)


@pytest.mark.parametrize(
    "change", [{"round": 9}, {"dice": {}}, {"phase": "asleep"}, {"players": []}, {"owed": {"fox": 1}}, {"turn": "B"}]
)
def test_states_that_make_no_sense_are_refused(change):
    """A program that sends half a game, and gets another one."""
    with pytest.raises(IllegalAction, match="no game"):
        CLEVER.notation.read_state({**CLEVER.notation.write_state(new()), **change})


def scores_of(by_chance: bool, weights: np.ndarray, seed_rules: int = 0) -> np.ndarray:
    """What a simple player has in many games."""
    scores, actions = np.zeros(RANDOM_GAMES), np.zeros(CLEVER.most_actions, dtype=np.int16)
    states, options = np.zeros(2, dtype=CLEVER.state).view(np.recarray), np.array([1, seed_rules])
    simple.play_simple_games(states, options, np.uint64(1), weights, by_chance, actions, scores)
    return scores


def test_random_play_has_the_known_mean():
    """A rule that makes the game easier or harder: 77.0 has been measured by another implementation."""
    scores = scores_of(by_chance=True, weights=simple.NO_WORTH)
    assert scores.mean() == pytest.approx(77.0, abs=1.5)
    assert scores.std() == pytest.approx(19.6, abs=1)


def test_who_looks_ahead_has_more():
    """A greedy player that does not see what its actions bring."""
    by_points, by_worth = (scores_of(by_chance=False, weights=w).mean() for w in (simple.NO_WORTH, simple.WORTH))
    assert by_points == pytest.approx(103.7, abs=1)
    assert by_worth == pytest.approx(152.7, abs=1.5)


def test_the_tray_of_the_seed_is_any_three_dice():
    """Simplified rules that are none: the tray would be better than the thesis' game allowed."""
    larger = 0
    for key in range(30):
        state = new("1", "1", key)
        state.phase, state.rolling, state.key = 3, 1, np.uint64(key)
        CLEVER.kernels.chance(state)
        tray = [int(state.dice[die]) for die in range(6) if not state.entered >> die & 1]
        larger += sorted(tray) != sorted(state.dice.tolist())[:3]
    assert larger > 15


def test_equal_dice_come_to_the_tray_by_chance():
    """A colour that always lies nearest to the tray."""
    first = []
    for key in range(200):
        state = new(key=key)
        state.phase, state.rolling = 3, 1
        CLEVER.kernels.chance(state)
        third = sorted(state.dice.tolist())[2]
        equal = [bool(state.entered >> die & 1) for die in range(6) if state.dice[die] == third]
        if any(equal) and not all(equal):
            first.append(equal[0])
    assert 0.3 < np.mean(first) < 0.7
