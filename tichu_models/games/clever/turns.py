"""The course of a game of Ganz schön clever: what follows an action, and the dice. The rules are in `rules`."""

from __future__ import annotations

from tichu_models.chance import Key, draw_below
from tichu_models.game import State
from tichu_models.games.clever.entries import (
    ACTIVE,
    ALL_DICE,
    ENDED,
    EXTRA_OF_ACTIVE,
    EXTRA_OF_PASSIVE,
    FREE_ENTRY,
    ON_TRAY,
    PASSIVE,
    ROLLS,
    ROUNDS,
    SIDES,
    THREW_ALL,
    bonus_boxes,
    by_colour,
    by_white,
    give,
)
from tichu_models.games.clever.sheet import BONUS_OF_ROUND
from tichu_models.kernels import inlined, inner, ones


@inner
def go_on(state: State) -> None:
    """From what has been done to the next decision, roll or end."""
    while True:
        if state.owed:
            if bonus_boxes(state):
                return
            state.owed = 0
        if state.phase == FREE_ENTRY:
            if state.turn + 1 == state.players:
                _begin_turn(state, 0)
                return
            state.turn += 1
            give(state, state.turn, BONUS_OF_ROUND[state.rounds])
        elif state.phase == ACTIVE:
            if state.pool and state.roll < ROLLS:
                state.roll += 1
                state.rolling = 1
                return
            state.phase, state.used, state.pool = EXTRA_OF_ACTIVE, 0, 0
            if state.seed_rules and state.rounds == ROUNDS[state.players] and state.active + 1 == state.players:
                state.phase = ENDED
                return
        elif state.phase == PASSIVE:
            state.phase, state.used = EXTRA_OF_PASSIVE, 0
        else:
            if state.extras[state.turn] > 0:
                dice = ALL_DICE & ~state.used
                if by_colour(state, dice) | by_white(state, dice):
                    return
            if _next_turn(state):
                return


@inlined
def _next_turn(state: State) -> bool:
    """Ends a turn with its extra dice; whether it is known then what comes next."""
    following = (state.turn + 1) % state.players
    if state.phase == EXTRA_OF_ACTIVE or following != state.active:
        state.phase, state.turn = PASSIVE, following
        state.rolling = state.players == 1
        return True
    if state.active + 1 < state.players:
        _begin_turn(state, state.active + 1)
        return True
    if state.rounds == ROUNDS[state.players]:
        state.phase = ENDED
        return True
    begin_round(state)
    return False


@inlined
def begin_round(state: State) -> None:
    """Gives the first player the bonus of the next round."""
    state.rounds += 1
    state.phase, state.turn = FREE_ENTRY, 0
    give(state, 0, BONUS_OF_ROUND[state.rounds])


@inlined
def _begin_turn(state: State, player: int) -> None:
    """Makes a player active."""
    state.phase, state.active, state.turn = ACTIVE, player, player
    state.pool, state.entered = ALL_DICE, 0
    state.roll = state.rolling = 1


@inlined
def take(state: State, die: int) -> None:
    """Takes a die from the pool, and those that show less."""
    state.entered |= 1 << die
    for other in range(6):
        if other == die or state.dice[other] < state.dice[die]:
            state.pool &= ~(1 << other)


@inner
def chance(state: State) -> None:
    """Rolls the dice."""
    thrown = draw_below(state.key, state.draws, THREW_ALL)
    state.draws += 1
    rolled = state.pool if state.phase == ACTIVE else ALL_DICE
    for die in range(6):
        if rolled >> die & 1:
            state.dice[die] = 1 + thrown % SIDES
        thrown //= SIDES
    state.rolling = 0
    if state.phase == PASSIVE:
        _fill_tray(state)


@inlined
def take_key(state: State, key: Key) -> None:
    """Makes chance act by another key from now on."""
    state.key = key


@inlined
def _fill_tray(state: State) -> None:
    """Puts three dice on the tray of a player who is alone."""
    state.entered = ALL_DICE
    for _ in range(ON_TRAY):
        lowest, equal = SIDES, 0
        for die in range(6):
            if state.entered >> die & 1 and state.dice[die] < lowest:
                lowest = state.dice[die]
        for die in range(6):
            if state.entered >> die & 1 and (state.dice[die] == lowest or state.seed_rules):
                equal |= 1 << die
        skip = draw_below(state.key, state.draws, ones(equal))
        state.draws += 1
        for _ in range(skip):
            equal &= equal - 1
        state.entered &= ~(equal & -equal)
