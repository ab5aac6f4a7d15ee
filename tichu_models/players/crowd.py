"""CrowdAgent: the players of a generated corpus, whom networks that were trained on it imitate.

Each plays by rules of thumb, and blunders at a rate of its own. In every round somebody else sits at a seat: who, hangs
on the round and the seat, so that the two tables of a duplicate deal have the same players to choose from. How a corpus
is generated does not belong here; `truth.parquet` beside one says how often who blundered.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tichu_models.chance import draw_below
from tichu_models.kernels import kernel
from tichu_models.options import OptionError
from tichu_models.players.base import Agent
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.rules.legal import new_buffer

TRUTH_FILE = "raw/truth.parquet"  # in a data folder


@kernel
def _choose_all(rates, rounds, views, choices, plays):
    """Plays are known by their round; other decisions are nobody's blunder."""
    for i in range(len(views)):
        rate = rates[draw_below(rounds[i], views[i].seat, len(rates))] if len(rounds) else 0.0
        choices[i] = choose_by_rule(views[i], rate, plays)


class CrowdAgent(Agent):
    """Players whose blunder rates are drawn from `rates`, as often as they stand there."""

    wants = ("rounds",)

    def __init__(self, name: str, rates: np.ndarray) -> None:
        self.name = name
        self.rates = np.asarray(rates, dtype=np.float64)
        self._plays, self._no_rounds = new_buffer(), np.zeros(0, dtype=np.uint64)

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One choice for each view."""
        choices = np.empty(len(views), dtype=np.int64)
        _choose_all(self.rates, extras.get("rounds", self._no_rounds), views, choices, self._plays)
        return choices


def rates_in(truth: Path) -> np.ndarray:
    """The blunder rate of whoever sat there, for each seat of each round of a generated corpus."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rates = pq.read_table(truth, columns=["blunder_rates"])["blunder_rates"].drop_null().combine_chunks().flatten()
        found = rates.drop_null().to_numpy(zero_copy_only=False)
    except (OSError, pa.ArrowException, KeyError, AttributeError) as error:
        raise OptionError(f"{truth}: {error}; expected the truth.parquet that tichu generate writes") from None
    if len(found) == 0:
        raise OptionError(f"{truth}: no players; expected the truth.parquet of a corpus")
    return found
