"""A network that learns, its steps of gradient, and the minibatches and random numbers of its training."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from lightning.fabric import Fabric
from torch import Tensor, nn

from tichu_models.algorithms.precision import has_fast_bf16

GRADIENT_NORM = 0.5  # longer gradients are shortened to it
ADAM_EPSILON = 1e-5
WEIGHTS, ADAM = "weights.", "adam."  # how the names of a student's tensors begin


class LossError(ArithmeticError):
    """A loss, or its gradient, that is no number."""


def fabric_of_cpu(is_float32: bool = False) -> Fabric:
    """A Fabric on the CPU, in the number type in which it is fastest, or in float32."""
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)  # they name their precision
    fast = has_fast_bf16() and not is_float32
    return Fabric(accelerator="cpu", devices=1, precision="bf16-mixed" if fast else "32-true")


class Student:
    """A network that learns, with its optimiser, on the one device and in the precision of a Lightning Fabric.

    What changes are the weights, the moments of Adam and the learning rate, which whoever resumes a training sets anew.
    """

    def __init__(self, fabric: Fabric, network: nn.Module, rate: float, decay: float = 0.0) -> None:
        self.fabric, self.network = fabric, network
        kind = torch.optim.AdamW if decay else torch.optim.Adam
        optimiser = kind(network.parameters(), lr=rate, eps=ADAM_EPSILON, weight_decay=decay, fused=True)
        # Fabric's module would turn every input into float32 and back: `ask` needs its precision alone.
        _, self.optimiser = fabric.setup(network, optimiser)

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return self.fabric.device

    def ask(self, *inputs: Tensor) -> Any:
        """Runs the network in that precision."""
        with self.fabric.autocast():
            return self.network(*inputs)

    def set_rate(self, rate: float) -> None:
        """Sets the learning rate."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def step(self, loss: Tensor) -> None:
        """One step of gradient. A loss that is no number changes nothing and is an error."""
        self._check("loss", loss)
        self.optimiser.zero_grad(set_to_none=True)
        self.fabric.backward(loss)
        self._check("gradient", nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM))
        self.optimiser.step()

    def _check(self, name: str, number: Tensor) -> None:
        if not math.isfinite(number.item()):
            raise LossError(
                f"the {name} of {type(self.network).__name__} is {number.item()}; expected a number: look for a result "
                "or a weight that is none, or take a lower learning rate"
            )

    def tensors(self) -> dict[str, Tensor]:
        """Copies of the weights and of the optimiser's moments, by name."""
        tensors = {WEIGHTS + name: tensor for name, tensor in self.network.state_dict().items()}
        for place, moments in self.optimiser.state_dict()["state"].items():
            tensors |= {f"{ADAM}{place}.{name}": tensor for name, tensor in moments.items()}
        return {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Restores what `tensors` gave."""
        weights = {name.removeprefix(WEIGHTS): each for name, each in tensors.items() if name.startswith(WEIGHTS)}
        self.network.load_state_dict(weights)
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith(ADAM):
                place, moment = name.removeprefix(ADAM).split(".")
                state.setdefault(int(place), {})[moment] = tensor.clone()
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})


def fit(
    student: Student,
    targets: np.ndarray,
    values: Callable[[np.ndarray], Tensor],
    rows: np.ndarray,
    batch: int,
    generator: np.random.Generator,
) -> float:
    """One epoch of regression over some rows: `values` runs the student's network on rows, and the squared distance to
    their targets (float32) is its loss. Returns the mean loss, each minibatch's before its step."""
    total = 0.0
    for part in minibatches(len(rows), batch, generator):
        chosen = rows[part]
        loss = nn.functional.mse_loss(values(chosen).float(), torch.from_numpy(targets[chosen]).to(student.device))
        student.step(loss)
        total += loss.item() * len(part)
    return total / max(len(rows), 1)


def minibatches(n: int, size: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """All of n rows in random order, in parts of nearly equal size, `size` at most, each in ascending order."""
    if n:
        for part in np.array_split(generator.permutation(n), -(-n // size)):
            yield np.sort(part)


def between(begin: float, end: float, share: float) -> float:
    """A number that goes from begin to end while the share goes from 0 to 1: geometrically if both are above 0, else in
    equal steps."""
    share = min(max(share, 0.0), 1.0)
    return begin * (end / begin) ** share if begin > 0 and end > 0 else begin + (end - begin) * share


def generator_of(*numbers: int) -> np.random.Generator:
    """Random numbers that depend on these whole numbers alone, so that a run that is resumed draws the same. Zeros at
    the end do not count."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(numbers)))
