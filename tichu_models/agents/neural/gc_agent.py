"""GCPolicyAgent: the cards a person would play who still wins as much as can be expected, and a margin (2.1.2)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tichu_models.agents.neural.network import Network
from tichu_models.agents.neural.policy_agent import PolicyAgent
from tichu_models.agents.options import GoalOptions
from tichu_models.networks.gc_policy_net import GCPolicyNet
from tichu_models.rules.scoring import VALUE_UNIT


def collected_lead(views: np.ndarray) -> np.ndarray:
    """What the own team has collected more than the other."""
    points = views["points"].astype(np.int64)
    return (1 - 2 * (views["seat"] & 1)) * (points[:, 0] + points[:, 2] - points[:, 1] - points[:, 3])


class GCPolicyAgent(PolicyAgent):
    """A player with a GCPolicyNet, and a ValueNet if it is given one."""

    options: GoalOptions
    judge: Network | None = None

    def outputs(self, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """Thinks once; the return to go is the value head's, or the final difference less what is collected already."""
        net = self.network.module
        assert isinstance(net, GCPolicyNet)
        final = goals_of(self.options, self.judge, views)
        if final is None:

            def act(state: Tensor) -> Tensor:
                thought = net.think(state)
                return net.act(thought, net.judge(thought) + self.options.margin / VALUE_UNIT)

            return self.network.answers(views, act)
        goals = final - collected_lead(views) / VALUE_UNIT
        parts = []
        with torch.inference_mode():
            for which, state in self.network.states(views):
                goal = torch.zeros(len(state))
                goal[: which.stop - which.start] = torch.from_numpy(goals[which])
                parts.append(net.act(net.think(state), goal)[: which.stop - which.start].float())
        return torch.cat(parts).numpy()

    def final(self, views: np.ndarray) -> np.ndarray:
        """By how much the own team is expected to win, in points / 100."""
        net = self.network.module
        assert isinstance(net, GCPolicyNet)
        rtg = self.network.answers(views, lambda state: net.judge(net.think(state))[:, None])[:, 0]
        return rtg + collected_lead(views) / VALUE_UNIT


def goals_of(options: GoalOptions, judge: Network | None, views: np.ndarray) -> np.ndarray | None:
    """What the round is to be won by, in points / 100: a goal, or what a ValueNet expects and a margin; None where
    the player's own value head is to say."""
    if options.goal is not None:
        return np.full(len(views), options.goal / VALUE_UNIT, dtype=np.float32)
    return None if judge is None else expected_by(judge, views) + np.float32(options.margin / VALUE_UNIT)


def expected_by(judge: Network, views: np.ndarray) -> np.ndarray:
    """By how much a ValueNet expects the own team to win, in points / 100."""
    return judge.answers(views, lambda state: judge.module(state)[:, None])[:, 0]
