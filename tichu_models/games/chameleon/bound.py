"""The kernels of Chameleon Chess, and the algorithms bound to them: a module of their own, so that an edit of its
notation or of a drawing compiles nothing."""

from __future__ import annotations

from tichu_models.algorithms import alphabeta, maxn, walks
from tichu_models.game import Kernels, bound
from tichu_models.games.chameleon import inputs, rules, views
from tichu_models.kernels import inner, kernel

KERNELS = Kernels(
    begin=rules.begin,
    mover=rules.mover,
    legal=rules.legal,
    count=rules.count,
    step=rules.step,
    chance=views.chance,
    returns=views.returns,
    observe=views.observe,
    features=inputs.attacks,
    evaluate=views.evaluate,
    takes_part=views.takes_part,
    give_turn=views.give_turn,
)
perft = bound(walks.perft, __name__, kernel, KERNELS)
play_random = bound(walks.play_random, __name__, kernel, KERNELS)
play_random_games = bound(walks.play_random_games, __name__, kernel, KERNELS, play_random=play_random)
search_maxn = bound(maxn.search_maxn, __name__, kernel, KERNELS, position_key=views.position_key)
list_actions = bound(alphabeta.list_actions, __name__, inner, KERNELS)
search_paranoid = bound(alphabeta.search_paranoid, __name__, kernel, KERNELS, list_actions=list_actions)

ALGORITHMS = {
    "perft": perft,
    "play_random": play_random,
    "play_random_games": play_random_games,
    "search_maxn": search_maxn,
    "search_paranoid": search_paranoid,
}
