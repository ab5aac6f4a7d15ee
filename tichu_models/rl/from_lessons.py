"""Learning from lessons: the network for plays of a run learns to prefer what a search has verified to be better.

The loss of a lesson compares two plays alone: the better one is to score higher than the one that the run chose. All
other plays are left to the second part of the loss, the divergence from the run as it was, over lessons and over plays
that are none. What a search prefers elsewhere is noise for the most part, and is not learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tichu_models.agents.choosing import moves_of, put_move_features
from tichu_models.agents.neural.network import Network
from tichu_models.algorithms.answers import distinct, log_probabilities
from tichu_models.algorithms.ppo import Chosen, Weights, policy_loss
from tichu_models.algorithms.student import Student, between, fabric_of_cpu, generator_of, minibatches
from tichu_models.networks.interface import MOVE_FEATURES
from tichu_models.observation.unpack import LANES
from tichu_models.options import Options, option
from tichu_models.rl.lessons import Lessons
from tichu_models.rules.cards import DECK
from tichu_models.runs import checkpoint

FALL = 0.1  # of the learning rate until the end


@dataclass(frozen=True, kw_only=True)
class LearningOptions(Options):
    """How lessons are learned."""

    epochs: int = option(4, "epochs over all lessons", least=1)
    batch: int = option(1024, "plays in a minibatch", least=1)
    learning_rate: float = option(1e-4, "learning rate of Adam at the start; it falls to a tenth", least=1e-9, most=1)
    leash: float = option(1.0, "weight of the divergence from the run as it was", least=0)
    held_out: float = option(0.1, "share of the lessons that are not learned but tell how many are kept", most=0.9)
    seed: int = option(0, "seed of the order and of what is held out", least=0, most=2**31)


class LessonLearner:
    """The network for plays of a run, and lessons as it reads them."""

    def __init__(self, run: Path, lessons: Lessons, options: LearningOptions) -> None:
        self.options, self.network = options, Network(run)
        rows, verified = lessons.rows, lessons.verified
        views = rows["view"]
        self.moves = moves_of(views)
        self._ends = self.moves.counts.cumsum()
        states = [state[: which.stop - which.start].clone() for which, state in self.network.states(views)]
        self._states = torch.cat(states)
        cards = self.moves.plays & DECK
        self._own, self._better = (_places(cards, self.moves.counts, rows[name]) for name in ("own", "better"))
        held_out = generator_of(options.seed, 0).random(len(rows)) < options.held_out
        self.learned, self.verified = ~held_out, verified
        self.student = Student(fabric_of_cpu(), checkpoint.load(run).network, options.learning_rate)
        self._before = self._log_probabilities(np.arange(len(rows)))

    def learn(self, told: Callable[[dict[str, float]], None] = lambda figures: None) -> dict[str, float]:
        """Learns all lessons but those held out, `told` the figures of every epoch; returns the last ones."""
        options = self.options
        rows = np.flatnonzero(self.learned)
        figures = self.figures()
        told({"epoch": 0, **figures})
        for epoch in range(options.epochs):
            share = epoch / max(options.epochs - 1, 1)
            self.student.set_rate(between(options.learning_rate, FALL * options.learning_rate, share))
            for part in minibatches(len(rows), options.batch, generator_of(options.seed, 1, epoch)):
                self.student.step(self._loss(rows[part]))
            figures = self.figures()
            told({"epoch": epoch + 1, **figures})
        return figures

    def figures(self) -> dict[str, float]:
        """Of lessons learned and held out, how many are followed: the better play scores higher than the run's own. Of
        all other plays, how many are still made, and how far the policy has moved there."""
        logs = self._log_probabilities(np.arange(len(self.moves.counts)))
        firsts = self._ends - self.moves.counts
        followed = logs[firsts + self._better] > logs[firsts + self._own]
        kept = logs[firsts + self._own] == np.maximum.reduceat(logs, firsts)
        groups = {"learned": self.learned & self.verified, "held_out": ~self.learned & self.verified}
        shares = {name: float(followed[group].mean()) if group.any() else 0.0 for name, group in groups.items()}
        rest = ~self.verified
        moved = np.add.reduceat(np.exp(logs) * (logs - self._before), firsts)
        return shares | {
            "kept": float(kept[rest].mean()) if rest.any() else 0.0,
            "divergence": float(moved[rest].mean()) if rest.any() else 0.0,
        }

    def _loss(self, rows: np.ndarray) -> Tensor:
        """The loss of some lessons and other plays."""
        scores, counts, taken = self._scores(rows)
        nothing = np.zeros(len(rows), dtype=np.float32)
        chosen = Chosen(counts, np.zeros(len(rows), dtype=np.int64), nothing, nothing)
        loss, _ = policy_loss(scores, chosen, Weights(0.0, 0.0, self.options.leash), self._before[taken])
        firsts, lessons = counts.cumsum() - counts, self.verified[rows]
        own, better = (torch.from_numpy((firsts + each[rows])[lessons]) for each in (self._own, self._better))
        compared = functional.softplus(scores[own] - scores[better]).sum() / len(rows)
        return loss + compared

    def _scores(self, rows: np.ndarray) -> tuple[Tensor, np.ndarray, np.ndarray]:
        """The scores of all moves at these plays, how many each has, and where they stand among all."""
        counts = self.moves.counts[rows]
        taken = np.concatenate([np.arange(end - n, end) for end, n in zip(self._ends[rows], counts, strict=True)])
        different, which = distinct(self.moves.plays[taken])
        asked = (self._states[rows], self._features(different), torch.from_numpy(which), torch.from_numpy(counts))
        return self.student.ask(*asked).float(), counts, taken

    def _features(self, plays: np.ndarray) -> Tensor:
        lookup = self.network.lookup
        features = np.zeros(len(plays) * MOVE_FEATURES + LANES, dtype=lookup.dtype)
        put_move_features(plays, lookup, features)
        tensor = torch.from_numpy(features[: len(plays) * MOVE_FEATURES].reshape(len(plays), -1))
        return tensor.view(torch.bfloat16) if features.dtype == np.int16 else tensor

    def _log_probabilities(self, rows: np.ndarray) -> np.ndarray:
        """The logarithm of the probability of every move at these plays."""
        parts = []
        with torch.no_grad():
            for part in np.array_split(rows, max(1, len(rows) // 8192)):
                scores, counts, _ = self._scores(part)
                logs = np.empty(len(scores), dtype=np.float32)
                log_probabilities(scores.numpy(), counts, logs)
                parts.append(logs)
        return np.concatenate(parts)


def _places(cards: np.ndarray, counts: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The place of a play among the moves of its decision, for each decision."""
    found = np.flatnonzero(cards == np.repeat(wanted, counts))
    decisions = np.repeat(np.arange(len(counts)), counts)[found]
    _, first = np.unique(decisions, return_index=True)  # the Phoenix may stand for several ranks
    return found[first] - (counts.cumsum() - counts)
