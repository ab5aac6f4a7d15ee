"""Made-up samples and candidates, for tests of networks and their training."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from tichu_models.networks.candidates import Candidates, card_bits
from tichu_models.rules.cards import parse_cards
from tichu_models.rules.combinations import classify
from tichu_models.samples.batches import Batch

# Some plays: the pass, singles, pairs, a triple, a full house, a bomb.
NAMED_PLAYS = ["", "S9", "B9", "Dr", "Ph", "Ma", "Hu", "S9 B9", "S4 Ph", "S7 B7 G7", "S7 B7 G7 R2 G2", "S5 B5 G5 R5"]


def plays_of(labels: list[str]) -> Tensor:
    """Packed plays from labels. An empty text is the pass."""
    return torch.tensor([int(classify(parse_cards(text))) for text in labels], dtype=torch.int64)


def random_candidates(n: int, seed: int = 0) -> Candidates:
    """Between one and all of the named plays for each of n decisions."""
    generator = torch.Generator().manual_seed(seed)
    plays = plays_of(NAMED_PLAYS)
    counts = torch.randint(1, len(plays) + 1, (n,), generator=generator)
    chosen = [plays[torch.randperm(len(plays), generator=generator)[:count]] for count in counts]
    return Candidates.of_counts(torch.cat(chosen), counts)


def made_up_batch(objective: str, n: int, inputs: int, turns: int = 8, answers: int = 2) -> Batch:
    """Random samples with labels as this objective has them."""
    generator = torch.Generator().manual_seed(n)
    shape = (n, turns) if objective == "sequence" else (n,)
    candidates = random_candidates(math.prod(shape)) if objective in ("cards", "goal", "move", "sequence") else None
    if candidates is not None:
        counts = candidates.counts
        chosen = counts.cumsum(0) - counts + (torch.rand(len(counts), generator=generator) * counts).long()
        cards = card_bits(candidates.plays[chosen])
        target = torch.cat([cards, ~cards.any(1, keepdim=True)], dim=1).float().view(*shape, -1)
    elif objective == "schupf":
        parts = [(size, torch.randint(0, size, (n, 3), generator=generator)) for size in (17, 5)]
        target = torch.cat([torch.eye(size)[given].flatten(1) for size, given in parts], dim=1)
    elif objective == "choice":
        target = torch.eye(answers)[torch.randint(0, answers, (n,), generator=generator)]
    else:
        target = (torch.rand(n, answers, generator=generator) < 0.5).float()
    return Batch(
        state=torch.randn(*shape, inputs, generator=generator),
        target=target,
        value=torch.randn(shape, generator=generator),
        rtg=torch.randn(shape, generator=generator),
        cards_played=torch.randint(0, 57, shape, generator=generator),
        weight=torch.ones(shape),
        candidates=candidates,
    )


def fit(parameters: list[Tensor], loss: Callable[[], Tensor], steps: int, rate: float = 3e-3) -> float:
    """The loss after a number of steps of Adam on the same samples."""
    optimizer = torch.optim.Adam(parameters, lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    with torch.no_grad():
        return float(loss())
