"""Small networks and made-up samples, for tests of networks and of what trains them."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from tichu_models.learning.batches import Batch
from tichu_models.networks.candidates import Candidates, labels_of
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


def made_up_batch(objective: str, n: int, inputs: int, turns: int = 8) -> Batch:
    """Samples that say nothing, with labels as this objective has them."""
    generator = torch.Generator().manual_seed(n)
    shape = (n, turns) if objective == "sequence" else (n,)
    candidates = random_candidates(math.prod(shape)) if objective in ("cards", "goal", "move", "sequence") else None
    if candidates is not None:
        counts = candidates.counts
        chosen = counts.cumsum(0) - counts + (torch.rand(len(counts), generator=generator) * counts).long()
        label = labels_of(candidates.plays[chosen]).view(shape)
    elif objective == "schupf":
        label = torch.randint(0, 18, (n,), generator=generator) * (1 | 1 << 8 | 1 << 16) + (1 << 8) + (2 << 16)
    elif objective == "dragon":
        label = torch.randint(0, 2, (n,), generator=generator) * 2 + 1
    elif objective == "wish":
        label = torch.randint(2, 15, (n,), generator=generator)
    else:
        label = torch.randint(0, 2, (n,), generator=generator)
    return Batch(
        state=torch.randn(*shape, inputs, generator=generator),
        label=label,
        value=torch.randn(shape, generator=generator) * 100,
        rtg=torch.randn(shape, generator=generator) * 100,
        first_out=torch.rand(shape, generator=generator) < 0.3,
        cards_played=torch.randint(0, 57, shape, generator=generator),
        weight=torch.ones(shape),
        candidates=candidates,
    )


def fit(parameters: list[Tensor], loss: Callable[[], Tensor], steps: int, rate: float = 3e-3) -> float:
    """The loss after so many steps of Adam on the same samples."""
    optimizer = torch.optim.Adam(parameters, lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    with torch.no_grad():
        return float(loss())
