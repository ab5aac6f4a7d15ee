"""Ganz schön clever

One to four players enter six dice in the five areas of a sheet each, for points and for bonuses.

1. A game has six rounds, with three players five, with four players four. At the beginning of rounds 1 to 4 everybody
   gets a bonus: a reroll, an extra die, a reroll, and a free entry. In every round each player is active once.
2. The active player rolls up to three times. After a roll one of the rolled dice has to be entered; those that show
   less than it go to the tray, and the rest is rolled again. If none can be entered, the roll is lost and all of its
   dice are rolled again. At the end what was not entered goes to the tray.
3. A reroll rolls all dice again that the active player has just rolled. It does not count as one of the three.
4. Then each of the others may enter a die of the tray; who can enter none of these, one that the active player has
   entered. Alone, one rolls six dice for it, of which the three lowest are the tray: of equal ones chance takes some.
5. An extra die may be spent at the end of one's turn, active or not, to enter any of the six dice; each die at most
   once in a turn. Rerolls and extra dice are kept until they are spent.
6. A die is entered in the area of its colour, the white one in any. Yellow: a free box with its number. Blue: the box
   with the sum of the blue and the white die, wherever these are. Green: the next box, if the number is not too low.
   Orange: the next box, some of which multiply it. Purple: the next box, if the number is higher than the last one; any
   number may follow a 6.
7. Who completes a row, a column, the yellow diagonal or a box with a bonus gets it. Crosses and numbers are entered at
   once, and may bring further bonuses; of several, the player chooses the order; what no box is left for lapses. A
   free entry is a cross in yellow, blue or green, or a 6 in orange or purple.
8. At the end each area has its points, and each fox as many as the lowest of them.

Actions: a code of 0 to 60 enters the die of a box's colour in it, with 61 more the white die; with 122 more as an extra
die, or the one that a passive player takes. 244 is a reroll, 245 to pass, 246 that nothing can be entered. Bonuses have
the codes of coloured dice.

Deviations: passive players choose one after another, which tells the later ones nothing that matters. If orange
numbers of several bonuses wait, the code of the orange die enters the largest, that of the white one the smallest.

With the option `seed_rules` the rules are those of a thesis that simplified them: the game ends with the active turn of
the last round, without extra dice after it; the tray of who plays alone is three random dice; a passive player has to
enter one of the tray's dice, and none of the others if none fits.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.clever.entries import (
    ACTIVE,
    AGAIN,
    ALL_DICE,
    AS_EXTRA,
    ENDED,
    NONE_FITS,
    PASS,
    PASSIVE,
    PLAYERS,
    WITH_WHITE,
    bonus_boxes,
    by_colour,
    by_white,
    dice_at_hand,
    enter,
    lesser_orange,
    pay,
)
from tichu_models.games.clever.sheet import AREA, BEGIN, BOXES, ROW, WHITE, Boxes
from tichu_models.games.clever.turns import begin_round, go_on, take
from tichu_models.kernels import inlined, inner, ones, trailing_zeros


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: the number of players, and 1 for seed_rules."""
    state.key = key
    state.draws = state.owed = 0
    for player in range(PLAYERS):
        state.marked[player] = BEGIN
        state.above[player] = state.rerolls[player] = state.extras[player] = state.foxes[player] = 0
        for i in range(2 * ROW):
            state.written[player, i] = 0
    for die in range(6):
        state.dice[die] = 0
    state.players, state.seed_rules = options[0], options[1]
    state.rounds = state.roll = state.pool = state.entered = state.used = state.active = state.turn = state.rolling = 0
    begin_round(state)
    go_on(state)


@inlined
def mover(state: State) -> int:
    """Who acts next, or CHANCE if dice have to be rolled, or OVER."""
    if state.phase == ENDED:
        return OVER
    return CHANCE if state.rolling else state.turn


@inlined
def _is_optional(state: State, any_entry: bool) -> bool:
    """Whether one may pass."""
    if state.phase == PASSIVE:
        return any_entry and not state.seed_rules
    return state.phase != ACTIVE


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The actions in the order of their codes."""
    if state.owed:
        n = _write(bonus_boxes(state), 0, out, 0)
        return _write(lesser_orange(state), WITH_WHITE, out, n)
    dice = dice_at_hand(state)
    first = 0 if state.phase == ACTIVE else AS_EXTRA
    n = _write(by_colour(state, dice), first, out, 0)
    n = _write(by_white(state, dice), first + WITH_WHITE, out, n)
    nothing = n == 0
    if state.phase == ACTIVE and state.rerolls[state.turn] > 0:
        out[n] = AGAIN
        n += 1
    if _is_optional(state, not nothing):
        out[n] = PASS
        n += 1
    elif nothing:
        out[n] = NONE_FITS
        n += 1
    return n


@inlined
def _write(boxes: Boxes, first: int, out: np.ndarray, n: int) -> int:
    while boxes:
        out[n] = first + trailing_zeros(boxes)
        boxes &= boxes - 1
        n += 1
    return n


@inner
def count(state: State) -> int:
    """How many actions are legal."""
    if state.owed:
        return ones(bonus_boxes(state)) + ones(lesser_orange(state))
    dice = dice_at_hand(state)
    n = ones(by_colour(state, dice)) + ones(by_white(state, dice))
    again = state.phase == ACTIVE and state.rerolls[state.turn] > 0
    return n + again + (n == 0 or _is_optional(state, True))


@inner
def step(state: State, action: int) -> None:
    """Enters a die or a bonus, rolls again, or passes."""
    player = state.turn
    if action == AGAIN:
        state.rerolls[player] -= 1
        state.rolling = 1
        return
    if action == PASS:
        state.used = ALL_DICE
    elif action != NONE_FITS:
        box = action % BOXES
        area = AREA[box]
        if state.owed:
            enter(state, player, box, pay(state, area, action >= WITH_WHITE))
        else:
            die = WHITE if action % AS_EXTRA >= WITH_WHITE else area
            if state.phase == ACTIVE:
                take(state, die)
            elif state.phase != PASSIVE:
                state.used |= 1 << die
                state.extras[player] -= 1
            enter(state, player, box, state.dice[die])
    go_on(state)
