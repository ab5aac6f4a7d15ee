"""How games of Ganz schön clever are written: as JSON for programs, as words for people.

A box is named by its place: a yellow one by column and row, a1 to d4; a blue one by its sum; the others by their place
in the row, from 1. A die is entered as "white blue 7": the die, the area, the box. In place of the die, "bonus" enters
a bonus, and "smaller" the smallest of several orange numbers. Beside these there are "reroll", "pass" and "nothing".

In JSON, a player's `orange` and `purple` are the numbers on the sheet, orange ones multiplied. The random numbers of a
state that is read begin anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.game import CHANCE, OVER, IllegalAction, State
from tichu_models.games.clever.entries import (
    ACTIVE,
    AGAIN,
    ALL_DICE,
    AS_EXTRA,
    BITS_OF_BONUS,
    ENDED,
    NONE_FITS,
    PASS,
    PLAYERS,
    ROLLS,
    ROUNDS,
    SIDES,
    STATE,
    WITH_WHITE,
    dice_at_hand,
)
from tichu_models.games.clever.rules import mover
from tichu_models.games.clever.sheet import (
    AREA,
    AREAS,
    BEGIN,
    BLUE,
    BLUE_NUMBERS,
    BONUSES,
    DICE,
    FIRST,
    GREEN,
    ORANGE,
    ORANGE_TIMES,
    ROW,
    WHITE,
    YELLOW,
    YELLOW_CROSS,
)

SEATS = "ABCD"
PHASES = ("free entry", "active", "extra dice of active", "passive", "extra dice of passive", "over")
WORDS = {AGAIN: "reroll", PASS: "pass", NONE_FITS: "nothing"}
KEPT = ("rerolls", "extras", "foxes")
MOST_KEPT = 20


def read_options(words: Any) -> np.ndarray:
    """`players` (1 to 4, one by default) and `seed_rules` (0 or 1, 0 by default)."""
    allowed = {"players": "1234", "seed_rules": "01"}
    unknown = set(words) - set(allowed)
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; there are {' and '.join(allowed)}")
    for name, values in allowed.items():
        if words.get(name, values[0]) not in tuple(values):
            raise ValueError(f"{name}={words[name]}: expected one of {', '.join(values)}")
    return np.array([int(words.get(name, values[0])) for name, values in allowed.items()], dtype=np.int64)


def seats_of(options: np.ndarray) -> tuple[int, ...]:
    """Who takes part, in the order of turns."""
    return tuple(range(int(options[0])))


def dice_of(bits: int) -> list[str]:
    """The names of some dice."""
    return [name for die, name in enumerate(DICE) if int(bits) >> die & 1]


def row_of(state: State, player: int, area: int) -> list[int]:
    """The numbers in a player's orange or purple boxes."""
    first = ROW * (area - ORANGE)
    return [int(number) for number in state.written[player][first : first + ROW] if number]


def write_state(state: State) -> dict[str, Any]:
    """A game as JSON."""
    owed = {name: int(state.owed) >> BITS_OF_BONUS * i & 15 for i, name in enumerate(BONUSES[YELLOW_CROSS:])}
    return {
        "players": [_write_sheet(state, player) for player in range(state.players)],
        "dice": {name: int(number) for name, number in zip(DICE, state.dice, strict=True)},
        "pool": dice_of(state.pool),
        "entered": dice_of(state.entered),
        "used": dice_of(state.used),
        "phase": PHASES[state.phase],
        "rolling": bool(state.rolling),
        "roll": int(state.roll),
        "round": int(state.rounds),
        "active": SEATS[state.active],
        "turn": SEATS[state.turn],
        "owed": {name: number for name, number in owed.items() if number},
        "seed_rules": bool(state.seed_rules),
    }


def _write_sheet(state: State, player: int) -> dict[str, Any]:
    marked = int(state.marked[player])
    crosses = {
        AREAS[area]: [[bool(marked >> (FIRST[area] + 4 * row + i) & 1) for i in range(4)] for row in range(rows)]
        for area, rows in ((YELLOW, 4), (BLUE, 3))
    }
    rows = {"orange": row_of(state, player, ORANGE), "purple": row_of(state, player, ORANGE + 1)}
    green = (marked >> FIRST[GREEN] & (1 << ROW) - 1).bit_count()
    return {**crosses, "green": green, **rows, **{name: int(state[name][player]) for name in KEPT}}


def read_state(written: Any) -> State:
    """A game from JSON."""
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    try:
        state.players = _within(len(written["players"]), 1, PLAYERS)
        state.marked[:] = BEGIN
        for player, sheet in enumerate(written["players"]):
            _read_sheet(state, player, sheet)
        state.dice[:] = [_within(written["dice"][name], 0, SIDES) for name in DICE]
        for name in ("pool", "entered", "used"):
            state[name] = sum(1 << die for die in {DICE.index(die) for die in written[name]})
        state.phase, state.rolling = PHASES.index(written["phase"]), _within(int(written["rolling"]), 0, 1)
        state.roll = _within(written["roll"], 0, ROLLS)
        state.rounds = _within(written["round"], 1, int(ROUNDS[state.players]))
        state.active, state.turn = (SEATS[: state.players].index(written[name]) for name in ("active", "turn"))
        for name, number in written["owed"].items():
            shift = BITS_OF_BONUS * (BONUSES[YELLOW_CROSS:].index(name))
            state.owed |= _within(number, 1, 15) << shift
        state.seed_rules = _within(int(written["seed_rules"]), 0, 1)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise IllegalAction(f"no game: {error!r}; see what is written of one") from error
    needs_dice = state.phase not in (PHASES.index("free entry"), ENDED) and not state.rolling
    if needs_dice and not all(state.dice):
        raise IllegalAction("expected dice from 1 to 6, or a roll to come")
    return state


