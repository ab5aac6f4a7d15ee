"""The kernels of `td` bound to DOG. Values are counted from the seat that acted last, which knows what is read."""

from __future__ import annotations

from tichu_models.algorithms import td, td_layers
from tichu_models.algorithms.td_network import TDKernels
from tichu_models.game import State, bound
from tichu_models.games.pachisi.dog.bound import KERNELS as OF_GAME
from tichu_models.games.pachisi.dog.bound import choose_by_worth
from tichu_models.games.pachisi.dog.inputs import INPUTS, MOST_ACTIVE, hands
from tichu_models.kernels import inlined, inner, summing


@inlined
def who_acted(state: State) -> int:
    """The seat that acted last."""
    return state.last


KERNELS = OF_GAME._replace(features=hands)
forward = bound(td_layers.forward, __name__, inner, KERNELS)
learn = bound(td_layers.learn, __name__, inner, KERNELS, forward=forward)
choose_afterstate = bound(td.choose_afterstate, __name__, summing, KERNELS, seen_by=who_acted, forward=forward)
seat_of_learner = bound(td.seat_of_learner, __name__, inner, KERNELS)
learn_games = bound(
    td.learn_games,
    __name__,
    summing,
    KERNELS,
    seen_by=who_acted,
    forward=forward,
    learn=learn,
    choose_afterstate=choose_afterstate,
    guide=choose_by_worth,
    seat_of_learner=seat_of_learner,
)

LEARNERS = {("hands", "relu"): TDKernels(INPUTS, MOST_ACTIVE, choose_afterstate, learn_games, None)}
