"""The decisions of logged rounds as records: each with its view, its answer and whether it was forced.

`walk` finds them. The vectors of a decision, without a record in between, are `samples`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, kernel
from tichu_models.observation.turns import recall
from tichu_models.observation.view import VIEW, see
from tichu_models.observation.walk import MAX_DECISIONS, LoggedDecision, Target, Walk, walk
from tichu_models.rules.state import Seat

# fmt: off
# A decision with its view.
DECISION = np.dtype([
    ("seen", VIEW),                 # the view; `seen.kind` says what was asked
    ("label", np.int64),
    ("place", np.int32),            # of the round in the array of rounds
    ("turn", np.int16),
    ("actor", np.int8),
    ("forced", np.int8),
    ("out_of_turn", np.int8),
], align=True)
# fmt: on

# A record like all scratch of kernels: arrays are reference-counted at every call down a call tree.
DECISIONS_AT_ONCE = 4 * MAX_DECISIONS
DECISION_BUFFER: np.dtype = np.dtype([("at", DECISION, DECISIONS_AT_ONCE)])

DecisionBuffer: TypeAlias = Any  # a record of DECISION_BUFFER


@inlined
def _note_decision(scratch: Walk, logged: LoggedDecision, target: Target, n: int) -> None:
    """Keeps a decision with its view and the latest turns before it."""
    past, base, place, buffer = target
    decision = buffer.at[base + n]
    see(scratch.position.state, logged.observer, logged.kind, np.uint64(0), decision.seen)
    if past:
        recall(scratch.log, logged.entries, past, decision.seen)
    decision.label = logged.label
    decision.place = place
    decision.turn = logged.turn
    decision.actor = logged.actor
    decision.forced = logged.forced
    decision.out_of_turn = logged.out_of_turn


@kernel
def find_decisions(
    rows: np.ndarray,
    before: np.ndarray,
    history: np.ndarray,
    scratch: Walk,
    kinds: int,
    past: int,
    observer: Seat,
    room: int,
    buffer: DecisionBuffer,
) -> tuple[int, int]:
    """Fills the buffer with the decisions of rounds, while it has room for any round; returns (rounds, decisions)."""
    n = 0
    for i in range(len(rows)):
        if n + MAX_DECISIONS > room:
            return i, n
        target = past, n, i, buffer
        n += walk(rows[i], before[i], history, scratch, kinds, observer, _note_decision, target)
    return len(rows), n
