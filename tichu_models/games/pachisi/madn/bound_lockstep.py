"""The kernels that play many games of MADN together, for networks: a module of their own, so that an edit of what
networks see compiles nothing else."""

from __future__ import annotations

from tichu_models.algorithms.lockstep import lockstep_of
from tichu_models.games.pachisi.madn import pins
from tichu_models.games.pachisi.madn.bound import KERNELS, choose_by_worth
from tichu_models.kernels import inner, kernel

LOCKSTEP = lockstep_of(
    __name__,
    KERNELS,
    inner,
    kernel,
    guide=choose_by_worth,
    features=pins.features,
    seen_as=pins.seen_as,
    outcome_of=pins.outcome_of,
    inputs_of=pins.inputs_of,
    outcomes_of=pins.outcomes_of,
    most_active=pins.MOST_ACTIVE,
)
