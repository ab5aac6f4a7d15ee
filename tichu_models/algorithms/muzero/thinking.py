"""Searches of many positions with the networks of MuZero: the latent positions of all nodes, and what is said of them.

Networks are asked for all positions together, once a simulation, in their own number type. In imagined positions the
policy is that of the network, less what the network thinks to be illegal, if it has learned that: so a position in
which nobody can move but to pass is gone on from without branching. In a game with chance one simulation comes to an
afterstate in some positions, and from one to a position in others: the networks are asked for both together as far as
they are alike.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from tichu_models.algorithms.muzero.chance_networks import ChanceNet
from tichu_models.algorithms.muzero.networks import MuZeroNet
from tichu_models.algorithms.muzero.nodes import NEVER
from tichu_models.algorithms.muzero.search import Found, Imagine, Imagined, Search
from tichu_models.algorithms.muzero.tree import ValueScale


class Thinker:
    """Searches with so many simulations, of up to so many positions at a time. Threads must not share it."""

    def __init__(
        self,
        network: MuZeroNet,
        games: int,
        simulations: int,
        considered: int,
        of_legal: bool,
        value_scale: ValueScale,
    ) -> None:
        self.network, self.games, self.simulations, self.of_legal = network, games, simulations, of_legal
        words = network.words
        self._search = Search(games, words.actions, simulations, considered, words.outcomes, value_scale)
        self._latent = torch.zeros((simulations + 1, games, network.latent), dtype=network.straight.weight.dtype)
        self._by_chance = torch.zeros((simulations + 1, games), dtype=torch.bool)  # which of them are afterstates
        self._rows = torch.arange(games)
        self._classes = torch.tensor([-1.0, 0.0, 1.0])

    @torch.inference_mode()
    def think(self, seen: np.ndarray, legal: np.ndarray, gumbel: np.ndarray) -> Found:
        """What a search finds in each position; `gumbel` is its noise. Where one action is legal there is no search:
        the position is worth what the network says."""
        was_training, words = self.network.training, self.network.words
        self.network.eval()
        latent = self.network.represent(torch.from_numpy(seen).to(self._latent.dtype))
        said = self.network.say(latent).float()
        values = words.value(said).numpy()
        visits = np.zeros(legal.shape, dtype=np.int64)
        found = Found(legal.argmax(axis=1), legal.astype(np.float32), values.astype(np.float64), visits)
        if len(rows := np.flatnonzero(legal.sum(axis=1) > 1)):
            given = (values[rows], words.policy(said).numpy()[rows], legal[rows], gumbel[rows])
            searched = self._search.run(*given, self._imagine_from(latent[rows]))
            for whole, part in zip(found, searched, strict=True):
                whole[rows] = part
        self.network.train(was_training)
        return found

    def _imagine_from(self, roots: Tensor) -> Imagine:
        """What the search asks, from these latent positions on."""
        words, rows = self.network.words, self._rows[: len(roots)]
        self._latent[0, : len(roots)] = roots

        def imagine(parents: np.ndarray, actions: np.ndarray, node: int) -> Imagined:
            nodes, chosen = torch.from_numpy(parents), torch.from_numpy(actions)
            before = self._latent[nodes, rows]
            if not words.outcomes:
                self._latent[node, : len(rows)] = after = self.network.go_on(before, chosen)
                return self._imagined(self.network.say(after).float())
            after_chance = self._by_chance[nodes, rows]
            self._by_chance[node, : len(rows)] = ~after_chance
            self._latent[node, : len(rows)] = after = self._stepped(before, chosen, after_chance)
            said = self.network.say(after).float()
            return self._told_apart(self._imagined(said), said, after_chance.numpy())

        return imagine

    def _stepped(self, before: Tensor, chosen: Tensor, after_chance: Tensor) -> Tensor:
        """What actions lead to, and outcomes of chance."""
        assert isinstance(self.network, ChanceNet)
        after = torch.empty_like(before)
        for rows, step in ((~after_chance, self.network.go_on), (after_chance, self.network.meet)):
            if rows.any():
                after[rows] = step(before[rows], chosen[rows])
        return after

    def _told_apart(self, as_positions: Imagined, said: Tensor, after_chance: np.ndarray) -> Imagined:
        """Chance brings no reward, and the same side moves as before it; afterstates have outcomes for actions."""
        words = self.network.words
        logits = np.full((len(said), self._search.width), NEVER, dtype=np.float32)
        logits[:, : words.actions] = as_positions.logits
        logits[~after_chance] = NEVER
        logits[~after_chance, : words.outcomes] = words.chances(said).numpy()[~after_chance]
        rewards = np.where(after_chance, np.float32(0.0), as_positions.rewards)
        relations = np.where(after_chance, np.float32(1.0), as_positions.discounts)
        return Imagined(rewards, relations, as_positions.values, logits)

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
