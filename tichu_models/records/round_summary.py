"""What a glance at a sound round's history tells, without the rules: who came in when, who led the Dog to whom, how
the wish ended; and how often points of each size stood before a turn.

Walks the bytes once, at hundreds of thousands of rounds a second. What needs the rules is `replay` and `tricks`.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.records.history import KIND_BITS, PLAY_MARK, SEAT_BITS, TAKE_MARK
from tichu_models.rules.cards import CARD_OF_INDEX, INDEX_OF_LABEL, NUM_CARDS, VALUE_OF_INDEX, points
from tichu_models.rules.combinations import FOUR_OF_A_KIND, MIN_STREET
from tichu_models.rules.state import HAND_SIZE, NOBODY

DOG_CARD, MAHJONG_CARD, FIRST_NATURAL, DRAGON_CARD = (INDEX_OF_LABEL[label] for label in ("Hu", "Ma", "S2", "Dr"))

# fmt: off
ROUND_SUMMARY = np.dtype([
    ("place", np.int8, 4),          # 1..4 in the order of coming in; 0: still in at a double victory
    ("bombs_played", np.int8, 4),
    ("mahjong_by", np.int8),        # who played it, -1 if nobody did
    ("wish_fulfilled_by", np.int8), # who played the wished value first, -1 if nobody did
    ("dragon_giver", np.int8),      # who gave the Dragon's trick away, -1 if nobody did
    ("dog_by", np.int8),            # who led the Dog, -1 if nobody did
    ("dog_to", np.int8),            # who led next, -1 if nobody did
])
# fmt: on

# Points are whole numbers: a count for each, shifted by ZERO.
ZERO = 1_024
TALLY: np.dtype = np.dtype([(name, np.int64, 2 * ZERO) for name in ("trick_points", "points", "rtg")])


@inlined
def is_bomb(history, begin, end):
    """Whether legal cards begin..end, ascending, are four of a kind or one colour in a row."""
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
def _follow(history, begin, end, wish, recipient, course):
    course.mahjong_by = course.wish_fulfilled_by = course.dragon_giver = course.dog_by = course.dog_to = NOBODY
    left = np.full(4, HAND_SIZE)
    course.place[:] = 0
    course.bombs_played[:] = 0
    out, top = 0, np.int64(0)
    at = begin
    while at < end:
        mark, seat = history[at] & KIND_BITS, np.int64(history[at] & SEAT_BITS)
        at += 1
        if mark == TAKE_MARK and top == DRAGON_CARD and recipient >= 0:
            course.dragon_giver = seat
        if mark != PLAY_MARK:
            continue
        cards = at
        open_wish = wish > 0 and course.mahjong_by != NOBODY and course.wish_fulfilled_by == NOBODY
        if course.dog_by != NOBODY and course.dog_to == NOBODY:
            course.dog_to = seat
        while at < end and history[at] < NUM_CARDS:
            card = np.int64(history[at])
            if open_wish and VALUE_OF_INDEX[card] == wish:
                course.wish_fulfilled_by = seat
            at += 1
        top = np.int64(history[cards] if at == cards + 1 else 0)
        if history[cards] == DOG_CARD:
            course.dog_by = seat
        for i in range(cards, at):
            if history[i] == MAHJONG_CARD:
                course.mahjong_by = seat
        course.bombs_played[seat] += is_bomb(history, cards, at)
        left[seat] -= at - cards
        if left[seat] == 0:
            out += 1
            course.place[seat] = out
    if out == 3:
        for last in range(4):
            if course.place[last] == 0:
                course.place[last] = 4


@kernel
def summarise_rounds(history, begins, wishes, recipients, complete, courses):
    """Writes the ROUND_SUMMARY of each complete round; `begins` has one entry more than there are rounds."""
    for i in range(len(courses)):
        if complete[i]:
            _follow(history, begins[i], begins[i + 1], wishes[i], recipients[i], courses[i])


@inner
def _tally(history, begin, end, recipient, lead, is_double, collected, tally):
    """One round; `lead` is by how much team 20 won it."""
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
def tally_rounds(history, begins, recipients, leads, doubles, chosen, tally):
    """Counts, before every turn of the chosen rounds: points of the trick, points of each seat, return to go of who
    acts, as his team sees it."""
    collected = np.zeros(4, dtype=np.int64)
    for i in range(len(chosen)):
        if chosen[i]:
            _tally(history, begins[i], begins[i + 1], recipients[i], leads[i], doubles[i], collected, tally)
