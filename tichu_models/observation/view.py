"""Views: what a seat may see when it is asked, its own cards and what everybody sees, and nothing else.

Seats in a view are absolute, as at the table; `seat` is whose view it is.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.chance import Key
from tichu_models.kernels import field_copier, inlined
from tichu_models.rules.asking import GRAND_CALL
from tichu_models.rules.cards import count
from tichu_models.rules.state import FIRST_SIZE, OPEN, STATE, Seat, State, received

HISTORY_MOST = 16  # turns that a view can hold
GOAL_POINTS = (-300, -200, -100, 0, 100, 200, 300)  # results of a round, at which a goal says what they are worth

# fmt: off
VIEW = np.dtype([
    ("key", np.uint64),             # for all random numbers of this decision
    ("hand", np.int64),             # own cards; the first eight when asked for a grand Tichu
    *OPEN,                          # as in the state
    ("kind", np.int8),              # what is asked, an index of asking.KINDS
    ("seat", np.int8),              # who is asked
    ("given", np.int8, 3),          # card index given to right opponent, partner, left opponent; -1 before
    ("received", np.int8, 3),       # card index got from right opponent, partner, left opponent; -1 before
    ("count", np.int8, 4),          # cards each seat holds
    ("past", np.int16, HISTORY_MOST),  # the latest turns, where `turns.recall` has filled them in
    ("goal", np.int16, len(GOAL_POINTS)),  # what the own team plays for, as `observation.goals` puts it; 0: points
], align=True)
# fmt: on

View: TypeAlias = Any  # a record of VIEW
copy_open = field_copier(STATE, VIEW, [name for name, *_ in OPEN])


@inlined
def see(state: State, seat: Seat, kind: int, key: Key, view: View) -> None:
    """Fills in the view of a seat that is asked a question of this kind."""
    view.key = key
    view.kind = kind
    view.seat = seat
    view.hand = state.first[seat] if kind == GRAND_CALL else state.hand[seat]
    copy_open(state, view)
    for other in range(4):
        view.count[other] = FIRST_SIZE if kind == GRAND_CALL else count(state.hand[other])
    for other in range(3):
        view.given[other] = state.given[seat, other]
        view.received[other] = received(state, seat, other)
