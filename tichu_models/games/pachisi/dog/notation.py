"""How games of DOG are written: as JSON for programs, as words for people.

Cards are joker, swap, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1|11, 12 and 13. Beside the board a state has `hand`, that of the
player on turn, and may have `hands` of all, `played` and `thrown` cards, those that each player `gave`, the `phase`
(deal, exchange, play), the size of the next `deal` and the `starter`; cards that are nowhere are in the pack.

An action is {"card": "5", "pin": 0, "move": 5}, {"swap": [own pin, other player, its pin]}, {"seven": [steps of each
pin]}, each with "card": "joker" if it is one; {"give": card} or {"discard": true}. A move of 7 is a seven by one pin. A
person writes 0 5, swap 0 B3 or seven 0 7 0 0, each with joker before it if it is one, give 5, or discard.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from tichu_models.game import IllegalAction, State
from tichu_models.games.pachisi.board import NOWHERE, PINS, SEATS
from tichu_models.games.pachisi.dog.actions import (
    ACE,
    BACKS,
    CARDS,
    DISCARD,
    GIVE,
    KINDS,
    MOVES,
    SEVENS,
    STEPS,
    SWAPS,
    WHOLE_SEVEN,
    Action,
    decode,
    encode,
)
from tichu_models.games.pachisi.dog.rules import DEALING, DEALS, EXCHANGE, PLAYING, STATE, shuffle
from tichu_models.games.pachisi.notation import NoState, illegal, player_of, read_board, within, write_board
from tichu_models.games.pachisi.options import DOG
from tichu_models.games.pachisi.options import read_options as read_words

PHASES = ("deal", "exchange", "play")
ALSO = {"1": ACE, "11": ACE, "1/11": ACE, "seven": 7, "+-4": 4, "start": 13}  # other names of cards
SWAP_WORDS = re.compile(r"([0-3]) ?([A-Da-d]) ?([0-3])")


def read_options(words: Mapping[str, str]) -> np.ndarray:
    """Options by words."""
    return read_words(words, DOG)


def card_named(word: Any) -> int:
    """A card by its name."""
    name = str(word).lower()
    if name in CARDS:
        return CARDS.index(name)
    if name in ALSO:
        return ALSO[name]
    raise NoState(f"card {word!r}: expected one of {', '.join(CARDS)}")


def _counted(names: Any) -> list[int]:
    found = Counter(card_named(name) for name in names)
    return [found[card] for card in range(KINDS)]


def names_of(counts: np.ndarray) -> list[str]:
    """Cards one by one, by their names."""
    return [CARDS[card] for card in range(KINDS) for _ in range(int(counts[card]))]


def read_state(written: Any) -> State:
    """A game from JSON."""
    try:
        state = read_board(STATE, written, DOG)
        shuffle(state)
        hands = dict(enumerate(written.get("hands") or []))
        if written.get("hand") is not None:
            hands[int(state.turn)] = written["hand"]
        for player, hand in hands.items():
            state.hands[within(player, 0, int(state.players) - 1, "hands")] = _counted(hand)
        for player, cards in enumerate(written.get("thrown") or []):
            state.thrown[within(player, 0, int(state.players) - 1, "thrown")] = _counted(cards)
        state.played[:] = _counted(written.get("played") or [])
        state.held[:] = state.hands.sum(axis=1)
        state.gave[:] = NOWHERE
        for player, card in enumerate(written.get("gave") or []):
            if card is not None:
                state.gave[within(player, 0, int(state.players) - 1, "gave")] = card_named(card)
        state.phase = PHASES.index(written.get("phase") or PHASES[PLAYING if state.held.any() else DEALING])
        sizes = DEALS.tolist()
        state.deal = sizes.index(written.get("deal") or sizes[0])
        state.starter = player_of(state, written.get("starter", int(state.turn)))
        _take_from_pack(state)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise illegal(error) from error
    return state


def _take_from_pack(state: State) -> None:
    """The pack has what is nowhere else."""
    out = state.hands.sum(axis=0) + state.thrown.sum(axis=0) + state.played
    if state.phase == EXCHANGE:
        out = out + np.bincount([card for card in state.gave if card != NOWHERE], minlength=KINDS)
    for card in range(KINDS):
        if out[card] > state.deck[card]:
            raise NoState(f"there are {state.deck[card]} cards {CARDS[card]}, not {out[card]}")
    state.deck[:] = state.deck - out
    if state.phase == PLAYING and not state.held.any():
        raise NoState("hands: nobody has a card; expected phase deal")


def write_state(state: State) -> dict[str, Any]:
    """A game as JSON, with all hands."""
    players = int(state.players)
    return {
        **write_board(state, DOG),
        "hand": names_of(state.hands[state.turn]),
        "hands": [names_of(state.hands[player]) for player in range(players)],
        "played": names_of(state.played),
        "thrown": [names_of(state.thrown[player]) for player in range(players)],
        "gave": [None if card == NOWHERE else CARDS[card] for card in state.gave[:players]],
        "phase": PHASES[state.phase],
        "deal": int(DEALS[state.deal]),
        "starter": int(state.starter),
    }


def cells_in(state: State) -> int:
    """The cells of the ring and of all goals."""
    return int(state.ring) + PINS * int(state.players)


def write_action(state: State, action: int) -> dict[str, Any]:
    """An action as JSON."""
    found = decode(cells_in(state), action)
    if found.kind == DISCARD:
        return {"discard": True}
    if found.kind == GIVE:
        return {"give": CARDS[found.card]}
    card = {"card": CARDS[found.played]}
    if found.kind == SEVENS:
        return {**card, "seven": list(found.split)}
    if found.kind == SWAPS:
        other, pin = divmod(int(state.at[found.value]), PINS)
        return {**card, "swap": [found.pin, other, pin]}
    return {**card, "pin": found.pin, "move": found.value}


def read_action(state: State, written: Any) -> int:
    """An action from JSON, legal or not."""
    try:
        found = _read_action(state, written)
        if "card" in written and found.kind < GIVE and card_named(written["card"]) != found.played:
            raise NoState(f"card {written['card']!r} does not do that")
        return encode(cells_in(state), found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise IllegalAction(f"no action: {written!r}: {error}") from error


def _read_action(state: State, written: Any) -> Action:
    if written.get("discard"):
        return Action(DISCARD)
    if "give" in written:
        return Action(GIVE, card=card_named(written["give"]))
    joker = "card" in written and card_named(written["card"]) == 0
    if "seven" in written:
        split = tuple(within(steps, 0, WHOLE_SEVEN, "seven") for steps in written["seven"])
        if len(split) != PINS or sum(split) != WHOLE_SEVEN:
            raise NoState(f"seven: expected {PINS} numbers that add up to {WHOLE_SEVEN}")
        return Action(SEVENS, joker, split=split)
    if "swap" in written:
        pin, player, other = written["swap"]
        cell = int(state.pins[player_of(state, player), within(other, 0, PINS - 1, "swap")])
        if not 0 <= cell < int(state.ring):
            raise NoState(f"swap: pin {other} of {SEATS[player_of(state, player)]} is not on the ring")
        return Action(SWAPS, joker, within(pin, 0, PINS - 1, "swap"), cell)
    pin, steps = within(written["pin"], 0, PINS - 1, "pin"), within(written["move"], -4, MOVES[-1], "move")
    if steps == -4:
        return Action(BACKS, joker, pin, steps)
    if steps == WHOLE_SEVEN:
        return Action(SEVENS, joker, split=tuple(WHOLE_SEVEN * (each == pin) for each in range(PINS)))
    if steps not in MOVES:
        raise NoState(f"move: {steps}: expected -4 or a number from 1 to {MOVES[-1]}")
    return Action(STEPS, joker, pin, steps)


def say_action(state: State, action: int) -> str:
    """An action as a person writes it."""
    found = decode(cells_in(state), action)
    if found.kind == DISCARD:
        return "discard"
    if found.kind == GIVE:
        return f"give {CARDS[found.card]}"
    joker = "joker " if found.joker else ""
    if found.kind == SEVENS:
        return f"{joker}seven {' '.join(map(str, found.split))}"
    if found.kind == SWAPS:
        other, pin = divmod(int(state.at[found.value]), PINS)
        return f"{joker}swap {found.pin} {SEATS[other]}{pin}"
    return f"{joker}{found.pin} {found.value}"


def hear_action(state: State, words: str) -> int:
    """An action that a person has written."""
    parts = words.lower().split()
    card = {}
    if parts and parts[0] == "joker":
        card, parts = {"card": "joker"}, parts[1:]
    rest = " ".join(parts[1:])
    try:
        if parts == ["discard"]:
            return read_action(state, {"discard": True})
        if parts[0] == "give":
            return read_action(state, {"give": rest})
        if parts[0] == "seven":
            return read_action(state, {**card, "seven": [int(steps) for steps in parts[1:]]})
        if parts[0] == "swap" and (found := SWAP_WORDS.fullmatch(rest)):
            return read_action(state, {**card, "swap": [int(found[1]), found[2], int(found[3])]})
        pin, steps = (int(part) for part in parts)
    except (IndexError, ValueError):
        raise IllegalAction(
            f"{words!r}: expected pin and number, such as 0 5; swap 0 B3, seven 0 7 0 0, give 5 or discard"
        ) from None
    return read_action(state, {**card, "pin": pin, "move": steps})
