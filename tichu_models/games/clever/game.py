"""Ganz schön clever as a `Game`: its kernels, the algorithms bound to them, its notation."""

from __future__ import annotations

from tichu_models.algorithms import afterstates, solo, walks
from tichu_models.game import Game, Kernels, Notation, bound, evaluate, give_turn
from tichu_models.games.clever import complexity, drawing, entries, features, notation, rules, turns, views
from tichu_models.kernels import inner, kernel

KERNELS = Kernels(
    begin=rules.begin,
    mover=rules.mover,
    legal=rules.legal,
    count=rules.count,
    step=rules.step,
    chance=turns.chance,
    returns=views.returns,
    observe=views.observe,
    features=features.features,
    evaluate=evaluate,  # there are none: a score is no share
    takes_part=views.takes_part,
    give_turn=give_turn,  # turns cannot be given: a turn is more than one action
)
play_random = bound(walks.play_random, __name__, kernel, KERNELS)
play_random_games = bound(walks.play_random_games, __name__, kernel, KERNELS, play_random=play_random)
let_chance_act = bound(solo.let_chance_act, __name__, inner, KERNELS)
look = bound(solo.look, __name__, inner, KERNELS)
begin_all = bound(solo.begin_all, __name__, kernel, KERNELS, let_chance_act=let_chance_act, look=look)
step_all = bound(
    solo.step_all,
    __name__,
    kernel,
    KERNELS,
    let_chance_act=let_chance_act,
    look=look,
    points=views.own_points,
    refuse=views.refuse,
)
to_choice = bound(afterstates.to_choice, __name__, inner, KERNELS)
begin_choices = bound(afterstates.begin_choices, __name__, kernel, KERNELS, to_choice=to_choice)
expand = bound(afterstates.expand, __name__, kernel, KERNELS, points=views.own_points)
advance = bound(afterstates.advance, __name__, kernel, KERNELS, to_choice=to_choice)
roll_ahead = bound(
    afterstates.roll_ahead,
    __name__,
    kernel,
    KERNELS,
    to_choice=to_choice,
    points=views.own_points,
    take_key=turns.take_key,
)

GAME = Game(
    name="clever",
    rules=rules.__doc__ or "",
    state=entries.STATE,
    seats=notation.SEATS,
    actions=entries.ACTIONS,
    most_actions=32,  # a free entry has up to 26
    observation=views.OBSERVATION,
    inputs=features.INPUTS,
    most_active=features.MOST_ACTIVE,
    bound=1_000,
    total=None,
    evaluations=(),
    kernels=KERNELS,
    algorithms={
        "play_random": play_random,
        "play_random_games": play_random_games,
        "begin_all": begin_all,
        "step_all": step_all,
        "begin_choices": begin_choices,
        "expand": expand,
        "advance": advance,
        "roll_ahead": roll_ahead,
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
