"""A game of MADN as text and as SVG: the board, and the cards or the die."""

from __future__ import annotations

from tichu_models.game import State
from tichu_models.games.pachisi.board import DICE, SEATS
from tichu_models.games.pachisi.drawing import board_svg, board_text, headline
from tichu_models.games.pachisi.madn.rules import SIDES


def _waits_for(state: State) -> str:
    if not int(state.rules) & DICE:
        return ""
    return f", the die shows {state.die}" if state.die else ", the die has to be thrown"


def _cards(state: State) -> list[str]:
    """The number cards that each player has, as a number and how many."""
    if int(state.rules) & DICE:
        return []
    return [
        f"{SEATS[player]}: cards "
        + " ".join(f"{i + 1}x{state.hands[player, i]}" for i in range(SIDES) if state.hands[player, i])
        for player in range(int(state.players))
    ]


def text(state: State) -> str:
    """The board, cards and who moves."""
    return "\n".join([*board_text(state), *_cards(state), headline(state, _waits_for(state))])


def svg(state: State) -> str:
    """The same as a picture."""
    return board_svg(state, headline(state, _waits_for(state)), _cards(state))
