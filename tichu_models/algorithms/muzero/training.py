"""MuZero in self-play: many games side by side, each action by a search, and networks that learn from the last games.

An iteration makes some actions in every game with the networks as they are, and beside that, on another core, learns
windows of what was played before. Then it measures on the games that have ended how good the networks are at what they
have not learned from. In the first iterations games may be those of rules of thumb: what they do is the policy then,
and outcomes are the values.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from tichu_models.algorithms.lockstep_batch import LockstepBatch
from tichu_models.algorithms.muzero.chance_networks import network_of
from tichu_models.algorithms.muzero.losses import LOSSES, Windows, parts_of, total
from tichu_models.algorithms.muzero.networks import MuZeroNet, Sizes
from tichu_models.algorithms.muzero.quality import Quality, quality_of
from tichu_models.algorithms.muzero.replay import Replay, Seen, Targets
from tichu_models.algorithms.muzero.search import CONSIDERED
from tichu_models.algorithms.muzero.thinking import Thinker
from tichu_models.algorithms.muzero.tree import PLAIN, ValueScale
from tichu_models.algorithms.precision import float32_by_onednn, has_fast_bf16, one_thread, use_one_thread
from tichu_models.algorithms.solo_batch import drawn_keys
from tichu_models.algorithms.student import Student, between, fabric_of_cpu, generator_of
from tichu_models.game import Game

NETWORK, GAMES, REPLAY = "network.", "games.", "replay."  # how the names of tensors begin
PARTS, OF_CHANCE = ("value", "policy", "reward", "relation", "legal", "mirror", "apart"), ("after", "chance")
PLAYED_IN = torch.bfloat16 if has_fast_bf16() else torch.float32  # halves what a search reads from memory
MEASURED = 512  # windows of an iteration that are measured, at most


@dataclass(frozen=True)
class MuZeroSettings:
    """How networks learn from games with themselves."""

    sizes: Sizes = field(default_factory=Sizes)
    targets: Targets = field(default_factory=Targets)
    games: int = 512  # side by side
    moves: int = 16  # in each game in an iteration
    opening: int = 8  # random actions at the beginning of a game, at most
    simulations: int = 16
    first_simulations: int | None = None  # at the start, from which they grow; by default as many
    considered: int = CONSIDERED
    value_scale: ValueScale = PLAIN
    guided: float = 0.0  # share of the training at its beginning in which rules of thumb play
    curious: float = 0.1  # share of random actions among theirs
    room: int = 512  # last positions of each game side by side that are learned from
    steps: int = 5  # K: of a window
    batch: int = 256
    replayed: float = 0.25  # windows that are learned for each action that is made
    between: int = 3  # steps of gradient from one of windows to the next, of pairs of positions
    pairs: int = 512  # in such a step
    warm_up: int = 8192  # positions before anything is learned
    losses: str = "published"
    legal: float = 1.0  # weight of the loss of legal actions; 0: they are learned by the policy alone
    mirror: float = 0.3  # weight of the loss of what could be seen in imagined positions
    apart: float = 0.1  # weight of how far they are from those that are seen
    rate: float = 3e-3
    last_rate: float = 3e-4
    decay: float = 1e-4  # of the weights
    seed: int = 1


class MuZero:
    """A training in memory. Its state is what `tensors` gives, and how many iterations it has had."""

    def __init__(self, game: Game, options: np.ndarray, settings: MuZeroSettings) -> None:
        self.game, self.options, self.settings = game, options, settings
        self.batch = LockstepBatch(game, options, settings.games, settings.opening)
        torch.manual_seed(settings.seed)
        self.network = network_of(self.batch.inputs, game.actions, settings.sizes, self.batch.outcomes)
        self.student = Student(fabric_of_cpu(is_float32=True), self.network, settings.rate, settings.decay)
        self.batch.begin(drawn_keys(generator_of(settings.seed), settings.games))
        columns = (settings.games, settings.room, self.batch.inputs, game.actions)
        self.replay = Replay(*columns, settings.targets, by_chance=self.batch.outcomes > 0)
        self._playing = copy.deepcopy(self.network).to(PLAYED_IN)
        self._thinker = self._thinker_with(self._playing, settings.games, self._simulations(0.0))
        self.iteration, self.ended, self.steps = 0, 0, 0

    def thinker_of(self, games: int, simulations: int) -> Thinker:
        """Searches with the networks as they are."""
        return self._thinker_with(self.network, games, simulations)

    def _simulations(self, share: float) -> int:
        first = self.settings.first_simulations or self.settings.simulations
        return round(between(first, self.settings.simulations, share))

    def _thinker_with(self, network: MuZeroNet, games: int, simulations: int) -> Thinker:
        of = self.settings
        return Thinker(network, games, simulations, of.considered, of.legal > 0, of.value_scale)

    def iterate(self, share: float) -> dict[str, float]:
        """Plays and learns; `share` of the training is done. Returns figures."""
        settings = self.settings
        of_playing, of_learning = (generator_of(settings.seed, self.iteration + 1, part) for part in (0, 1))
        self._playing.load_state_dict(self.network.state_dict())
        if (simulations := self._simulations(share)) != self._thinker.simulations:
            self._thinker = self._thinker_with(self._playing, settings.games, simulations)
        self.student.set_rate(between(settings.rate, settings.last_rate, share))
        with float32_by_onednn(), one_thread(), ThreadPoolExecutor(1, initializer=use_one_thread) as beside:
            played = beside.submit(self._guide if share < settings.guided else self._play, of_playing)
            losses = self._learn(of_learning)
            new = np.concatenate([self.replay.add(each) for each in played.result()])
            quality = self._measure(new, of_learning)._asdict()
        lengths = self.replay.lengths
        length = float(np.mean(lengths)) if lengths else float("nan")
        self.ended += len(lengths)
        lengths.clear()
        self.iteration += 1
        return {"length": length, **quality, **losses}

    def _play(self, generator: np.random.Generator) -> list[Seen]:
        """Makes actions by searches. Returns the positions and what has come of them."""
        found = []
        for _ in range(self.settings.moves):
            legal = self.batch.masks
            thought = self._thinker.think(self.batch.seen, legal, generator.gumbel(size=legal.shape))
            values = np.where(legal.sum(axis=1) > 1, thought.values, np.nan)  # the others are not searched
            found.append(self._step(thought.weights, values, thought.actions))
        return found

    def _guide(self, generator: np.random.Generator) -> list[Seen]:
        """Makes actions by rules of thumb, some of them at random. Returns likewise."""
        found = []
        for _ in range(self.settings.moves):
            legal, actions = self.batch.masks, self.batch.guided()
            policies = np.eye(legal.shape[1], dtype=np.float32)[actions]
            anything = np.where(legal, generator.random(legal.shape), -1).argmax(axis=1)
            is_random = generator.random(len(legal)) < self.settings.curious
            unknown = np.full(len(legal), np.nan)
            found.append(self._step(policies, unknown, np.where(is_random, anything, actions)))
        return found

    def _step(self, policies: np.ndarray, values: np.ndarray, actions: np.ndarray) -> Seen:
        """Makes an action in each game."""
        batch = self.batch
        position = (batch.seen.copy(), batch.masks.copy(), batch.sides.copy())
        batch.step(actions)
        came = (batch.rewards.copy(), batch.relations == 0, batch.afters.copy(), batch.outcome.copy())
        return Seen(*position, policies, values, actions, *came)

    def _measure(self, places: np.ndarray, generator: np.random.Generator) -> Quality:
        """How good the networks are at some of the new positions."""
        chosen = np.sort(generator.permutation(places)[:MEASURED])
        windows = self.replay.windows(chosen, self.settings.steps)
        return quality_of(self.network, windows, self.settings.legal > 0)

    def _learn(self, generator: np.random.Generator) -> dict[str, float]:
        """Learns windows of the replay, and between them pairs of positions, which are windows of one step. Returns the
        mean losses of the former."""
        torch.manual_seed(int(generator.integers(1 << 62)))  # of dropout
        settings, known = self.settings, self.replay.known()
        names = PARTS + (OF_CHANCE if self.batch.outcomes else ())
        if self.replay.now * settings.games < settings.warm_up or not len(known):
            return {f"loss.{name}": float("nan") for name in names}
        number = round(settings.games * settings.moves * settings.replayed / settings.batch)
        sums = dict.fromkeys(names, 0.0)
        further = {"legal": settings.legal, "mirror": settings.mirror, "apart": settings.apart}
        self.network.train()
        for i in range(max(1, number) * (1 + settings.between)):
            is_counted = i % (1 + settings.between) == 0
            n, steps = (settings.batch, settings.steps) if is_counted else (settings.pairs, 1)
            parts = self.losses_of(self.replay.windows(np.sort(generator.choice(known, n)), steps))
            self.student.step(total(parts, LOSSES[settings.losses], further, steps))
            for name, part in parts.items():
                sums[name] += part.item() * is_counted
            self.steps += 1
        return {f"loss.{name}": found / max(1, number) / (1 + settings.steps) for name, found in sums.items()}

    def losses_of(self, windows: Windows) -> dict[str, Tensor]:
        """The parts of the loss."""
        unrolled = self.student.ask(*windows.unrolled_by)
        return parts_of(self.network.words, unrolled, windows, self.settings.legal > 0)

    def tensors(self) -> dict[str, Tensor]:
        """Copies of weights, moments of the optimiser, games that go on and the replay, by name."""
        arrays = {GAMES + name: array for name, array in self.batch.arrays().items()}
        arrays |= {REPLAY + name: array for name, array in self.replay.arrays().items()}
        return {
            **{NETWORK + name: tensor for name, tensor in self.student.tensors().items()},
            **{name: torch.from_numpy(array.copy()) for name, array in arrays.items()},
        }

    def load(self, tensors: Mapping[str, Tensor], iteration: int, ended: int) -> None:
        """Restores what `tensors` gave after so many iterations and games."""
        self.student.load(_named(tensors, NETWORK))
        self.batch.load({name: each.numpy() for name, each in _named(tensors, GAMES).items()})
        of_replay = {name: each.numpy() for name, each in _named(tensors, REPLAY).items()}
        self.replay.load(of_replay, iteration * self.settings.moves)
        self.iteration, self.ended = iteration, ended


def _named(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}
