"""From a view to a packed vector of any spec: one kernel, called by replay, loader and live agents alike.

What a spec asks of it stands in a PLAN record.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.observation.blocks import put_figures, put_history, put_kinds, put_lengths
from tichu_models.observation.fields import put_number
from tichu_models.observation.play import encode_play
from tichu_models.observation.reduced import encode_reduced
from tichu_models.observation.specs import COUNTED_KINDS, COUNTED_LENGTHS, LAYOUT_PLAY, LAYOUTS, NUMBERS_A_WORD, Spec

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
    ("history", np.int64),      # turns
], align=True)
# fmt: on


def plan_of(spec: Spec) -> np.record:
    """What the kernels have to know of a spec."""
    plan = np.zeros(1, dtype=PLAN)[0]
    plan["layout"], plan["words"], plan["width"] = LAYOUTS.index(spec.layout), spec.layout.words, spec.width
    plan["filled"] = spec.layout.words + -(-spec.layout.numbers // NUMBERS_A_WORD)
    plan["kinds"] = sum(1 << kind for kind in spec.kinds)
    plan["num_counts"], plan["history"] = spec.counts, spec.history
    number = spec.layout.numbers
    for name, size in (("rtg", int(spec.rtg)), ("score_cum", 2 * spec.score_cum), ("counts", spec.counts)):
        plan[name] = number if size else -1
        number += size
    return plan


@inlined
def encode(view, rtg, plan, packed, i):
    """Packs a view into row i. The return to go, in points, is used by specs that ask for it."""
    for word in range(plan.filled, plan.width):
        packed[i, word] = 0
    if plan.layout == LAYOUT_PLAY:
        encode_play(view, packed, i)
    else:
        encode_reduced(view, packed, i)
    if plan.rtg >= 0:
        put_number(packed, i, plan.words, plan.rtg, rtg)
    if plan.score_cum >= 0 or plan.num_counts or plan.history:
        _append(view, plan, packed, i)


@inner
def _append(view, plan, packed, i):
    if plan.score_cum >= 0:
        team = view.seat & 1
        put_number(packed, i, plan.words, plan.score_cum, np.int64(view.total[team]))
        put_number(packed, i, plan.words, plan.score_cum + 1, np.int64(view.total[1 - team]))
    if plan.num_counts == len(COUNTED_KINDS):
        put_kinds(view.hand, packed, i, plan.words, plan.counts)
    elif plan.num_counts == len(COUNTED_LENGTHS):
        put_lengths(view.hand, packed, i, plan.words, plan.counts)
    elif plan.num_counts:
        put_figures(view.hand, packed, i, plan.words, plan.counts)
    if plan.history:
        put_history(view, packed, i, plan.width - plan.history, plan.history)


@kernel
def encode_views(views, rtgs, plan, packed):
    """Packs many views: what a live agent does with those it is shown."""
    for i in range(len(views)):
        encode(views[i], rtgs[i], plan, packed, i)
