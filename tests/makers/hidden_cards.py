"""Which cards a seat cannot place, for tests that let these change hands."""

from __future__ import annotations

import numpy as np

from tichu_models.rules.cards import BIT_OF_INDEX, MAHJONG, of_rank


def hidden_from(view: np.void, wish: int) -> int:
    """The cards of which a seat does not know where they are.

    It knows its own, what was played, what it gave to whom, who leads first with the Mahjong, and whether somebody who
    did not fulfil a wish can hold such a card.
    """
    known = int(view["hand"]) | int(view["played"])
    known |= sum(1 << int(BIT_OF_INDEX[card]) for card in (*view["given"], *view["received"]) if card >= 0)
    if view["start_player"] >= 0:
        known |= int(MAHJONG)
    if wish:
        known |= int(of_rank((1 << 56) - 1, wish))
    return ~known & (1 << 56) - 1
