"""DOG as a `Game`."""

from __future__ import annotations

from tichu_models.game import Game, Notation
from tichu_models.games.pachisi import complexity
from tichu_models.games.pachisi.board import SEATS
from tichu_models.games.pachisi.dog import actions, drawing, notation, reasons, rules, views
from tichu_models.games.pachisi.dog.bound import ALGORITHMS, KERNELS
from tichu_models.games.pachisi.dog.bound_lockstep import LOCKSTEP
from tichu_models.games.pachisi.dog.learners import LEARNERS
from tichu_models.games.pachisi.notation import seats_of, sides_of
from tichu_models.games.pachisi.options import unlike
from tichu_models.games.pachisi.views import EVALUATIONS

GAME = Game(
    name="dog",
    rules=rules.__doc__ or "",
    state=rules.STATE,
    seats=SEATS,
    actions=actions.MOST_CODES,
    most_actions=rules.MOST_ACTIONS,
    observation=views.OBSERVATION,
    inputs=views.INPUTS,
    most_active=views.MOST_ACTIVE,
    bound=100_000,
    total=1.0,
    evaluations=EVALUATIONS,
    kernels=KERNELS,
    algorithms={**ALGORITHMS, "lockstep": LOCKSTEP, "td": LEARNERS},
    complexity=complexity.as_json,
    read_options=notation.read_options,
    seats_of=seats_of,
    notation=Notation(
        read_state=notation.read_state,
        write_state=notation.write_state,
        read_action=notation.read_action,
        write_action=notation.write_action,
        say_action=notation.say_action,
        hear_action=notation.hear_action,
        why_not=reasons.why_not,
        text=drawing.text,
        svg=drawing.svg,
    ),
    sides_of=sides_of,
    hide=views.hide,
    open=views.open_hands,
    close=views.close,
    is_secret=lambda state, _: state.phase == rules.EXCHANGE,
    unlike=unlike,
)
