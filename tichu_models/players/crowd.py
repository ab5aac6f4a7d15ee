"""CrowdAgent: plays as the generated players of a corpus do, whom networks trained on that corpus imitate.

The players of a corpus follow the rules of thumb, each with a blunder rate. For every round and seat, CrowdAgent draws
one of these rates. The draw depends on the round and the seat only, so that the two tables of a duplicate deal draw
the same rates. The rates are read from `truth.parquet`, which `tichu generate` writes beside a corpus.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tichu_models.chance import draw_below
from tichu_models.kernels import kernel
from tichu_models.options import OptionError
from tichu_models.players.base import Agent
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.rules.legal import Plays, new_buffer

TRUTH_FILE = "raw/truth.parquet"  # in a data folder


@kernel
def _choose_all(rates: np.ndarray, rounds: np.ndarray, views: np.ndarray, choices: np.ndarray, plays: Plays) -> None:
    """The answers to many views. `rounds` numbers the round of each view; it is empty for kinds other than plays, of
    which none is a blunder."""
    for i in range(len(views)):
        rate = rates[draw_below(rounds[i], views[i].seat, len(rates))] if len(rounds) else 0.0
        choices[i] = choose_by_rule(views[i], rate, plays)


class CrowdAgent(Agent):
    """Draws a blunder rate from `rates` for each round and seat, each entry with the same probability."""

    wants = ("rounds",)

    def __init__(self, name: str, rates: np.ndarray) -> None:
        self.name = name
        self.rates = np.asarray(rates, dtype=np.float64)
        self._plays, self._no_rounds = new_buffer(), np.zeros(0, dtype=np.uint64)

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view."""
        choices = np.empty(len(views), dtype=np.int64)
        _choose_all(self.rates, extras.get("rounds", self._no_rounds), views, choices, self._plays)
        return choices


def rates_in(truth: Path) -> np.ndarray:
    """The blunder rates of a generated corpus: one for each seat of each round."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rates = pq.read_table(truth, columns=["blunder_rates"])["blunder_rates"].drop_null().combine_chunks().flatten()
        values = rates.drop_null().to_numpy(zero_copy_only=False)
    except (OSError, pa.ArrowException, KeyError, AttributeError) as error:
        raise OptionError(f"{truth}: {error}; expected the truth.parquet that tichu generate writes") from None
    if len(values) == 0:
        raise OptionError(f"{truth}: no players; expected the truth.parquet of a corpus")
    return values
