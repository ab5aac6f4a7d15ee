"""The sheet of Ganz schön clever as tables: its 61 boxes, what they give, and which of them a die fits.

A set of boxes is an int64, bit b for box b. Boxes are numbered by area: yellow 0 to 15 and blue 16 to 27 row by row,
green 28 to 38, orange 39 to 49 and purple 50 to 60 from the left. Boxes that are printed as crossed, and blue's empty
one, are marked from the beginning.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tichu_models.kernels import inlined, ones

Boxes: TypeAlias = int

BOXES = 61
AREAS = ("yellow", "blue", "green", "orange", "purple")
DICE = (*AREAS, "white")
YELLOW, BLUE, GREEN, ORANGE, PURPLE, WHITE = range(6)  # areas, and the dice of their colours
FIRST = (0, 16, 28, 39, 50, BOXES)
ROW = 11  # boxes of green, orange and purple
FULL_ROW = (1 << ROW) - 1

# What a row, a column or a box gives. Those from YELLOW_CROSS on are entered at once, the others are kept.
NOTHING, FOX, REROLL, EXTRA_DIE = range(4)
YELLOW_CROSS, BLUE_CROSS, GREEN_CROSS, ORANGE_4, ORANGE_5, ORANGE_6, PURPLE_6, FREE = range(4, 12)
BONUSES = (
    "nothing", "fox", "reroll", "extra die", "yellow cross", "blue cross", "green cross", "orange 4", "orange 5",
    "orange 6", "purple 6", "free entry",
)  # fmt: skip
BONUS_OF_ROUND = np.array([NOTHING, REROLL, EXTRA_DIE, REROLL, FREE, NOTHING, NOTHING], dtype=np.int64)

CROSSED = 0
YELLOW_NUMBERS = (3, 6, 5, CROSSED, 2, 1, CROSSED, 5, 1, CROSSED, 2, 4, CROSSED, 3, 4, 6)
YELLOW_ROWS = (BLUE_CROSS, ORANGE_4, GREEN_CROSS, FOX)
YELLOW_COLUMNS = (10, 14, 16, 20)  # points
YELLOW_DIAGONAL = EXTRA_DIE
BLUE_NUMBERS = (CROSSED, *range(2, 13))  # the sum of the blue and the white die
BLUE_ROWS = (ORANGE_5, YELLOW_CROSS, FOX)
BLUE_COLUMNS = (REROLL, GREEN_CROSS, PURPLE_6, EXTRA_DIE)
BLUE_POINTS = (0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56)  # for so many crosses
GREEN_NUMBERS = (1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6)  # at least
GREEN_POINTS = (0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66)
GREEN_BONUSES = {4: EXTRA_DIE, 6: BLUE_CROSS, 7: FOX, 9: PURPLE_6, 10: REROLL}  # by place, from 1
ORANGE_TIMES = (1, 1, 1, 2, 1, 1, 2, 1, 2, 1, 3)
ORANGE_BONUSES = {3: REROLL, 5: YELLOW_CROSS, 6: EXTRA_DIE, 8: FOX, 10: PURPLE_6}
PURPLE_BONUSES = {
    3: REROLL, 4: BLUE_CROSS, 5: EXTRA_DIE, 6: YELLOW_CROSS, 7: FOX, 8: REROLL, 9: GREEN_CROSS, 10: ORANGE_6,
    11: EXTRA_DIE,
}  # fmt: skip
MOST = (60, 56, 66, 96, 66)  # points of each area
MOST_FOXES = 5


def _set(boxes: list[int]) -> int:
    return sum(1 << box for box in boxes)


def _lines() -> list[tuple[int, int]]:
    """The sets of boxes that give something when all of them are marked, and what."""
    found = []
    for i in range(4):
        found.append((_set([4 * i + j for j in range(4)]), YELLOW_ROWS[i]))
        found.append((_set([FIRST[BLUE] + 4 * j + i for j in range(3)]), BLUE_COLUMNS[i]))
    found += [(_set([FIRST[BLUE] + 4 * i + j for j in range(4)]), BLUE_ROWS[i]) for i in range(3)]
    found.append((_set([5 * i for i in range(4)]), YELLOW_DIAGONAL))
    for area, bonuses in ((GREEN, GREEN_BONUSES), (ORANGE, ORANGE_BONUSES), (PURPLE, PURPLE_BONUSES)):
        found += [(1 << FIRST[area] + place - 1, bonus) for place, bonus in bonuses.items()]
    return found


# LINE[b, i], GIVES[b, i]: the lines that a box belongs to, and their bonuses; the rest is empty.
LINE = np.zeros((BOXES, 3), dtype=np.int64)
GIVES = np.zeros((BOXES, 3), dtype=np.int64)
for _line, _bonus in _lines():
    for _box in range(BOXES):
        if _line >> _box & 1:
            _free = int((LINE[_box] != 0).sum())
            LINE[_box, _free], GIVES[_box, _free] = _line, _bonus

AREA = np.array([sum(box >= first for first in FIRST[1:]) for box in range(BOXES)], dtype=np.int64)
BEGIN = _set([box for box in range(16) if YELLOW_NUMBERS[box] == CROSSED] + [FIRST[BLUE]])
# By the number of a die: the yellow boxes with it, and the places of green that it is enough for.
YELLOW_FITS = np.array([_set([b for b in range(16) if YELLOW_NUMBERS[b] == n and n]) for n in range(7)], dtype=np.int64)
GREEN_FITS = np.array([_set([i for i in range(ROW) if GREEN_NUMBERS[i] <= n]) for n in range(7)], dtype=np.int64)
TIMES = np.array([*ORANGE_TIMES, *[1] * ROW], dtype=np.int64)  # of orange and purple
COLUMN = np.array([_set([4 * j + i for j in range(4)]) for i in range(4)], dtype=np.int64)
COLUMN_POINTS = np.array(YELLOW_COLUMNS, dtype=np.int64)
CROSSES_IN_BLUE = np.array(BLUE_POINTS, dtype=np.int64)
CROSSES_IN_GREEN = np.array(GREEN_POINTS, dtype=np.int64)
ALL_YELLOW, ALL_BLUE = (1 << FIRST[BLUE]) - 1, (1 << FIRST[GREEN]) - (1 << FIRST[BLUE])
AT_GREEN, AT_ORANGE, AT_PURPLE, AT_BLUE = FIRST[GREEN], FIRST[ORANGE], FIRST[PURPLE], FIRST[BLUE]


@inlined
def next_in_row(marked: Boxes, first: int) -> Boxes:
    """The first free box of green, orange or purple, which begins there; none if it is full."""
    return (((marked >> first) & FULL_ROW) + 1 & FULL_ROW) << first


@inlined
def fits(marked: Boxes, above: int, number: int, area: int, total: int) -> Boxes:
    """The boxes of an area that a die's number may be entered in. A purple one has to be higher than `above`; `total`
    is the sum of blue and white."""
    if area == YELLOW:
        return YELLOW_FITS[number] & ~marked
    if area == BLUE:
        return (1 << (AT_BLUE - 1 + total)) & ~marked
    if area == GREEN:
        return next_in_row(marked, AT_GREEN) & (GREEN_FITS[number] << AT_GREEN)
    if area == ORANGE:
        return next_in_row(marked, AT_ORANGE)
    return next_in_row(marked, AT_PURPLE) if number > above else 0


@inlined
def marks_of(marked: Boxes, area: int) -> int:
    """How many boxes of blue, green, orange or purple are marked, without those that were from the beginning."""
    if area == BLUE:
        return ones(marked & ALL_BLUE) - 1
    return ones((marked >> (AT_GREEN + ROW * (area - GREEN))) & FULL_ROW)


@inlined
def yellow_points(marked: Boxes) -> int:
    """The points of the yellow area."""
    points = 0
    for i in range(4):
        if marked & COLUMN[i] == COLUMN[i]:
            points += COLUMN_POINTS[i]
    return points
