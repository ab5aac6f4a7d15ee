"""Self-play: the same games from the same seed, every round sound, every score as the reference has it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.makers.positions import played
from tests.makers.rounds_by_hand import Sheet, hands_after_schupfen, sheets
from tests.oracles import reference
from tichu_models.arena import selfplay
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.records.replay import check
from tichu_models.rules.scoring import NOT_OVER, game_result
from tichu_models.rules.state import CALLED_GRAND, NOT_CALLED

SEATINGS = ("HHHH", "RRRR", "HRHR", "BHRB")


def game_bytes(chunks: list[selfplay.PlayedRounds]) -> dict[int, list[tuple[bytes, ...]]]:
    """Everything that was recorded of each game, wherever in the byte array it stands."""
    games: dict[int, list[tuple[bytes, ...]]] = {}
    for chunk in chunks:
        facts = [name for name in chunk.rounds.rows.dtype.names if not name.startswith("history")]
        for i, row in enumerate(chunk.rounds.rows):
            beside = (chunk.rounds.history_of(i), chunk.agents[i].tobytes(), chunk.blunders[i].tobytes())
            record = (*(row[name].tobytes() for name in facts), *beside)
            games.setdefault(int(row["game_id"]), []).append(record)
    return games


def test_same_seed_same_games_whatever_the_chunk(monkeypatch):
    """A run cannot be repeated, or its games depend on how many were played at once."""
    agents = [HeuristicAgent(blunder=0.1), RandomAgent()]
    seating = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 1, 0]] * 5)
    whole = game_bytes(list(selfplay.stream(agents, seating, 9)))
    assert game_bytes(list(selfplay.stream(agents, seating, 9))) == whole
    parts = [
        chunk
        for begin in range(0, len(seating), 4)
        for chunk in selfplay.stream(agents, seating[begin : begin + 4], 9, first_game=begin)
    ]
    assert game_bytes(parts) == whole
    monkeypatch.setattr(selfplay, "ROUNDS_A_CHUNK", 64)
    chunks = list(selfplay.stream(agents, seating, 9, max_rounds=1 << 20))
    assert len(chunks) > 1
    assert game_bytes(chunks) == whole
    assert game_bytes(list(selfplay.stream(agents, seating, 10))) != whole


def test_a_game_does_not_depend_on_its_neighbours():
    """Another player at one table changes the games at others."""
    agents = [HeuristicAgent(), RandomAgent()]
    one = game_bytes(list(selfplay.stream(agents, np.array([[0] * 4, [1] * 4, [0] * 4]), 5)))
    other = game_bytes(list(selfplay.stream(agents, np.array([[1] * 4, [0, 1, 1, 0], [0] * 4]), 5)))
    assert one[2] == other[2]
    assert one[0] != other[0]


@pytest.mark.parametrize("seating", SEATINGS)
def test_every_round_replays_clean(seating):
    """Self-play makes a move, a call or a score that the replay of logs would refuse."""
    chunk = played(60, 21, seating)
    outcomes, normal = check(chunk.rounds)
    assert len(outcomes) > 200
    assert not outcomes["rule_break"].any()
    assert not outcomes["phoenix_low"].any()
    assert (outcomes["score"] == chunk.rounds.rows["score"]).all()
    assert normal.history.tobytes() == chunk.rounds.history.tobytes()


@pytest.mark.parametrize("seating", SEATINGS)
def test_every_game_is_finished_at_its_goal(seating):
    """A game stops short of 1000 points, or goes on after them."""
    rows = played(60, 22, seating).rounds.rows
    assert sorted(set(rows["game_id"].tolist())) == list(range(60))
    for game in range(60):
        rounds = rows[rows["game_id"] == game]
        assert rounds["round_index"].tolist() == list(range(len(rounds)))
        totals = np.cumsum(rounds["score"].astype(int), axis=0)
        results = [game_result(*total) for total in totals.tolist()]
        assert set(results[:-1]) <= {NOT_OVER}
        assert results[-1] != NOT_OVER


def test_max_rounds_ends_a_game():
    """A match over a fixed number of deals plays on to 1000 points."""
    rows = played(7, 3, "HHHH", max_rounds=2).rounds.rows
    assert rows["round_index"].tolist() == [0, 1] * 7


def rescored(sheet: Sheet) -> tuple[list[int], list[int]]:
    """Points and score of a round as the reference plays it; who takes a trick is checked on the way."""
    calls = ["", "", "", ""]
    for seat, position in enumerate(sheet.row["tichu_position"][0].tolist()):
        if position != NOT_CALLED:
            calls[seat] = "grand" if position == CALLED_GRAND else "small"
    round_ = reference.Round([frozenset(hand) for hand in hands_after_schupfen(sheet.row)], calls)
    for kind, seat, cards in sheet.entries:
        if kind == "play":
            round_.lay(seat, frozenset(cards))
        elif kind == "pass":
            round_.pass_turn(seat)
        else:
            assert round_.take(int(sheet.row["dragon_recipient"][0])) == seat
    assert round_.over()
    assert round_.trick is None
    return round_.points, round_.score()


@pytest.mark.parametrize("seating", SEATINGS)
def test_the_reference_scores_every_round_alike(seating):
    """Turns, tricks, the Dragon, or a score are wrong in engine and replay alike."""
    chosen = sheets(played(12, 23, seating).rounds)[:70]
    assert len(chosen) > 50
    for sheet in chosen:
        points, score = rescored(sheet)
        assert points == sheet.outcome()["points"].tolist()
        assert score == sheet.row["score"][0].tolist()


@pytest.mark.proof
def test_the_reference_scores_thousands_of_rounds_alike():
    """A rare end of a round is scored wrongly."""
    for seating in SEATINGS:
        for sheet in sheets(played(200, 24, seating).rounds):
            assert rescored(sheet)[1] == sheet.row["score"][0].tolist()


def test_rare_situations_are_played():
    """Tests on self-played rounds never see what they are there for."""
    rows = np.concatenate([played(60, 25, seating).rounds.rows for seating in SEATINGS])
    all_sheets = [sheet for seating in SEATINGS for sheet in sheets(played(25, 25, seating).rounds)]
    outcomes = np.concatenate([check(played(60, 25, seating).rounds)[0] for seating in SEATINGS])
    seen = {
        "dragon given": (rows["dragon_recipient"] >= 0).any(),
        "wish": (rows["wish"] > 0).any(),
        "no wish": (rows["wish"] == 0).any(),
        "grand": (rows["tichu_position"] == CALLED_GRAND).any(),
        "before schupfen": (rows["tichu_position"] == -1).any(),
        "small": (rows["tichu_position"] > 0).any(),
        "double victory": outcomes["is_double_victory"].any(),
        "bomb on hand": outcomes["bomb_owners"].any(),
        "dog": any(cards == ["Hu"] for sheet in all_sheets for _, _, cards in sheet.entries),
        "bomb out of turn": any(
            one[0] == other[0] == "play" and one[2] != ["Hu"] and _skipped(one, other, sheet)
            for sheet in all_sheets
            for one, other in pairwise(sheet.entries)
        ),
    }
    assert all(seen.values()), seen


def _skipped(one: tuple, other: tuple, sheet: Sheet) -> bool:
    """Whether a play follows another though the seat between them holds cards to the end."""
    between = (one[1] + 1) % 4
    return other[1] != between and between == int(sheet.outcome()["loser_index"])


def test_blunders_are_flagged_where_they_happen():
    """The hidden truth beside a corpus names other turns than the blunders."""
    chunk = played(20, 26, "HBHB")
    for i, sheet in enumerate(sheets(chunk.rounds)):
        seats = [seat for kind, seat, _ in sheet.entries if kind != "take"]
        flagged = np.flatnonzero(chunk.blunders[i])
        assert flagged.max(initial=0) < len(seats)
        assert {seats[turn] % 2 for turn in flagged} <= {1}
    share = sum(chunk.blunders[i].sum() for i in range(len(chunk.rounds)))
    assert share > 0


def test_the_heuristic_player_is_far_better_than_chance():
    """A change of the engine or the player lets chance win games."""
    agents = [HeuristicAgent(), RandomAgent()]
    seating = np.array([[0, 1, 0, 1], [1, 0, 1, 0]] * 100)
    (chunk,) = selfplay.stream(agents, seating, 31)
    won = 0
    for game in range(len(seating)):
        totals = chunk.rounds.rows["score"][chunk.rounds.rows["game_id"] == game].astype(int).sum(axis=0)
        won += totals[game % 2] > totals[1 - game % 2]
    assert won >= 196
