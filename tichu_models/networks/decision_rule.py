"""The one rule by which a policy's outputs, a number a card, become the score of a move (concept 4.1.3).

The score is the sum of the probabilities of the move's cards; that of a pass is output 57. Refinements are chosen by
name and need no training: the mean, a sum in which rare cards weigh more, and the log-likelihood of exactly this
move, of which a softmax over the legal moves is a probability. The highest score is played.

A hierarchical policy has 58 outputs: the cards given that it plays, and pass and play, a softmax of two. Its sums are
weighed by the probability of playing.
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
    """(56,) how much a card weighs: its surprise, log(56 / cards of its value in the deck), where 9 is 1."""
    copies = torch.as_tensor(VALUE_OF_INDEX).long().bincount()[torch.as_tensor(VALUE_OF_INDEX).long()]
    surprise = (NUM_CARDS / copies).log() / math.log(NUM_CARDS)
    return surprise / surprise[LABELS.index("S9")]


def move_scores(outputs: Tensor, candidates: Candidates, rule: DecisionRule = "sum") -> Tensor:
    """(m,) the score of every move, from the outputs (n, 57 or 58) of its decision before the sigmoid."""
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
    """(n,), (n,) log-probability of the pass, and of no pass."""
    if outputs.shape[1] == HIERARCHICAL_OUTPUTS:
        gate = outputs[:, PASS_OUTPUT:].log_softmax(1)
        return gate[:, 0], gate[:, 1]
    return logsigmoid(outputs[:, PASS_OUTPUT]), logsigmoid(-outputs[:, PASS_OUTPUT])
