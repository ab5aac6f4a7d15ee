"""A game of DOG as text and as SVG: the board, the hand of who acts, and how many cards the others have. What is drawn
is what that player sees."""

from __future__ import annotations

from tichu_models.game import State
from tichu_models.games.pachisi.board import NOWHERE, OPEN, SEATS
from tichu_models.games.pachisi.dog.actions import CARDS
from tichu_models.games.pachisi.dog.notation import names_of
from tichu_models.games.pachisi.dog.rules import DEALING, EXCHANGE
from tichu_models.games.pachisi.drawing import board_svg, board_text, headline


def _waits_for(state: State) -> str:
    return {DEALING: ", cards have to be dealt", EXCHANGE: ", a card for the partner"}.get(int(state.phase), "")


def _hands(state: State) -> list[str]:
    lines = []
    for player in range(int(state.players)):
        is_seen = player == state.turn or int(state.rules) & OPEN
        cards = " ".join(names_of(state.hands[player])) if is_seen else f"{state.held[player]} cards"
        lines.append(f"{SEATS[player]}: {cards or '-'}")
    gave = int(state.gave[state.turn])
    if gave != NOWHERE:
        lines.append(f"{SEATS[state.turn]} gave {CARDS[gave]} to the partner")
    return lines


def text(state: State) -> str:
    """The board, cards and who moves."""
    return "\n".join([*board_text(state), *_hands(state), headline(state, _waits_for(state))])


def svg(state: State) -> str:
    """The same as a picture."""
    return board_svg(state, headline(state, _waits_for(state)), _hands(state))
