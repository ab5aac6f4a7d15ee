"""SelfTaughtAgent: plays by networks that learned from self-play.

Its network for plays is a CandidateRLNet or a PolicyRLNet; those for the other decisions lie in the subfolders of the
same run. It chooses as rollouts do: among the same answers, by the same scores, with the same draws.
"""

from __future__ import annotations

import numpy as np

from tichu_models.agents.choosing import Moves, give_cards, moves_of, score_answers
from tichu_models.agents.neural.network import Network
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.networks.move_net import MoveNet
from tichu_models.observation.choices import PICKS
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, GRAND_CALL, SCHUPF, SMALL_CALL, TICHU_CALL, WISH
from tichu_models.rules.cards import DECK

NETWORK_OF_KIND = {
    GRAND_CALL: "GrandRLNet",
    TICHU_CALL: "TichuRLNet",
    SMALL_CALL: "SmallTichuRLNet",
    SCHUPF: "SchupfRLNet",
    WISH: "WishRLNet",
    DRAGON_GIFT: "DragonRLNet",
    BOMB_THROW: "BombRLNet",
}


def scores_of(network: Network, kind: int, views: np.ndarray, moves: Moves, pick: int = 0) -> np.ndarray:
    """The score of every answer by a network that learned from self-play; the softmax over the answers of a decision
    makes probabilities of them. `pick` is that of schupfen."""
    if isinstance(network.module, MoveNet):
        return network.move_scores(views, moves)
    scores, picks = np.empty(len(moves.plays)), np.full(len(views), pick, dtype=np.int8)
    score_answers(network.answers(views), kind, picks, *moves, scores)
    return scores


class SelfTaughtAgent(NNetAgent):
    """A player with networks that learned from self-play."""

    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The network's scores. Their softmax is the policy."""
        return self.network.move_scores(views, moves)

    def answer(self, kind: int, views: np.ndarray) -> np.ndarray:
        """The best answer, or one that is drawn; schupfen is three answers in a row."""
        if kind != SCHUPF:
            chosen = self._chosen(kind, views)
            return chosen & DECK if kind == BOMB_THROW else chosen
        views, answers = views.copy(), np.zeros(len(views), dtype=np.int64)
        for pick in range(PICKS):
            give_cards(views, pick, self._chosen(kind, views, pick), answers)
        return answers

    def _chosen(self, kind: int, views: np.ndarray, pick: int = 0) -> np.ndarray:
        moves = moves_of(views, kind)
        return self.choose(views, moves, scores_of(self.others[kind], kind, views, moves, pick), pick)
