"""The kernels of `td` bound to Chameleon Chess, once for each encoding of its inputs and each activation."""

from __future__ import annotations

from typing import Any

from tichu_models.algorithms import greedy, maxn, td, td_layers
from tichu_models.algorithms.td_network import TDKernels
from tichu_models.game import State, bound
from tichu_models.games.chameleon import inputs, views
from tichu_models.games.chameleon.bound import KERNELS
from tichu_models.kernels import inlined, inner, summing

# Of each encoding: its kernel, how many inputs there are, how many can be 1, and whether the board lies as it is.
ENCODINGS: dict[str, tuple[Any, int, int, bool]] = {
    "attacks": (inputs.attacks, inputs.INPUTS, inputs.MOST_ACTIVE, False),
    "fields": (inputs.fields, inputs.FIELDS_INPUTS, inputs.FIELDS_ACTIVE, False),
    "thesis-386": (inputs.thesis_386, inputs.THESIS_386, inputs.ACTIVE_386, True),
    "thesis-126": (inputs.thesis_126, inputs.THESIS_126, inputs.ACTIVE_126, True),
}
choose_by_worth = bound(greedy.choose_by_worth, __name__, inner, KERNELS, worth=views.worth)
ACTIVATIONS: dict[str, dict[str, Any]] = {
    "relu": {},
    "sigmoid": {"activate": td_layers.sigmoid, "slope": td_layers.slope_of_sigmoid},
}


@inlined
def nobody(state: State) -> int:
    """In the place of `seen_by`, where inputs are of the board as it lies: outputs are counted from the first seat."""
    return 0


def _learner(encoding: str, activation: str) -> TDKernels:
    kernel, width, most, lies = ENCODINGS[encoding]
    kernels = KERNELS._replace(features=kernel)
    suffix = f"_{encoding}_{activation}".replace("-", "_")
    others = {**ACTIVATIONS[activation], "seen_by": nobody if lies else KERNELS.mover, "guide": choose_by_worth}

    def of(algorithm: Any, decorator: Any) -> Any:
        made = bound(algorithm, __name__, decorator, kernels, f"{algorithm.__name__}{suffix}", **others)
        others[algorithm.__name__] = globals()[made.__name__] = made  # Numba looks for a kernel by its name
        return made

    of(td_layers.forward, inner)
    of(td_layers.learn, inner)
    of(td.seat_of_learner, inner)
    evaluate = of(td.evaluate_by_network, inner)
    choose, learn_games = of(td.choose_afterstate, summing), of(td.learn_games, summing)
    name, kernels = f"search_maxn{suffix}", kernels._replace(evaluate=evaluate)
    search = bound(maxn.search_maxn, __name__, summing, kernels, name, position_key=views.position_key)
    globals()[search.__name__] = search
    return TDKernels(width, most, choose, learn_games, search)


LEARNERS = {
    (encoding, activation): _learner(encoding, activation) for encoding in ENCODINGS for activation in ACTIVATIONS
}
