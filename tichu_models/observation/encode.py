"""From a view to a packed vector of any spec: one kernel, called by replay, loader and live agents alike.

What a spec asks of it stands in a PLAN record.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner, kernel, record_at
from tichu_models.observation.blocks import COUNTED_FROM, put_counts, put_history
from tichu_models.observation.fields import counts_field, given_field, put_number, received_field
from tichu_models.observation.play import encode_play
from tichu_models.observation.reduced import encode_reduced
from tichu_models.observation.specs import LAYOUT_PLAY, LAYOUTS, NUMBERS_A_WORD, Spec
from tichu_models.rules.cards import count

# One packed vector, of any spec: what encoders write.
MOST_WORDS = 96
ROW: np.dtype = np.dtype([("word", np.int64, MOST_WORDS)])

row_at = record_at(ROW)

# fmt: off
PLAN = np.dtype([
    ("layout", np.int64),       # index of LAYOUTS
    ("kinds", np.int64),        # bit k: decisions of kind k are encoded
    ("width", np.int64),        # words of a packed vector
    ("words", np.int64),        # those before the numbers
    ("filled", np.int64),       # those that the layout fills, its numbers included
    ("rtg", np.int64),          # which number it is, or -1; likewise the next two
    ("score_cum", np.int64),
    ("counts", np.int64),
    ("num_counts", np.int64),   # 0, 6, 29 or 226
    ("counted", np.int64),      # the first of their rows in COUNTED
    ("history", np.int64),      # turns
], align=True)
# fmt: on


def plan_of(spec: Spec) -> np.record:
    """What the kernels have to know of a spec."""
    plan = np.zeros(1, dtype=PLAN)[0]
    plan["layout"], plan["words"], plan["width"] = LAYOUTS.index(spec.layout), spec.layout.words, spec.width
    plan["filled"] = spec.layout.words + -(-spec.layout.numbers // NUMBERS_A_WORD)
    plan["kinds"] = sum(1 << kind for kind in spec.kinds)
    plan["num_counts"], plan["counted"], plan["history"] = spec.counts, COUNTED_FROM[spec.counts], spec.history
    number = spec.layout.numbers
    for name, size in (("rtg", int(spec.rtg)), ("score_cum", 2 * spec.score_cum), ("counts", spec.counts)):
        plan[name] = number if size else -1
        number += size
    return plan


@inlined
def encode(view, rtg, plan, row):
    """Packs a view into a row. The return to go, in points, is used by specs that ask for it."""
    if plan.layout == LAYOUT_PLAY:
        seat, held = np.int64(view.seat), view.count
        counts = counts_field(held[seat], held[(seat + 1) & 3], held[seat ^ 2], held[(seat + 3) & 3])
        encode_play(view, seat, view.hand, counts, given_field(view), received_field(view), row)
    else:
        encode_reduced(view, row)
    if appends(plan):
        append(view, rtg, plan, row)


@inlined
def encode_seen_play(state, seat, given, received, row):
    """What `encode` makes of the view of a seat in the play, without the view; `append` is left to the caller."""
    hand = state.hand
    right, partner, left = count(hand[(seat + 1) & 3]), count(hand[seat ^ 2]), count(hand[(seat + 3) & 3])
    counts = counts_field(count(hand[seat]), right, partner, left)
    encode_play(state, seat, hand[seat], counts, given, received, row)


@inlined
def appends(plan):
    """Whether anything stands behind what the layout fills."""
    return plan.width > plan.filled or plan.rtg >= 0


@inner
def append(view, rtg, plan, row):
    """Adds what stands there: the return to go, the game's score, counts, the latest turns."""
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


@kernel
def encode_views(views, rtgs, plan, row, packed):
    """Packs many views: what a live agent does with those it is shown."""
    for i in range(len(views)):
        encode(views[i], rtgs[i], plan, row)
        for word in range(plan.width):
            packed[i, word] = row.word[word]


def pack(views: np.ndarray, rtgs: np.ndarray, spec: Spec) -> np.ndarray:
    """The packed vectors of views; `rtgs` are the returns to go that a spec with one is to reach, in points."""
    packed = np.empty((len(views), spec.width), dtype=np.int64)
    encode_views(views, rtgs.astype(np.int64), plan_of(spec), np.zeros(1, dtype=ROW)[0], packed)
    return packed
