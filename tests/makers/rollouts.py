"""Small runs of self-play, for tests of what is learned from rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import Tensor

from tichu_models.algorithms.student import generator_of
from tichu_models.rl import tasks, team
from tichu_models.rl.hall import DECISION, ENDED, NO_TWIN
from tichu_models.rl.opponents import Opponent
from tichu_models.rl.rollout import Experience
from tichu_models.rl.settings import settings_of
from tichu_models.rl.train import SelfPlay

# All that a run remembers: a pool, a magnet, averages, rates that fall, values that returns lead over.
CHANGES = (
    "iterations=5", "rounds=64", "against=0.5", "pool_every=1", "pool_most=2", "magnet=0.1", "magnet_every=2",
    "average=0.5", "trace=0.9", "twins=0.25", "evaluate_every=2", "evaluation_deals=16", "save_every=1",
)  # fmt: skip


class SmallRun(SelfPlay):
    """A run that can play without learning."""

    def roll(self) -> Experience:
        """The rounds of an iteration."""
        return self._play(map, generator_of(self.settings.seed, self.iteration))


def small_run(
    patch: pytest.MonkeyPatch,
    precision: str = "float32",
    start: Path | None = None,
    opponent: Opponent | None = None,
    **changes: Any,
) -> SmallRun:
    """A run of the preset smoke in this precision, whatever the machine is fast in, which begins with the run `start`.
    Its networks are far from even odds, that of announcements too."""
    torch.set_num_threads(1)
    for module in (tasks, team):
        patch.setattr(module, "has_fast_bf16", lambda: precision == "bfloat16")
    settings = settings_of("smoke", [f"{name}={value}" for name, value in changes.items()])
    run = SmallRun(settings, start, opponent=opponent)
    with torch.no_grad():
        for student in run.team.students.values():
            for weights in student.network.parameters():
                weights.mul_(2)
    return run


def experience_of(
    scores: list[tuple[int, int]], decisions: list[dict[str, int]], forks: Sequence[int] = ()
) -> Experience:
    """Rounds with these results and decisions, and nothing that anybody saw. `forks` are their places in `ended`."""
    made = np.zeros(len(decisions), dtype=DECISION)
    for row, fields in zip(made, decisions, strict=True):
        for name, value in fields.items():
            row[name] = value
    ended = np.zeros(len(scores), dtype=ENDED)
    ended["score"] = scores
    ended["worth"] = np.array(scores) @ [[1, -1], [-1, 1]] / 100
    ended["fork"] = forks or NO_TWIN
    nothing = np.zeros((0, 1), dtype=np.int64)
    return Experience(made, nothing, nothing, nothing[:, 0], ended)


def parts_of(run: SelfPlay) -> dict[str, Tensor]:
    """All tensors of a run: weights, moments, averages, magnets, pool."""
    found = {f"{kind}/{name}": each for kind, one in run.team.students.items() for name, each in one.tensors().items()}
    for name, part in (("average", run.team.averages), ("magnet", run.team.magnets)):
        found |= {f"{name}/{kind}/{key}": each for kind, tensors in part.items() for key, each in tensors.items()}
    for place, networks in enumerate(run.team.pool):
        for kind, network in networks.items():
            weights = safetensors.torch.load(network.weights)
            found |= {f"pool/{place}/{kind}/{key}": each for key, each in weights.items()}
    return found


def assert_same_run(one: SelfPlay, other: SelfPlay) -> None:
    """Holds two runs equal, bit for bit."""
    ours, theirs = parts_of(one), parts_of(other)
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name
    assert (one.iteration, one.points) == (other.iteration, other.points)
