"""A board game between a person in the terminal and agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tichu_models.chance import draw
from tichu_models.game import CHANCE, OVER, Game, IllegalAction, State
from tichu_models.games.agents import Adviser, GameAgent


class Quit(Exception):
    """The person has left."""


def play_board_game(
    game: Game,
    options: np.ndarray,
    agents: Mapping[int, GameAgent],
    seed: int,
    ask: Callable[[str], str],
    say: Callable[[str], None],
    adviser: Adviser | None = None,
) -> State:
    """Plays a game to its end, and returns it. Seats without an agent are the person's, who may ask the adviser."""
    state, made = game.new(options, seed), 0
    while (seat := int(game.kernels.mover(state))) != OVER:
        if seat == CHANCE:
            game.kernels.chance(state)
            continue
        if seat in agents:
            action = agents[seat].choose(game.as_known_to(seat, state), np.uint64(draw(np.uint64(seed), made)))
            say(f"{game.seats[seat]} ({agents[seat].name}): {game.say_openly(state, action)}")
        else:
            say(game.notation.text(state))
            action = _asked(game, state, seat, ask, say, adviser)
        game.step(state, action)
        made += 1
    say(game.notation.text(state))
    return state


def _asked(
    game: Game,
    state: State,
    seat: int,
    ask: Callable[[str], str],
    say: Callable[[str], None],
    adviser: Adviser | None,
) -> int:
    legal = game.legal(state)
    while True:
        words = ask(f"{game.seats[seat]}: ").strip()
        if words == "q":
            raise Quit
        if words == "l":
            say(", ".join(game.notation.say_action(state, action) for action in legal))
            continue
        if words == "h":
            say(_advice(game, state, adviser) if adviser else "nobody gives hints; --hints AGENT asks one")
            continue
        try:
            action = game.notation.hear_action(state, words)
            if action in legal:
                return action
            say(game.notation.why_not(state, action))
        except IllegalAction as error:
            say(str(error))


def _advice(game: Game, state: State, adviser: Adviser) -> str:
    """What an adviser thinks of actions, the best first."""
    values = adviser.advice(game.as_known_to(int(game.kernels.mover(state)), state))
    ordered = sorted(values, key=lambda action: -values[action].value)
    return "\n".join(f"{values[action].text:>8}  {game.notation.say_action(state, action)}" for action in ordered)
