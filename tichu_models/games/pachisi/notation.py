"""How the board of MADN and DOG is written in JSON, and why a pin may not move.

A state has `pins` (four cells for each player, -1 at home), `turn` (a number or a letter), `distance`, and `rules`: the
switches that are not as they begin, and `history` with `past`, the earlier positions. Its random numbers are not
written: they begin anew when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tichu_models.game import IllegalAction, State
from tichu_models.games.pachisi.board import (
    AT_HISTORY,
    AT_PLAYERS,
    AT_RULES,
    BLOCKING,
    CIRCULAR,
    FRIENDLY_FIRE,
    HOME,
    NOWHERE,
    PINS,
    PLAYERS,
    SEATS,
    TEAMS,
    backwards,
    begin_board,
    destination,
    note_goal,
    taken_of,
    turn_to,
)
from tichu_models.games.pachisi.options import read_options, words_of

AT_FIRST = 10  # cells from start to start if a state does not say it


class NoState(ValueError):
    """What is wrong with a state."""


def read_board(dtype: np.dtype, written: Any, game: str, **implied: bool) -> State:
    """A state of this type with the board from JSON; what only one of the games has is zeros. `implied` are switches
    that what is written brings with it."""
    if not isinstance(written, Mapping) or "pins" not in written or "turn" not in written:
        raise NoState("expected an object with pins, turn and distance")
    pins = written["pins"]
    words = {**implied, **dict(written.get("rules") or {})}
    options = read_options({**words, "players": len(pins), "distance": written.get("distance", AT_FIRST)}, game)
    state = np.zeros(1, dtype=dtype).view(np.recarray)[0]
    begin_board(state, options, np.uint64(0))
    state.at[:] = NOWHERE
    state.pins[: options[AT_PLAYERS]] = _cells(state, pins)
    for player in range(int(state.players)):
        for pin in range(PINS):
            cell = int(state.pins[player, pin])
            if cell == HOME:
                continue
            if state.at[cell] != NOWHERE:
                raise NoState(f"pins: two are on cell {cell}")
            state.at[cell] = PINS * player + pin
    past = list(written.get("past") or [])[: options[AT_HISTORY]]
    for i, position in enumerate(past):
        state.past[i, : state.players] = _cells(state, position)
    for player in range(int(state.players)):
        note_goal(state, player)
    turn_to(state, player_of(state, written["turn"]))
    return state


def _cells(state: State, pins: Any) -> list[list[int]]:
    for player, cells in enumerate(pins):
        if len(cells) != PINS:
            raise NoState(f"pins: expected four for each player, found {len(cells)} for player {player}")
        goal = int(state.ring) + PINS * player
        for cell in cells:
            on_board = cell == HOME or 0 <= cell < int(state.ring) or goal <= cell < goal + PINS
            if isinstance(cell, bool) or not isinstance(cell, int) or not on_board:
                raise NoState(
                    f"pins: {cell!r} of player {player}: expected -1, a cell below {int(state.ring)} or one of its "
                    f"goal, {goal} to {goal + PINS - 1}"
                )
    return [list(cells) for cells in pins]


def player_of(state: State, word: Any) -> int:
    """A player by number or letter."""
    players = int(state.players)
    if isinstance(word, str) and word.upper() in SEATS[:players] and len(word) == 1:
        return SEATS.index(word.upper())
    return within(word, 0, players - 1, "player")


def within(number: Any, low: int, high: int, what: str) -> int:
    """A whole number of JSON."""
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise NoState(f"{what}: {number!r}: expected a number from {low} to {high}")
    return number


def write_board(state: State, game: str) -> dict[str, Any]:
    """The board as JSON."""
    words = words_of(state, game)
    written: dict[str, Any] = {
        "pins": state.pins[: state.players].tolist(),
        "turn": int(state.turn),
        "distance": int(state.distance),
        "rules": words,
    }
    if state.history:
        written["past"] = state.past[: state.history, : state.players].tolist()
    return written


def why_no_move(state: State, pin: int, steps: int) -> str:
    """Why a pin that is out may not go so many steps forward, or back."""
    own, ring = int(state.own), int(state.ring)
    cell = int(state.pins[own, pin])
    if cell >= ring:
        if steps < 0:
            return f"pin {pin} is in the goal, and goes forward only"
        if cell + steps >= ring + PINS * (own + 1):
            return f"pin {pin} is in the goal, which ends before that"
        return "a pin in the goal is in the way"
    if _would_go(state, own, cell, steps, off=BLOCKING):
        return "a pin on its own start bars the way"
    if _would_go(state, own, cell, steps, on=FRIENDLY_FIRE):
        return f"a pin of {SEATS[own]} is there, and friendly_fire is off"
    if _would_go(state, own, cell, steps, on=CIRCULAR | FRIENDLY_FIRE, off=BLOCKING):
        return "it may not go past its goal, or back behind its start: circular_board is off"
    return f"pin {pin} may not go {steps}"


def _would_go(state: State, own: int, cell: int, steps: int, on: int = 0, off: int = 0) -> bool:
    other = state.copy()
    other.rules = int(state.rules) & ~off | on
    if steps < 0:
        return backwards(other, own, cell, -steps) != NOWHERE
    return destination(other, own, cell, steps, taken_of(other, own)) != NOWHERE


def seats_of(options: np.ndarray) -> tuple[int, ...]:
    """Who plays, in the order of turns."""
    return tuple(range(int(options[AT_PLAYERS])))


def sides_of(options: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """Who wins together."""
    seats = seats_of(options)
    return (
        ((0, 2), (1, 3))
        if int(options[AT_RULES]) & TEAMS and len(seats) == PLAYERS
        else tuple((seat,) for seat in seats)
    )


def illegal(error: Exception) -> IllegalAction:
    """Words that name no state, as games report it."""
    return IllegalAction(f"no state: {error}")
