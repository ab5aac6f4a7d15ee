"""What networks and players agree on: the order of a policy's outputs, the features of a move, the decision rules.

Needs no torch, so that kernels and options share it with the networks.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from tichu_models.rules.cards import DRAGON_RANK, NUM_CARDS
from tichu_models.rules.combinations import TYPE_AND_LENGTH

# Outputs of a policy: the cards by card index, the pass and, if the policy is hierarchical, the play.
PASS_OUTPUT, PLAY_OUTPUT = NUM_CARDS, NUM_CARDS + 1
FLAT_OUTPUTS, HIERARCHICAL_OUTPUTS = NUM_CARDS + 1, NUM_CARDS + 2

# What CandidatePolicyNet reads of a move: its cards, type and length as one-hot, the rank as thermometer.
MOVE_FEATURES = NUM_CARDS + len(TYPE_AND_LENGTH) + DRAGON_RANK

# What DTRLNet reads of a turn behind the state: what the seat played at the turn before (cards and pass), whether there
# is a turn at all, and of the present turn whether a gain is asked for, and which.
IS_TURN, IS_ASKED, GAIN = FLAT_OUTPUTS, FLAT_OUTPUTS + 1, FLAT_OUTPUTS + 2
TURN_FEATURES = FLAT_OUTPUTS + 3

DecisionRule: TypeAlias = Literal["sum", "mean", "rarity", "likelihood"]
DECISION_RULES: tuple[str, ...] = get_args(DecisionRule)
SUM, MEAN, RARITY, LIKELIHOOD = range(len(DECISION_RULES))
