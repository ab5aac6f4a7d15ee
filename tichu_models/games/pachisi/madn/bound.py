"""The kernels of MADN, and the algorithms bound to them: a module of their own, so that an edit of its notation or of a
drawing compiles nothing."""

from __future__ import annotations

from tichu_models.algorithms import chance_search, greedy, walks
from tichu_models.game import Kernels, bound, give_turn
from tichu_models.games.pachisi import views as shared
from tichu_models.games.pachisi.madn import rules, thumb, views
from tichu_models.kernels import kernel

KERNELS = Kernels(
    begin=rules.begin,
    mover=rules.mover,
    legal=rules.legal,
    count=rules.count,
    step=rules.step,
    chance=rules.chance,
    returns=shared.returns,
    observe=views.observe,
    features=views.features,
    evaluate=shared.evaluate,
    takes_part=shared.takes_part,
    give_turn=give_turn,  # turns cannot be given: there may be a throw between
)
play_random = bound(walks.play_random, __name__, kernel, KERNELS)
play_random_games = bound(walks.play_random_games, __name__, kernel, KERNELS, play_random=play_random)
choose_by_worth = bound(greedy.choose_by_worth, __name__, kernel, KERNELS, worth=thumb.worth)
search_expectimax = bound(
    chance_search.search_expectimax,
    __name__,
    kernel,
    KERNELS,
    outcomes=rules.outcomes,
    odds=rules.odds,
    let_happen=rules.let_happen,
)

ALGORITHMS = {
    "play_random": play_random,
    "play_random_games": play_random_games,
    "choose_by_worth": choose_by_worth,
    "search_expectimax": search_expectimax,
}
