"""The plays of DOG: which of them the pins allow, and what comes of them on the board. Turns and hands are `rules`."""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import (
    BLOCKING,
    HOME,
    MINUS_FOUR,
    NOWHERE,
    PINS,
    SEVEN,
    SWAP,
    backwards,
    destination,
    is_own,
    put,
    start_of,
    taken_of,
)
from tichu_models.games.pachisi.dog.actions import (
    BACK,
    CARD_OF,
    FOUR,
    LEAVES,
    MOVES,
    SEVEN_CARD,
    SEVENS,
    SPLITS,
    STEPS,
    STEPS_OF,
    SWAP_CARD,
    SWAPS,
    cells_of,
)
from tichu_models.games.pachisi.dog.sevens import cells_after, make_seven
from tichu_models.kernels import inlined, inner


@inlined
def _may_be_swapped(state: State, cell: int) -> bool:
    """Whether a pin is on this cell of the ring, and not barring its own start."""
    holder = state.at[cell]
    return holder >= 0 and not (state.rules & BLOCKING != 0 and cell == start_of(state, holder >> 2))


@inner
def _write_swaps(state: State, first: int, out: np.ndarray, n: int) -> int:
    cells, own = cells_of(state), state.own
    for pin in range(PINS):
        cell = state.pins[own, pin]
        if cell == HOME or cell >= state.ring or not _may_be_swapped(state, cell):
            continue
        for other in range(state.ring):
            if _may_be_swapped(state, other) and not is_own(state, other, own):
                out[n] = first + pin * cells + other
                n += 1
    return n


@inner
def _write_moves(state: State, joker: bool, first: int, out: np.ndarray, n: int) -> int:
    own, player = state.own, state.turn
    taken, start = taken_of(state, own), start_of(state, own)
    start_is_free = not is_own(state, start, own)
    for pin in range(PINS):
        cell = state.pins[own, pin]
        for i in range(len(MOVES)):
            if not joker and state.hands[player, CARD_OF[i]] == 0:
                continue
            if cell == HOME:
                can = start_is_free and LEAVES[i]
            else:
                can = destination(state, own, cell, STEPS_OF[i], taken) != NOWHERE
            if can:
                out[n] = first + len(MOVES) * pin + i
                n += 1
    if state.rules & MINUS_FOUR and (joker or state.hands[player, FOUR] > 0):
        for pin in range(PINS):
            cell = state.pins[own, pin]
            if cell != HOME and cell < state.ring and backwards(state, own, cell, BACK) != NOWHERE:
                out[n] = first + len(MOVES) * PINS + pin
                n += 1
    return n


@inner
def write_plays(state: State, joker: bool, first: int, out: np.ndarray, n: int) -> int:
    """Adds the codes of the legal plays, by a joker or by the other cards, to the n that there are; `first` is the code
    of the first one that there could be. Returns how many there are then."""
    player, at_sevens = state.turn, first + PINS * cells_of(state)
    if (state.rules & SWAP != 0) if joker else (state.hands[player, SWAP_CARD] > 0):
        n = _write_swaps(state, first, out, n)
    if (state.rules & SEVEN != 0) if joker else (state.hands[player, SEVEN_CARD] > 0):
        for split in range(len(SPLITS)):
            if cells_after(state, split) != NOWHERE:
                out[n] = at_sevens + split
                n += 1
    return _write_moves(state, joker, at_sevens + len(SPLITS), out, n)


@inlined
def card_of(kind: int, rest: int) -> int:
    """The card of a play without a joker."""
    if kind == SWAPS:
        return SWAP_CARD
    if kind == SEVENS:
        return SEVEN_CARD
    return CARD_OF[rest % len(MOVES)] if kind == STEPS else FOUR


@inlined
def _swap(state: State, pin: int, cell: int) -> None:
    own, mine, other = state.own, state.pins[state.own, pin], state.at[cell]
    state.pins[own, pin] = cell
    state.pins[other >> 2, other & 3] = mine
    state.at[cell] = state.at[mine]
    state.at[mine] = other


@inner
def make_play(state: State, kind: int, rest: int, cells: int) -> None:
    """What a legal play does on the board."""
    own = state.own
    if kind == SWAPS:
        _swap(state, rest // cells, rest % cells)
    elif kind == SEVENS:
        make_seven(state, rest)
    elif kind == STEPS:
        pin = rest // len(MOVES)
        cell = state.pins[own, pin]
        if cell == HOME:
            put(state, own, pin, start_of(state, own))
        else:
            put(state, own, pin, destination(state, own, cell, STEPS_OF[rest % len(MOVES)], taken_of(state, own)))
    else:
        put(state, own, rest, backwards(state, own, state.pins[own, rest], BACK))
