"""What it costs to read the latest turns: a play by DTRLNet beside one by PolicyRLNet, and its parts.

An agent computes every sequence anew, so that it keeps nothing between two answers; this is to stay cheap enough for
that.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
import torch

from tests.makers.runs import make_run
from tichu_models.agents.choosing import moves_of
from tichu_models.agents.neural.dtrl_agent import DTRLAgent
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.rules.asking import PLAY

pytestmark = pytest.mark.bench
LIMIT = 20  # times the policy's decision
HIDDEN = [512, 512]
SIZES = {
    "policy": ("PolicyRLNet", {"hidden": HIDDEN}),
    "dt": ("DTRLNet", {"hidden": HIDDEN}),
    "dt, 2 layers": ("DTRLNet", {"hidden": HIDDEN, "layers": 2}),
}


def microseconds(do: Callable[[], object], times: int) -> float:
    """Processor time of the fastest of some tries, for each of so many decisions."""
    best = np.inf
    for _ in range(5):
        started = time.process_time()
        do()
        best = min(best, time.process_time() - started)
    return best / times * 1e6


class Listening(HeuristicAgent):
    """A player by rules of thumb that notes what it is asked about plays."""

    wants = ("transcripts",)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[np.ndarray, np.ndarray]] = []

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """Its answers."""
        if kind == PLAY:
            self.asked.append((views.copy(), extras["transcripts"]))
        return super().decide(kind, views)


def questions(most: int = 2048) -> tuple[np.ndarray, np.ndarray]:
    """Views and transcripts of plays with a choice."""
    player = Listening()
    for _ in lockstep.play_games([player], np.zeros((128, 4), dtype=np.int64), seed=1, max_rounds=1):
        pass
    views, transcripts = (np.concatenate(part) for part in zip(*player.asked, strict=True))
    choices = moves_of(views).counts > 1
    return views[choices][:most], transcripts[choices][:most]


def test_a_play_with_turns_costs_at_most_twenty_without(tmp_path):
    """A player that is worth its strength only where time is no matter."""
    torch.set_num_threads(1)
    views, transcripts = questions()
    spent = {}
    for name, (network, sizes) in SIZES.items():
        run = make_run(tmp_path, network, name.replace(", ", "_").replace(" ", "_"), **sizes)
        agent = agent_from(f"policy:{run}", tmp_path)
        extras = {"transcripts": transcripts} if agent.wants else {}
        spent[name] = microseconds(lambda agent=agent, extras=extras: agent.decide(PLAY, views, **extras), len(views))
        print(f"\n{name}: {spent[name]:.1f} µs a play", end="")
        if isinstance(agent, DTRLAgent):
            retracing = microseconds(lambda agent=agent: agent._turns(views, transcripts, 16), len(views))
            print(f", {retracing:.1f} µs of it to retrace the turns; {spent[name] / spent['policy']:.1f} times", end="")
    assert spent["dt"] < LIMIT * spent["policy"]
