"""How games of MADN are written: as JSON for programs, as words for people.

Beside the board a state has the `die` (0 before the throw), or `hands`: how many cards of 1 to 6 each player has, and
`hand`, those of the player on turn. A list that cannot be six such numbers is read as the cards themselves. With `die`
and nothing else the game is one with dice; without cards and die all have all cards.

An action is {"pin": 0, "move": 5}, pins from 0 to 3, or {"pass": true}; a person writes 0 5, or pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tichu_models.game import CHANCE, OVER, IllegalAction, State
from tichu_models.games.pachisi.board import DICE, HOME, PINS
from tichu_models.games.pachisi.madn.rules import COPIES, PASS, SIDES, STATE, leaves_home, mover, refill
from tichu_models.games.pachisi.notation import illegal, read_board, why_no_move, within, write_board
from tichu_models.games.pachisi.options import MADN
from tichu_models.games.pachisi.options import read_options as read_words

NUMBERS = set(range(1, SIDES + 1))


def read_options(words: Mapping[str, str]) -> np.ndarray:
    """Options by words."""
    return read_words(words, MADN)


def read_state(written: Any) -> State:
    """A game from JSON."""
    try:
        implied = {"dice": True} if isinstance(written, Mapping) and written.get("die") is not None else {}
        state = read_board(STATE, written, MADN, **implied)
        if int(state.rules) & DICE:
            state.die = within(written.get("die") or 0, 0, SIDES, "die")
            return state
        for player in range(int(state.players)):
            refill(state, player)
        hands = dict(enumerate(written["hands"])) if written.get("hands") is not None else {}
        if written.get("hand") is not None:
            hands[int(state.turn)] = written["hand"]
        for player, hand in hands.items():
            _read_hand(state, within(player, 0, int(state.players) - 1, "hands"), hand)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise illegal(error) from error
    return state


def _read_hand(state: State, player: int, hand: Any) -> None:
    if len(hand) != SIDES or max(hand) > COPIES:  # cards one by one
        hand = [list(hand).count(number) for number in range(1, SIDES + 1)] if set(hand) <= NUMBERS else ()
    if len(hand) != SIDES or not any(hand):
        raise ValueError(f"hand: expected how many cards of 1 to {SIDES} there are, or each of them, at least one")
    state.hands[player] = [within(number, 0, COPIES, "hand") for number in hand]
    state.held[player] = sum(hand)


def write_state(state: State) -> dict[str, Any]:
    """A game as JSON."""
    written = write_board(state, MADN)
    if int(state.rules) & DICE:
        return {**written, "die": int(state.die)}
    hands = state.hands[: state.players].tolist()
    return {**written, "hand": hands[state.turn], "hands": hands}


def write_action(state: State, action: int) -> dict[str, Any]:
    """An action as JSON."""
    return {"pass": True} if action == PASS else {"pin": action // SIDES, "move": action % SIDES + 1}


def read_action(state: State, written: Any) -> int:
    """An action from JSON, legal or not."""
    try:
        if written.get("pass"):
            return PASS
        pin, number = within(written["pin"], 0, PINS - 1, "pin"), within(written["move"], 1, SIDES, "move")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise IllegalAction(f"no action: {written!r}; expected pin and move, or pass") from error
    return SIDES * pin + number - 1


def say_action(state: State, action: int) -> str:
    """An action as a person writes it: pin and number."""
    return "pass" if action == PASS else f"{action // SIDES} {action % SIDES + 1}"


def hear_action(state: State, words: str) -> int:
    """An action that a person has written."""
    parts = words.split()
    if parts == ["pass"]:
        return PASS
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise IllegalAction(f"{words!r}: expected pin and number, such as 0 5, or pass")
    return read_action(state, {"pin": int(parts[0]), "move": int(parts[1])})


def why_not(state: State, action: int) -> str:
    """Why an action is illegal."""
    if mover(state) == OVER:
        return "the game is over"
    if mover(state) == CHANCE:
        return "the die has to be thrown first"
    if action == PASS:
        return "there is a legal move, and one has to be made"
    if not 0 <= action < PASS:
        return f"{action}: no action"
    pin, number = action // SIDES, action % SIDES + 1
    if state.die and state.die != number:
        return f"the die shows {state.die}"
    if not state.die and state.hands[state.turn, number - 1] == 0:
        return f"there is no card {number} left"
    if state.pins[state.own, pin] != HOME:
        return why_no_move(state, pin, number)
    if not leaves_home(state, number):
        return f"a pin does not leave home with a {number}"
    return "a pin of its own is on the start"


def cards_of(state: State, player: int) -> list[int]:
    """A player's cards, one by one."""
    return [number for number in range(1, SIDES + 1) for _ in range(int(state.hands[player, number - 1]))]
