"""MADN and DOG: known moves, a slow second implementation, and what is special about each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.makers.games import options_of
from tests.makers.pachisi import HAND, MADN_VECTORS, VECTORS, Vector, check_game, random_words
from tichu_models.game import CHANCE, OVER, Game, IllegalAction, State
from tichu_models.games.pachisi.board import SWITCHES, TEAMS
from tichu_models.games.pachisi.madn.rules import ODDS
from tichu_models.games.pachisi.options import RingOptions
from tichu_models.games.pachisi.views import as_planes
from tichu_models.games.registry import game
from tichu_models.options import OptionError

MADN, DOG = game("madn"), game("dog")
A_FEW, MANY = 50, 2_500  # games of each


def made(name: str, vector: Vector) -> State:
    """The position after a known move; IllegalAction if there is none."""
    of = game(name)
    hand = {"hand": HAND} if name == "dog" else {}
    written = {"pins": vector.pins, "turn": vector.turn, "distance": 10, "rules": vector.words(), **hand}
    state = of.notation.read_state(written)
    of.step(state, of.notation.read_action(state, vector.action))
    return state


CASES = [("dog", each) for each in VECTORS] + [("madn", each) for each in MADN_VECTORS]


@pytest.mark.parametrize(("name", "vector"), CASES)
def test_known_moves(name, vector):
    """A goal that is missed, or entered a step too early; a pin that bars nobody, or is hit where it is safe."""
    if vector.after is None:
        with pytest.raises(IllegalAction):
            made(name, vector)
    else:
        assert made(name, vector).pins[:2].tolist() == vector.after


@pytest.mark.parametrize("name", ["madn", "dog"])
def test_random_games_are_those_of_the_reference(name):
    """A rule, a switch or a combination of them that the kernels read in another way."""
    for key in range(A_FEW):
        check_game(name, random_words(name, np.random.default_rng(key)), key, most=400)


@pytest.mark.proof
@pytest.mark.parametrize("name", ["madn", "dog"])
def test_many_random_games_are_those_of_the_reference(name):
    """As above, to the end of 2,500 games of each."""
    for key in range(A_FEW, A_FEW + MANY):
        check_game(name, random_words(name, np.random.default_rng(key)), key)


@pytest.mark.parametrize(
    ("name", "words", "named"),
    [
        ("madn", {"teams": "1", "players": "3"}, "teams"),
        ("dog", {"teams": "1", "players": "2"}, "teams"),
        ("dog", {"distance": "4"}, "start_blocking"),
        ("madn", {"dice_rethrow": "1"}, "dice_rethrow"),
        ("madn", {"joker": "1"}, "joker"),
        ("dog", {"bonus_turn_on_6": "1"}, "bonus_turn_on_6"),
        ("madn", {"players": "5"}, "players"),
        ("madn", {"players": "BC"}, "players"),
        ("madn", {"distance": "3"}, "distance"),
        ("madn", {"distance": "25"}, "distance"),
        ("madn", {"circular_board": "maybe"}, "circular_board"),
        ("dog", {"speed": "1"}, "speed"),
    ],
)
def test_rules_that_do_not_go_together_are_refused_by_name(name, words, named):
    """A game by other rules than those that were asked for."""
    with pytest.raises(ValueError, match=named):
        game(name).read_options(words)


def test_every_switch_belongs_to_a_game():
    """A switch without a description, or one that no game reads."""
    both = {*RingOptions.names_of("madn"), *RingOptions.names_of("dog")}
    assert set(SWITCHES) < both
    with pytest.raises(OptionError, match="dice"):
        RingOptions(dice=True).array_for("dog")


def test_players_can_be_letters():
    """The option --players, which gives letters for every game."""
    np.testing.assert_array_equal(options_of(MADN, players="abc"), options_of(MADN, players="3"))


@pytest.mark.parametrize(
    ("pins", "start_on_1", "kind"),
    [
        ([-1, -1, -1, -1], "1", 1),
        ([-1, -1, -1, -1], "0", 2),
        ([-1, 42, -1, 43], "0", 2),
        ([-1, 41, -1, 43], "0", 0),
        ([-1, -1, 5, -1], "1", 0),
    ],
)
def test_who_can_only_leave_home_has_three_throws(pins, start_on_1, kind):
    """Odds of a player who could move a pin in the goal, or of one throw only."""
    rules = {"dice": "1", "dice_rethrow": "1", "start_on_1": start_on_1}
    written = {"pins": [pins, [6, -1, -1, -1]], "turn": 0, "distance": 10, "rules": rules}
    state, thrown = MADN.notation.read_state(written), np.zeros(6)
    throws = 5_000
    for _ in range(throws):
        state.die = 0
        MADN.kernels.chance(state)
        thrown[state.die - 1] += 1
    expected = ODDS[kind] / 216
    assert ODDS.sum(axis=1).tolist() == [216] * 3
    assert (np.abs(thrown / throws - expected) < 5 * np.sqrt(expected * (1 - expected) / throws)).all()


TEAM = {"pins": [[40, 41, 42, 43], [12, -1, -1, -1], [20, -1, -1, -1], [-1] * 4], "distance": 10}


def test_who_is_done_moves_the_pins_of_the_partner():
    """A player of a team who watches, or who plays the partner's cards."""
    hands = [["5"], ["2"], ["8", "9"], ["3"]]
    state = DOG.notation.read_state({**TEAM, "turn": 0, "hands": hands, "phase": "play"})
    written = [DOG.notation.write_action(state, action) for action in DOG.legal(state)]
    assert written == [{"card": "5", "pin": 0, "move": 5}]
    DOG.step(state, DOG.legal(state)[0])
    assert state.pins[2].tolist() == [25, -1, -1, -1]
    assert state.held.tolist() == [0, 1, 2, 1]
    state = MADN.notation.read_state({**TEAM, "turn": 0, "rules": {"teams": True}})
    assert int(state.rules) & TEAMS
    assert MADN.legal(state) == [0, 1, 2, 3, 4, 5]  # the pin on 20 by any number


