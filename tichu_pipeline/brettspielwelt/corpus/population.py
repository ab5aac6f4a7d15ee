"""The people of a generated corpus: names as the portal has them, hidden strengths, who plays how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SYLLABLES = (
    "an",
    "ber",
    "cleo",
    "do",
    "ela",
    "fin",
    "gre",
    "hag",
    "ina",
    "jo",
    "ka",
    "lu",
    "mo",
    "na",
    "ol",
    "pe",
    "ro",
    "sa",
    "ti",
    "ul",
    "vi",
    "wil",
    "ya",
    "zo",
)
ENDINGS = (
    "",
    "",
    "",
    "s",
    "e",
    "i",
    "ar",
    "us",
    "ine",
    "!!",
    "0722",
    "_sea",
    "-x",
    "68",
    ".",
    "ß",
    "ä",
    "ör",
    "'s",
    "@home",
)
BEGINNINGS = ("", "", "", "", "", "1", "der", "Miss", "x-", "Ö", "2")
MAX_BLUNDER = 0.3


@dataclass(frozen=True)
class Population:
    """Players: their names, their blunder rates (0 for the strongest), how likely each sits at a table."""

    names: list[str]
    blunder: np.ndarray
    activity: np.ndarray


def population(size: int, rng: np.random.Generator) -> Population:
    """Several hundred players; a few of them play most of the games."""
    names: dict[str, None] = {}
    while len(names) < size:
        parts = rng.choice(SYLLABLES, size=rng.integers(1, 4))
        name = rng.choice(BEGINNINGS) + "".join(parts) + rng.choice(ENDINGS)
        names[str(name.capitalize() if rng.random() < 0.5 else name)] = None
    blunder = np.round(MAX_BLUNDER * rng.beta(1.2, 1.8, size), 3)
    activity = 1.0 / (np.arange(size) + 10.0)
    return Population(list(names), blunder, activity / activity.sum())


def seat_players(people: Population, games: int, rng: np.random.Generator) -> np.ndarray:
    """Four different players for each game, seats 0..3."""
    # The four smallest of exponential waiting times are a draw without replacement, weighted by activity.
    seating = np.empty((games, 4), dtype=np.int32)
    for begin in range(0, games, 1024):
        part = seating[begin : begin + 1024]
        waiting = rng.exponential(size=(len(part), len(people.names))) / people.activity
        fastest = np.argpartition(waiting, 4, axis=1)[:, :4]
        part[:] = rng.permuted(fastest, axis=1)
    return seating
