"""GCPolicyAgent: plays as a person who reaches a goal, by a GCPolicyNet (concept 2.1.2).

The goal is a fixed number of points, or the expected number and a margin.
"""

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
    """Points that the own team has collected so far, less those of the other team."""
    points = views["points"].astype(np.int64)
    return (1 - 2 * (views["seat"] & 1)) * (points[:, 0] + points[:, 2] - points[:, 1] - points[:, 3])


class GCPolicyAgent(PolicyAgent):
    """A player with a GCPolicyNet; `value_net` is a ValueNet that replaces its value head."""

    options: GoalOptions
    value_net: Network | None = None

    def outputs(self, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The policy's outputs. The return to go that it is asked for is the expected one of the value head, or the
        goal for the round less what the team has collected already."""
        net = self.network.module
        assert isinstance(net, GCPolicyNet)
        goals = goals_of(self.options, self.value_net, views)
        if goals is None:

            def policy(state: Tensor) -> Tensor:
                embedding = net.embed(state)
                return net.policy(embedding, net.value(embedding) + self.options.margin / VALUE_UNIT)

            return self.network.answers(views, policy)
        returns = goals - collected_lead(views) / VALUE_UNIT
        parts = []
        with torch.inference_mode():
            for which, state in self.network.states(views):
                rtg = torch.zeros(len(state))
                rtg[: which.stop - which.start] = torch.from_numpy(returns[which])
                parts.append(net.policy(net.embed(state), rtg)[: which.stop - which.start].float())
        return torch.cat(parts).numpy()

    def expected_difference(self, views: np.ndarray) -> np.ndarray:
        """Points / 100 by which the value head expects the own team to win the round."""
        net = self.network.module
        assert isinstance(net, GCPolicyNet)
        rtg = self.network.answers(views, lambda state: net.value(net.embed(state))[:, None])[:, 0]
        return rtg + collected_lead(views) / VALUE_UNIT


def goals_of(options: GoalOptions, value_net: Network | None, views: np.ndarray) -> np.ndarray | None:
    """Points / 100 by which the round is to be won: the option `goal`, or what a ValueNet expects plus the margin; None
    if the network's own value head predicts them."""
    if options.goal is not None:
        return np.full(len(views), options.goal / VALUE_UNIT, dtype=np.float32)
    return None if value_net is None else expected_by(value_net, views) + np.float32(options.margin / VALUE_UNIT)


def expected_by(value_net: Network, views: np.ndarray) -> np.ndarray:
    """Points / 100 by which a ValueNet expects the own team to win the round."""
    return value_net.answers(views, lambda state: value_net.module(state)[:, None])[:, 0]
