"""`tichu features`: every vector of real and generated logs against a plain reading of their text, and by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.oracles.decisions import plays
from tests.paths import SOUND_GAME
from tichu_models.observation.specs import SPECS, spec
from tichu_pipeline.cli import app
from tichu_pipeline.features.log_decisions import DecisionFilter, decisions_of


def test_every_vector_of_the_sound_game_is_what_its_text_says():
    """An encoder that is wrong in the same way as the replay it is fed by."""
    assert_like_the_text(SOUND_GAME)


def test_every_vector_of_real_logs_is_what_their_text_says(real_logs):
    """The same for all that real players do: late bombs, wishes in mid-round, substitutes."""
    assert sum(assert_like_the_text(path) for path in real_logs) > 2_000


def test_a_bomb_that_leads_is_no_bomb_on_the_trick(tmp_path):
    """An account of the text that lays a bomb on the trick of a player who is out, though all have passed: the trick
    is his, and the next seat leads."""
    suits = [DECK[4 + 13 * colour :][:13] for colour in range(4)]
    street, other = ([suits[(i + k) % 2][i] for i in range(13)] for k in (0, 1))
    hands = [["Ma", *street], ["Hu", *suits[2]], ["Dr", *suits[3]], ["Ph", *other]]  # after schupfen
    given = [[hands[(seat + to) % 4][to] for to in (1, 2, 3)] for seat in range(4)]
    start = [
        [*(card for card in hand if not any(card in cards for cards in given)), *given[seat]]
        for seat, hand in enumerate(hands)
    ]
    plays = [
        (0, hands[0]), (1, []), (2, []), (3, []),
        (1, suits[2][:5]), (2, []), (3, []), (1, []), (1, suits[2][5:]), (2, []), (3, []), (1, []), (1, ["Hu"]),
        (3, other), (2, []), (3, []), (3, ["Ph"]),
    ]  # fmt: skip
    names = ["anna", "bert", "cleo", "dora"]
    lines = ["---------------Gr.Tichukarten------------------"]
    lines += [f"({seat}){names[seat]} {' '.join(start[seat][:8])} " for seat in range(4)]
    lines += ["---------------Startkarten------------------"]
    lines += [f"({seat}){names[seat]} {' '.join(start[seat])} " for seat in range(4)]
    lines += ["Schupfen:"]
    for seat in range(4):
        gifts = [f"{names[(seat + to + 1) % 4]}: {card}" for to, card in enumerate(given[seat])]
        lines += [f"({seat}){names[seat]} gibt: {' - '.join(gifts)} - "]
    lines += ["---------------Rundenverlauf------------------"]
    lines += [f"({seat}){names[seat]}" + (f": {' '.join(cards)} " if cards else " passt.") for seat, cards in plays]
    log = tmp_path / "1.tch"
    log.write_text("\n".join([*lines, "Ergebnis: 25 - 75", ""]))
    assert assert_like_the_text(log) == len(plays) - 3  # three passes collect
    (lead,) = decisions_of(log, spec("play-375"), DecisionFilter(turn=4), None)
    assert (lead["features"]["trick_owner.none"], lead["features"]["points.left"]) == (1, 25)


def assert_like_the_text(path: Path) -> int:
    """Compares all play vectors of a log; returns how many."""
    expected = list(plays(path.read_text()))
    found = list(decisions_of(path, spec("play-375"), DecisionFilter(), None))
    assert len(found) == len(expected)
    ambiguous = 0
    for decision, (index, turn, seat, cards, features) in zip(found, expected, strict=True):
        assert (decision["round"], decision["turn"], decision["seat"]) == (index, turn, seat)
        assert set(decision["label"]) == set(cards)
        if decision["features"] != features:
            different = {name for name, _ in decision["features"].items() ^ features.items()}
            # The text does not say at once how an ambiguous Phoenix is meant.
            assert all(name.startswith("trick_rank") for name in different), (index, turn, different)
            ambiguous += 1
    assert ambiguous <= 0.01 * len(found)
    return len(found)


def of_seats(name: str, values: tuple, kind: str = "") -> dict[str, int]:
    """`announcements.me.none` and its like for me, right, partner, left."""
    seats = ("me", "right", "partner", "left")
    return {f"{name}.{seat}.{value}{kind}": 1 for seat, value in zip(seats[-len(values) :], values, strict=True)}


def cards(name: str, labels: str) -> dict[str, int]:
    """A set of cards."""
    return {f"{name}.{label}": 1 for label in labels.split()}


def common(hand: str, calls: str, given: tuple = (), played: str = "", points: tuple = (0, 0, 0, 0)) -> dict[str, int]:
    """What most vectors have; calls and points from me on, or from the right opponent on."""
    found = cards("hand_cards", hand) | cards("played_cards", played) | of_seats("announcements", tuple(calls.split()))
    seats = ("me", "right", "partner", "left")
    found |= {f"points.{seat}": value for seat, value in zip(seats, points, strict=True) if value}
    return found | (of_seats("given_schupf", given) if given else {})


def play_view(
    turn: str, start: str, counts: tuple, wish: str, dragon: str, trick: tuple, winner: str, score: tuple,
    received: tuple, **others: object,
) -> dict[str, int]:  # fmt: skip
    """A vector of play-375; `trick` is owner, combination, rank and points."""
    found = {f"current_turn.{turn}": 1, f"start_player.{start}": 1, f"wish.{wish}": 1, f"dragon_recipient.{dragon}": 1}
    found |= {f"trick_owner.{trick[0]}": 1, f"trick_combination.{trick[1]}": 1, f"winner.{winner}": 1}
    found |= {f"trick_rank[{k + 1}]": 1 for k in range(trick[2])} | ({"trick_points": trick[3]} if trick[3] else {})
    for seat, n in zip(("me", "right", "partner", "left"), counts, strict=True):
        found |= {f"count_hand_cards.{seat}[{k + 1}]": 1 for k in range(n)}
    found |= {f"game_score.{team}": value for team, value in zip(("own", "other"), score, strict=True) if value}
    return found | of_seats("received_schupf", received) | common(**others)  # type: ignore[arg-type]


def reduced_view(counts: tuple, trick: tuple | None, points_in_trick: int = 0, **others: object) -> dict[str, int]:
    """A vector of the reduced layout; `trick` is owner, type, length and value."""
    seats = ("me", "right", "partner", "left")
    found = {f"count_hand_cards.{seat}": n for seat, n in zip(seats, counts, strict=True) if n}
    if trick:
        names = ("trick_owner", "trick_type", "trick_length", "trick_value")
        found |= {f"{name}.{value}": 1 for name, value in zip(names, trick, strict=True)}
    found |= {"trick_points": points_in_trick} if points_in_trick else {}
    return found | common(**others)  # type: ignore[arg-type]


DECK = [
    *("Hu", "Ma", "Dr", "Ph"),
    *(c + r for c in "SBGR" for r in ["2", "3", "4", "5", "6", "7", "8", "9", "10", "B", "D", "K", "A"]),
]
INGRIDA = "Dr Ph SK BK SD RD S9 R9 B8 S8 B7 S7 B5 S2"  # after schupfen
MONAMIE = "GB SB R10 R8 G7 R7 R6 G5 B4 G4 R3 R2 Ma Hu"
STREET = "R8 G7 R6 G5 G4 R3 R2 Ma"
BEFORE_STAIR = f"{STREET} Hu R5 S5 R4 S4"
BEFORE_GIFT = f"{BEFORE_STAIR} SK BK RD SD BA RA RK GK B3 Dr"
NO_CALL, NO_CALLS = "none none none", "none none none none"
# Read off the text of real logs by hand: (log, round, turn, kind, seat), label, return to go, features.
BY_HAND = [
    (
        ("10022", 0, None, "grand", 2), False, -0.2,
        common("SA GA G10 S10 B9 G9 G8 G3", NO_CALL),
    ),
    (
        ("10022", 0, None, "tichu", 3), False, 0.2,
        common("BA GK RK BD GD BB RB R10 B5 S5 R5 S4 R4 G2", NO_CALL),
    ),
    (
        ("10022", 0, None, "schupf", 1), ["S6", "RA", "S2"], 0.2,
        common("RA GB SB R8 G7 R7 S6 R6 G5 B4 R3 S2 R2 Ma", NO_CALL),
    ),
    (
        ("10022", 1, None, "tichu", 3), False, 2.7,
        common("GA SK RK GB S10 G9 R7 G6 G5 B5 B4 R3 Ma Hu", "grand none none"),
    ),
    (
        ("10022", 0, 0, "small", 1), False, 0.2,
        reduced_view((14, 14, 14, 14), ("none", "pass", 0, 0), hand=MONAMIE, calls=NO_CALL, given=(6, 14, 2))
        | {"wish.none": 1},
    ),
    (
        ("10022", 0, 0, "play", 1), STREET.split(), 0.2,
        play_view(
            "me", "me", (14, 14, 14, 14), "none", "none", ("none", "pass", 0, 0), "none", (0, 0), (4, 10, 0),
            hand=MONAMIE, calls=NO_CALLS, given=(6, 14, 2),
        ),
    ),
    (
        ("10022", 0, 1, "wish", 1), 0, 0.2,
        reduced_view(
            (6, 14, 14, 14), ("me", "street", 8, 8), 5, hand="GB SB R10 R7 B4 Hu", calls=NO_CALLS, given=(6, 14, 2),
            played=STREET,
        ) | {"winner.none": 1},
    ),
    (
        ("10022", 0, 6, "small", 0), True, -0.15,
        reduced_view(
            (14, 5, 14, 10), ("left", "stair", 4, 5), 10, hand=INGRIDA, calls=NO_CALL, given=(0, 6, 3),
            played=BEFORE_STAIR, points=(0, 5, 0, 0),
        ) | {"wish.none": 1},
    ),
    (
        ("10022", 0, 6, "play", 0), ["SK", "BK", "RD", "SD"], -0.15,
        play_view(
            "me", "right", (14, 5, 14, 10), "none", "none", ("left", "stair4", 5, 10), "none", (0, 0), (2, 13, 5),
            hand=INGRIDA, calls="small none none none", given=(0, 6, 3), played=BEFORE_STAIR, points=(0, 5, 0, 0),
        ),
    ),
    (
        ("10022", 0, 18, "dragon", 0), "left", 0.35,
        reduced_view(
            (9, 5, 14, 5), None, 25, hand="Ph S9 R9 B8 S8 B7 S7 B5 S2", calls="small none none none", given=(0, 6, 3),
            played=BEFORE_GIFT, points=(0, 5, 0, 50),
        ) | {"wish.none": 1, "winner.none": 1},
    ),
    (
        ("10022", 0, 18, "play", 0), ["S2"], 0.6,
        play_view(
            "me", "right", (9, 5, 14, 5), "none", "left", ("none", "pass", 0, 0), "none", (0, 0), (2, 13, 5),
            hand="Ph S9 R9 B8 S8 B7 S7 B5 S2", calls="small none none none", given=(0, 6, 3), played=BEFORE_GIFT,
            points=(0, 5, 0, 75),
        ),
    ),
    (
        ("10022", 0, 27, "play", 1), [], -0.6,
        play_view(
            "me", "me", (3, 12, 5, 7), "none", "partner", ("left", "single", 14, -15), "none", (0, 0), (4, 10, 0),
            hand="GB SB R7", calls="none none none small", given=(6, 14, 2),
            played=f"{BEFORE_GIFT} S2 B4 G8 R10 SA Ph", points=(5, 0, 75, 0),
        ),
    ),
    (
        ("10022", 0, 46, "play", 1), ["GB"], -0.7,
        play_view(
            "me", "me", (1, 7, 0, 0), "none", "partner", ("none", "pass", 0, 0), "left", (0, 0), (4, 10, 0),
            hand="GB", calls="none none none small", given=(6, 14, 2),
            played=" ".join(c for c in DECK if c not in ["GB", "S10", "G10", "B10", "B9", "G9", "S6", "B6"]),
            points=(5, 5, 75, -15),
        ),
    ),
    (
        ("10022", 1, 1, "play", 0), ["SA"], -2.7,
        play_view(
            "me", "left", (14, 14, 14, 13), "14", "none", ("left", "single", 1, 0), "none", (90, 110), (2, 16, 0),
            hand="Dr SA BA GK RD BD B8 G8 R8 S7 B6 G2 Ph Hu", calls="grand none none none", given=(2, 11, 3),
            played="Ma",
        ),
    ),
    (
        ("10022", 1, 2, "play", 1), [], 2.7,
        play_view(
            "me", "partner", (14, 14, 13, 13), "fulfilled", "none", ("left", "single", 14, 0), "none", (110, 90),
            (11, 11, 2), hand="GD SD SB G10 B10 S8 G7 S6 S5 S4 S3 S2 BB GB", calls="none none none grand",
            given=(2, 13, 2), played="Ma SA",
        ),
    ),
    (
        ("2417500", 5, 14, "bomb", 1), True, 2.6,
        play_view(
            "left", "right", (13, 10, 11, 14), "13", "none", ("partner", "single", 10, 10), "none", (5, -5),
            (2, 11, 2), hand="Ph BA SK GK BK RK S10 G10 S6 B6 G2 S2 SB", calls="none grand none none",
            given=(4, 8, 3), played="S4 R6 G9 BB SD GA Ma B10",
        ),
    ),
    (
        ("2417500", 5, 14, "play", 1), ["SK", "GK", "BK", "RK"], 2.6,
        play_view(
            "me", "right", (13, 10, 11, 14), "13", "none", ("partner", "single", 10, 10), "none", (5, -5),
            (2, 11, 2), hand="Ph BA SK GK BK RK S10 G10 S6 B6 G2 S2 SB", calls="none grand none none",
            given=(4, 8, 3), played="S4 R6 G9 BB SD GA Ma B10",
        ),
    ),
]  # fmt: skip
SPEC_OF = {
    "grand": "grand-65", "tichu": "tichu-65", "schupf": "schupf-65", "small": "tichu-240", "play": "play-375",
    "bomb": "bomb-375", "wish": "wish-233", "dragon": "dragon-204",
}  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND, ids=lambda case: "-".join(map(str, case[0])))
def test_vectors_by_hand(real_logs, case):
    """Encoder and plain reading wrong in the same way: every feature of these is named, all others are zero."""
    (log, index, turn, kind, seat), label, rtg, features = case
    path = next(path for path in real_logs if path.stem == log)
    name = SPEC_OF[kind]
    found = [
        decision
        for decision in decisions_of(path, spec(name), DecisionFilter(index, turn), None)
        if decision["seat"] == seat and decision["turn"] == turn
    ]
    assert len(found) == 1
    decision = found[0]
    assert set(features) <= set(SPECS[name].names)
    assert decision["features"] == features
    assert decision["kind"] == kind
    assert decision["rtg"] == rtg
    assert (sorted(decision["label"]) if isinstance(label, list) and kind == "play" else decision["label"]) == (
        sorted(label) if isinstance(label, list) and kind == "play" else label
    )
    assert decision["forced"] == ((log, index, turn, kind) in {("10022", 0, 27, "play"), ("10022", 0, 46, "play")})
    assert decision["out_of_turn"] == ((log, kind) == ("2417500", "play"))


def run(*arguments: str) -> tuple[int, str]:
    """The command's exit status and what it printed."""
    result = CliRunner().invoke(app, ["features", *arguments])
    return result.exit_code, result.output


