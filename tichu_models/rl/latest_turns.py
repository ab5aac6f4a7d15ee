"""The latest plays of a seat, found among the decisions of a rollout."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel
from tichu_models.rules.asking import PLAY
from tichu_models.rules.combinations import cards_of


def turns_of(rows: np.ndarray, decisions: np.ndarray, options: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The places among all decisions of the latest plays of the same seat and round (n, most), those of `rows` last, -1
    where there are fewer; and the cards that were played there. A table's decisions are recorded in their order."""
    places = np.empty((len(rows), most), dtype=np.int64)
    played = np.zeros((len(rows), most), dtype=np.int64)
    rounds = int(decisions["round"].max(initial=0)) + 1
    latest, before = np.full((rounds, 4), -1, dtype=np.int64), np.empty(len(decisions), dtype=np.int64)
    _find_turns(rows, decisions, options, latest, before, places, played)
    return places, played


@kernel
def _find_turns(
    rows: np.ndarray,
    decisions: np.ndarray,
    options: np.ndarray,
    latest: np.ndarray,
    before: np.ndarray,
    places: np.ndarray,
    played: np.ndarray,
) -> None:
    """`turns_of`; `latest` (rounds, 4) and `before` are the latest play of each seat, and the one before each play."""
    for place in range(len(decisions)):
        made = decisions[place]
        if made.kind == PLAY:
            before[place] = latest[made.round, made.seat]
            latest[made.round, made.seat] = place
    present = places.shape[1] - 1
    for i in range(len(rows)):
        place = rows[i]
        for k in range(present, -1, -1):
            places[i, k] = place
            if place >= 0:
                made = decisions[place]
                if k < present:
                    played[i, k] = cards_of(options[made.first + made.chosen])
                place = before[place]
