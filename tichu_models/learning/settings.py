"""What can be set of a training run, each setting documented beside its default.

The sizes of networks stand in `networks.configs`; files and presets are read in `config_files`. Needs no torch.
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
    """Which decisions are learned from."""

    spec: str | None = option(None, "the vector that is read, as play-375+counts-29; by default the network's own")
    first_month: str | None = option(None, "from when on, as 2024-01; by default all there is")
    last_month: str | None = option(None, "until when, the month included")
    source: Literal["rounds", "shards"] = option("rounds", "replayed from rounds, or read from the shards of features/")
    drop_forced: bool = option(True, "leave out decisions with one legal answer, in training only")
    balanced: bool = option(False, "weigh classes (type of the play; called or not) so that all count alike")
    validation_samples: int = option(100_000, "decisions that every validation is made on, at most", least=1)

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
    """How a network is trained. `of` names the objectives that a setting is for."""

    seed: int = option(0, "of all random numbers of the run", least=0, most=2**31)
    epochs: int = option(10, "validations; the run is planned for so many", least=1)
    epoch_samples: int | None = option(None, "samples (sequences of DTNet) in an epoch; by default all", least=1)
    batch_size: int = option(1024, "samples a step on each device", least=1)
    accumulate: int = option(1, "batches whose gradients are summed for a step", least=1)
    learning_rate: float = option(1e-3, "of AdamW, at its peak", least=0, most=1)
    weight_decay: float = option(0.01, "of AdamW, on weights but not on biases and norms", least=0, most=1)
    warm_up: float = option(
        0.05, "share of all steps in which the rate rises; then it falls as a cosine", least=0, most=1
    )
    clip: float = option(1.0, "length that a gradient is cut to", least=1e-6)
    patience: int = option(3, "epochs without a better validation loss before the run stops", least=1)
    precision: Literal["auto", "float32", "bfloat16", "float16"] = option(
        "auto", "of products; auto is bfloat16 where the hardware has it; float16 scales gradients"
    )
    accelerator: Literal["auto", "cpu", "gpu"] = option("auto", "what it runs on")
    threads: int | None = option(
        None, "of torch on a CPU; fewer than cores where others use them too", least=1, most=1024
    )
    devices: int = option(1, "how many of them; several by DDP", least=1)
    error: Literal["mse", "mae", "huber"] = option("mse", "of values", of=("value", "goal", "sequence"))
    value_weight: float = option(
        0.01,
        "of the value's error, some 2, beside the policy's loss, some 0.03, where a network has both",
        least=0,
        of=("goal", "sequence"),
    )
    success_weight: float = option(
        0.1, "of who goes out first, beside the call itself, in the loss of call nets", least=0, of=("calls",)
    )
    unknown_return: float = option(
        0.5, "share of DTNet's sequences whose return to go is left open", least=0, most=1, of=("sequence",)
    )
    rule: DecisionRule = option("sum", "decision rule that metrics use", of=("cards", "goal", "sequence"))
    checkpoint_steps: int = option(500, "steps after which the state of the run is saved, to resume from", least=1)


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All settings of one run."""

    architecture: Architecture
    network: Options
    training: TrainingConfig
    data: DataConfig

    @property
    def spec(self) -> str:
        """The vector that the network reads."""
        return self.data.spec or self.architecture.spec

    def plain(self) -> dict[str, Any]:
        """As a config file has it, without settings of other networks: they are no part of what a run is."""
        training = self.training.plain()
        mine = {name: training[name] for name in self.training.names_of(self.architecture.objective)}
        return {"network": self.network.plain(), "training": mine, "data": self.data.plain()}