@pytest.mark.parametrize(("pin_of_a", "won"), [(43, [0.5, 0.0, 0.5, 0.0]), (5, [0.0] * 4)])
def test_a_team_wins_when_both_are_done(pin_of_a, won):
    """A game that ends with the first of them, or pays only one."""
    pins = [[40, 41, 42, pin_of_a], [12, -1, -1, -1], [48, 49, 50, 19], [-1] * 4]
    state = MADN.notation.read_state({"pins": pins, "turn": 2, "rules": {"teams": True}})
    MADN.step(state, MADN.notation.hear_action(state, "3 5"))
    assert state.pins[2].tolist() == [48, 49, 50, 51]
    assert MADN.returns(state).tolist() == won
    assert (MADN.legal(state) == []) == any(won)


def turned(state: State, of: Game) -> State:
    """The same position with every player one seat further on, and all pins a quarter round."""
    other, ring, distance = of.copy(state), 4 * int(state.distance), int(state.distance)
    names = ["hands", "held", *({"gave", "thrown"} & set(of.state.names))]
    for name in names:
        other[name][:] = np.roll(state[name], 1, axis=0)
    cells = np.roll(state.pins, 1, axis=0).astype(int)
    on_ring, in_goal = (cells >= 0) & (cells < ring), cells >= ring
    cells[on_ring] = (cells[on_ring] + distance) % ring
    seats = np.repeat(np.arange(4)[:, None], 4, axis=1)
    cells[in_goal] = ring + 4 * seats[in_goal] + (cells[in_goal] - ring) % 4
    other.pins[:] = cells
    other.at[:] = -1
    for player in range(4):
        for pin in range(4):
            if cells[player, pin] >= 0:
                other.at[cells[player, pin]] = 4 * player + pin
    other.turn, other.own = (int(state.turn) + 1) % 4, (int(state.own) + 1) % 4
    return other


