"""A policy over numbered actions, some of which a mask allows, and how it plays games for one player."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from tichu_models.algorithms.afterstate_player import in_parts
from tichu_models.algorithms.blocks import Block
from tichu_models.algorithms.masked_steps import pick_masked
from tichu_models.algorithms.solo_batch import SoloBatch
from tichu_models.game import Game, State

LAST_GAIN = 0.01  # of the policy's last layer at the start, so that all actions are about equally likely


class Body(NamedTuple):
    """What is between the inputs and the outputs of a network."""

    hidden: tuple[int, ...]  # units of the layers
    blocks: int = 0  # residual blocks after them
    dropout: float = 0.0  # in the blocks, while it learns


def layers(inputs: int, body: Body, outputs: int, gain: float) -> nn.Sequential:
    """Some hidden layers of ReLU, with orthogonal weights, and some residual blocks."""
    sizes = (inputs, *body.hidden)
    made: list[nn.Module] = []
    for before, after in pairwise(sizes):
        made += [nn.Linear(before, after), nn.ReLU()]
    linear = [*(layer for layer in made if isinstance(layer, nn.Linear)), nn.Linear(sizes[-1], outputs)]
    for layer in linear:
        nn.init.orthogonal_(layer.weight, gain if layer is linear[-1] else 2**0.5)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*made, *(Block(sizes[-1], body.dropout) for _ in range(body.blocks)), linear[-1])


def actor(inputs: int, body: Body, actions: int) -> nn.Sequential:
    """A network that has a score for each action."""
    return layers(inputs, body, actions, LAST_GAIN)


def legal_shares(scores: Callable[[Tensor], Tensor], seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """The probabilities of all actions where this is seen, 0 for those that are not legal."""
    with torch.inference_mode():
        found = scores(torch.from_numpy(seen).float()).float()
    return found.masked_fill(~torch.from_numpy(legal), -torch.inf).softmax(1).numpy()


class PlayedGames(NamedTuple):
    """Games that were played to their ends."""

    scores: np.ndarray
    invalid: np.ndarray  # actions that were not legal
    steps: np.ndarray


def play_games(
    game: Game,
    options: np.ndarray,
    scores: Callable[[Tensor], Tensor],
    actions: int,
    keys: np.ndarray,
    mask: bool = True,
    penalty: float = 0.0,
) -> PlayedGames:
    """Plays a game for each key by the action with the highest score. Without `mask` it may be one that is not legal;
    the points that this costs count."""
    parts = []
    for part in in_parts(keys):
        batch = SoloBatch(game, options, len(part), actions, penalty)
        batch.begin(part)
        parts.append(_play(batch, scores, mask))
    return PlayedGames(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _play(batch: SoloBatch, scores: Callable[[Tensor], Tensor], mask: bool) -> PlayedGames:
    number = len(batch.states)
    chosen, logs = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.float32)
    total, steps, going = np.zeros(number), np.zeros(number, dtype=np.int64), np.ones(number, dtype=np.bool_)
    invalid, all_allowed = np.zeros(number, dtype=np.int64), np.ones_like(batch.masks)
    while going.any():
        with torch.inference_mode():
            found = scores(torch.from_numpy(batch.observations)).float().numpy()
        pick_masked(found, batch.masks if mask else all_allowed, 0.0, np.uint64(0), chosen, logs)
        batch.step(chosen, again=True)
        total[going] += batch.rewards[going]
        steps += going
        over = going & batch.ended
        invalid[over] = batch.invalid[over]
        going &= ~batch.ended
    return PlayedGames(total, invalid, steps)


class MaskedPlayer:
    """A policy that plays one game by its likeliest action."""

    def __init__(self, game: Game, network: nn.Module, actions: int) -> None:
        self.game, self._network = game, network.eval()
        self._seen = np.zeros(game.observation, dtype=np.float32)
        self._actions = actions

    def probabilities(self, state: State) -> dict[int, float]:
        """How likely each legal action is. One that has no number in the mask is the only one."""
        legal = self.game.legal(state)
        if any(action >= self._actions for action in legal):
            return dict.fromkeys(legal, 1 / len(legal))
        self.game.kernels.observe(state, 0, self._seen)
        with torch.inference_mode():
            scores = self._network(torch.from_numpy(self._seen)[None])[0]
        likely = scores[torch.tensor(legal)].float().softmax(0)
        return dict(zip(legal, likely.tolist(), strict=True))

    def play(self, options: np.ndarray, keys: np.ndarray, mask: bool = True) -> PlayedGames:
        """A game for each key; without `mask` by the likeliest of all actions, legal or not."""
        return play_games(self.game, options, self._network, self._actions, keys, mask)

    def choose(self, state: State) -> int:
        """The likeliest action, the first of equals."""
        likely = self.probabilities(state)
        return max(likely, key=likely.__getitem__)
