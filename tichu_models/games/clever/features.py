"""The inputs of a network that reads a game of Ganz schön clever as few ones among zeros: the sheet of the next player
to act, and what lies on the table.

What can change nothing any more is left out, such as the numbers of dice that are about to be rolled: positions that
are worth the same then have the same inputs.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.clever.entries import (
    ACTIVE,
    ALL_DICE,
    BITS_OF_BONUS,
    ENDED,
    FREE_ENTRY,
    PASSIVE,
    ROLLS,
    SIDES,
)
from tichu_models.games.clever.sheet import BOXES, ORANGE, PURPLE
from tichu_models.games.clever.views import KINDS, MOST_ROUNDS, points_of
from tichu_models.kernels import inlined, inner

KEPT, ON_HAND, STEP = 3, 8, 6  # kinds that are kept, the most of one that is told apart, points of a step
STEPS_OF = (16, 11)  # steps of orange and purple
AT_ABOVE = BOXES
AT_KEPT = AT_ABOVE + SIDES
AT_STEPS = AT_KEPT + KEPT * ON_HAND
AT_DICE = AT_STEPS + sum(STEPS_OF)
AT_SETS = AT_DICE + 6 * SIDES
AT_OWED = AT_SETS + 18
AT_PHASE = AT_OWED + KINDS
AT_ROUND = AT_PHASE + ENDED + 1
AT_ROLL = AT_ROUND + MOST_ROUNDS
INPUTS = AT_ROLL + ROLLS + 1
MOST_ACTIVE = INPUTS


@inlined
def _up_to(out: np.ndarray, n: int, first: int, number: int, most: int) -> int:
    for i in range(min(number, most)):
        out[n] = first + i
        n += 1
    return n


@inlined
def _bits(out: np.ndarray, n: int, first: int, bits: int) -> int:
    for i in range(6):
        if bits >> i & 1:
            out[n] = first + i
            n += 1
    return n


@inlined
def _settled(state: State) -> int:
    """The dice whose numbers stay as they are until they may be entered, as bits."""
    if state.phase == FREE_ENTRY or (state.rolling and state.phase != ACTIVE):
        return 0
    if state.phase == ACTIVE and (state.rolling or (state.owed and state.roll < ROLLS)):
        return ALL_DICE & ~state.pool
    return ALL_DICE


@inner
def features(state: State, out: np.ndarray) -> int:
    """Boxes, dice by number, sets of dice, kinds of bonuses and what comes by one of several have an input each; what
    is kept, and the points of orange and purple, have as many ones as there are, or steps."""
    player, n = state.turn, 0
    marked = state.marked[player]
    for box in range(BOXES):
        if marked >> box & 1:
            out[n] = box
            n += 1
    out[n] = AT_ABOVE + state.above[player]
    n = _up_to(out, n + 1, AT_KEPT, np.int64(state.rerolls[player]), ON_HAND)
    n = _up_to(out, n, AT_KEPT + ON_HAND, np.int64(state.extras[player]), ON_HAND)
    n = _up_to(out, n, AT_KEPT + 2 * ON_HAND, np.int64(state.foxes[player]), ON_HAND)
    n = _up_to(out, n, AT_STEPS, points_of(state, player, ORANGE) // STEP, STEPS_OF[0])
    n = _up_to(out, n, AT_STEPS + STEPS_OF[0], points_of(state, player, PURPLE) // STEP, STEPS_OF[1])
    settled, is_active = _settled(state), state.phase == ACTIVE
    for die in range(6):
        if settled >> die & 1 and state.dice[die]:
            out[n] = AT_DICE + SIDES * die + state.dice[die] - 1
            n += 1
    if is_active:
        n = _bits(out, n, AT_SETS, np.int64(state.pool))
    if is_active or (state.phase == PASSIVE and not state.rolling):
        n = _bits(out, n, AT_SETS + 6, np.int64(state.entered))
    if not is_active and state.phase not in (FREE_ENTRY, PASSIVE):
        n = _bits(out, n, AT_SETS + 12, np.int64(state.used))
    for kind in range(KINDS):
        if state.owed >> BITS_OF_BONUS * kind & 15:
            out[n] = AT_OWED + kind
            n += 1
    out[n] = AT_PHASE + state.phase
    out[n + 1] = AT_ROUND + state.rounds - 1
    out[n + 2] = AT_ROLL + (state.roll if is_active else 0)
    return n + 3
