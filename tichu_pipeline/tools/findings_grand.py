"""A table for people: grand Tichu or not, by the first eight cards, measured by twin rounds of a player."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tichu_models.arena.first_hands import draw_hands
from tichu_models.rules.cards import DOG, DRAGON, MAHJONG, PHOENIX
from tichu_pipeline.tools.findings_habits import holds_bomb
from tichu_pipeline.tools.selfplay_figures import SEED

if TYPE_CHECKING:
    from tichu_models.rl.tasks import RunTasks

GRAND_SEED = SEED + 5
MOST_ACES = 3  # or more
NO_BOMB = 4 * (MOST_ACES + 1)  # classes of hands without a bomb
CLASSES = NO_BOMB + 1
MOST_DEALS = 4_000_000  # among which hands of rare classes are looked for
ACES, KINGS = 14, 13
CALL, PASS, EVEN = "call", "do not", "even"


def held(hands: np.ndarray, rank: int) -> np.ndarray:
    """How many cards of a rank hands hold."""
    return np.bitwise_count(hands >> 4 * (rank - 1) & 15).astype(np.int64)


def class_of(hands: np.ndarray) -> np.ndarray:
    """The class of hands of eight cards: Dragon, Phoenix and number of aces, or a bomb."""
    dragon, phoenix = (hands & DRAGON) != 0, (hands & PHOENIX) != 0
    classes = 4 * np.minimum(held(hands, ACES), MOST_ACES) + 2 * dragon + phoenix
    return np.where(holds_bomb(hands), NO_BOMB, classes)


def name_of(number: int) -> str:
    """The name of a class of hands."""
    if number == NO_BOMB:
        return "a bomb"
    aces = number // 4
    count = ("", "1 ace", "2 aces", "3 aces or more")[aces]
    parts = ["Dragon" if number & 2 else "", "Phoenix" if number & 1 else "", count]
    return ", ".join(filter(None, parts)) or "none of them"


# What else a hand may hold.
MORE = {
    "the Dog": lambda hands: (hands & DOG) != 0,
    "the Mahjong": lambda hands: (hands & MAHJONG) != 0,
    "a king": lambda hands: held(hands, KINGS) == 1,
    "2 kings or more": lambda hands: held(hands, KINGS) > 1,
}


def grand_of(folder: Path, of_each: int, run_tasks: RunTasks = map) -> dict[str, Any]:
    """What a grand Tichu gains the player of a run's folder, by class of hand, and what other cards add to it."""
    from tichu_models.rl.grand_twins import play_twins
    from tichu_models.rl.players import player_of

    drawn = draw_hands(class_of, CLASSES, of_each, MOST_DEALS, GRAND_SEED)
    twins = play_twins(player_of(folder), drawn, run_tasks)
    classes = []
    for number in range(CLASSES):
        mine = drawn.classes == number
        if mine.sum() > 1:
            classes.append(
                {
                    "hand": name_of(number),
                    "share": round(100 * float(drawn.shares[number]), 4),
                    "n": int(mine.sum()),
                    **_mean(twins.gain[mine]),
                    "made": round(100 * float(twins.made[mine].mean()), 1),
                    "called": round(100 * float(twins.called[mine].mean()), 1),
                }
            )
    differences = {card: _difference(twins.gain, drawn.classes, holds(drawn.hands)) for card, holds in MORE.items()}
    more = [{"card": card, **found} for card, found in differences.items() if found]
    return {"classes": classes, "more": more}


def _mean(values: np.ndarray) -> dict[str, float]:
    error = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return {"points": round(float(values.mean()), 1), "error": round(float(error), 1)}


def _difference(values: np.ndarray, classes: np.ndarray, chosen: np.ndarray) -> dict[str, float] | None:
    """By how much the mean of the chosen values is higher within classes, which are weighed by their precision."""
    total = weights = 0.0
    for number in np.unique(classes):
        parts = [values[(classes == number) & (chosen == which)] for which in (True, False)]
        if min(map(len, parts)) > 1:
            variance = sum(part.var(ddof=1) / len(part) for part in parts)
            if variance > 0:
                total += (parts[0].mean() - parts[1].mean()) / variance
                weights += 1 / variance
    if weights == 0:
        return None
    return {"points": round(total / weights, 1), "error": round(1.96 / float(np.sqrt(weights)), 1)}


def advice(row: Mapping[str, Any]) -> str:
    """What a row of the table says to do; `EVEN` where its interval holds 0."""
    if row["points"] - row["error"] > 0:
        return CALL
    return PASS if row["points"] + row["error"] < 0 else EVEN
