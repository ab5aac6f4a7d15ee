"""The exact values of the prototype of Ganz schön clever, by dynamic programming over all boards and steps.

A board is the set of the twelve boxes that are marked. What matters of a roll is which numbers it shows: its value is
that of the best box with one of them, or their mean if boxes are chosen by chance. Learners are held against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.games.clever.sheet import CROSSED, YELLOW_COLUMNS, YELLOW_NUMBERS

BOXES = [box for box in range(16) if YELLOW_NUMBERS[box] != CROSSED]
BOARDS = 1 << len(BOXES)
NUMBERS, STEPS, LINE_POINTS = 6, 10, YELLOW_COLUMNS  # rows bring what columns do


@dataclass(frozen=True)
class Values:
    """What a game with so many dice is worth from its beginning."""

    dice: int
    optimum: float
    random: float  # by chance
    invalid_per_game: float  # steps of the best play in which nothing fits
    invalid_at_random: float  # likewise, by chance


def points_of_boards() -> np.ndarray:
    """The points of each board."""
    points, boards = np.zeros(BOARDS), np.arange(BOARDS)
    for line in range(4):
        for boxes in ([4 * line + i for i in range(4)], [4 * i + line for i in range(4)]):
            needed = sum(1 << i for i, box in enumerate(BOXES) if box in boxes)
            points[boards & needed == needed] += LINE_POINTS[line]
    return points


def chances(dice: int) -> np.ndarray:
    """How likely it is that so many dice show exactly these numbers, by their set."""
    shares = np.zeros(1 << NUMBERS)
    for shown in range(1 << NUMBERS):
        within, inside = 0.0, shown
        while True:  # all subsets
            within += (-1) ** (shown ^ inside).bit_count() * (inside.bit_count() / NUMBERS) ** dice
            if inside == 0:
                break
            inside = inside - 1 & shown
        shares[shown] = within
    return shares


def optimum(dice: int) -> Values:
    """The values of a game with so many dice."""
    boards, points, likely = np.arange(BOARDS), points_of_boards(), chances(dice)
    best, mean, lost, lost_at_best = np.zeros((4, BOARDS))
    for _ in range(STEPS):
        highest, after_highest = np.full((2, NUMBERS + 1, BOARDS), -np.inf)
        sums, sums_lost, fitting = np.zeros((3, NUMBERS + 1, BOARDS))
        for i, box in enumerate(BOXES):
            number, free = YELLOW_NUMBERS[box], boards >> i & 1 == 0
            after = boards | 1 << i
            gain = points[after] - points
            value = np.where(free, gain + best[after], -np.inf)
            is_better = value > highest[number]
            after_highest[number][is_better] = lost_at_best[after][is_better]
            highest[number] = np.maximum(highest[number], value)
            sums[number] += np.where(free, gain + mean[after], 0.0)
            sums_lost[number] += np.where(free, lost[after], 0.0)
            fitting[number] += free
        new = np.zeros((4, BOARDS))
        for shown in range(1, 1 << NUMBERS):
            numbers = [number for number in range(1, NUMBERS + 1) if shown >> number - 1 & 1]
            count = fitting[numbers].sum(axis=0)
            fits, share = count > 0, np.maximum(count, 1)
            which = highest[numbers].argmax(axis=0)
            parts = (
                (highest[numbers].max(axis=0), best),
                (sums[numbers].sum(axis=0) / share, mean),
                (sums_lost[numbers].sum(axis=0) / share, lost + 1),
                (after_highest[numbers][which, boards], lost_at_best + 1),
            )
            new += likely[shown] * np.array([np.where(fits, value, otherwise) for value, otherwise in parts])
        best, mean, lost, lost_at_best = new
    return Values(dice, *(float(value[0]) for value in (best, mean, lost_at_best, lost)))
