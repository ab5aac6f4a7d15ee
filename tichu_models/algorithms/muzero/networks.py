"""The networks of MuZero in one module: what a position is (representation), what becomes of it by an action
(dynamics), and what is said of it (prediction).

A latent position is a vector without rules in it, as its mover sees it. All that is said of it comes out of one layer,
`Words` says where. Rewards and relations are those of the step that has led to a position; of a root they mean nothing.
While they learn, the imagined positions are held against those that were seen: in what could be seen in them, in the
latent position itself, and in its value. Outcomes of games are too noisy to teach the dynamics what an action changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from tichu_models.algorithms.blocks import Block

CLASSES = 3  # of rewards and of relations: -1, 0, 1
HALF = 0.5  # of the gradient goes back through each step of the dynamics
SHARP = 4.0  # how sure the networks are in the beginning of what is seen, as a logit
OF_VALUES = 100.0  # what the distance of values counts, beside that of latent positions


@dataclass(frozen=True)
class Sizes:
    """How large the networks are."""

    latent: int = 256
    hidden: int = 256
    blocks: int = 0  # residual blocks of each of the three networks
    dropout: float = 0.0  # in them, while they learn


@dataclass(frozen=True)
class Words:
    """Where everything is in what is said of a position."""

    actions: int
    outcomes: int = 0  # of chance

    @property
    def width(self) -> int:
        """How many numbers are said."""
        return 1 + 2 * CLASSES + 2 * self.actions + self.outcomes

    def value(self, said: Tensor) -> Tensor:
        """The value for the side that moves: -1 to 1."""
        return said[..., 0].tanh()

    def rewards(self, said: Tensor) -> Tensor:
        """Scores of the rewards -1, 0, 1, of the side that made the step."""
        return said[..., 1 : 1 + CLASSES]

    def relations(self, said: Tensor) -> Tensor:
        """Scores of the relations: the other side moves now, nobody, the same one."""
        return said[..., 1 + CLASSES : 1 + 2 * CLASSES]

    def policy(self, said: Tensor) -> Tensor:
        """Scores of the actions."""
        return said[..., 1 + 2 * CLASSES : 1 + 2 * CLASSES + self.actions]

    def legal(self, said: Tensor) -> Tensor:
        """Whether each action is legal, as a logit."""
        return said[..., 1 + 2 * CLASSES + self.actions : self.width - self.outcomes]

    def chances(self, said: Tensor) -> Tensor:
        """Scores of the outcomes of chance, of an afterstate."""
        return said[..., self.width - self.outcomes :]


class Unrolled(NamedTuple):
    """What a window of steps looks like to the networks."""

    said: Tensor  # (n, 1 + steps, ..)
    mirrored: Tensor  # (n, 1 + steps, inputs): what is thought to be seen, as logits
    apart: Tensor  # (n, steps): how far what is imagined is from what is seen
    afters: Unrolled | None = None  # the same of the afterstates, of which there are as many as steps


def half(latent: Tensor) -> Tensor:
    """The same, with a part of its gradient."""
    return HALF * latent + (1 - HALF) * latent.detach()


class ByAction(nn.Module):
    """A linear map of its own for each action: what an action moves, it moves in all positions alike."""

    def __init__(self, actions: int, width: int) -> None:
        super().__init__()
        self.maps = nn.ParameterList(torch.zeros(width, width) for _ in range(actions))

    def forward(self, latent: Tensor, actions: Tensor) -> Tensor:
        order = actions.argsort(stable=True)
        numbers = torch.bincount(actions, minlength=len(self.maps)).tolist()
        parts = zip(latent[order].split(numbers), self.maps, strict=True)
        moved = torch.cat([part @ each for part, each in parts if len(part)])
        return moved[order.argsort()]


class MuZeroNet(nn.Module):
    """All three networks."""

    def __init__(self, inputs: int, actions: int, sizes: Sizes, outcomes: int = 0) -> None:
        super().__init__()
        latent, hidden = sizes.latent, sizes.hidden
        self.words, self.inputs, self.latent = Words(actions, outcomes), inputs, latent

        def blocks() -> list[nn.Module]:
            return [Block(hidden, sizes.dropout) for _ in range(sizes.blocks)]

        self.straight = nn.Linear(inputs, latent)
        self.reader = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), *blocks(), nn.Linear(hidden, latent))
        # Mostly the table is turned round, since another side moves. An action says how far, and what it moves itself;
        # the hidden layer sees both, for what comes of it: a pin that is hit, say.
        self.turn, self.keep = nn.Linear(latent, latent, bias=False), nn.Embedding(actions, latent)
        self.by_action, self.shift = ByAction(actions, latent), nn.Embedding(actions, hidden)
        self.enter = nn.Linear(2 * latent, hidden)
        self.leave = nn.Sequential(*blocks(), nn.Linear(hidden, latent))
        self.trunk = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), *blocks())
        self.speaker = nn.Linear(hidden, self.words.width)
        self.mirror = nn.Linear(latent, inputs)
        nn.init.zeros_(self.keep.weight)
        nn.init.normal_(self.shift.weight, std=0.5)
        nn.init.eye_(self.turn.weight)
        self._mirror_what_is_seen()

    @torch.no_grad()
    def _mirror_what_is_seen(self) -> None:
        """Begins with latent positions that are what is seen, if there is room: nothing has to be found first by which
        positions can be told apart, and what an action changes are few numbers. The rest begins at 0."""
        if self.latent < self.inputs:
            nn.init.orthogonal_(self.straight.weight)
        else:
            nn.init.eye_(self.straight.weight)
        self.mirror.weight.copy_(SHARP * self.straight.weight.T)
        self.mirror.bias.fill_(-SHARP)
        for last in (self.reader[-1], self.leave[-1], self.speaker):
            assert isinstance(last, nn.Linear)
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def _tidy(self, latent: Tensor) -> Tensor:
        return functional.layer_norm(latent, (self.latent,))

    def represent(self, seen: Tensor) -> Tensor:
        """Latent positions of what is seen."""
        return self._tidy(self.straight(seen) + self.reader(seen))

    def go_on(self, latent: Tensor, actions: Tensor) -> Tensor:
        """Latent positions after an action in each."""
        moved = self.by_action(latent, actions)
        hidden = (self.enter(torch.cat((latent, moved), dim=-1)) + self.shift(actions)).relu()
        turned = torch.lerp(self.turn(latent), latent, self.keep(actions).sigmoid())
        return self._tidy(turned + moved + self.leave(hidden))

    def say(self, latent: Tensor) -> Tensor:
        """What is said of latent positions."""
        return self.speaker(self.trunk(latent))

    def forward(self, seen: Tensor, actions: Tensor) -> Unrolled:
        """Of the first of some positions (n, 1 + steps, inputs), and of those that are imagined after it by the actions
        (n, steps)."""
        latents = [self.represent(seen[:, 0])]
        for k in range(actions.shape[1]):
            latents.append(self.go_on(half(latents[-1]), actions[:, k]))
        together = torch.stack(latents, dim=1)
        apart = self.apart(together, seen, 1)
        return Unrolled(self.say(together), self.mirror(together), apart)

    def apart(self, latents: Tensor, seen: Tensor, first: int) -> Tensor:
        """How far imagined positions, those of a window from a place on, are from those that were seen."""
        # Contiguous, or a layer would copy its weights for each window.
        latents, seen = latents[:, first:].contiguous(), seen[:, first:].contiguous()
        with torch.no_grad():
            true = self.represent(seen)
            values = self._value(true)
        return (latents - true).square().mean(-1) + OF_VALUES * (self._value(latents) - values).square()

    def _value(self, latent: Tensor) -> Tensor:
        """The value of latent positions, from which only these learn: if the last layers learned as well, they would
        run after themselves."""
        trunk = {name: each.detach() for name, each in self.trunk.named_parameters()}
        weight, bias = self.speaker.weight[:1].detach(), self.speaker.bias[:1].detach()
        return functional.linear(functional_call(self.trunk, trunk, (latent,)), weight, bias)[..., 0].tanh()
