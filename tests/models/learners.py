"""Small networks and made-up samples, for tests of networks and of what trains them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tichu_models.networks.candidates import Candidates
from tichu_models.rules.cards import parse_cards
from tichu_models.rules.combinations import classify

# A few plays that any hand might allow: the pass, singles, pairs, a triple, a full house, a bomb.
NAMED_PLAYS = ["", "S9", "B9", "Dr", "Ph", "Ma", "Hu", "S9 B9", "S4 Ph", "S7 B7 G7", "S7 B7 G7 R2 G2", "S5 B5 G5 R5"]


def plays_of(labels: list[str]) -> Tensor:
    """Packed plays of labels; an empty text is the pass."""
    return torch.tensor([int(classify(parse_cards(text))) for text in labels], dtype=torch.int64)


def random_candidates(n: int, seed: int = 0) -> Candidates:
    """Between one and all of the named plays for each of n decisions."""
    generator = torch.Generator().manual_seed(seed)
    plays = plays_of(NAMED_PLAYS)
    counts = torch.randint(1, len(plays) + 1, (n,), generator=generator)
    chosen = [plays[torch.randperm(len(plays), generator=generator)[:count]] for count in counts]
    return Candidates.of_counts(torch.cat(chosen), counts)


def fit(parameters: list[Tensor], loss: Callable[[], Tensor], steps: int, rate: float = 3e-3) -> float:
    """The loss after so many steps of Adam on the same samples."""
    optimizer = torch.optim.Adam(parameters, lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    with torch.no_grad():
        return float(loss())
