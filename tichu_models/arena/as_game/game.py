"""Tichu as a `Game`."""

from __future__ import annotations

from tichu_models.algorithms import walks
from tichu_models.algorithms.counting import size_of_random_games
from tichu_models.arena.as_game import notation, rules, views
from tichu_models.game import Game, Kernels, Notation, State, bound, give_turn
from tichu_models.kernels import kernel
from tichu_models.rules.asking import ASK_SCHUPF, BOMB_THROW, IDLE

KERNELS = Kernels(
    begin=rules.begin,
    mover=rules.mover,
    legal=rules.legal,
    count=rules.count,
    step=rules.step,
    chance=rules.chance,
    returns=rules.returns,
    observe=views.observe,
    features=views.features,
    evaluate=rules.evaluate,
    takes_part=rules.takes_part,
    give_turn=give_turn,  # turns cannot be given
)
play_random = bound(walks.play_random, __name__, kernel, KERNELS)
play_random_games = bound(walks.play_random_games, __name__, kernel, KERNELS, play_random=play_random)


def is_secret(state: State, action: int) -> bool:
    """Whether nobody else hears of an action now: all four answer before the play, and who throws no bomb is silent."""
    position = state.table.position
    if position.kind == BOMB_THROW:
        return int(rules.answer_of(state, action)) == 0
    return IDLE < position.phase <= ASK_SCHUPF


GAME = Game(
    name="tichu",
    rules=rules.__doc__ or "",
    state=rules.STATE,
    seats="0123",
    actions=rules.ACTIONS,
    most_actions=rules.ACTIONS,
    observation=views.OBSERVATION,
    inputs=views.INPUTS,
    most_active=views.INPUTS,
    bound=rules.MOST_ROUNDS * rules.MOST_DECISIONS,
    total=1.0,
    evaluations=rules.EVALUATIONS,
    kernels=KERNELS,
    algorithms={"play_random": play_random, "play_random_games": play_random_games},
    complexity=lambda game, games, seed: {
        "random_games": [size_of_random_games(game, game.read_options({}), games, seed)]
    },
    read_options=notation.read_options,
    seats_of=lambda options: (0, 1, 2, 3),
    notation=Notation(
        read_state=notation.read_state,
        write_state=notation.write_state,
        read_action=notation.read_action,
        write_action=notation.write_action,
        say_action=notation.say_action,
        hear_action=notation.hear_action,
        why_not=notation.why_not,
        text=notation.text,
        svg=notation.svg,
    ),
    sides_of=lambda options: ((0, 2), (1, 3)),
    hide=views.hide,
    is_secret=is_secret,
)
