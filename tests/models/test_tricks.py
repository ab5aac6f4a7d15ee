"""Tricks and counts of plays, held against a slow reading of the same histories and against what the replay says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.models.positions import played
from tests.models.rounds_by_hand import Sheet, sheets
from tichu_models.records.replay import check
from tichu_models.records.schema import Rounds
from tichu_models.records.tricks import COUNTS_SHAPE, MAX_TRICKS, SEATS, SPREAD, TRICK, read_tricks
from tichu_models.rules.cards import DECK, DRAGON, PHOENIX, parse_cards, points
from tichu_models.rules.combinations import (
    BOMB,
    STREET,
    TYPE_AND_LENGTH,
    classify,
    combination,
    lower_reading,
    on_trick,
)

SEATINGS = ("HHHH", "RRRR", "HRHR")


def tricks_of(rounds: Rounds, outcomes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tricks, spreads and counts of all rounds."""
    tricks = np.zeros(MAX_TRICKS * len(rounds), dtype=TRICK)
    spreads, counts = np.zeros(len(rounds), dtype=SPREAD), np.zeros(COUNTS_SHAPE, dtype=np.int64)
    seats = np.zeros(1, dtype=SEATS)[0]
    n = read_tricks(rounds.rows, rounds.history, outcomes["completed"], seats, tricks, spreads, counts)
    return tricks[:n], spreads, counts


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
                    beaten_seat, beaten, before = trick[-1]
                    if combination(beaten).type == combination(move).type and len(labels) == combination(beaten).length:
                        if combination(move).rank <= combination(beaten).rank and "Ph" not in labels:
                            trick[-1] = (beaten_seat, int(lower_reading(beaten)), before)
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
        tricks, spreads, counts = tricks_of(rounds, outcomes)
        expected: Counter = Counter()
        by_round: dict[int, list[tuple]] = {}
        for trick in tricks.tolist():
            by_round.setdefault(trick[0], []).append(trick[1:])
        for i, sheet in enumerate(sheets(rounds)):
            slow, spread, counted = slowly(sheet, outcomes[i])
            assert by_round[i] == slow
            assert spreads[i].item() == spread
            expected += counted
        assert {tuple(place): counts[tuple(place)] for place in np.argwhere(counts).tolist()} == expected


def test_tricks_add_up_to_what_the_replay_says():
    """Tricks that come from another course of the round than the one that was checked."""
    outcomes, rounds = check(played(300, 5, "HRHR", max_rounds=1).rounds)
    tricks, _, counts = tricks_of(rounds, outcomes)
    collected = np.zeros((len(rounds), 4), dtype=np.int64)
    np.add.at(collected, (tricks["round"], tricks["recipient"]), tricks["points"])
    assert np.bincount(tricks["round"]).tolist() == outcomes["num_tricks"].tolist()
    assert collected.tolist() == outcomes["points"].tolist()
    dogs = counts[TYPE_AND_LENGTH.index((1, 1)), 0].sum()
    assert counts.sum() == tricks["num_plays"].sum() + dogs
    assert counts[..., 1].sum() == (tricks["num_plays"] - 1).sum()


def test_a_round_that_was_not_finished_has_no_tricks():
    """Half of a broken round among the tricks of sound ones."""
    outcomes, rounds = check(played(3, 5, max_rounds=1).rounds)
    outcomes["completed"][1] = 0
    tricks, spreads, _ = tricks_of(rounds, outcomes)
    assert set(tricks["round"].tolist()) == {0, 2}
    assert spreads[1].item() == (0, 0, 0)


@pytest.mark.parametrize(("follows", "rank"), [("in the trick", 8), ("as the next lead", 9)])
def test_an_ambiguous_phoenix_is_read_low_only_if_it_was_beaten_so(follows, rank):
    """A street called lower than it was, because of a lead that had nothing to beat."""
    take = [("take", 0, [])] if follows == "as the next lead" else []
    lead, follow = ["S5", "B6", "S7", "S8", "Ph"], ["R5", "R6", "R7", "B8", "S9"]
    sheet = sheets(played(1, 5, max_rounds=1).rounds)[0].with_row(tichu_position=[-3] * 4)
    laid = sheet.edited(0, ("play", 0, lead), *take, ("play", 1, follow), ("take", 1, []), drop=len(sheet.entries))
    _, _, counts = tricks_of(laid.rounds(), np.ones(1, dtype=[("completed", np.int8)]))
    by_rank = counts[TYPE_AND_LENGTH.index((STREET, 5))].sum(axis=(1, 2, 3, 4))
    assert by_rank.tolist() == np.bincount([rank, 9], minlength=len(by_rank)).tolist()
