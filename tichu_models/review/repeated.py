"""Questions that a seat is asked again and again in a round: to announce a Tichu, to throw a bomb.

Who declines several times has missed one chance, not several: it counts once, where it looked best. Who says yes later
has missed none.
"""

from __future__ import annotations

import numpy as np

from tichu_models.rules.asking import BOMB_THROW, SMALL_CALL, TICHU_CALL
from tichu_models.rules.state import NO_CALL

ANNOUNCE, THROW, OTHER = range(3)
CHANCE_OF_KIND = {TICHU_CALL: ANNOUNCE, SMALL_CALL: ANNOUNCE, BOMB_THROW: THROW}


def _chances(decisions: np.ndarray) -> np.ndarray:
    """A number for each decision (LOGGED), equal for questions about the same chance of a seat in a round, and -1 for
    those that are not declined, or no such question."""
    seen = decisions["seen"]
    chance = np.array([CHANCE_OF_KIND.get(kind, OTHER) for kind in seen["kind"].tolist()], dtype=np.int64)
    declined = (chance != OTHER) & (decisions["answer"] == 0)
    return np.where(declined, (decisions["place"].astype(np.int64) * 4 + seen["seat"]) * OTHER + chance, -1)


def taken_later(decisions: np.ndarray) -> np.ndarray:
    """Whether a chance that is declined here was taken later in the round, of each decision of whole rounds."""
    seen = decisions["seen"]
    called = seen["call"][np.arange(len(seen)), seen["seat"]] != NO_CALL
    called |= np.isin(seen["kind"], (TICHU_CALL, SMALL_CALL)) & (decisions["answer"] != 0)
    threw = (seen["kind"] == BOMB_THROW) & (decisions["answer"] != 0)
    seat_of_round = decisions["place"].astype(np.int64) * 4 + seen["seat"]
    taken = np.zeros(len(decisions), dtype=bool)
    for i in np.flatnonzero(_chances(decisions) >= 0):
        later = (seat_of_round == seat_of_round[i]) & (np.arange(len(seen)) > i)
        taken[i] = (later & (threw if seen["kind"][i] == BOMB_THROW else called)).any()
    return taken


def missed_once(decisions: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """The places of the decisions that remain if of each chance only the question counts at which another answer would
    have gained most."""
    chances = _chances(decisions)
    kept = chances < 0
    for chance in np.unique(chances[~kept]):
        questions = np.flatnonzero(chances == chance)
        kept[questions[np.argmax(gains[questions])]] = True
    return np.flatnonzero(kept)
