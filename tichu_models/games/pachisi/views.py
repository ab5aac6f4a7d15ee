"""What is alike in the views of MADN and DOG: results, how players stand, and pins as a seat sees them."""

from __future__ import annotations

import numpy as np

from tichu_models.game import ONE, State
from tichu_models.games.pachisi.board import HOME, MOST_CELLS, MOST_PAST, PINS, PLAYERS, TEAMS, start_of
from tichu_models.kernels import inlined, inner

EVALUATIONS = ("progress",)
A_LITTLE_LESS = ONE * (1 - 2.0**-45)  # so that rounded shares never add up to more than ONE
# Numbers of an observation that both games begin with: who moves, pins at home, who is done, the distance.
AT_MOVER, AT_HOMES = 0, PLAYERS
AT_DONE = AT_HOMES + PLAYERS
AT_SIZE = AT_DONE + PLAYERS
SHARED = AT_SIZE + 1
PLANES = PLAYERS * (1 + MOST_PAST)  # pins of each player, now and before
# Inputs of a network for each player: its pins by cell, and how many are at home.
INPUTS_OF_PLAYER = MOST_CELLS + PINS
SHARED_INPUTS = PLAYERS * INPUTS_OF_PLAYER


@inlined
def takes_part(state: State, seat: int) -> bool:
    """Whether a seat plays."""
    return seat < state.players


@inlined
def returns(state: State, vector: np.ndarray) -> None:
    """1 for the winner, or a half for each player of the team that has won."""
    for player in range(PLAYERS):
        vector[player] = 0.0
        if state.won >> player & 1:
            vector[player] = 0.5 if state.rules & TEAMS else 1.0


@inlined
def progress(state: State, player: int) -> int:
    """How far a player's pins have come, and a little more for each that is out or in the goal."""
    points = 1
    for pin in range(PINS):
        cell = state.pins[player, pin]
        if cell >= state.ring:
            points += state.ring + 2 * state.distance + cell - state.ring - PINS * player
        elif cell != HOME:
            points += state.distance + _way(state, player, cell)
    return points


@inlined
def _way(state: State, player: int, cell: int) -> int:
    way = cell - start_of(state, player)
    return way + state.ring if way < 0 else way


@inner
def evaluate(state: State, kind: int, values: np.ndarray) -> None:
    """Each player's share of the progress, that of a team in halves; when the game is over, what it brought."""
    total = 0
    for player in range(PLAYERS):
        values[player] = 0
        if state.won:
            if state.won >> player & 1:
                values[player] = ONE // 2 if state.rules & TEAMS else ONE
        elif player < state.players:
            values[player] = progress(state, player)
            total += values[player]
    if state.won:
        return
    share = A_LITTLE_LESS / total
    for player in range(PLAYERS):
        values[player] = np.int64(values[player] * share)
    if state.rules & TEAMS:
        for player in range(2):
            half = (values[player] + values[player + 2]) // 2
            values[player] = values[player + 2] = half


@inlined
def seat_of(state: State, seat: int, offset: int) -> int:
    """The player so many turns after a seat, or one who does not play."""
    if offset >= state.players:
        return offset
    return (seat + offset) % state.players


@inlined
def seen_cell(state: State, seat: int, player: int, offset: int, cell: int) -> int:
    """A cell as a seat sees it, with its own start first: goals are in the order of turns from the seat on."""
    if cell >= state.ring:
        return cell + PINS * (offset - player)
    return _way(state, seat, cell)


@inner
def observe_board(state: State, seat: int, out: np.ndarray, at: int) -> None:
    """Writes the numbers that both games begin with, and from `at` on a plane of cells for each player's pins, now and
    at each earlier position that is kept. Players are in the order of turns from the seat on; what the observation has
    no use for is 0."""
    for i in range(len(out)):
        out[i] = 0.0
    out[AT_SIZE] = state.distance / np.float32(100)
    cells = state.ring + PINS * PLAYERS
    for offset in range(state.players):
        player = seat_of(state, seat, offset)
        out[AT_MOVER + offset] = np.float32(player == state.turn)
        out[AT_DONE + offset] = np.float32(state.finished >> player & 1)
        for pin in range(PINS):
            cell = state.pins[player, pin]
            if cell == HOME:
                out[AT_HOMES + offset] += np.float32(1 / PINS)
            else:
                out[at + cells * offset + seen_cell(state, seat, player, offset, cell)] = 1.0
            for i in range(state.history):
                before = state.past[i, player, pin]
                if before != HOME:
                    plane = PLAYERS * (i + 1) + offset
                    out[at + cells * plane + seen_cell(state, seat, player, offset, before)] = 1.0


@inner
def features_of_board(state: State, out: np.ndarray) -> int:
    """Writes the inputs for pins, as the player on turn sees them, and returns how many."""
    n = 0
    for offset in range(state.players):
        n = write_pins(state, state.turn, seat_of(state, state.turn, offset), offset, out, n)
    return n


@inlined
def write_pins(state: State, seat: int, player: int, offset: int, out: np.ndarray, n: int) -> int:
    """Adds the inputs for the pins of a player, who comes so many places after the seat, and returns how many inputs
    there are then."""
    homes = 0
    for pin in range(PINS):
        cell = state.pins[player, pin]
        if cell == HOME:
            out[n] = INPUTS_OF_PLAYER * offset + MOST_CELLS + homes
            homes += 1
        else:
            out[n] = INPUTS_OF_PLAYER * offset + seen_cell(state, seat, player, offset, cell)
        n += 1
    return n


@inlined
def on_turn(state: State) -> int:
    """Who acts next, or once chance has acted."""
    return state.turn


def as_planes(observation: np.ndarray, scalars: int, distance: int, history: int) -> np.ndarray:
    """An observation as planes of cells, for a network that goes along the ring: a plane for each number, all cells
    alike, and those of the pins. (channels, cells); the cells are the ring from the own start on, then the goals."""
    cells, planes = PLAYERS * (distance + PINS), PLAYERS * (1 + history)
    pins = observation[scalars : scalars + planes * cells].reshape(planes, cells)
    return np.concatenate([np.repeat(observation[:scalars, None], cells, axis=1), pins])
