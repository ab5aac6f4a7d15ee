"""The prototype of Ganz schön clever

A thesis' first step towards the whole game: the yellow area, alone. One player has ten steps.

1. In every step one to six dice are rolled (two by default), and a free box is marked whose number one of them shows.
2. If there is none, the step is lost: action 16. Else the action is the number of the box, 0 to 15, row by row.
3. Who completes a row gets 10, 14, 16 or 20 points, from above; a column, as many from the left. 86 can be reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.algorithms import solo, walks
from tichu_models.chance import draw_below
from tichu_models.game import CHANCE, OVER, Game, IllegalAction, Kernels, Notation, State, bound, evaluate, give_turn
from tichu_models.games.clever.notation import box_name
from tichu_models.games.clever.optimum import STEPS
from tichu_models.games.clever.sheet import BEGIN, COLUMN_POINTS, YELLOW_FITS, YELLOW_NUMBERS, yellow_points
from tichu_models.kernels import inlined, inner, kernel, ones, trailing_zeros

BOXES, NOTHING, MOST_DICE, SIDES = 16, 16, 6, 6
PRINTED = BEGIN & (1 << BOXES) - 1
OBSERVATION = BOXES + SIDES + STEPS
CELL = 40

# fmt: off
STATE = np.dtype([
    ("key", np.uint64),
    ("marked", np.int64),         # boxes
    ("shown", np.int64),          # numbers that the dice show, as bits
    ("steps", np.int8),           # that are left
    ("dice", np.int8),            # how many
    ("rolling", np.int8),         # 1: the dice have to be rolled first
], align=True)
# fmt: on


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: the number of dice."""
    state.key = key
    state.marked, state.shown = PRINTED, 0
    state.steps, state.dice, state.rolling = STEPS, options[0], 1


@inlined
def mover(state: State) -> int:
    """The player, or CHANCE before every step, or OVER."""
    if state.steps == 0:
        return OVER
    return CHANCE if state.rolling else 0


@inlined
def boxes(state: State) -> int:
    """The boxes that may be marked."""
    found = 0
    for number in range(1, SIDES + 1):
        if state.shown >> number & 1:
            found |= YELLOW_FITS[number]
    return found & ~state.marked


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The boxes in their order; NOTHING if there is none."""
    left, n = boxes(state), 0
    while left:
        out[n] = trailing_zeros(left)
        left &= left - 1
        n += 1
    if n == 0:
        out[0] = NOTHING
        n = 1
    return n


@inlined
def count(state: State) -> int:
    """How many actions are legal."""
    return max(ones(boxes(state)), 1)


@inner
def step(state: State, action: int) -> None:
    """Marks a box."""
    if action != NOTHING:
        state.marked |= 1 << action
    state.steps -= 1
    state.rolling, state.shown = 1, 0


@inlined
def refuse(state: State) -> None:
    """An action that is not legal: the step is lost."""
    step(state, NOTHING)


@inner
def chance(state: State) -> None:
    """Rolls the dice."""
    shown = 0
    for die in range(state.dice):
        shown |= 2 << draw_below(state.key, MOST_DICE * state.steps + die, SIDES)
    state.shown, state.rolling = shown, 0


@inlined
def points(state: State) -> int:
    """The points of rows and columns by now."""
    found = yellow_points(state.marked)
    for row in range(4):
        if state.marked >> 4 * row & 15 == 15:
            found += COLUMN_POINTS[row]
    return found


@inner
def returns(state: State, vector: np.ndarray) -> None:
    """The points."""
    vector[0] = points(state) if state.steps == 0 else 0.0


@inner
def observe(state: State, seat: int, out: np.ndarray) -> None:
    """A bit for each box that is marked, each number that is shown, and each step that is left."""
    for box in range(BOXES):
        out[box] = np.float32(state.marked >> box & 1)
    for number in range(SIDES):
        out[BOXES + number] = np.float32(state.shown >> number + 1 & 1)
    for left in range(STEPS):
        out[BOXES + SIDES + left] = np.float32(state.steps > left)


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


KERNELS = Kernels(begin, mover, legal, count, step, chance, returns, observe, evaluate, give_turn)
play_random = bound(walks.play_random, __name__, kernel, KERNELS)
play_random_games = bound(walks.play_random_games, __name__, kernel, KERNELS, play_random=play_random)
let_chance_act = bound(solo.let_chance_act, __name__, inner, KERNELS)
look = bound(solo.look, __name__, inner, KERNELS)
begin_all = bound(solo.begin_all, __name__, kernel, KERNELS, let_chance_act=let_chance_act, look=look)
step_all = bound(
    solo.step_all,
    __name__,
    kernel,
    KERNELS,
    let_chance_act=let_chance_act,
    look=look,
    points=points,
    refuse=refuse,
)

GAME = Game(
    name="clever-prototype",
    rules=__doc__ or "",
    state=STATE,
    seats="A",
    actions=NOTHING + 1,
    most_actions=BOXES,
    observation=OBSERVATION,
    bound=STEPS + 1,
    total=None,
    evaluations=(),
    kernels=KERNELS,
    algorithms={
        "play_random": play_random,
        "play_random_games": play_random_games,
        "begin_all": begin_all,
        "step_all": step_all,
    },
    read_options=read_options,
    seats_of=lambda options: (0,),
    notation=Notation(
        read_state=read_state,
        write_state=write_state,
        read_action=lambda state, written: hear_action(state, str(written)),
        write_action=say_action,
        say_action=say_action,
        hear_action=hear_action,
        why_not=why_not,
        text=text,
        svg=svg,
    ),
)
