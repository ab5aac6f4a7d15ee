"""How games of the prototype are written and drawn: a box is called by its column and row, a1 to d4."""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.game import IllegalAction, State
from tichu_models.games.clever.notation import box_name
from tichu_models.games.clever.prototype.optimum import STEPS
from tichu_models.games.clever.prototype.rules import BOXES, MOST_DICE, NOTHING, PRINTED, SIDES, STATE, points
from tichu_models.games.clever.sheet import COLUMN_POINTS, YELLOW_NUMBERS

CELL = 40


def read_options(words: Any) -> np.ndarray:
    """`dice` (1 to 6, two by default)."""
    unknown = set(words) - {"dice"}
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; there is dice")
    dice = words.get("dice", "2")
    if dice not in tuple("123456"):
        raise ValueError(f"dice={dice}: expected 1 to {MOST_DICE}")
    return np.array([int(dice)], dtype=np.int64)


def write_state(state: State) -> dict[str, Any]:
    """A game as JSON."""
    rows = [[bool(int(state.marked) >> 4 * row + i & 1) for i in range(4)] for row in range(4)]
    shown = [number for number in range(1, SIDES + 1) if int(state.shown) >> number & 1]
    return {"yellow": rows, "shown": shown, "steps": int(state.steps), "dice": int(state.dice)}


def read_state(written: Any) -> State:
    """A game from JSON; its random numbers begin anew."""
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    try:
        marks = [bool(mark) for row in written["yellow"] for mark in row]
        shown, steps, dice = (written[name] for name in ("shown", "steps", "dice"))
        fits = len(marks) == BOXES and set(shown) <= set(range(1, SIDES + 1)) and len(shown) <= dice <= MOST_DICE
        if not fits or not 0 <= steps <= STEPS:
            raise ValueError("numbers, steps or dice that there are not")
    except (KeyError, TypeError, ValueError) as error:
        raise IllegalAction(f"no game: {error!r}; expected yellow, shown, steps and dice") from error
    state.marked = PRINTED | sum(1 << box for box, mark in enumerate(marks) if mark)
    state.shown = sum(1 << number for number in shown)
    state.steps, state.dice, state.rolling = steps, dice, not shown
    return state


def say_action(state: State, action: int) -> str:
    """A box by its column and row, a1 to d4."""
    return "nothing" if action == NOTHING else box_name(action)


def hear_action(state: State, words: str) -> int:
    """A box that a person has named."""
    for action in range(NOTHING + 1):
        if say_action(state, action) == words.strip().lower():
            return action
    raise IllegalAction(f"{words!r}: expected a box, a1 to d4, or nothing")


def why_not(state: State, action: int) -> str:
    """Why an action is illegal."""
    if action == NOTHING:
        return "a box can be marked, and has to be"
    if not 0 <= action < BOXES:
        return f"{action}: no box"
    if int(state.marked) >> action & 1:
        return f"{box_name(action)} is not free"
    return f"no die shows {YELLOW_NUMBERS[action]}"


def headline(state: State) -> str:
    """Where the game stands."""
    shown = ", ".join(str(number) for number in write_state(state)["shown"])
    return f"{points(state)} points, {state.steps} steps left; shown: {shown or 'nothing'}"


def text(state: State) -> str:
    """The area; marked boxes are crossed."""
    cells = [("X" if int(state.marked) >> box & 1 else str(YELLOW_NUMBERS[box])) for box in range(BOXES)]
    rows = ["  ".join([*cells[4 * i : 4 * i + 4], f"= {COLUMN_POINTS[i]}"]) for i in range(4)]
    return "\n".join([headline(state), *rows, " ".join(str(each) for each in COLUMN_POINTS)])


def svg(state: State) -> str:
    """The area as a picture."""
    side = 5 * CELL
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" role="img" text-anchor="middle">']
    parts.append(f"<title>{headline(state)}</title>")
    for box in range(BOXES):
        x, y, mark = box % 4 * CELL, box // 4 * CELL, int(state.marked) >> box & 1
        parts.append(
            f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{"#f3d34a" if mark else "#fbf1c2"}"/>'
        )
        words = "X" if mark else YELLOW_NUMBERS[box]
        parts.append(f'<text x="{x + CELL // 2}" y="{y + 26}" font-size="18">{words}</text>')
    for line in range(4):
        along = line * CELL + CELL // 2
        parts.append(f'<text x="{4.5 * CELL}" y="{along + 6}" font-size="14">{COLUMN_POINTS[line]}</text>')
        parts.append(f'<text x="{along}" y="{4.5 * CELL}" font-size="14">{COLUMN_POINTS[line]}</text>')
    return "\n".join([*parts, "</svg>"])
