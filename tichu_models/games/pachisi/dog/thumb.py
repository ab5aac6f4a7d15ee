"""Rules of thumb for DOG: how a position looks to a player who thinks of no reply."""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.dog.actions import KINDS
from tichu_models.games.pachisi.thumb import worth_of_board
from tichu_models.kernels import inner

REACH, RISK = 13, 0.08  # a pin may be hit by others so far behind it, and how likely by each
# What a card in the hand is worth, in cells: joker, swap, 2 to 10, 1|11, 12, 13. Cheap ones are played and given first.
WORTH_OF_CARD = np.array([12.0, 3.0, 1.0, 1.0, 5.0, 1.0, 1.0, 6.0, 1.0, 1.0, 1.0, 9.0, 1.0, 8.0])
assert len(WORTH_OF_CARD) == KINDS


@inner
def worth(state: State, seat: int) -> float:
    """Progress, danger, and the cards that are left; nothing that the seat does not see."""
    value = worth_of_board(state, seat, REACH, RISK)
    for card in range(KINDS):
        value += WORTH_OF_CARD[card] * state.hands[seat, card]
    return value
