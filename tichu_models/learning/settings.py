"""The settings of a training run, each documented beside its default.

The sizes of networks are in `networks.configs`; `config_files` reads files and presets. Works without torch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from tichu_models.networks.architectures import Architecture
from tichu_models.networks.interface import DecisionRule
from tichu_models.options import OptionError, Options, option

MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, kw_only=True)
class DataConfig(Options):
    """Which decisions a network learns from."""

    spec: str | None = option(
        None, "spec of the vector that the network reads, such as play-375+counts-29; by default the network's own"
    )
    first_month: str | None = option(None, "first month of data, such as 2024-01; by default the earliest")
    last_month: str | None = option(None, "last month of data, included; by default the latest")
    source: Literal["rounds", "shards"] = option(
        "rounds", "rounds replays and encodes the rounds during training, shards reads what the stage features stored"
    )
    drop_forced: bool = option(True, "leaves out decisions with one legal answer, in training only")
    balanced: bool = option(
        False, "weights samples so that all classes count the same (type of the play; called or not)"
    )
    validation_samples: int = option(100_000, "most decisions of a validation", least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("first_month", "last_month"):
            month = getattr(self, name)
            if month is not None and not MONTH.fullmatch(month):
                raise OptionError(f"{name} = {month!r}: expected a month as 2024-01")
        if self.first_month and self.last_month and self.first_month > self.last_month:
            raise OptionError(
                f"first_month = {self.first_month!r}: expected one up to last_month = {self.last_month!r}"
            )


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(Options):
    """How a network is trained. `of` names the objectives to which a setting applies."""

    seed: int = option(0, "seed of all random numbers of the run", least=0, most=2**31)
    epochs: int = option(10, "planned epochs; each ends with a validation", least=1)
    epoch_samples: int | None = option(
        None, "samples in an epoch, for DTNet sequences; by default all there are", least=1
    )
    batch_size: int = option(1024, "samples in a batch, on each device", least=1)
    accumulate: int = option(1, "batches whose gradients are added up for one step of the optimiser", least=1)
    learning_rate: float = option(1e-3, "highest learning rate of AdamW", least=0, most=1)
    weight_decay: float = option(
        0.01, "weight decay of AdamW, for weight matrices but not for biases and norms", least=0, most=1
    )
    warm_up: float = option(
        0.05,
        "share of all steps during which the learning rate rises; after it, the rate falls as a cosine",
        least=0,
        most=1,
    )
    clip: float = option(1.0, "greatest norm of a gradient; longer ones are scaled down to it", least=1e-6)
    patience: int = option(3, "epochs without a lower validation loss after which the run stops", least=1)
    precision: Literal["auto", "float32", "bfloat16", "float16"] = option(
        "auto", "number type of matrix products; auto is bfloat16 where the hardware supports it, else float32"
    )
    accelerator: Literal["auto", "cpu", "gpu"] = option("auto", "device to train on; auto takes a GPU if there is one")
    threads: int | None = option(
        None,
        "CPU threads of torch; by default as many as torch chooses, fewer leave cores for others",
        least=1,
        most=1024,
    )
    devices: int = option(1, "number of devices; several are trained on with DDP", least=1)
    error: Literal["mse", "mae", "huber"] = option(
        "mse", "error of predicted values: squared, absolute, or Huber's", of=("value", "goal", "sequence")
    )
    value_weight: float = option(
        0.01,
        "weight of the value's error in the loss of a network with policy and value; the error is some 2, the policy's "
        "loss some 0.03",
        least=0,
        of=("goal", "sequence"),
    )
    success_weight: float = option(
        0.1,
        "weight of who goes out first in the loss of the networks for announcements; the call itself has 1",
        least=0,
        of=("calls",),
    )
    unknown_return: float = option(
        0.5, "share of sequences whose return to go is left open in training", least=0, most=1, of=("sequence",)
    )
    rule: DecisionRule = option(
        "sum",
        "decision rule of the metrics: how the outputs for cards become the score of a move",
        of=("cards", "goal", "sequence"),
    )
    checkpoint_steps: int = option(
        500, "steps of the optimiser between two saved states, from which a run can be resumed", least=1
    )


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All settings of one run."""

    architecture: Architecture
    network: Options
    training: TrainingConfig
    data: DataConfig

    @property
    def spec(self) -> str:
        """The spec of the vector that the network reads."""
        return self.data.spec or self.architecture.spec

    def plain(self) -> dict[str, Any]:
        """The settings as plain data, without those that do not apply to the network's objective."""
        training = self.training.plain()
        mine = {name: training[name] for name in self.training.names_of(self.architecture.objective)}
        return {"network": self.network.plain(), "training": mine, "data": self.data.plain()}