@pytest.mark.parametrize("of", [MADN, DOG], ids=["madn", "dog"])
def test_all_seats_are_alike(of):
    """A start or an entry that is a cell off for some players: an advantage for a seat."""
    generator, compared = np.random.default_rng(1), 0
    for key in range(6):
        state = of.new(options_of(of, distance="6", start_blocking="1", jump_in_goal_area="0", teams="0"), key)
        for made in range(200):
            while of.kernels.mover(state) == CHANCE:
                of.kernels.chance(state)
            if of.kernels.mover(state) == OVER:
                break
            other, found = turned(state, of), of.legal(state)
            chosen = found[int(generator.integers(len(found)))]
            if made % 5 == 0:
                out = np.zeros((2, of.most_active), dtype=np.int16)
                numbers = [of.kernels.features(each, row) for each, row in zip((state, other), out, strict=True)]
                assert set(out[0, : numbers[0]]) == set(out[1, : numbers[1]])
                assert len(of.legal(other)) == len(found)
                if of is MADN:
                    assert of.legal(other) == found
                    of.kernels.step(other, chosen)
                    compared += 1
            of.kernels.step(state, chosen)
            if of is MADN and made % 5 == 0:
                assert other.pins.tolist() == turned(state, of).pins.tolist()
    assert compared > 100 or of is DOG


@pytest.mark.parametrize(
    ("hand", "counts"),
    [
        ([4, 0, 1, 0, 0, 2], [4, 0, 1, 0, 0, 2]),
        ([1, 2, 3, 4, 5, 6], [1] * 6),
        ([5], [0, 0, 0, 0, 1, 0]),
        ([6, 6, 1], [1, 0, 0, 0, 0, 2]),
        ([0] * 6, None),
        ([7, 1], None),
        ([6] * 5, None),
        ([], None),
    ],
)
def test_cards_are_counted_or_listed(hand, counts):
    """A program that lists its cards, and plays with others."""
    written = {"pins": [[3, -1, -1, -1], [-1] * 4], "turn": 0, "hand": hand}
    if counts is None:
        with pytest.raises(IllegalAction, match="no state"):
            MADN.notation.read_state(written)
    else:
        assert MADN.notation.write_state(MADN.notation.read_state(written))["hand"] == counts


@pytest.mark.parametrize("words", [{}, {"players": "2", "distance": "5"}])
def test_observations_are_planes(words):
    """A pin that a network sees on another cell than it is on, or a plane that belongs to nobody."""
    for of in (MADN, DOG):
        state = of.new(options_of(of, initial_free_pin="1", history="1", **words), 1)
        seen = np.zeros(of.observation, dtype=np.float32)
        of.kernels.observe(state, 1, seen)
        distance, scalars = int(state.distance), of.observation - 20 * 112
        planes = as_planes(seen, scalars, distance, 1)
        players = int(state.players)
        assert planes.shape == (scalars + 8, 4 * distance + 16)
        pins = planes[scalars : scalars + 4]
        assert pins.sum(axis=1).tolist() == [1.0] * players + [0.0] * (4 - players)
        assert pins[0, 0] == pins[players - 1, -distance - 16] == 1  # its own start, and that of the player before it


def test_the_past_is_seen_as_it_was():
    """Earlier positions in another order, or as another player saw them."""
    for of in (MADN, DOG):
        state, generator = of.new(options_of(of, distance="5", history="2"), 2), np.random.default_rng(2)
        seen: list[np.ndarray] = []
        for _ in range(120):
            while of.kernels.mover(state) == CHANCE:
                of.kernels.chance(state)
            observation = np.zeros(of.observation, dtype=np.float32)
            of.kernels.observe(state, 1, observation)
            planes = as_planes(observation, of.observation - 20 * 112, 5, 2)[-12:].reshape(3, 4, -1)
            for i, before in enumerate(reversed(seen[-2:])):
                np.testing.assert_array_equal(planes[1 + i], before)
            seen.append(planes[0])
            found = of.legal(state)
            of.kernels.step(state, found[int(generator.integers(len(found)))])
        assert any((a != b).any() for a, b in pairwise(seen))