def _read_sheet(state: State, player: int, sheet: Any) -> None:
    for area, rows in ((YELLOW, 4), (BLUE, 3)):
        crosses = [[_within(int(cross), 0, 1) for cross in row] for row in sheet[AREAS[area]]]
        if [len(row) for row in crosses] != [4] * rows:
            raise ValueError(f"{AREAS[area]}: expected {rows} rows of 4")
        for i, cross in enumerate(cross for row in crosses for cross in row):
            state.marked[player] |= cross << (FIRST[area] + i)
    state.marked[player] |= ((1 << _within(sheet["green"], 0, ROW)) - 1) << FIRST[GREEN]
    for area in (ORANGE, ORANGE + 1):
        numbers, first = sheet[AREAS[area]], ROW * (area - ORANGE)
        state.marked[player] |= ((1 << _within(len(numbers), 0, ROW)) - 1) << FIRST[area]
        for i, number in enumerate(numbers):
            times = ORANGE_TIMES[i] if area == ORANGE else 1
            if number % times:
                raise ValueError(f"{AREAS[area]}: {number} is no number times {times}")
            state.written[player, first + i] = times * _within(number // times, 1, SIDES)
    state.above[player] = state.written[player, 2 * ROW - 1 - (ROW - len(sheet["purple"]))] % SIDES
    for name in KEPT:
        state[name][player] = _within(sheet[name], 0, MOST_KEPT)


def _within(number: Any, low: int, high: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise ValueError(f"{number!r}: expected a number from {low} to {high}")
    return number


def box_name(box: int) -> str:
    """How a box is called in its area."""
    place = box - FIRST[AREA[box]]
    if AREA[box] == YELLOW:
        return f"{'abcd'[place % 4]}{place // 4 + 1}"
    return str(BLUE_NUMBERS[place] if AREA[box] == BLUE else place + 1)


def write_action(state: State, action: int) -> dict[str, Any]:
    """An action as JSON."""
    if action in WORDS:
        return {"do": WORDS[action]}
    box, with_white = action % WITH_WHITE, action % AS_EXTRA >= WITH_WHITE
    die = ("smaller" if with_white else "bonus") if state.owed else (DICE[WHITE] if with_white else DICE[AREA[box]])
    return {"die": die, "area": AREAS[AREA[box]], "box": box_name(box)}


def read_action(state: State, written: Any) -> int:
    """An action from JSON, legal or not."""
    try:
        if "do" in written:
            return next(action for action, word in WORDS.items() if word == written["do"])
        area = AREAS.index(written["area"])
        box = next(b for b in range(FIRST[area], FIRST[area + 1]) if box_name(b) == str(written["box"]))
        kinds = ("bonus", "smaller") if state.owed else (AREAS[area], DICE[WHITE])
        code = box + WITH_WHITE * kinds.index(written["die"])
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise IllegalAction(f"no action: {written!r}; expected die, area and box, or do") from error
    return code if state.owed or state.phase == ACTIVE else code + AS_EXTRA


def say_action(state: State, action: int) -> str:
    """An action as a person writes it: white blue 7."""
    return " ".join(write_action(state, action).values())


def hear_action(state: State, words: str) -> int:
    """An action that a person has written."""
    parts = words.lower().split()
    if len(parts) == 1:
        return read_action(state, {"do": parts[0]})
    if len(parts) == 2:  # the die of the area, or a bonus
        parts.insert(0, "bonus" if state.owed else parts[0])
    if len(parts) != 3:
        raise IllegalAction(f"{words!r}: expected die, area and box, such as white blue 7")
    return read_action(state, dict(zip(("die", "area", "box"), parts, strict=True)))


def why_not(state: State, action: int) -> str:
    """Why an action is illegal."""
    if mover(state) == OVER:
        return "the game is over"
    if mover(state) == CHANCE:
        return "the dice have to be rolled first"
    if action == AGAIN:
        return "there is no reroll left" if state.phase == ACTIVE and not state.owed else "only after an active roll"
    if action in WORDS:
        return "a bonus has to be entered" if state.owed else "something can be entered, and has to be"
    if not 0 <= action < AGAIN:
        return f"{action}: no action"
    box = action % WITH_WHITE
    name = f"{AREAS[AREA[box]]} {box_name(box)}"
    if int(state.marked[state.turn]) >> box & 1:
        return f"{name} is not free"
    if state.owed:
        return f"no bonus is for {name} now"
    die = WHITE if action % AS_EXTRA >= WITH_WHITE else int(AREA[box])
    if (action < AS_EXTRA) != (state.phase == ACTIVE):
        return f"{name}: the code is one of {'an extra or passive' if action >= AS_EXTRA else 'an active'} die"
    if not int(dice_at_hand(state)) & ALL_DICE & 1 << die:
        return f"the {DICE[die]} die is not there to be entered"
    return f"the {DICE[die]} die shows {state.dice[die]}, which does not fit in {name}"
