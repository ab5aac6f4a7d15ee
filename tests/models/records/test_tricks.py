"""Tricks and counts of plays, held against a slow reading of the same histories and against what the replay says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.makers.positions import played
from tests.makers.rounds_by_hand import Sheet, ambiguous, sheets
from tichu_models.kernels import kernel
from tichu_models.records.history import load
from tichu_models.records.replay import OUTCOME, SCRATCH, check, replay
from tichu_models.records.schema import Rounds
from tichu_models.records.tricks import COUNTS_SHAPE, NUM_COUNTS, SEAT_COUNTS, SPREAD, TRICK, read_tricks
from tichu_models.rules.cards import DECK, DRAGON, PHOENIX, parse_cards, points
from tichu_models.rules.combinations import BOMB, STREET, TYPE_AND_LENGTH, classify, combination, on_trick

SEATINGS = ("HHHH", "RRRR", "HRHR")


@kernel
def _tricks_of(rows, history, scratch, outcome, seats, tricks, spreads, counts):
    n = 0
    for i in range(len(rows)):
        load(scratch.log, history, rows[i])
        replay(scratch.state, rows[i], scratch.log, scratch.normal, outcome, scratch.plays, 0, 0)
        n = read_tricks(rows[i], scratch.normal, seats, tricks, n, spreads[i], counts)
    return n


def tricks_of(rounds: Rounds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tricks, spreads and counts of all rounds."""
    tricks = np.zeros(len(rounds.history), dtype=TRICK)
    spreads, counts = np.zeros(len(rounds), dtype=SPREAD), np.zeros(NUM_COUNTS, dtype=np.int64)
    scratch, outcome, seats = (np.zeros(1, dtype=kind)[0] for kind in (SCRATCH, OUTCOME, SEAT_COUNTS))
    n = _tricks_of(rounds.rows, rounds.history, scratch, outcome, seats, tricks, spreads, counts)
    return tricks[:n], spreads, counts.reshape(COUNTS_SHAPE)


def call_before(sheet: Sheet, seat: int, turn: int) -> int:
    """0 none, 1 small, 2 grand."""
    position = sheet.row["tichu_position"][0, seat]
    return 2 if position == -2 else int(-1 <= position <= turn)


def slowly(sheet: Sheet, outcome: np.void) -> tuple[list[tuple], tuple, Counter]:
    """Tricks, spread of points and counted plays of one round, one entry of its history after the other."""
    held, collected, before_turns = [14] * 4, [0] * 4, []
    tricks: list[tuple] = []
    counted: Counter = Counter()
    trick: list[tuple[int, int, int]] = []  # seat, play, cards before
    turn = first = 0

    def note(seat: int, play: int, before: int, beaten: int) -> None:
        kind = combination(play)
        rank = 16 if play & DECK == PHOENIX else kind.rank
        opponents = max(call_before(sheet, (seat + 1) % 4, turn), call_before(sheet, (seat + 3) % 4, turn))
        label = TYPE_AND_LENGTH.index(kind[:2])
        counted[label, rank, call_before(sheet, seat, turn), opponents, before, beaten] += 1

    for kind, seat, labels in sheet.entries:
        if kind == "take":
            winner, play, _ = trick[-1]
            cards = sum(move & DECK for _, move, _ in trick)
            gift = play & DECK == DRAGON and not (outcome["is_double_victory"] and turn == outcome["num_turns"])
            recipient = int(sheet.row["dragon_recipient"][0]) if gift else winner
            note(*trick[-1], 0)
            figure = combination(play)
            rank = 16 if play & DECK == PHOENIX else figure.rank
            bombs = sum(combination(move).type == BOMB for _, move, _ in trick)
            tricks.append(
                (
                    *(len(tricks), first, turn - first, len(trick), bombs, trick[0][0], winner, recipient),
                    *(points(cards), figure.type, figure.length, rank),
                )
            )
            collected[recipient] += points(cards)
            trick = []
            continue
        before_turns.append(list(collected))
        if kind == "play":
            move = int(on_trick(classify(parse_cards(" ".join(labels))), trick[-1][1] if trick else 0))
            if labels == ["Hu"]:
                note(seat, move, held[seat], 0)
            else:
                if trick:
                    note(*trick[-1], 1)
                else:
                    first = turn
                trick.append((seat, move, held[seat]))
            held[seat] -= len(labels)
        turn += 1
    table = np.array(before_turns)
    return tricks, (int(table.min()), int(table.max()), int(table.sum())), counted


def test_tricks_equal_a_slow_reading():
    """Tricks of the wrong winner, gift or points, and plays counted under another call, rank or hand size."""
    for seats in SEATINGS:
        outcomes, rounds = check(played(40, 21, seats).rounds)
        tricks, spreads, counts = tricks_of(rounds)
        expected: Counter = Counter()
        by_round: dict[tuple, list[tuple]] = {}
        for trick in tricks.tolist():
            by_round.setdefault(trick[:2], []).append(trick[2:])
        for i, sheet in enumerate(sheets(rounds)):
            slow, spread, counted = slowly(sheet, outcomes[i])
            assert by_round[tuple(sheet.row[["game_id", "round_index"]][0].tolist())] == slow
            assert spreads[i].item() == spread
            expected += counted
        assert {tuple(place): counts[tuple(place)] for place in np.argwhere(counts).tolist()} == expected


def test_tricks_add_up_to_what_the_replay_says():
    """Tricks that come from another course of the round than the one that was checked."""
    outcomes, rounds = check(played(300, 5, "HRHR", max_rounds=1).rounds)
    rounds.rows["game_id"], rounds.rows["round_index"] = 1, np.arange(len(rounds))
    tricks, _, counts = tricks_of(rounds)
    collected = np.zeros((len(rounds), 4), dtype=np.int64)
    np.add.at(collected, (tricks["round_index"], tricks["recipient"]), tricks["points"])
    assert np.bincount(tricks["round_index"]).tolist() == outcomes["num_tricks"].tolist()
    assert collected.tolist() == outcomes["points"].tolist()
    dogs = counts[TYPE_AND_LENGTH.index((1, 1)), 0].sum()
    assert counts.sum() == tricks["num_plays"].sum() + dogs
    assert counts[..., 1].sum() == (tricks["num_plays"] - 1).sum()


@pytest.mark.parametrize(("follower", "rank"), [(1, 8), (0, 9)])
def test_an_ambiguous_phoenix_counts_as_the_replay_has_read_it(follower, rank):
    """A street counted as higher than it was beaten, or as lower because of the next lead."""
    sheet = ambiguous("S5 B6 S7 S8 Ph", "G5 G6 B7 B8 B9", follower)
    passes = [("pass", (follower + i) % 4, []) for i in (1, 2, 3)]
    between = [("pass", seat, []) for seat in (1, 2, 3)] + [("take", 0, [])] if follower == 0 else []
    lead, follow = sheet.entries
    laid = sheet.edited(0, lead, *between, ("play", follower, follow[2]), *passes, ("take", follower, []), drop=2)
    _, _, counts = tricks_of(laid.rounds())
    by_rank = counts[TYPE_AND_LENGTH.index((STREET, 5))].sum(axis=(1, 2, 3, 4))
    assert by_rank.tolist() == np.bincount([rank, 9], minlength=len(by_rank)).tolist()
