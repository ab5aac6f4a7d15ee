"""Decision rules: how a policy's outputs for cards become the score of a move (concept 4.1.3).

The move with the highest score is played. The score of a pass is the probability of output 57, that of a play:

- sum: the sum of the probabilities of its cards.
- mean: their mean.
- rarity: their sum, in which rare cards weigh more.
- likelihood: the log-likelihood of exactly these cards (of the pass, too); a softmax over the legal moves makes
  probabilities of it.

A hierarchical policy has 58 outputs: the cards, given that it plays, and a softmax of pass and play. There the sums are
multiplied by the probability of a play. `agents.choosing.score_moves` is the same as a kernel.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from tichu_models.networks.candidates import Candidates, card_bits
from tichu_models.networks.interface import DECISION_RULES, HIERARCHICAL_OUTPUTS, PASS_OUTPUT, DecisionRule
from tichu_models.rules.cards import LABELS, NUM_CARDS, VALUE_OF_INDEX


def rarity() -> Tensor:
    """(56,) the weight of each card: its surprise log(56 / cards of its value in the deck), divided by that of a 9."""
    copies = torch.as_tensor(VALUE_OF_INDEX).long().bincount()[torch.as_tensor(VALUE_OF_INDEX).long()]
    surprise = (NUM_CARDS / copies).log() / math.log(NUM_CARDS)
    return surprise / surprise[LABELS.index("S9")]


def move_scores(outputs: Tensor, candidates: Candidates, rule: DecisionRule = "sum") -> Tensor:
    """(m,) the score of every move, from the outputs of its decision (n, 57 or 58) before the sigmoid."""
    outputs = outputs.float()
    cards = card_bits(candidates.plays)
    is_pass = ~cards.any(1)
    odds = outputs[:, :NUM_CARDS]
    passes, plays = _gate(outputs)
    if rule == "likelihood":
        rest = logsigmoid(-odds).sum(1)  # log(p) = log(1 - p) + log-odds
        likelihood = (cards * odds[candidates.row]).sum(1) + (rest + plays)[candidates.row]
        if_pass = passes if outputs.shape[1] == HIERARCHICAL_OUTPUTS else passes + rest
        return torch.where(is_pass, if_pass[candidates.row], likelihood)
    if rule == "sum":
        weights = cards.float()
    elif rule == "mean":
        weights = cards / cards.sum(1, keepdim=True).clamp(min=1)
    elif rule == "rarity":
        weights = cards * rarity().to(outputs.device)
    else:
        raise ValueError(f"rule {rule!r}: expected one of {', '.join(DECISION_RULES)}")
    score = (weights * odds.sigmoid()[candidates.row]).sum(1)
    if outputs.shape[1] == HIERARCHICAL_OUTPUTS:
        score = score * plays.exp()[candidates.row]
    return torch.where(is_pass, passes.exp()[candidates.row], score)


def _gate(outputs: Tensor) -> tuple[Tensor, Tensor]:
    """(n,), (n,) the log-probability of a pass, and of a play."""
    if outputs.shape[1] == HIERARCHICAL_OUTPUTS:
        gate = outputs[:, PASS_OUTPUT:].log_softmax(1)
        return gate[:, 0], gate[:, 1]
    return logsigmoid(outputs[:, PASS_OUTPUT]), logsigmoid(-outputs[:, PASS_OUTPUT])
