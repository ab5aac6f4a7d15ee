"""Every agent name of the registry, with the runs and the corpus that it needs, for tests that hold for all of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.makers.runs import DECISION_NETS, PLAY_NETS, make_runs

SEED = 4  # of weights by which some announce and some do not
RATES = [0.0, 0.1, 0.25, 1.0]  # of blunders, of the four players of the crowd's one round

_CHANCE = "temperature=2,top_k=3,seed=7"
_GOAL = "margin=50,value=ValueNet"
# For each name the texts that lead to code of their own.
TEXTS: dict[str, list[str]] = {
    "random": ["random"],
    "heuristic": ["heuristic", "heuristic:blunder=.1"],
    "crowd": ["crowd"],
    "policy": [
        *("policy:PolicyNet", f"policy:PolicyNet,{_CHANCE}"),
        "policy:PolicyNet,rule=likelihood,decisions=false",
    ],
    "candidate": ["candidate:CandidatePolicyNet", f"candidate:CandidatePolicyNet,{_CHANCE}"],
    "gc": ["gc:GCPolicyNet", f"gc:GCPolicyNet,{_CHANCE}", f"gc:GCPolicyNet,{_GOAL}"],
    "dt": ["dt:DTNet", f"dt:DTNet,{_CHANCE}", f"dt:DTNet,{_GOAL}"],
    "mcts": [
        *("mcts:PolicyNet,simulations=8,deals=2", "mcts:PolicyNet,simulations=8,deals=2,leaf=value"),
        "mcts:GCPolicyNet,simulations=8,deals=2,trust=1,by=visits,root=puct",
    ],
}


def make_data(data: Path) -> Path:
    """A data folder with a small run of every network and the truth about a corpus of one round; returns its runs."""
    make_truth(data)
    make_runs(data / "runs", (*PLAY_NETS, *DECISION_NETS, "ValueNet"), seed=SEED)
    return data / "runs"


def make_truth(data: Path) -> None:
    """What the crowd is made of."""
    (data / "raw").mkdir(parents=True)
    pq.write_table(pa.table({"blunder_rates": [RATES]}), data / "raw" / "truth.parquet")
