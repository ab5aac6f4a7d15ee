"""The kernels of `td` bound to MADN, once for each encoding of its inputs."""

from __future__ import annotations

from typing import Any

from tichu_models.algorithms import chance_search, td, td_layers
from tichu_models.algorithms.td_network import TDKernels
from tichu_models.game import bound
from tichu_models.games.pachisi.madn import inputs, rules
from tichu_models.games.pachisi.madn.bound import KERNELS, choose_by_worth
from tichu_models.games.pachisi.madn.views import INPUTS, MOST_ACTIVE
from tichu_models.games.pachisi.views import on_turn
from tichu_models.kernels import inner, summing

CHANCES = {"outcomes": rules.outcomes, "odds": rules.odds, "let_happen": rules.let_happen}
# Of each encoding: its kernel, how many inputs there are, and how many can be 1.
ENCODINGS: dict[str, tuple[Any, int, int]] = {
    "fields": (inputs.fields, INPUTS, MOST_ACTIVE),
    "reach": (inputs.reach, inputs.REACH_INPUTS, inputs.REACH_ACTIVE),
}


def _learner(encoding: str) -> TDKernels:
    kernel, width, most = ENCODINGS[encoding]
    kernels, others = KERNELS._replace(features=kernel), {"seen_by": on_turn, "guide": choose_by_worth, **CHANCES}

    def of(algorithm: Any, decorator: Any) -> Any:
        made = bound(algorithm, __name__, decorator, kernels, f"{algorithm.__name__}_{encoding}", **others)
        others[algorithm.__name__] = globals()[made.__name__] = made  # Numba looks for a kernel by its name
        return made

    of(td_layers.forward, inner)
    of(td_layers.learn, inner)
    of(td.seat_of_learner, inner)
    others["evaluate"] = of(td.evaluate_by_network, inner)
    choose, learn_games = of(td.choose_afterstate, summing), of(td.learn_games, summing)
    return TDKernels(width, most, choose, learn_games, None, of(chance_search.search_expectimax, summing))


LEARNERS = {(encoding, "relu"): _learner(encoding) for encoding in ENCODINGS}
