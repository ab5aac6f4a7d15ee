"""Chameleon Chess as a `Game`."""

from __future__ import annotations

from tichu_models.game import Game, Notation
from tichu_models.games.chameleon import complexity, drawing, inputs, notation, rules, views
from tichu_models.games.chameleon.board import LETTERS
from tichu_models.games.chameleon.bound import ALGORITHMS, KERNELS
from tichu_models.games.chameleon.learners import LEARNERS

GAME = Game(
    name="chameleon",
    rules=rules.__doc__ or "",
    state=rules.STATE,
    seats=LETTERS,
    actions=rules.PASS + 1,
    most_actions=128,  # four queens have 108 moves
    observation=views.OBSERVATION,
    inputs=inputs.INPUTS,
    most_active=inputs.MOST_ACTIVE,
    bound=10_000,
    total=1.0,
    evaluations=views.EVALUATIONS,
    kernels=KERNELS,
    algorithms={**ALGORITHMS, "td": LEARNERS},
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
