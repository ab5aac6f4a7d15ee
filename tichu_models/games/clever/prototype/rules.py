"""The prototype of Ganz schön clever

A thesis' first step towards the whole game: the yellow area, alone. One player has ten steps.

1. In every step one to six dice are rolled (two by default), and a free box is marked whose number one of them shows.
2. If there is none, the step is lost: action 16. Else the action is the number of the box, 0 to 15, row by row.
3. Who completes a row gets 10, 14, 16 or 20 points, from above; a column, as many from the left. 86 can be reached.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import Key, draw_below
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.clever.prototype.optimum import STEPS
from tichu_models.games.clever.sheet import BEGIN, COLUMN_POINTS, YELLOW_FITS, yellow_points
from tichu_models.kernels import inlined, inner, ones, trailing_zeros

BOXES, NOTHING, MOST_DICE, SIDES = 16, 16, 6, 6
PRINTED = BEGIN & (1 << BOXES) - 1
OBSERVATION = BOXES + SIDES + STEPS

# fmt: off
STATE = np.dtype([
    ("key", np.uint64),
    ("marked", np.int64),         # boxes
    ("shown", np.int64),          # numbers that the dice show, as bits
    ("steps", np.int8),           # that are left
    ("dice", np.int8),            # how many
    ("rolling", np.int8),         # 1: the dice have to be rolled first
], align=True)
# fmt: on


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: the number of dice."""
    state.key = key
    state.marked, state.shown = PRINTED, 0
    state.steps, state.dice, state.rolling = STEPS, options[0], 1


@inlined
def mover(state: State) -> int:
    """The player, or CHANCE before every step, or OVER."""
    if state.steps == 0:
        return OVER
    return CHANCE if state.rolling else 0


@inlined
def boxes(state: State) -> int:
    """The boxes that may be marked."""
    found = 0
    for number in range(1, SIDES + 1):
        if state.shown >> number & 1:
            found |= YELLOW_FITS[number]
    return found & ~state.marked


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The boxes in their order; NOTHING if there is none."""
    left, n = boxes(state), 0
    while left:
        out[n] = trailing_zeros(left)
        left &= left - 1
        n += 1
    if n == 0:
        out[0] = NOTHING
        n = 1
    return n


@inlined
def count(state: State) -> int:
    """How many actions are legal."""
    return max(ones(boxes(state)), 1)


@inner
def step(state: State, action: int) -> None:
    """Marks a box."""
    if action != NOTHING:
        state.marked |= 1 << action
    state.steps -= 1
    state.rolling, state.shown = 1, 0


@inlined
def refuse(state: State) -> None:
    """An action that is not legal: the step is lost."""
    step(state, NOTHING)


@inner
def chance(state: State) -> None:
    """Rolls the dice."""
    shown = 0
    for die in range(state.dice):
        shown |= 2 << draw_below(state.key, MOST_DICE * state.steps + die, SIDES)
    state.shown, state.rolling = shown, 0


@inlined
def take_key(state: State, key: Key) -> None:
    """Makes chance act by another key from now on."""
    state.key = key


@inlined
def points(state: State) -> int:
    """The points of rows and columns by now."""
    found = yellow_points(state.marked)
    for row in range(4):
        if state.marked >> 4 * row & 15 == 15:
            found += COLUMN_POINTS[row]
    return found


@inner
def returns(state: State, vector: np.ndarray) -> None:
    """The points."""
    vector[0] = points(state) if state.steps == 0 else 0.0


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """A bit for each box that is marked, each number that is shown, and each step that is left."""
    for box in range(BOXES):
        out[box] = np.float32(state.marked >> box & 1)
    for number in range(SIDES):
        out[BOXES + number] = np.float32(state.shown >> number + 1 & 1)
    for left in range(STEPS):
        out[BOXES + SIDES + left] = np.float32(state.steps > left)


@inner
def features(state: State, out: np.ndarray) -> int:
    """The places of the ones that `observe` writes."""
    n = 0
    for box in range(BOXES):
        if state.marked >> box & 1:
            out[n] = box
            n += 1
    for number in range(SIDES):
        if state.shown >> number + 1 & 1:
            out[n] = BOXES + number
            n += 1
    for left in range(state.steps):
        out[n] = BOXES + SIDES + left
        n += 1
    return n


@inlined
def takes_part(state: State, seat: int) -> bool:
    """There is one player."""
    return seat == 0
