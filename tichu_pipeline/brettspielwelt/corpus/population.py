"""The players of a generated corpus: names as on the portal, hidden strengths, how often each plays."""

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
    """The players' names, blunder rates (0 for the strongest), and probabilities of sitting at a table."""

    names: list[str]
    blunder: np.ndarray
    activity: np.ndarray


def population(size: int, rng: np.random.Generator) -> Population:
    """Players with different names, of whom a few play most of the games."""
    names: dict[str, None] = {}
    while len(names) < size:
        parts = rng.choice(SYLLABLES, size=rng.integers(1, 4))
        name = rng.choice(BEGINNINGS) + "".join(parts) + rng.choice(ENDINGS)
        names[str(name.capitalize() if rng.random() < 0.5 else name)] = None
    blunder = np.round(MAX_BLUNDER * rng.beta(1.2, 1.8, size), 3)
    activity = 1.0 / (np.arange(size) + 10.0)
    return Population(list(names), blunder, activity / activity.sum())


def seat_players(people: Population, games: int, rng: np.random.Generator) -> np.ndarray:
    """Four different players for seats 0..3 of each game."""
    # The four smallest exponential waiting times are a draw without replacement, weighted by activity.
    seating = np.empty((games, 4), dtype=np.int32)
    for begin in range(0, games, 1024):
        part = seating[begin : begin + 1024]
        waiting = rng.exponential(size=(len(part), len(people.names))) / people.activity
        fastest = np.argpartition(waiting, 4, axis=1)[:, :4]
        part[:] = rng.permuted(fastest, axis=1)
    return seating
