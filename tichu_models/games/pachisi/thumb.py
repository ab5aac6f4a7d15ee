"""Rules of thumb for the board: get out, run on, come in, hit others, and keep out of their reach."""

from __future__ import annotations

from tichu_models.game import State
from tichu_models.games.pachisi.board import BLOCKING, HOME, PINS, PLAYERS, TEAMS, start_of
from tichu_models.games.pachisi.views import progress
from tichu_models.kernels import inlined, inner

WON = 1e6
MOST_RISK = 0.5
OF_MANY = 0.5  # what the progress of others counts if there are several sides


@inlined
def is_partner(state: State, seat: int, player: int) -> bool:
    """Whether a player is on the side of a seat."""
    return player == seat or (state.rules & TEAMS != 0 and player == seat ^ 2)


@inlined
def _risk(state: State, player: int, cell: int, reach: int, risk: float) -> float:
    """How likely a pin on the ring is hit before it moves again, roughly."""
    if state.rules & BLOCKING and cell == start_of(state, player):
        return 0.0
    found = 0.0
    for other in range(state.players):
        if is_partner(state, player, other):
            continue
        at_home = False
        for pin in range(PINS):
            from_ = state.pins[other, pin]
            at_home = at_home or from_ == HOME
            if 0 <= from_ < state.ring:
                behind = cell - from_
                if behind < 0:
                    behind += state.ring
                if behind <= reach:
                    found += risk
        if at_home and cell == start_of(state, other):
            found += risk
    return min(found, MOST_RISK)


@inner
def worth_of_board(state: State, seat: int, reach: int, risk: float) -> float:
    """How the board looks to a seat, in cells: the progress of its side less that of the others, and less what it would
    lose by hits. `risk` is how likely a pin is hit by one that is up to `reach` cells behind it."""
    if state.won:
        return WON if state.won >> seat & 1 else -WON
    several = state.players > 2 and state.rules & TEAMS == 0
    value = 0.0
    for player in range(min(state.players, PLAYERS)):
        points = float(progress(state, player))
        if is_partner(state, seat, player):
            value += points
            for pin in range(PINS):
                cell = state.pins[player, pin]
                if 0 <= cell < state.ring:
                    way = cell - start_of(state, player)
                    if way < 0:
                        way += state.ring
                    value -= _risk(state, player, cell, reach, risk) * (state.distance + way)
        else:
            value -= points * OF_MANY if several else points
    return value
