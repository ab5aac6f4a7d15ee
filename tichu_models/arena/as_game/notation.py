"""How a game of Tichu is written in JSON and shown to a person.

A state has the names of the engine's records (`rules.asking.POSITION`, `rules.state.STATE`), sets of cards as lists of
labels. Its random numbers and the history of the round are not written: they begin anew when it is read.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

from tichu_models.arena.as_game.rules import MOST_ROUNDS, STATE, answer_of, begin, mover, sets_of_cards
from tichu_models.game import CHANCE, OVER, IllegalAction, State
from tichu_models.options import OptionError, expected
from tichu_models.rules.asking import ASK_SCHUPF, BOMB_THROW, DRAGON_GIFT, KINDS, PLAY, SCHUPF, WISH, given_cards
from tichu_models.rules.cards import ACE, BIT_OF_INDEX, DECK, DRAGON_RANK, LABELS, NUM_CARDS, labels, parse_cards
from tichu_models.rules.combinations import TYPE_NAMES, cards_of, combination, pack
from tichu_models.rules.legal import MAX_PLAYS
from tichu_models.rules.moves import parse_wish
from tichu_models.rules.state import GRAND, HAND_SIZE, LEFT, RIGHT, SEATS

SETS_OF_CARDS = ("first", "start", "hand", "played", "trick_cards")
# What the engine relies on: the least and the most of numbers by name.
LIMITS = {
    **dict.fromkeys(("winner", "start_player", "turn", "owner", "dragon_recipient", "loser"), (-1, 3)),
    **dict.fromkeys(("complete", "double", "over", "phoenix_low"), (0, 1)),
    **dict.fromkeys(("holding", "dealt_bombs"), (0, 15)),
    **dict.fromkeys(("place", "out", "asked"), (0, 4)),
    "seat": (0, 3),
    "phase": (-1, 8),
    "kind": (-1, len(KINDS) - 1),
    "call": (0, GRAND),
    "wish": (-1, ACE),
    "given": (-1, NUM_CARDS - 1),
}
# With which word an answer begins, and the answer that throws no bomb.
SAID = {BOMB_THROW: "bomb", SCHUPF: "schupf", WISH: "wish", DRAGON_GIFT: "dragon"}
NO_BOMB = "no bomb"
EXPECTED = {
    BOMB_THROW: f"its cards, or {NO_BOMB}",
    SCHUPF: "three cards, for the right opponent, the partner and the left opponent",
    WISH: "a rank, or none",
    DRAGON_GIFT: "right or left",
}
OPPONENTS = {"right": RIGHT, "left": LEFT}
LINE, LETTER = 20, 9  # of a picture, in pixels


def read_options(words: Mapping[str, str]) -> np.ndarray:
    """How many rounds, by words."""
    for name in words:
        if name != "rounds":
            raise OptionError(f"unknown key '{name}'; {expected(name, ['rounds'])}")
    text = str(words.get("rounds", "1"))
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROUNDS:
        raise OptionError(f"rounds = {text}: expected a number from 1 to {MOST_ROUNDS}")
    return np.array([int(text)], dtype=np.int64)


def write_state(state: State) -> dict[str, Any]:
    """A state as JSON."""
    table = state.table
    whole = {"rounds": int(state.rounds), "round": int(table.round_index), "result": int(table.result)}
    return {**whole, **_written(table.position)}


def _written(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in record.dtype.names:
        value = record[name]
        if name == "state":
            found |= _written(value)
        elif name in SETS_OF_CARDS:
            found[name] = [labels(int(each)) for each in value] if value.shape else labels(int(value))
        elif name == "trick":
            kind, _, rank = combination(int(value))
            found[name] = {"cards": labels(int(cards_of(value))), "type": TYPE_NAMES[kind], "rank": rank}
        else:
            found[name] = value.tolist()
    return found


def read_state(written: Any) -> State:
    """A state from JSON."""
    try:
        state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
        begin(state, read_options({"rounds": written["rounds"]}), np.uint64(0))
        table = state.table
        table.round_index, table.result = int(written["round"]), int(written["result"])
        _read(table.position, written)
        _check(table.position)
    except KeyError as error:
        raise IllegalAction(f"no state: expected the key {error}") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise IllegalAction(f"no state: {error}") from None
    return state


def _read(record: Any, written: Mapping[str, Any]) -> None:
    for name in record.dtype.names:
        shape = record.dtype[name].shape
        if name == "state":
            _read(record[name], written)
        elif name in SETS_OF_CARDS:
            found = written[name]
            record[name] = [_cards(each) for each in found] if shape else _cards(found)
        elif name == "trick":
            record[name] = _trick(**written[name])
        else:
            record[name] = _numbers(name, written[name], record.dtype[name])


def _trick(cards: Any, type: str, rank: int) -> int:
    if type not in TYPE_NAMES or not 0 <= rank <= DRAGON_RANK:
        raise ValueError(f"trick: {type} {rank}: expected one of {', '.join(TYPE_NAMES)}, and a rank to {DRAGON_RANK}")
    return pack(_cards(cards), TYPE_NAMES.index(type), rank)


def _cards(found: Any) -> int:
    return parse_cards(" ".join(found))


def _numbers(name: str, found: Any, kind: np.dtype) -> np.ndarray:
    numbers = np.asarray(found)
    limits = np.iinfo(kind.base)
    low, high = LIMITS.get(name, (limits.min, limits.max))
    if numbers.shape != kind.shape or numbers.dtype.kind != "i" or numbers.min() < low or numbers.max() > high:
        raise ValueError(f"{name}: {found}: expected whole numbers from {low} to {high}, as `write_state` has them")
    return numbers


def _check(position: Any) -> None:
    """Whether the engine can go on from here."""
    of = position.state
    held = [int(hand) for hand in of.hand]
    if any(hand.bit_count() > HAND_SIZE for hand in held):
        raise ValueError(f"hand: expected {HAND_SIZE} cards at most for each seat")
    seen = int(of.played)
    for hand in held:
        if seen & hand:
            raise ValueError(f"hand, played: {' '.join(labels(seen & hand))} stands twice")
        seen |= hand
    if position.kind == PLAY and not held[position.seat]:
        raise ValueError("seat: who is to play has no cards")
    if position.phase == ASK_SCHUPF and any(
        index >= NUM_CARDS for each in position.answers for index in given_cards(each)
    ):
        raise ValueError("answers: expected those of schupf, eight bits for the index of each card")


def write_action(state: State, action: int) -> dict[str, Any]:
    """An action as JSON."""
    kind, value = int(state.table.position.kind), int(answer_of(state, action))
    if kind == PLAY:
        return {"play": labels(value)} if value else {"pass": True}
    if kind == BOMB_THROW:
        return {"bomb": labels(value)}
    if kind == SCHUPF:
        return {"schupf": [LABELS[index] for index in given_cards(value)]}
    if kind == WISH:
        return {"wish": value}
    return {"dragon": _opponent(value)} if kind == DRAGON_GIFT else {"announce": bool(value)}


def _opponent(value: int) -> str:
    return next(name for name, seat in OPPONENTS.items() if seat == value)


def read_action(state: State, written: Any) -> int:
    """An action from JSON."""
    kind = int(state.table.position.kind)
    try:
        if kind == PLAY:
            return _place_of(state, 0 if written.get("pass") is True else _cards(written["play"]))
        if kind == BOMB_THROW:
            return _place_of(state, _cards(written["bomb"]))
        if kind == SCHUPF:
            return _schupf_of(state, written["schupf"])
        if kind == WISH:
            return int(written["wish"])
        return OPPONENTS[written["dragon"]] if kind == DRAGON_GIFT else int(written["announce"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IllegalAction(f"no answer to the question '{KINDS[kind]}': {written!r} ({error})") from None


def _place_of(state: State, cards: int) -> int:
    room = np.empty(MAX_PLAYS, dtype=np.int64)
    found = np.flatnonzero(room[: sets_of_cards(state, room)] & DECK == cards)
    if not len(found):
        raise ValueError("these cards are no legal play" if cards else "there is no pass")
    return int(found[0])


def _schupf_of(state: State, names: Any) -> int:
    position, action = state.table.position, 0
    hand = int(position.state.hand[position.seat])
    right, partner, left = names
    for name in (right, partner, left):
        bit = int(BIT_OF_INDEX[LABELS.index(name)])
        if not hand >> bit & 1:
            raise ValueError(f"{name} is not on the hand")
        action = HAND_SIZE * action + (hand & ((1 << bit) - 1)).bit_count()
    return action


def say_action(state: State, action: int) -> str:
    """An action for a person; `hear_action` reads it."""
    ((name, value),) = write_action(state, action).items()
    if name == "play":
        return " ".join(value)
    if name == "pass" or (name == "bomb" and not value):
        return "pass" if name == "pass" else NO_BOMB
    if name == "announce":
        return "announce" if value else "no"
    if name == "wish":
        return f"wish {value or 'none'}"
    return f"{name} {' '.join(value) if name != 'dragon' else value}"


def hear_action(state: State, words: str) -> int:
    """An action by its words."""
    kind, parts = int(state.table.position.kind), words.split()
    if kind == PLAY:
        return read_action(state, {"pass": True} if parts == ["pass"] else {"play": parts})
    if kind not in SAID:
        if parts not in (["announce"], ["no"]):
            raise IllegalAction(f"'{words}': expected announce or no")
        return read_action(state, {"announce": parts == ["announce"]})
    if kind == BOMB_THROW and words.strip() == NO_BOMB:
        return read_action(state, {"bomb": []})
    name, rest = SAID[kind], parts[1:]
    if parts[:1] != [name] or not rest:
        raise IllegalAction(f"'{words}': expected {name} and then {EXPECTED[kind]}")
    return read_action(state, {name: _wish(rest) if kind == WISH else rest[0] if kind == DRAGON_GIFT else rest})


def _wish(rest: list[str]) -> int:
    try:
        return 0 if rest == ["none"] else parse_wish("".join(rest))
    except ValueError as error:
        raise IllegalAction(str(error)) from None


def why_not(state: State, action: int) -> str:
    """Why an action is illegal."""
    position = state.table.position
    return f"{action} is no answer of seat {int(position.seat)} to the question '{KINDS[position.kind]}'"


def text(state: State) -> str:
    """The table as who is asked sees it."""
    table = state.table
    position, of = table.position, table.position.state
    who = mover(state)
    lines = [f"round {int(table.round_index) + 1} of {int(state.rounds)}, {int(of.total[0])} : {int(of.total[1])}"]
    for seat in SEATS:
        hand = int(of.hand[seat])
        called = ("", ", Tichu", ", grand Tichu")[of.call[seat]]
        shown = " ".join(labels(int(of.first[seat]) if position.kind == 0 else hand)) if seat == who else ""
        lines.append(f"{seat}: {shown or f'{hand.bit_count()} cards'}, {int(of.points[seat])} points{called}")
    lines.append(f"on the table: {' '.join(labels(int(cards_of(of.trick)))) or 'nothing'}")
    if of.wish > 0:
        lines.append(f"wished: {int(of.wish)}")
    over = {OVER: "the game is over", CHANCE: "the cards are dealt next"}
    lines.append(over[who] if who in over else f"seat {who} is asked: {KINDS[position.kind]}")
    return "\n".join(lines)


def svg(state: State) -> str:
    """The same as a picture."""
    lines = text(state).splitlines()
    width, height = LETTER * max(map(len, lines)), LINE * (len(lines) + 1)
    rows = "\n".join(
        f'<text x="4" y="{LINE * (number + 1)}">{html.escape(line)}</text>' for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" '
        f'font-size="14">{rows}</svg>'
    )
