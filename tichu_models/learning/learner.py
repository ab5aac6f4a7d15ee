"""`Learner`, a network in training for Lightning: its loss, its optimiser, its figures after every epoch.

`objectives` defines losses and metrics, `training` runs the training and keeps its files.
"""

from __future__ import annotations

import math
from typing import Any

import lightning
import torch
from torch import Tensor

from tichu_models.learning.metrics.tally import Metric, Tally
from tichu_models.learning.objectives import objective
from tichu_models.learning.settings import RunConfig
from tichu_models.networks.architectures import build
from tichu_models.samples.batches import Batch


class NotFiniteError(ArithmeticError):
    """A loss that is not finite: all later weights would not be either."""


class Learner(lightning.LightningModule):
    """A network with AdamW, whose rate warms up and falls as a cosine. Its figures are `val_loss`, `val_top1`, .."""

    def __init__(self, config: RunConfig, inputs: int, steps: int) -> None:
        super().__init__()
        self.config = config
        self.steps = steps  # steps of the optimiser that are planned for the run
        self.objective = objective(config.architecture.objective, config.training)
        self.network = build(config.architecture.name, inputs, config.network)
        self.figures: dict[str, float] = {}  # of the last validation
        self.latest_loss: Tensor | None = None  # of the latest step; Lightning's log would take 3% of its time
        self._tallies: dict[str, Tally] = {}
        self._metrics: dict[str, Metric] = {}
        self._randomness: dict[str, Any] | None = None

    def training_step(self, batch: Batch, _: int) -> Tensor:
        loss = _mean(self._losses(batch)[1], batch.weight)
        if not loss.isfinite():
            raise NotFiniteError(
                f"loss is {loss.item()} at step {self.global_step} of epoch {self.current_epoch}, learning rate "
                f"{self.optimizers().param_groups[0]['lr']:.2g}; what was saved before stays. "  # type: ignore[union-attr]
                "Try a lower training.learning_rate, or training.precision=float32"
            )
        self.latest_loss = loss.detach()
        return loss

    def on_validation_epoch_start(self) -> None:
        self._metrics = self.objective.metrics()
        self._tallies = {"loss": Tally()}

    def validation_step(self, batch: Batch, _: int) -> None:
        answer, losses = self._losses(batch)
        weight = batch.weight.double()
        self._tallies["loss"].add("loss", torch.stack([(losses.double() * weight).sum(), weight.sum()]))
        self.objective.measure(self.network, answer, batch, self._metrics)

    def on_validation_epoch_end(self) -> None:
        for tally in (*self._tallies.values(), *(metric.tally for metric in self._metrics.values())):
            self._sum_over_processes(tally)
        total, weight = self._tallies["loss"]["loss"]
        self.figures = {"val_loss": float(total / weight) if weight else math.nan}
        for prefix, metric in self._metrics.items():
            self.figures |= {f"val_{prefix}{name}": value for name, value in metric.figures().items()}
        self.log("val_loss", self.figures["val_loss"])

    def configure_optimizers(self) -> Any:
        training = self.config.training
        matrices = [p for p in self.network.parameters() if p.ndim > 1]
        others = [p for p in self.network.parameters() if p.ndim <= 1]
        groups = [{"params": matrices, "weight_decay": training.weight_decay}, {"params": others, "weight_decay": 0.0}]
        # A fused optimiser would unscale the gradients of float16 by itself, after they are clipped.
        optimizer = torch.optim.AdamW(groups, lr=training.learning_rate, fused=training.precision != "float16")
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, self.rate_at)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def configure_gradient_clipping(self, optimizer: Any, *_: Any, **__: Any) -> None:
        """Clips gradients. Lightning's own clipping refuses fused optimisers, even if no gradients are scaled."""
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.training.clip)

    def rate_at(self, step: int) -> float:
        """The factor of the learning rate: it rises linearly in the warm-up, then falls as a cosine to 0."""
        rising = self.config.training.warm_up * self.steps
        if step < rising:
            return (step + 1) / (rising + 1)
        return 0.5 * (1 + math.cos(math.pi * min((step - rising) / max(self.steps - rising, 1), 1)))

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Saves the state of the random generators, so that a resumed run drops the same neurons."""
        checkpoint["randomness"] = {"cpu": torch.get_rng_state()}
        if torch.cuda.is_available():
            checkpoint["randomness"]["cuda"] = torch.cuda.get_rng_state()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self._randomness = checkpoint["randomness"]

    def on_train_start(self) -> None:
        if self._randomness:
            torch.set_rng_state(self._randomness["cpu"].cpu())
            if "cuda" in self._randomness and torch.cuda.is_available():
                torch.cuda.set_rng_state(self._randomness["cuda"].cpu())

    def _losses(self, batch: Batch) -> tuple[Any, Tensor]:
        """The network's answer and the loss of each decision."""
        answer = self.objective.answer(self.network, batch)
        return answer, self.objective.losses(answer, batch)

    def _sum_over_processes(self, tally: Tally) -> None:
        """Adds up a tally over all devices."""
        if self.trainer.world_size > 1:
            for name, value in tally.sums.items():
                gathered = self.all_gather(torch.as_tensor(value, device=self.device))
                tally.sums[name] = gathered.sum(0).cpu().numpy()  # type: ignore[union-attr]


def _mean(losses: Tensor, weight: Tensor) -> Tensor:
    """The weighted mean of losses."""
    return (losses * weight).sum() / weight.sum().clamp(min=1e-6)
