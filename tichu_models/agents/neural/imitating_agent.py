"""ImitatingAgent: the base of players whose networks imitate people.

The networks for decisions other than plays are runs of their own, beside that for plays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tichu_models.agents.choosing import pick_bombs, pick_three
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.agents.options import ImitatorOptions
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, GRAND_CALL, SCHUPF, SMALL_CALL, TICHU_CALL, WISH
from tichu_models.rules.cards import ACE
from tichu_models.rules.legal import new_buffer
from tichu_models.rules.state import LEFT, RIGHT

NETWORK_OF_KIND = {
    GRAND_CALL: "GrandNet",
    TICHU_CALL: "TichuNet",
    SMALL_CALL: "SmallTichuNet",
    SCHUPF: "SchupfNet",
    WISH: "WishNet",
    DRAGON_GIFT: "DragonNet",
    BOMB_THROW: "BombNet",
}
CALLED, FIRST_OUT = 0, 1  # outputs of the networks for announcements


class ImitatingAgent(NNetAgent):
    """A player that answers as a person would."""

    options: ImitatorOptions

    def answer(self, kind: int, views: np.ndarray) -> np.ndarray:
        """The answer that a person would most likely give."""
        return ANSWERS[kind](self, views, self.others[kind].answers(views))

    def _announce(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """1 to announce: if a person would, or if the chance to go out first reaches the option `announce`."""
        least = self.options.announce
        if least is None:
            return (outputs[:, CALLED] >= 0).astype(np.int64)
        return (1 / (1 + np.exp(-outputs[:, FIRST_OUT].astype(np.float64))) >= least).astype(np.int64)

    def _give(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The three cards that are most likely together."""
        choices = np.empty(len(views), dtype=np.int64)
        pick_three(views, outputs, choices)
        return choices

    def _wish(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The likeliest rank, or none."""
        place = outputs.argmax(1)
        return np.where(place + 2 <= ACE, place + 2, 0)

    def _give_dragon(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The likelier opponent."""
        return np.where(outputs.argmax(1) == 0, RIGHT, LEFT).astype(np.int64)

    def _throw(self, views: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The lowest bomb, if a person would throw one."""
        choices = np.empty(len(views), dtype=np.int64)
        pick_bombs(views, outputs[:, 0] >= 0, new_buffer(), choices)
        return choices


ANSWERS: dict[int, Callable[[ImitatingAgent, np.ndarray, np.ndarray], np.ndarray]] = {
    GRAND_CALL: ImitatingAgent._announce,
    TICHU_CALL: ImitatingAgent._announce,
    SMALL_CALL: ImitatingAgent._announce,
    SCHUPF: ImitatingAgent._give,
    WISH: ImitatingAgent._wish,
    DRAGON_GIFT: ImitatingAgent._give_dragon,
    BOMB_THROW: ImitatingAgent._throw,
}
