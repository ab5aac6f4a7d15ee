"""MADN as a `Game`."""

from __future__ import annotations

from tichu_models.game import Game, Notation, State
from tichu_models.games.pachisi import complexity
from tichu_models.games.pachisi.board import SEATS
from tichu_models.games.pachisi.madn import drawing, notation, rules, views
from tichu_models.games.pachisi.madn.bound import ALGORITHMS, KERNELS
from tichu_models.games.pachisi.madn.bound_lockstep import LOCKSTEP
from tichu_models.games.pachisi.madn.learners import LEARNERS
from tichu_models.games.pachisi.notation import seats_of, sides_of
from tichu_models.games.pachisi.options import unlike
from tichu_models.games.pachisi.views import EVALUATIONS


def hide(state: State, seat: int) -> None:
    """Nobody knows the throws to come."""
    state.key, state.draws = 0, 0


GAME = Game(
    name="madn",
    rules=rules.__doc__ or "",
    state=rules.STATE,
    seats=SEATS,
    actions=rules.PASS + 1,
    most_actions=rules.PASS,
    observation=views.OBSERVATION,
    inputs=views.INPUTS,
    most_active=views.MOST_ACTIVE,
    bound=20_000,
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
        why_not=notation.why_not,
        text=drawing.text,
        svg=drawing.svg,
    ),
    sides_of=sides_of,
    hide=hide,
    unlike=unlike,
)
