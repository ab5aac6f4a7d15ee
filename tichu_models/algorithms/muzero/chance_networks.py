"""The networks of stochastic MuZero (Antonoglou et al. 2022), for games in which chance acts between two actions.

The dynamics is in two parts: an action leads to an afterstate, of which is said what it is worth and how likely each
outcome of chance is; an outcome leads from there to the next position. Outcomes are those of the game, by their
numbers. An afterstate is a latent position as others: it is seen by who moves next, and held against what the game
shows before chance acts. Rewards and whose turn it is are said of it, since chance changes neither.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tichu_models.algorithms.muzero.networks import MuZeroNet, Sizes, Unrolled, half


class ChanceNet(MuZeroNet):
    """All networks of a game with so many outcomes of chance."""

    def __init__(self, inputs: int, actions: int, sizes: Sizes, outcomes: int) -> None:
        super().__init__(inputs, actions, sizes, outcomes)
        latent, hidden = sizes.latent, sizes.hidden
        self.thrown, self.shift_by_chance = nn.Embedding(outcomes, latent), nn.Embedding(outcomes, hidden)
        self.enter_chance, self.leave_chance = nn.Linear(latent, hidden), nn.Linear(hidden, latent)
        nn.init.normal_(self.shift_by_chance.weight, std=0.5)
        for weight in (self.thrown.weight, self.leave_chance.weight, self.leave_chance.bias):
            nn.init.zeros_(weight)

    def meet(self, latent: Tensor, outcomes: Tensor) -> Tensor:
        """Latent positions after an outcome of chance in each afterstate."""
        hidden = (self.enter_chance(latent) + self.shift_by_chance(outcomes)).relu()
        return self._tidy(latent + self.thrown(outcomes) + self.leave_chance(hidden))

    def forward(  # type: ignore[override]
        self, seen: Tensor, actions: Tensor, afters: Tensor, outcomes: Tensor
    ) -> Unrolled:
        """Likewise, by the actions and the outcomes (n, steps) after them; `afters` (n, steps, inputs) is what was seen
        between the two."""
        latents, between = [self.represent(seen[:, 0])], []
        for k in range(actions.shape[1]):
            between.append(self.go_on(half(latents[-1]), actions[:, k]))
            latents.append(self.meet(half(between[-1]), outcomes[:, k]))
        positions, chances = torch.stack(latents, dim=1), torch.stack(between, dim=1)
        return Unrolled(
            self.say(positions),
            self.mirror(positions),
            self.apart(positions, seen, 1),
            Unrolled(self.say(chances), self.mirror(chances), self.apart(chances, afters, 0)),
        )


def network_of(inputs: int, actions: int, sizes: Sizes, outcomes: int) -> MuZeroNet:
    """The networks of a game, with chance or without."""
    return ChanceNet(inputs, actions, sizes, outcomes) if outcomes else MuZeroNet(inputs, actions, sizes)
