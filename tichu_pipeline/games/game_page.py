"""A whole game as one static page: every position as a picture, the action that follows, and what the player thought of
the others."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from tichu_models.game import Game, State
from tichu_models.games.agents import Advice, Adviser, GameAgent
from tichu_pipeline.html.pages import page, table

SHOWN = 6  # actions that are listed, the best first
STYLE = "<style>.move svg { max-width: 34rem; height: auto; } .move { margin: 2rem 0; }</style>"


class Move(NamedTuple):
    """A position and what was done in it."""

    state: State
    action: int
    advice: dict[int, Advice]


def move_of(game: Game, agent: GameAgent, state: State, action: int) -> Move:
    """A move, with what its player thinks of all actions, if it says so."""
    advice = agent.advice(game.as_known_to(int(game.kernels.mover(state)), state)) if isinstance(agent, Adviser) else {}
    return Move(game.copy(state), action, advice)


def game_page(game: Game, title: str, moves: Sequence[Move], end: State) -> str:
    """The page of a game. Whatever is a text is escaped; the pictures are the game's own."""
    parts = [STYLE, f"<p>{len(moves)} actions; the position after the last one is at the end of the page.</p>"]
    for number, move in enumerate(moves, 1):
        said = html.escape(game.notation.say_action(move.state, move.action))
        parts.append(f"<div class='move' id='move-{number}'><h2>{number}. {said}</h2>")
        parts.append(game.notation.svg(move.state))
        if len(move.advice) > 1:
            parts.append(table(("action", "thought"), _rows(game, move), as_text=(0,)))
        parts.append("</div>")
    parts.append(f"<div class='move' id='end'><h2>The end</h2>{game.notation.svg(end)}</div>")
    return page(title, "\n".join(parts))


def _rows(game: Game, move: Move) -> list[tuple[str, str]]:
    ordered = sorted(move.advice, key=lambda action: -move.advice[action].value)
    rows = []
    for action in ordered[:SHOWN]:
        said = html.escape(game.notation.say_action(move.state, action))
        rows.append((f"<b>{said}</b>" if action == move.action else said, html.escape(move.advice[action].text)))
    return rows