def test_the_command_prints_json_lines(tmp_path):
    """A scaling that is ignored, or a seat that is no other's view."""
    code, output = run("--file", str(SOUND_GAME), "--round", "1", "--turn", "5")
    lines = [json.loads(line) for line in output.splitlines()]
    assert code == 0
    assert [(line["round"], line["turn"], line["kind"]) for line in lines] == [(1, 5, "play")]
    assert lines[0]["features"]["current_turn.me"] == 1
    other = (lines[0]["seat"] + 1) % 4
    _, output = run("--file", str(SOUND_GAME), "--round", "1", "--turn", "5", "--seat", str(other))
    seen = json.loads(output)
    assert seen["seat"] == other
    assert seen["features"]["current_turn.left"] == 1
    assert seen["label"] == lines[0]["label"]
    assert seen["rtg"] == -lines[0]["rtg"]
    constants = {
        name: {"clip": [-100, 100], "offset": 10, "scale": 20} for name in ("trick_points", "points", "game_score")
    }
    file = tmp_path / "scaling.json"
    file.write_text(json.dumps({"stamp": "x", "variables": constants}))
    _, output = run("--file", str(SOUND_GAME), "--round", "1", "--turn", "5", "--scaling", str(file))
    raw, scaled = lines[0]["features"], json.loads(output)["features"]
    for name in spec("play-375").names:
        number = name.split(".")[0] in constants
        expected = (min(max(raw.get(name, 0), -100), 100) - 10) / 20 if number else raw.get(name, 0)
        assert scaled.get(name, 0) == expected, name


def test_the_command_tells_what_is_wrong(tmp_path):
    """A stack trace instead of a remedy."""
    (tmp_path / "page.tch").write_text("<html></html>")
    broken = tmp_path / "broken.tch"
    broken.write_text(SOUND_GAME.read_text().replace("Ergebnis: ", "Ergebnis: 1", 1))
    for arguments, status, told in (
        (("--file", str(tmp_path / "none.tch")), 1, "none.tch: cannot be read"),
        (("--file", str(tmp_path / "page.tch")), 1, "no round with a result"),
        (("--file", str(SOUND_GAME), "--round", "99"), 1, "there is no round 99; expected 0.."),
        (("--file", str(broken), "--round", "0"), 1, "round 0 is broken (SCORE"),
        (("--file", str(SOUND_GAME), "--spec", "play-1"), 2, "play-1"),
        (("--file", str(SOUND_GAME), "--scaling", str(SOUND_GAME)), 1, "holds no constants"),
    ):
        code, output = run(*arguments)
        assert code == status, arguments
        assert told in " ".join(output.split()), output
    code, output = run("--file", str(broken))
    assert code == 0
    assert json.loads(output.splitlines()[0])["round"] == 1
