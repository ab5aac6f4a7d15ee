"""A game of Ganz schön clever as a record, what may be entered in it, and what an entry brings. When it is whose turn
is `rules`.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.clever.sheet import (
    ALL_BLUE,
    ALL_YELLOW,
    AREA,
    AT_GREEN,
    AT_ORANGE,
    AT_PURPLE,
    BLUE,
    BLUE_CROSS,
    BOXES,
    EXTRA_DIE,
    FOX,
    FREE,
    GIVES,
    GREEN_CROSS,
    LINE,
    ORANGE,
    ORANGE_4,
    ORANGE_5,
    ORANGE_6,
    PURPLE,
    PURPLE_6,
    REROLL,
    TIMES,
    WHITE,
    YELLOW_CROSS,
    Boxes,
    fits,
    next_in_row,
)
from tichu_models.kernels import inlined

PLAYERS, SIDES, ROLLS, ON_TRAY = 4, 6, 3, 3
ALL_DICE = (1 << 6) - 1
ROUNDS = np.array([0, 6, 6, 5, 4], dtype=np.int64)  # by the number of players
WITH_WHITE, AS_EXTRA, AGAIN, PASS, NONE_FITS = BOXES, 2 * BOXES, 4 * BOXES, 4 * BOXES + 1, 4 * BOXES + 2
ACTIONS = NONE_FITS + 1
# What the player on turn is at. FREE_ENTRY: the bonus at the beginning of a round. The extra dice of a turn follow it.
FREE_ENTRY, ACTIVE, EXTRA_OF_ACTIVE, PASSIVE, EXTRA_OF_PASSIVE, ENDED = range(6)
THREW_ALL = SIDES**6
BITS_OF_BONUS = 4

# fmt: off
STATE = np.dtype([
    ("key", np.uint64),
    ("draws", np.int64),          # random numbers used so far
    ("marked", np.int64, 4),      # boxes of each player
    ("owed", np.int64),           # bonuses that the player on turn has to enter: four bits for each kind
    ("written", np.int8, (4, 22)),  # numbers in the orange and purple boxes, orange ones multiplied
    ("above", np.int8, 4),        # what the next purple number has to be higher than
    ("rerolls", np.int8, 4),
    ("extras", np.int8, 4),       # extra dice
    ("foxes", np.int8, 4),
    ("dice", np.int8, 6),         # yellow, blue, green, orange, purple, white; 0 before the first roll
    ("pool", np.int8),            # dice that the active player still has, as bits
    ("entered", np.int8),         # dice that the active player has entered; those of neither are on the tray
    ("used", np.int8),            # dice that were entered as extra ones in this turn
    ("phase", np.int8),
    ("rolling", np.int8),         # 1: dice have to be rolled first
    ("roll", np.int8),            # of the active turn, from 1
    ("rounds", np.int8),          # begun so far
    ("active", np.int8),          # the active player
    ("turn", np.int8),            # who acts
    ("players", np.int8),
    ("seed_rules", np.int8),
], align=True)
# fmt: on


@inlined
def _entries(state: State, dice: int, area: int, die: int) -> Boxes:
    """The boxes of an area that a die may be entered in, if it is one of these dice."""
    if dice >> die & 1 == 0:
        return 0
    player = state.turn
    total = state.dice[BLUE] + state.dice[WHITE]
    return fits(state.marked[player], state.above[player], state.dice[die], area, total)


@inlined
def by_colour(state: State, dice: int) -> Boxes:
    """The boxes that those of these dice may be entered in that have a colour."""
    found = 0
    for area in range(5):
        found |= _entries(state, dice, area, area)
    return found


@inlined
def by_white(state: State, dice: int) -> Boxes:
    """The boxes that the white die may be entered in, if it is one of these dice."""
    found = 0
    if dice >> WHITE & 1:
        for area in range(5):
            found |= _entries(state, dice, area, WHITE)
    return found


@inlined
def owes(state: State, bonus: int) -> int:
    """How many bonuses of a kind have to be entered."""
    return state.owed >> (BITS_OF_BONUS * (bonus - YELLOW_CROSS)) & 15


@inlined
def bonus_boxes(state: State) -> Boxes:
    """The boxes that bonuses may be entered in."""
    marked, free = state.marked[state.turn], owes(state, FREE)
    found = 0
    if owes(state, YELLOW_CROSS) or free:
        found |= ALL_YELLOW & ~marked
    if owes(state, BLUE_CROSS) or free:
        found |= ALL_BLUE & ~marked
    if owes(state, GREEN_CROSS) or free:
        found |= next_in_row(marked, AT_GREEN)
    if owes(state, ORANGE_4) or owes(state, ORANGE_5) or owes(state, ORANGE_6) or free:
        found |= next_in_row(marked, AT_ORANGE)
    if owes(state, PURPLE_6) or free:
        found |= next_in_row(marked, AT_PURPLE)
    return found


@inlined
def lesser_orange(state: State) -> Boxes:
    """The next orange box, if numbers of several bonuses wait for it."""
    kinds = (owes(state, ORANGE_4) > 0) + (owes(state, ORANGE_5) > 0)
    if kinds + (owes(state, ORANGE_6) > 0) < 2:
        return 0
    return next_in_row(state.marked[state.turn], AT_ORANGE)


@inlined
def dice_at_hand(state: State) -> int:
    """The dice that may be entered in this phase, as bits."""
    if state.phase == ACTIVE:
        return state.pool
    if state.phase != PASSIVE:
        return ALL_DICE & ~state.used
    tray = ALL_DICE & ~state.entered
    return tray if state.seed_rules or by_colour(state, tray) | by_white(state, tray) else state.entered


@inlined
def pay(state: State, area: int, lesser: bool) -> int:
    """Takes a bonus that is owed for an area, and returns its number."""
    bonus = YELLOW_CROSS + area
    if area == PURPLE:
        bonus = PURPLE_6
    elif area == ORANGE:
        largest = ORANGE_6 if owes(state, ORANGE_6) else (ORANGE_5 if owes(state, ORANGE_5) else ORANGE_4)
        smallest = ORANGE_4 if owes(state, ORANGE_4) else ORANGE_5
        bonus = smallest if lesser else largest
    number = 6 - ORANGE_6 + bonus if area == ORANGE else 6
    if owes(state, FREE):
        bonus, number = FREE, 6
    state.owed -= 1 << (BITS_OF_BONUS * (bonus - YELLOW_CROSS))
    return number


@inlined
def enter(state: State, player: int, box: int, number: int) -> None:
    """Marks a box, and gives what it brings."""
    area = AREA[box]
    marked = state.marked[player] | 1 << box
    state.marked[player] = marked
    if area >= ORANGE:
        state.written[player, box - AT_ORANGE] = number * TIMES[box - AT_ORANGE]
        if area == PURPLE:
            state.above[player] = number % SIDES
    for i in range(3):
        line = LINE[box, i]
        if line == 0:
            break
        if marked & line == line:
            give(state, player, GIVES[box, i])


@inlined
def give(state: State, player: int, bonus: int) -> None:
    if bonus >= YELLOW_CROSS:
        state.owed += 1 << (BITS_OF_BONUS * (bonus - YELLOW_CROSS))
    elif bonus == REROLL:
        state.rerolls[player] += 1
    elif bonus == EXTRA_DIE:
        state.extras[player] += 1
    elif bonus == FOX:
        state.foxes[player] += 1
