"""The networks that a run of self-play is to have: their names, their sizes, the vectors that they read."""

from __future__ import annotations

from tichu_models.agents.neural.self_taught_agent import NETWORK_OF_KIND
from tichu_models.networks.architectures import architecture
from tichu_models.networks.configs import (
    CandidateRLConfig,
    CriticConfig,
    DecisionRLConfig,
    DTRLConfig,
    PolicyRLConfig,
)
from tichu_models.observation.specs import Spec, spec
from tichu_models.options import Options
from tichu_models.rl.settings import SelfplaySettings
from tichu_models.rules.asking import KINDS
from tichu_models.runs.files import CRITIC
from tichu_models.search.open_hands import OPEN, OPEN_GOAL


def planned(kind: str, settings: SelfplaySettings) -> tuple[str, Options, str]:
    """The network of a kind of decision: its name, its size, the vector that it reads."""
    name, sizes, read = _planned(kind, settings)
    return name, sizes, f"{read}+goal" if settings.goals else read


def read_by(kind: str, settings: SelfplaySettings) -> Spec:
    """The vector that the network of a kind of decision reads."""
    if kind == CRITIC:
        return OPEN_GOAL if settings.goals else OPEN
    return spec(planned(kind, settings)[2])


def _planned(kind: str, settings: SelfplaySettings) -> tuple[str, Options, str]:
    """The network of a kind of decision, without a goal."""
    if kind == "play":
        sizes: Options = CandidateRLConfig(body=settings.body, move=settings.move, width=settings.width)
        if settings.network == "PolicyRLNet":
            sizes = PolicyRLConfig(hidden=settings.body)
        if settings.network == "DTRLNet":
            sizes = DTRLConfig(
                turns=settings.turns, d_model=settings.d_model, layers=settings.layers, hidden=settings.body
            )
        return settings.network, sizes, settings.vector
    if kind == CRITIC:
        return "CriticRLNet", CriticConfig(hidden=settings.critic), OPEN.name
    name = NETWORK_OF_KIND[KINDS.index(kind)]
    read = architecture(name).spec
    if kind == "bomb":
        return name, CandidateRLConfig(body=settings.decision, move=(64,), width=64), read
    return name, DecisionRLConfig(hidden=settings.decision), read
