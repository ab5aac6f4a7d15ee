"""Encodes a view as a packed vector of any spec, for samples and live agents alike. A PLAN tells kernels the spec."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, kernel, record_at
from tichu_models.observation.counts import FIRST_ROW, put_counts
from tichu_models.observation.fields import (
    NUMBERS_A_WORD,
    Field,
    Row,
    counts_field,
    given_field,
    put_number,
    received_field,
)
from tichu_models.observation.play import encode_play
from tichu_models.observation.reduced import encode_reduced
from tichu_models.observation.specs import LAYOUT_PLAY, LAYOUTS, Spec
from tichu_models.observation.turns import put_history
from tichu_models.observation.view import GOAL_POINTS, View
from tichu_models.rules.cards import count
from tichu_models.rules.state import Seat, State

# Room for a packed vector of any spec.
MOST_WORDS = 96
ROW: np.dtype = np.dtype([("word", np.int64, MOST_WORDS)])

row_at = record_at(ROW)

# fmt: off
PLAN = np.dtype([
    ("layout", np.int64),       # index of LAYOUTS
    ("kinds", np.int64),        # bit k: decisions of kind k are encoded
    ("width", np.int64),        # words of a packed vector
    ("words", np.int64),        # of bits, before the numbers
    ("filled", np.int64),       # words that the layout fills, its numbers included
    ("rtg", np.int64),          # place among the numbers, or -1; likewise the next two
    ("score_cum", np.int64),
    ("counts", np.int64),
    ("num_counts", np.int64),   # 0, 6, 29 or 226
    ("counted", np.int64),      # the first of their rows in COUNTED_ROWS
    ("history", np.int64),      # turns
    ("goal", np.int64),         # place among the numbers, or -1
], align=True)
# fmt: on

Plan: TypeAlias = Any  # a record of PLAN


def plan_of(spec: Spec) -> np.record:
    """A spec as kernels read it."""
    plan = np.zeros(1, dtype=PLAN)[0]
    plan["layout"], plan["words"], plan["width"] = LAYOUTS.index(spec.layout), spec.layout.words, spec.width
    plan["filled"] = spec.layout.words + -(-spec.layout.numbers // NUMBERS_A_WORD)
    plan["kinds"] = sum(1 << kind for kind in spec.kinds)
    plan["num_counts"], plan["counted"], plan["history"] = spec.counts, FIRST_ROW[spec.counts], spec.history
    number = spec.layout.numbers
    sizes = (int(spec.rtg), 2 * spec.score_cum, spec.counts, len(GOAL_POINTS) * spec.goal)
    for name, size in zip(("rtg", "score_cum", "counts", "goal"), sizes, strict=True):
        plan[name] = number if size else -1
        number += size
    return plan


@inlined
def encode(view: View, rtg: int, plan: Plan, row: Row) -> None:
    """Packs a view into a row. Only specs with a return to go use `rtg`, in points."""
    if plan.layout == LAYOUT_PLAY:
        seat, held = np.int64(view.seat), view.count
        counts = counts_field(held[seat], held[(seat + 1) & 3], held[seat ^ 2], held[(seat + 3) & 3])
        encode_play(view, seat, view.hand, counts, given_field(view), received_field(view), row)
    else:
        encode_reduced(view, row)
    if appends(plan):
        append(view, rtg, plan, row)


@inlined
def encode_seen_play(state: State, seat: Seat, given: Field, received: Field, row: Row) -> None:
    """Writes what `encode` makes of the view of a seat in the play, without a view. The caller appends the blocks."""
    hand = state.hand
    right, partner, left = count(hand[(seat + 1) & 3]), count(hand[seat ^ 2]), count(hand[(seat + 3) & 3])
    counts = counts_field(count(hand[seat]), right, partner, left)
    encode_play(state, seat, hand[seat], counts, given, received, row)


@inlined
def appends(plan: Plan) -> bool:
    """Whether a spec appends anything to its layout."""
    return plan.width > plan.filled or plan.rtg >= 0


@inner
def append(view: View, rtg: int, plan: Plan, row: Row) -> None:
    """Appends to a layout: the return to go, the game's score, counts, the latest turns, the goal."""
    for word in range(plan.filled, plan.width):
        row.word[word] = 0
    if plan.rtg >= 0:
        put_number(row, plan.words, plan.rtg, rtg)
    if plan.score_cum >= 0:
        team = view.seat & 1
        put_number(row, plan.words, plan.score_cum, np.int64(view.total[team]))
        put_number(row, plan.words, plan.score_cum + 1, np.int64(view.total[1 - team]))
    if plan.num_counts:
        put_counts(view.hand, row, plan.words, plan.counts, plan.counted, plan.num_counts)
    if plan.history:
        put_history(view, row, plan.width - plan.history, plan.history)
    if plan.goal >= 0:
        put_goal(view.goal, row, plan.words, plan.goal)


@inlined
def put_goal(goal: np.ndarray, row: Row, words: int, place: int) -> None:
    """Adds the numbers of a goal to a row."""
    for point in range(len(GOAL_POINTS)):
        put_number(row, words, place + point, np.int64(goal[point]))


@kernel
def encode_views(views: np.ndarray, rtgs: np.ndarray, plan: Plan, row: Row, packed: np.ndarray) -> None:
    """Packs many views, for live agents."""
    for i in range(len(views)):
        encode(views[i], rtgs[i], plan, row)
        for word in range(plan.width):
            packed[i, word] = row.word[word]


def pack(views: np.ndarray, rtgs: np.ndarray, spec: Spec) -> np.ndarray:
    """The packed vectors of views; `rtgs` are the returns to go that an agent aims at, in points."""
    packed = np.empty((len(views), spec.width), dtype=np.int64)
    encode_views(views, rtgs.astype(np.int64), plan_of(spec), np.zeros(1, dtype=ROW)[0], packed)
    return packed
