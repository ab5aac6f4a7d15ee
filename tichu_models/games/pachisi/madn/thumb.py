"""Rules of thumb for MADN: how a position looks to a player who thinks of no reply."""

from __future__ import annotations

from tichu_models.game import State
from tichu_models.games.pachisi.madn.rules import SIDES
from tichu_models.games.pachisi.thumb import worth_of_board
from tichu_models.kernels import inner

RISK = 1 / 6  # that a pin is hit by one behind it


@inner
def worth(state: State, seat: int) -> float:
    """Progress and danger."""
    return worth_of_board(state, seat, SIDES, RISK)
