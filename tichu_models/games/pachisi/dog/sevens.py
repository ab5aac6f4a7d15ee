"""The seven of DOG: its steps are split over a player's pins, which move at the same time.

Every pin on a cell that is passed or come to goes home, the player's own too. Of the pins that move, one goes home if
the others pass both the cell that it leaves and the one it comes to: else there is an order in which it gets away. A
start bars nobody if its pin moves. Pins in the goal keep their order without `jump_in_goal_area`, and bar the way of
those that come in from where they have come to; with it they are passed, and go home.
"""

from __future__ import annotations

from tichu_models.game import State
from tichu_models.games.pachisi.board import (
    HOME,
    JUMPING,
    NOWHERE,
    PINS,
    PLAYERS,
    goal_of,
    start_of,
    way_to,
)
from tichu_models.games.pachisi.dog.actions import SPLITS
from tichu_models.kernels import inlined, inner

BITS_OF_CELL, ONE_CELL = 8, 255


@inlined
def cell_among(cells: int, pin: int) -> int:
    """The cell of one pin among those that `cells_after` has packed."""
    return (cells >> (BITS_OF_CELL * pin) & ONE_CELL) - 1


@inlined
def _goal_after(state: State, own: int, split: int) -> int:
    """The places in the goal that pins there come to, a bit for each; NOWHERE if they may not go so far."""
    goal, taken = goal_of(state, own), 0
    for pin in range(PINS):
        cell = state.pins[own, pin]
        if cell < state.ring:
            continue
        place = cell - goal + SPLITS[split, pin]
        if place >= PINS:
            return NOWHERE
        if state.rules & JUMPING == 0:
            for other in range(PINS):
                ahead = state.pins[own, other]
                if ahead > cell and ahead - goal + SPLITS[split, other] <= place:
                    return NOWHERE
            taken |= 1 << place
    return taken


@inner
def cells_after(state: State, split: int) -> int:
    """Where each pin comes to, whoever goes home then, packed in one number; NOWHERE if the split is illegal."""
    own = state.own
    taken = _goal_after(state, own, split)
    if taken == NOWHERE:
        return NOWHERE
    moving, start = NOWHERE, start_of(state, own)
    for pin in range(PINS):
        if state.pins[own, pin] == start and SPLITS[split, pin] > 0:
            moving = own
    packed = 0
    for pin in range(PINS):
        cell, steps = state.pins[own, pin], SPLITS[split, pin]
        to = cell
        if steps > 0:
            if cell == HOME:
                return NOWHERE
            to = cell + steps
            if cell < state.ring:
                to = way_to(state, own, cell, steps, taken, moving)
                if to == NOWHERE:
                    return NOWHERE
        packed |= (to + 1) << (BITS_OF_CELL * pin)
    return packed


@inlined
def _passed(state: State, own: int, cell: int, to: int, steps: int, step: int) -> int:
    """The cell to which a step of a pin comes."""
    if cell >= state.ring:
        return cell + step
    if to >= state.ring:
        on_ring = steps - (to - goal_of(state, own)) - 1
        if step > on_ring:
            return goal_of(state, own) + step - on_ring - 1
    on = cell + step
    return on - state.ring if on >= state.ring else on


@inner
def make_seven(state: State, split: int) -> None:
    """Makes a legal split."""
    own, cells = state.own, cells_after(state, split)
    left = come = 0  # a bit for each pin: others pass the cell that it leaves, or the one that it comes to
    for pin in range(PINS):
        cell, to, steps = state.pins[own, pin], cell_among(cells, pin), SPLITS[split, pin]
        for step in range(1, steps + 1):
            on = _passed(state, own, cell, to, steps, step)
            holder = state.at[on]
            if holder >= 0 and holder >> 2 != own:
                state.pins[holder >> 2, holder & 3] = HOME
                state.at[on] = NOWHERE
            for other in range(PINS):
                if other != pin:
                    if state.pins[own, other] == on:
                        left |= 1 << other
                    if cell_among(cells, other) == on:
                        come |= 1 << other
    for pin in range(PINS):
        if state.pins[own, pin] != HOME:
            state.at[state.pins[own, pin]] = NOWHERE
    for pin in range(PINS):
        to = cell_among(cells, pin)
        if left & come & 1 << pin:
            to = HOME
        state.pins[own, pin] = to
        if to != HOME:
            state.at[to] = PLAYERS * own + pin
