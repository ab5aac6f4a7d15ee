"""Round summaries: facts that the history of a sound round tells without a replay, and tallies of points.

A summary has places, bombs, and who led the Dog, fulfilled the wish or gave the Dragon away. A tally counts the points
before each turn, from which a scaling is fitted. Both read the bytes once, hundreds of thousands of rounds a second.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.records.history import KIND_BITS, PLAY_MARK, SEAT_BITS, TAKE_MARK
from tichu_models.rules.cards import CARD_OF_INDEX, INDEX_OF_LABEL, NUM_CARDS, VALUE_OF_INDEX, points
from tichu_models.rules.combinations import FOUR_OF_A_KIND, MIN_STREET
from tichu_models.rules.state import HAND_SIZE, NOBODY, Seat

DOG_CARD, MAHJONG_CARD, FIRST_NATURAL, DRAGON_CARD = (INDEX_OF_LABEL[label] for label in ("Hu", "Ma", "S2", "Dr"))

# fmt: off
ROUND_SUMMARY = np.dtype([
    ("place", np.int8, 4),          # 1..4 in the order of going out; 0: still in at a double victory
    ("bombs_played", np.int8, 4),
    ("mahjong_by", np.int8),        # who played it, -1 if nobody did
    ("wish_fulfilled_by", np.int8), # who first played the wished rank, -1 if nobody did
    ("dragon_giver", np.int8),      # who gave the Dragon's trick away, -1 if nobody did
    ("dog_by", np.int8),            # who led the Dog, -1 if nobody did
    ("dog_to", np.int8),            # who led next, -1 if nobody did
])
# fmt: on

# Counts by number of points; the count of 0 points is at ZERO.
ZERO = 1_024
TALLY: np.dtype = np.dtype([(name, np.int64, 2 * ZERO) for name in ("trick_points", "points", "rtg")])

RoundSummary: TypeAlias = Any  # a record of ROUND_SUMMARY
Tally: TypeAlias = Any  # a record of TALLY


@inlined
def is_bomb(history: np.ndarray, begin: int, end: int) -> bool:
    """Whether the cards of a legal play, bytes begin..end, are four of a kind or a street of one colour."""
    n = end - begin
    if n < FOUR_OF_A_KIND or history[begin] < FIRST_NATURAL or history[end - 1] >= DRAGON_CARD:
        return False
    first, last = np.int64(history[begin]), np.int64(history[end - 1])
    if n == FOUR_OF_A_KIND:
        return VALUE_OF_INDEX[first] == VALUE_OF_INDEX[last]
    if n < MIN_STREET:
        return False
    for i in range(begin + 1, end):
        if (np.int64(history[i]) - first) & 3:
            return False
    return True


@inner
def _summarise(history: np.ndarray, begin: int, end: int, wish: int, recipient: Seat, summary: RoundSummary) -> None:
    """Writes the summary of the round in bytes begin..end."""
    summary.mahjong_by = summary.wish_fulfilled_by = summary.dragon_giver = summary.dog_by = summary.dog_to = NOBODY
    left = np.full(4, HAND_SIZE)
    summary.place[:] = 0
    summary.bombs_played[:] = 0
    out, top = 0, np.int64(0)
    at = begin
    while at < end:
        mark, seat = history[at] & KIND_BITS, np.int64(history[at] & SEAT_BITS)
        at += 1
        if mark == TAKE_MARK and top == DRAGON_CARD and recipient >= 0:
            summary.dragon_giver = seat
        if mark != PLAY_MARK:
            continue
        cards = at
        open_wish = wish > 0 and summary.mahjong_by != NOBODY and summary.wish_fulfilled_by == NOBODY
        if summary.dog_by != NOBODY and summary.dog_to == NOBODY:
            summary.dog_to = seat
        while at < end and history[at] < NUM_CARDS:
            card = np.int64(history[at])
            if open_wish and VALUE_OF_INDEX[card] == wish:
                summary.wish_fulfilled_by = seat
            at += 1
        top = np.int64(history[cards] if at == cards + 1 else 0)
        if history[cards] == DOG_CARD:
            summary.dog_by = seat
        for i in range(cards, at):
            if history[i] == MAHJONG_CARD:
                summary.mahjong_by = seat
        summary.bombs_played[seat] += is_bomb(history, cards, at)
        left[seat] -= at - cards
        if left[seat] == 0:
            out += 1
            summary.place[seat] = out
    if out == 3:
        for last in range(4):
            if summary.place[last] == 0:
                summary.place[last] = 4


@kernel
def summarise_rounds(
    history: np.ndarray,
    begins: np.ndarray,
    wishes: np.ndarray,
    recipients: np.ndarray,
    complete: np.ndarray,
    summaries: np.ndarray,
) -> None:
    """Writes the summary of each complete round. `begins` has one place more than there are rounds: the end."""
    for i in range(len(summaries)):
        if complete[i]:
            _summarise(history, begins[i], begins[i + 1], wishes[i], recipients[i], summaries[i])


@inner
def _tally(
    history: np.ndarray,
    begin: int,
    end: int,
    recipient: Seat,
    lead: int,
    is_double: bool,
    collected: np.ndarray,
    tally: Tally,
) -> None:
    """Counts the points before each turn of one round; `lead` is the number of points by which team 20 won it."""
    collected[:] = 0
    trick, top = 0, np.int64(0)
    at = begin
    while at < end:
        mark, seat = history[at] & KIND_BITS, np.int64(history[at] & SEAT_BITS)
        at += 1
        if mark == TAKE_MARK:
            collected[recipient if top == DRAGON_CARD and recipient >= 0 else seat] += trick
            trick = 0
            continue
        tally.trick_points[ZERO + trick] += 1
        ahead = 0
        for other in range(4):
            tally.points[ZERO + collected[other]] += 1
            ahead += -collected[other] if other & 1 else collected[other]
        to_go = lead if is_double else lead - ahead
        tally.rtg[ZERO + (-to_go if seat & 1 else to_go)] += 1
        if mark != PLAY_MARK:
            continue
        cards = 0
        while at < end and history[at] < NUM_CARDS:
            top = np.int64(history[at])
            cards |= CARD_OF_INDEX[top]
            at += 1
        if cards != CARD_OF_INDEX[top]:
            top = np.int64(0)
        trick += points(cards)


@kernel
def tally_rounds(
    history: np.ndarray,
    begins: np.ndarray,
    recipients: np.ndarray,
    leads: np.ndarray,
    doubles: np.ndarray,
    chosen: np.ndarray,
    tally: Tally,
) -> None:
    """Counts before each turn of the chosen rounds: the points in the trick, the points of each seat, the return to go
    of the player on turn."""
    collected = np.zeros(4, dtype=np.int64)
    for i in range(len(chosen)):
        if chosen[i]:
            _tally(history, begins[i], begins[i + 1], recipients[i], leads[i], doubles[i], collected, tally)
