"""What the networks of MuZero are told: losses of windows of steps, as the notes say that the games come from, and as
published.

In a window the first position is seen, the others are imagined. Positions after the end of a game teach nothing, but
the step into the end does: its reward, and that nobody moves after it. Where the game has chance, rewards and relations
are said of the afterstates, which are worth what comes after them. Where there is one legal action there is nothing
to choose, and the policy learns nothing; the dynamics sees the action all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from tichu_models.algorithms.muzero.networks import Unrolled, Words

ILLEGAL = -1e9  # the score of an action that cannot be chosen


class Weights(NamedTuple):
    """What each published loss counts, and whether the steps are averaged or added up."""

    value: float
    policy: float
    reward: float
    relation: float
    is_mean: bool


# The notes add up cross-entropy and squared error over all predictions, and have no loss of rewards. Without a loss of
# relations their search would not know whose value it looks at, so that both have it.
LOSSES = {
    "seed": Weights(value=1.0, policy=1.0, reward=0.0, relation=1.0, is_mean=False),
    "published": Weights(value=4.0, policy=1.0, reward=1.0, relation=1.0, is_mean=True),
}


class Windows(NamedTuple):
    """What is learned from: windows of 1 + K positions, a row for each. What does not exist is anything."""

    seen: Tensor  # float32 (n, 1 + K, inputs)
    actions: Tensor  # int64 (n, K)
    exists: Tensor  # bool (n, 1 + K): the game is not over
    chooses: Tensor  # bool (n, 1 + K): it exists, and there is more than one legal action
    legal: Tensor  # bool (n, 1 + K, actions)
    policies: Tensor  # float32 (n, 1 + K, actions)
    values: Tensor  # float32 (n, 1 + K)
    rewards: Tensor  # int64 (n, K): of the steps, -1, 0, 1
    relations: Tensor  # int64 (n, K)
    afters: Tensor | None = None  # float32 (n, K, inputs): what is seen before chance acts, if it does
    outcomes: Tensor | None = None  # int64 (n, K): what it does

    def only(self, rows: Tensor) -> Windows:
        """Some of them."""
        return Windows(*(None if each is None else each[rows] for each in self))  # type: ignore[arg-type]

    @property
    def unrolled_by(self) -> tuple[Tensor, ...]:
        """What the networks are given."""
        if self.afters is None or self.outcomes is None:
            return self.seen, self.actions
        return self.seen, self.actions, self.afters, self.outcomes


def mean_where(found: Tensor, mask: Tensor) -> Tensor:
    """The sum where the mask is set, divided by the number of windows."""
    return (found * mask).sum() / len(found)


def parts_of(words: Words, unrolled: Unrolled, windows: Windows, of_legal: bool) -> dict[str, Tensor]:
    """The losses by name, each added up over the steps, a mean over the windows. With `of_legal` policies are among
    legal actions, and which ones these are is learned beside them; else illegal ones are learned to be never chosen."""
    said, mirrored, apart, afters = unrolled
    stepped_to, first = (said, 1) if afters is None else (afters.said, 0)
    scores = words.policy(said)
    if of_legal:
        scores = scores.masked_fill(~windows.legal, ILLEGAL)
    cross = -(windows.policies * scores.log_softmax(-1)).sum(-1)
    stepped = windows.exists[:, :-1]  # where there was a position to step from
    found = {
        "value": mean_where((words.value(said) - windows.values).square(), windows.exists),
        "policy": mean_where(cross, windows.chooses),
        "reward": mean_where(_of_classes(words.rewards(stepped_to[:, first:]), windows.rewards), stepped),
        "relation": mean_where(_of_classes(words.relations(stepped_to[:, first:]), windows.relations), stepped),
        "apart": mean_where(apart, windows.exists[:, 1:]),
        "mirror": mean_where(_of_bits(mirrored, windows.seen), windows.exists),
    }
    if of_legal:
        found["legal"] = mean_where(_of_bits(words.legal(said), windows.legal.to(said.dtype)), windows.exists)
    return found if afters is None else _with_chance(found, words, afters, windows)


def _with_chance(found: dict[str, Tensor], words: Words, afters: Unrolled, windows: Windows) -> dict[str, Tensor]:
    """Adds what is learned of afterstates: they are worth what the next position is, on the average of all outcomes."""
    assert windows.afters is not None
    assert windows.outcomes is not None
    met = windows.exists[:, 1:]
    return {
        **found,
        "apart": found["apart"] + mean_where(afters.apart, met),
        "mirror": found["mirror"] + mean_where(_of_bits(afters.mirrored, windows.afters), met),
        "after": mean_where((words.value(afters.said) - windows.values[:, 1:]).square(), met),
        "chance": mean_where(_of_scores(words.chances(afters.said), windows.outcomes), met),
    }


def _of_bits(logits: Tensor, bits: Tensor) -> Tensor:
    """The cross-entropy of all bits together."""
    return functional.binary_cross_entropy_with_logits(logits, bits, reduction="none").sum(-1)


def _of_classes(scores: Tensor, found: Tensor) -> Tensor:
    """The cross-entropy of -1, 0, 1."""
    return _of_scores(scores, found + 1)


def _of_scores(scores: Tensor, found: Tensor) -> Tensor:
    """The cross-entropy of what was found, by its number."""
    return functional.cross_entropy(scores.movedim(-1, 1), found, reduction="none")


def total(parts: dict[str, Tensor], weights: Weights, further: Mapping[str, float], steps: int) -> Tensor:
    """The loss of all parts; `further` weighs those that were not published, `steps` is K. Afterstates count as
    positions do, and what chance does as much as what a player does."""
    of_each = {**weights._asdict(), "after": weights.value, "chance": weights.policy, **further}
    whole = torch.stack([of_each[name] * part for name, part in parts.items()]).sum()
    return whole / steps if weights.is_mean else whole
