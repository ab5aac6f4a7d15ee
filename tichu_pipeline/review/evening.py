"""What the rounds of a review say of a player: what was lost for certain, and how little one evening tells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tichu_models.statistics import LEVEL

Record = dict[str, Any]


class CertainLoss(NamedTuple):
    """What a player's certain errors cost together."""

    open: int  # decisions with more than one sensible answer
    certain: int  # of which cost something for certain
    lost: float
    half: float  # half of its confidence interval


def certain_loss(record: Record, player: str) -> CertainLoss:
    """What a player lost for certain."""
    own = [each for each in record["decisions"] if each["player"] == player]
    certain = [each for each in own if each["certain"]]
    lost = sum(each["loss"] for each in certain)
    half = sum(((each["interval"][1] - each["interval"][0]) / 2) ** 2 for each in certain) ** 0.5
    return CertainLoss(len(own), len(certain), lost, half)


def evening(record: Record, player: str) -> Record:
    """Figures of the page's top: `lost` and `half`, and to how many points a round these rounds tell strength, by the
    result alone (`half_result`) and without the luck of the deals (`half_less_luck`); null where they do not at all."""
    loss = certain_loss(record, player)
    results, lucks = [], []
    for each in record["rounds"]:
        if player in each["players"]:
            sign = 1 - 2 * (each["players"].index(player) & 1)
            results.append(sign * (each["result"][0] - each["result"][1]))
            lucks.append(None if each["luck"] is None else sign * each["luck"])
    known = None not in lucks
    return {
        "lost": round(loss.lost, 1),
        "half": round(loss.half, 1),
        "half_result": _half(np.array(results)),
        "half_less_luck": _half(np.array(results) - np.array(lucks)) if known else None,
    }


def _half(points: np.ndarray) -> float | None:
    """Half the confidence interval of a mean, by Student's distribution; None for fewer than two points."""
    if len(points) < 2:
        return None
    from scipy.special import stdtrit

    return round(float(stdtrit(len(points) - 1, (1 + LEVEL) / 2) * points.std(ddof=1) / len(points) ** 0.5), 1)
