"""MADN (Mensch ärgere Dich nicht)

Two to four players move four pins each round a ring of 4 * d cells into their goals. Who has all four there wins.

1. d is the `distance` from start to start, 10 by default, 4 to 24. Cells 0 to 4d - 1 are the ring; player i begins on
   cell i * d, the cell before it is the entry of the goal, which has the cells 4d + 4i to 4d + 4i + 3. A pin at home is
   on no cell (-1). Two and three players have the first starts, side by side.
2. Without dice each player owns four number cards each of 1 to 6, which all see, and moves by one of them; who has none
   left gets all 24 again. With `dice` a die is thrown before every move.
3. A pin leaves home for its start with a 6, with `start_on_1` with a 1 as well, unless a pin of its own is there. On
   the ring it moves forward by the number. Whoever is on the cell to which it comes goes home, the partner's pin too; a
   pin of its own only with `friendly_fire`, otherwise the move is illegal.
4. A pin whose number ends in its goal goes there if the cell is free; with `must_traverse_start` its start is a step
   between entry and goal. In the goal it goes forward only. Without `jump_in_goal_area` the cells on the way have to be
   free as well. A pin that does not come in goes on round the ring; without `circular_board` it may not pass its entry.
5. With `start_blocking` nobody passes a pin that is on the start of its own player, or comes to it.
6. With `bonus_turn_on_6` a 6 moves again. Who has no legal move passes, and gets all cards again; a 6 does not help.
7. With `dice_rethrow` who has no pin that could move but from home has up to three throws, until one leaves home.
8. With `teams`, of four players, those opposite play together: who is done moves the partner's pins, with cards of its
   own; a team wins when both are done.
9. With `initial_free_pin` one pin of each player begins on its start.

Actions: 6 * pin + (number - 1); 24 is to pass. With a die only its number is legal.

By default circular_board, jump_in_goal_area, must_traverse_start, start_on_1 and bonus_turn_on_6 are on, all others
off. Refused: teams of two or three players, start_blocking with a distance of 4 (all pins may bar each other for good),
dice_rethrow without dice.

Deviations: numbers of cards instead of the die are a variant of learners. In the published program a pin enters the
goal only from a cell with a smaller number than its entry, so that a long move of players 1 to 3 over cell 0 misses it;
here all starts are alike. There a player who is done draws on the partner's cards. Several throws are one, with the
chances of the last.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw_below
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.pachisi.board import (
    BOARD,
    BONUS_TURN,
    DICE,
    FULL_GOAL,
    HOME,
    NOWHERE,
    PINS,
    PLAYERS,
    RETHROW,
    START_ON_1,
    begin_board,
    destination,
    is_own,
    note_goal,
    put,
    remember,
    start_of,
    taken_of,
    turn_to,
)
from tichu_models.kernels import inlined, inner, ones, trailing_zeros

SIDES, COPIES = 6, 4
PASS = PINS * SIDES
# Chances of a throw in 216ths: of one throw, and of the last of up to three that stop at 1 or 6, or at 6 alone.
THREE_THROWS = SIDES**3
ODDS = np.array([[36, 36, 36, 36, 36, 36], [76, 16, 16, 16, 16, 76], [25, 25, 25, 25, 25, 91]], dtype=np.int64)

# fmt: off
STATE = np.dtype([
    *BOARD,
    ("hands", np.int8, (PLAYERS, SIDES)),  # how many cards of each number a player has; none with dice
    ("held", np.int8, PLAYERS),            # how many in all
    ("die", np.int8),                      # what it shows, 0 before it is thrown
], align=True)
# fmt: on


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: players, distance, switches and how much history is kept."""
    begin_board(state, options, key)
    state.die = 0
    for player in range(PLAYERS):
        state.held[player] = 0
        for i in range(SIDES):
            state.hands[player, i] = 0
        if player < state.players and state.rules & DICE == 0:
            refill(state, player)


@inlined
def refill(state: State, player: int) -> None:
    """Gives a player all cards."""
    for i in range(SIDES):
        state.hands[player, i] = COPIES
    state.held[player] = COPIES * SIDES


@inlined
def mover(state: State) -> int:
    """Who moves, or CHANCE before a throw, or OVER."""
    if state.won:
        return OVER
    return CHANCE if state.die == 0 and state.rules & DICE else state.turn


@inlined
def leaves_home(state: State, number: int) -> bool:
    """Whether a pin may leave home with a number."""
    return number == SIDES or (number == 1 and state.rules & START_ON_1 != 0)


@inner
def moves_of(state: State) -> int:
    """A bit for the code of each legal move."""
    player, moves = state.own, 0
    taken, start = taken_of(state, player), start_of(state, player)
    start_is_free = not is_own(state, start, player)
    for pin in range(PINS):
        cell = state.pins[player, pin]
        for i in range(SIDES):
            if state.die != i + 1 and state.hands[state.turn, i] == 0:
                continue
            if cell == HOME:
                can = start_is_free and leaves_home(state, i + 1)
            else:
                can = destination(state, player, cell, i + 1, taken) != NOWHERE
            if can:
                moves |= 1 << (SIDES * pin + i)
    return moves


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The moves in the order of their codes; PASS if there is none."""
    moves, n = moves_of(state), 0
    while moves:
        out[n] = trailing_zeros(moves)
        moves &= moves - 1
        n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@inner
def count(state: State) -> int:
    """How many actions are legal."""
    return max(ones(moves_of(state)), 1)


@inner
def step(state: State, action: int) -> None:
    """Makes a move, or passes."""
    if state.history > 0:
        remember(state)
    player, with_dice, again = state.turn, state.rules & DICE != 0, False
    state.die = 0
    if action == PASS:
        if not with_dice:
            refill(state, player)
    else:
        own, pin, number = state.own, action // SIDES, action % SIDES + 1
        cell = state.pins[own, pin]
        if cell == HOME:
            put(state, own, pin, start_of(state, own))
        else:
            to = destination(state, own, cell, number, taken_of(state, own))
            put(state, own, pin, to)
            if to >= state.ring:
                note_goal(state, own)
        if not with_dice:
            state.hands[player, number - 1] -= 1
            state.held[player] -= 1
            if state.held[player] == 0:
                refill(state, player)
        again = number == SIDES and state.rules & BONUS_TURN != 0
    turn_to(state, player if again else (player + 1) % state.players)


@inlined
def is_locked(state: State) -> bool:
    """Whether nobody of who moves next can move but from home: all who are out are at the end of the goal."""
    out = 0
    for pin in range(PINS):
        out += state.pins[state.own, pin] != HOME
    return taken_of(state, state.own) == FULL_GOAL & ~(FULL_GOAL >> out)


@inlined
def kind_of_throw(state: State) -> int:
    """Which row of ODDS the next throw has."""
    if state.rules & RETHROW and is_locked(state):
        return 1 if state.rules & START_ON_1 else 2
    return 0


@inner
def chance(state: State) -> None:
    """Throws the die."""
    kind, left = kind_of_throw(state), draw_below(state.key, state.draws, THREE_THROWS)
    state.draws += 1
    die = 0
    while left >= ODDS[kind, die]:
        left -= ODDS[kind, die]
        die += 1
    state.die = die + 1


@inlined
def outcomes(state: State) -> int:
    """How many outcomes chance has."""
    return SIDES


@inlined
def odds(state: State, outcome: int) -> int:
    """How likely an outcome is, in 216ths."""
    return ODDS[kind_of_throw(state), outcome]


@inlined
def let_happen(state: State, outcome: int) -> None:
    """Lets chance have this outcome."""
    state.die = outcome + 1
