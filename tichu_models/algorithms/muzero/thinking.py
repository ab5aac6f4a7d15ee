"""Searches of many positions with the networks of MuZero: the latent positions of all nodes, and what is said of them.

Networks are asked for all positions together, in float32, once a simulation. In imagined positions the policy is that
of the network, less what the network thinks to be illegal, if it has learned that: so a position in which nobody can
move but to pass is gone on from without branching.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from tichu_models.algorithms.muzero.networks import MuZeroNet
from tichu_models.algorithms.muzero.search import Found, Imagined, Search


class Thinker:
    """Searches with so many simulations, of up to so many positions at a time. Threads must not share it."""

    def __init__(self, network: MuZeroNet, games: int, simulations: int, considered: int, of_legal: bool) -> None:
        self.network, self.games, self.of_legal = network, games, of_legal
        self._search = Search(games, network.words.actions, simulations, considered)
        self._latent = torch.zeros((simulations + 1, games, network.latent))
        self._rows = torch.arange(games)
        self._classes = torch.tensor([-1.0, 0.0, 1.0])

    @torch.inference_mode()
    def think(self, seen: np.ndarray, legal: np.ndarray, gumbel: np.ndarray) -> Found:
        """What a search finds in each position; `gumbel` is its noise."""
        was_training, n = self.network.training, len(seen)
        self.network.eval()
        latent = self.network.represent(torch.from_numpy(seen).float())
        said = self.network.say(latent)
        self._latent[0, :n] = latent
        words, rows = self.network.words, self._rows[:n]

        def imagine(parents: np.ndarray, actions: np.ndarray, node: int) -> Imagined:
            before = self._latent[torch.from_numpy(parents), rows]
            after = self.network.go_on(before, torch.from_numpy(actions))
            self._latent[node, :n] = after
            return self._imagined(self.network.say(after))

        found = self._search.run(words.value(said).numpy(), words.policy(said).numpy(), legal, gumbel, imagine)
        self.network.train(was_training)
        return found

    def _imagined(self, said: Tensor) -> Imagined:
        words = self.network.words
        policy = words.policy(said)
        if self.of_legal:
            policy = policy + logsigmoid(words.legal(said))
        return Imagined(
            (words.rewards(said).softmax(-1) @ self._classes).numpy(),
            (words.relations(said).softmax(-1) @ self._classes).numpy(),
            words.value(said).numpy(),
            policy.numpy(),
        )
