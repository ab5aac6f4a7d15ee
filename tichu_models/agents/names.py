"""The names of agents, and the networks with which each plays. Imports nothing: the shell's completion reads it.

A name that is not here names no agent; `registry` makes the agent of each name.
"""

from __future__ import annotations

WITHOUT_RUN = ("random", "heuristic", "crowd")
WITH_RUN = {
    "policy": ("PolicyNet", "CandidatePolicyNet", "GCPolicyNet", "DTNet"),
    "candidate": ("CandidatePolicyNet",),
    "gc": ("GCPolicyNet",),
    "dt": ("DTNet",),
    "mcts": ("PolicyNet", "CandidatePolicyNet", "GCPolicyNet"),
}
NAMES = (*WITHOUT_RUN, *WITH_RUN)
