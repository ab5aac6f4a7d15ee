"""Chameleon Chess as a `Game`: its kernels, the algorithms bound to them, its notation."""

from __future__ import annotations

from tichu_models.algorithms import alphabeta, maxn, td, walks
from tichu_models.game import Game, Kernels, Notation, bound
from tichu_models.games.chameleon import complexity, drawing, notation, rules, views
from tichu_models.games.chameleon.board import LETTERS
from tichu_models.kernels import inner, kernel, summing

KERNELS = Kernels(
    begin=rules.begin,
    mover=rules.mover,
    legal=rules.legal,
    count=rules.count,
    step=rules.step,
    chance=views.chance,
    returns=views.returns,
    observe=views.observe,
    features=views.features,
    evaluate=views.evaluate,
    takes_part=views.takes_part,
    give_turn=views.give_turn,
)
perft = bound(walks.perft, __name__, kernel, KERNELS)
play_random = bound(walks.play_random, __name__, kernel, KERNELS)
play_random_games = bound(walks.play_random_games, __name__, kernel, KERNELS, play_random=play_random)
search_maxn = bound(maxn.search_maxn, __name__, kernel, KERNELS)
list_actions = bound(alphabeta.list_actions, __name__, inner, KERNELS)
search_paranoid = bound(alphabeta.search_paranoid, __name__, kernel, KERNELS, list_actions=list_actions)
choose_afterstate = bound(td.choose_afterstate, __name__, summing, KERNELS)
learn_games = bound(td.learn_games, __name__, summing, KERNELS, choose_afterstate=choose_afterstate)

GAME = Game(
    name="chameleon",
    rules=rules.__doc__ or "",
    state=rules.STATE,
    seats=LETTERS,
    actions=rules.PASS + 1,
    most_actions=128,  # four queens have 108 moves
    observation=views.OBSERVATION,
    inputs=views.INPUTS,
    most_active=views.MOST_ACTIVE,
    bound=10_000,
    total=1.0,
    evaluations=views.EVALUATIONS,
    kernels=KERNELS,
    algorithms={
        "perft": perft,
        "play_random": play_random,
        "play_random_games": play_random_games,
        "search_maxn": search_maxn,
        "search_paranoid": search_paranoid,
        "choose_afterstate": choose_afterstate,
        "learn_games": learn_games,
    },
    complexity=complexity.as_json,
    read_options=notation.read_options,
    seats_of=notation.seats_of,
    notation=Notation(
        read_state=notation.read_state,
        write_state=notation.write_state,
        read_action=notation.read_action,
        write_action=notation.write_action,
        say_action=notation.say_action,
        hear_action=notation.hear_action,
        why_not=notation.why_not,
        text=drawing.text,
        svg=drawing.svg,
    ),
)
