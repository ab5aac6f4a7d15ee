"""The prototype of Ganz schön clever as a `Game`."""

from __future__ import annotations

from tichu_models.algorithms import afterstates, solo, walks
from tichu_models.game import Game, Kernels, Notation, bound, evaluate, give_turn
from tichu_models.games.clever.complexity import of_prototype
from tichu_models.games.clever.prototype import notation, rules
from tichu_models.games.clever.prototype.optimum import STEPS
from tichu_models.kernels import inner, kernel

KERNELS = Kernels(
    begin=rules.begin,
    mover=rules.mover,
    legal=rules.legal,
    count=rules.count,
    step=rules.step,
    chance=rules.chance,
    returns=rules.returns,
    observe=rules.observe,
    features=rules.features,
    evaluate=evaluate,  # there are none: a score is no share
    takes_part=rules.takes_part,
    give_turn=give_turn,  # there is one player
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
    points=rules.points,
    refuse=rules.refuse,
)
to_choice = bound(afterstates.to_choice, __name__, inner, KERNELS)
begin_choices = bound(afterstates.begin_choices, __name__, kernel, KERNELS, to_choice=to_choice)
expand = bound(afterstates.expand, __name__, kernel, KERNELS, points=rules.points)
advance = bound(afterstates.advance, __name__, kernel, KERNELS, to_choice=to_choice)
roll_ahead = bound(
    afterstates.roll_ahead,
    __name__,
    kernel,
    KERNELS,
    to_choice=to_choice,
    points=rules.points,
    take_key=rules.take_key,
)

GAME = Game(
    name="clever-prototype",
    rules=rules.__doc__ or "",
    state=rules.STATE,
    seats="A",
    actions=rules.NOTHING + 1,
    most_actions=rules.BOXES,
    observation=rules.OBSERVATION,
    inputs=rules.OBSERVATION,
    most_active=rules.OBSERVATION,
    bound=STEPS + 1,
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
    complexity=of_prototype,
    read_options=notation.read_options,
    seats_of=lambda options: (0,),
    notation=Notation(
        read_state=notation.read_state,
        write_state=notation.write_state,
        read_action=lambda state, written: notation.hear_action(state, str(written)),
        write_action=notation.say_action,
        say_action=notation.say_action,
        hear_action=notation.hear_action,
        why_not=notation.why_not,
        text=notation.text,
        svg=notation.svg,
    ),
)
