"""All networks by name: the class, its configuration, the spec it reads and its objective. Works without torch.

Those of ARCHITECTURES learn by imitation (`learning`), those of SELF_TAUGHT from self-play (`rl`). Decision nets are
one class, DecisionNet, with as many outputs as their question has answers. A GCPolicyRLNet is a CandidateRLNet that
reads a goal.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tichu_models.networks.configs import (
    CandidateConfig,
    CandidateRLConfig,
    CriticConfig,
    DecisionConfig,
    DecisionRLConfig,
    DTConfig,
    DTRLConfig,
    GCPolicyConfig,
    PolicyConfig,
    PolicyRLConfig,
    ValueConfig,
)
from tichu_models.options import OptionError, Options, expected
from tichu_models.rules.cards import NUM_CARDS

if TYPE_CHECKING:
    from torch import nn

# The objective of a network, `learning.objectives`: what it answers, its loss and its metrics.
Objective = Literal["cards", "goal", "value", "sequence", "move", "calls", "schupf", "choice", "bomb"]
SELF_PLAY = "self-play"  # in place of an objective


@dataclass(frozen=True)
class Architecture:
    """A kind of network, which `build` makes."""

    name: str
    objective: Any  # an Objective, or SELF_PLAY
    spec: str  # the spec that it reads by default
    config: type[Options]
    module: str  # its module in this package
    outputs: int | None = None  # number of outputs of a decision net; the others know theirs
    of_class: str = ""  # the class in its module, if it is not called as the network

    @property
    def class_name(self) -> str:
        """The class in its module."""
        return self.of_class or (self.name if self.outputs is None else "DecisionNet")


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
SELF_TAUGHT = {
    architecture.name: architecture
    for architecture in (
        Architecture("CandidateRLNet", SELF_PLAY, "play-375", CandidateRLConfig, "move_net"),
        Architecture("PolicyRLNet", SELF_PLAY, "play-375", PolicyRLConfig, "move_net"),
        Architecture(
            "GCPolicyRLNet", SELF_PLAY, "play-375+goal", CandidateRLConfig, "move_net", of_class="CandidateRLNet"
        ),
        Architecture("DTRLNet", SELF_PLAY, "play-375", DTRLConfig, "dtrl_net"),
        Architecture("GrandRLNet", SELF_PLAY, "grand-65", DecisionRLConfig, "decision_net", 2),
        Architecture("TichuRLNet", SELF_PLAY, "tichu-65", DecisionRLConfig, "decision_net", 2),
        Architecture("SmallTichuRLNet", SELF_PLAY, "tichu-240", DecisionRLConfig, "decision_net", 2),
        Architecture("SchupfRLNet", SELF_PLAY, "schupf-116", DecisionRLConfig, "decision_net", 3 * NUM_CARDS),
        Architecture("WishRLNet", SELF_PLAY, "wish-233", DecisionRLConfig, "decision_net", 14),
        Architecture("DragonRLNet", SELF_PLAY, "dragon-204", DecisionRLConfig, "decision_net", 2),
        Architecture("BombRLNet", SELF_PLAY, "bomb-375", CandidateRLConfig, "move_net", of_class="CandidateRLNet"),
        Architecture("CriticRLNet", SELF_PLAY, "open-551", CriticConfig, "critic_net"),
    )
}


def architecture(name: str) -> Architecture:
    """The architecture of this name."""
    known = ARCHITECTURES | SELF_TAUGHT
    if name not in known:
        raise OptionError(f"network '{name}': {expected(name, list(known))}")
    return known[name]


def build(name: str, inputs: int, config: Options | None = None) -> nn.Module:
    """A new network that reads `inputs` features of a state, not counting the return to go."""
    kind = architecture(name)
    config = kind.config() if config is None else config
    if type(config) is not kind.config:
        raise TypeError(f"{name} is built from a {kind.config.__name__}, not from a {type(config).__name__}")
    network: Any = getattr(importlib.import_module(f"tichu_models.networks.{kind.module}"), kind.class_name)
    return network(inputs, config) if kind.outputs is None else network(inputs, config, kind.outputs)
