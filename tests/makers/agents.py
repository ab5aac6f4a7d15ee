"""Agents of every name, and the runs and corpus that they need, for tests of all agents."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.makers.runs import DECISION_NETS, PLAY_NETS, make_critic, make_runs, make_self_taught
from tichu_models.rules.asking import SCHUPF, SMALL_CALL

SEED = 4  # of weights with which some networks announce and some do not
RATES = [0.0, 0.1, 0.25, 1.0]  # blunder rates of the four players in the corpus of the crowd

_CHANCE = "temperature=2,top_k=3,seed=7"
_GOAL = "margin=50,value=ValueNet"
# For each name the texts whose agents run different code.
TEXTS: dict[str, list[str]] = {
    "random": ["random"],
    "heuristic": ["heuristic", "heuristic:blunder=.1"],
    "crowd": ["crowd"],
    "policy": [
        *("policy:PolicyNet", f"policy:PolicyNet,{_CHANCE}"),
        "policy:PolicyNet,rule=likelihood,decisions=false",
        f"policy:by_cards,{_CHANCE}",
    ],
    "candidate": [
        *("candidate:CandidatePolicyNet", f"candidate:CandidatePolicyNet,{_CHANCE}"),
        *("candidate:self_taught", "candidate:self_taught,temperature=1", "candidate:self_taught,decisions=false"),
    ],
    "gc": [
        *("gc:GCPolicyNet", f"gc:GCPolicyNet,{_CHANCE}", f"gc:GCPolicyNet,{_GOAL}"),
        *("gc:asked", "gc:asked,goal=-150", "gc:asked,score=false,temperature=1"),
    ],
    "dt": [
        *("dt:DTNet", f"dt:DTNet,{_CHANCE}", f"dt:DTNet,{_GOAL}"),
        *("dt:by_turns", f"dt:by_turns,{_CHANCE},margin=50", "dt:by_turns,goal=100,decisions=false"),
    ],
    "mcts": [
        *("mcts:PolicyNet,simulations=8,deals=2", "mcts:PolicyNet,simulations=8,deals=2,leaf=value"),
        "mcts:GCPolicyNet,simulations=8,deals=2,trust=1,by=visits,root=puct",
        "mcts:self_taught,simulations=8,deals=2",
    ],
    "mctsrl": [
        *("mctsrl:self_taught,deals=4,least=0", "mctsrl:self_taught,deals=4,leaf=critic,plies=2,width=3,certainty=0"),
        "mctsrl:by_cards,simulations=16,trust=1,solve=8",
    ],
    "champion": ["champion:deals=4", f"champion:fast,{_CHANCE}"],
}


def make_data(data: Path) -> Path:
    """Makes a small run of every network, and the truth of a corpus of one round; returns the folder of runs."""
    make_truth(data)
    runs = data / "runs"
    make_runs(runs, (*PLAY_NETS, *DECISION_NETS, "ValueNet"), seed=SEED)
    make_self_taught(runs, "self_taught", seed=SEED)
    make_critic(runs / "self_taught", seed=SEED)
    make_self_taught(runs, "asked", "GCPolicyRLNet", seed=SEED)
    make_self_taught(runs, "by_cards", "PolicyRLNet", (SMALL_CALL, SCHUPF), seed=SEED)
    make_self_taught(runs, "by_turns", "DTRLNet", seed=SEED)
    return runs


def make_champion(folder: Path) -> Path:
    """Makes a small champion in a folder; returns its own folder, which a test puts in place of the shipped one."""
    return folder / make_self_taught(folder, "champion", seed=SEED)


def make_truth(data: Path) -> None:
    """Writes the truth of a corpus of one round, from which the crowd takes its blunder rates."""
    (data / "raw").mkdir(parents=True)
    pq.write_table(pa.table({"blunder_rates": [RATES]}), data / "raw" / "truth.parquet")
