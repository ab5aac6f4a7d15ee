"""The names of agents, and the networks with which each plays. Imports nothing: the shell's completion reads it.

A name that is not here names no agent; `registry` makes the agent of each name.
"""

from __future__ import annotations

CHAMPION = "champion"  # the strongest player that ships with the package
FAST = "fast"  # behind it: its policy alone, without a search

WITHOUT_RUN = ("random", "heuristic", "crowd", CHAMPION)
WITH_RUN = {
    "policy": (
        *("PolicyNet", "CandidatePolicyNet", "GCPolicyNet", "DTNet"),
        *("CandidateRLNet", "PolicyRLNet", "GCPolicyRLNet", "DTRLNet"),
    ),
    "candidate": ("CandidatePolicyNet", "CandidateRLNet"),
    "gc": ("GCPolicyNet", "GCPolicyRLNet"),
    "dt": ("DTNet", "DTRLNet"),
    "mcts": ("PolicyNet", "CandidatePolicyNet", "GCPolicyNet", "CandidateRLNet", "PolicyRLNet"),
    "mctsrl": ("CandidateRLNet", "PolicyRLNet"),
}
NAMES = (*WITHOUT_RUN, *WITH_RUN)
