"""All networks by name: the class, its configuration, the spec it reads and its objective. Works without torch.

The seven decision nets are one class, DecisionNet, with as many outputs as their question has answers.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tichu_models.networks.configs import (
    CandidateConfig,
    DecisionConfig,
    DTConfig,
    GCPolicyConfig,
    PolicyConfig,
    ValueConfig,
)
from tichu_models.options import OptionError, Options, expected

if TYPE_CHECKING:
    from torch import nn

# The objective of a network, `learning.objectives`: what it answers, its loss and its metrics.
Objective = Literal["cards", "goal", "value", "sequence", "move", "calls", "schupf", "choice", "bomb"]


@dataclass(frozen=True)
class Architecture:
    """A kind of network, which `build` makes."""

    name: str
    objective: Objective
    spec: str  # the spec that it reads by default
    config: type[Options]
    module: str  # its module in this package
    outputs: int | None = None  # number of outputs of a decision net; the others know theirs

    @property
    def class_name(self) -> str:
        """The class in its module."""
        return self.name if self.outputs is None else "DecisionNet"


ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
        Architecture("PolicyNet", "cards", "play-375", PolicyConfig, "policy_net"),
        Architecture("GCPolicyNet", "goal", "play-376", GCPolicyConfig, "gc_policy_net"),
        Architecture("ValueNet", "value", "play-375", ValueConfig, "value_net"),
        Architecture("DTNet", "sequence", "sequence", DTConfig, "dt_net"),
        Architecture("CandidatePolicyNet", "move", "play-375", CandidateConfig, "candidate_policy_net"),
        Architecture("GrandNet", "calls", "grand-65", DecisionConfig, "decision_net", 2),
        Architecture("TichuNet", "calls", "tichu-65", DecisionConfig, "decision_net", 2),
        Architecture("SmallTichuNet", "calls", "tichu-240", DecisionConfig, "decision_net", 2),
        Architecture("SchupfNet", "schupf", "schupf-65", DecisionConfig, "decision_net", 66),
        Architecture("WishNet", "choice", "wish-233", DecisionConfig, "decision_net", 14),
        Architecture("DragonNet", "choice", "dragon-204", DecisionConfig, "decision_net", 2),
        Architecture("BombNet", "bomb", "bomb-375", DecisionConfig, "decision_net", 1),
    )
}


def architecture(name: str) -> Architecture:
    """The architecture of this name."""
    if name not in ARCHITECTURES:
        raise OptionError(f"network '{name}': {expected(name, list(ARCHITECTURES))}")
    return ARCHITECTURES[name]


def build(name: str, inputs: int, config: Options | None = None) -> nn.Module:
    """A new network that reads `inputs` features of a state, not counting the return to go."""
    kind = architecture(name)
    config = kind.config() if config is None else config
    if type(config) is not kind.config:
        raise TypeError(f"{name} is built from a {kind.config.__name__}, not from a {type(config).__name__}")
    network: Any = getattr(importlib.import_module(f"tichu_models.networks.{kind.module}"), kind.class_name)
    return network(inputs, config) if kind.outputs is None else network(inputs, config, kind.outputs)
