"""What a run is trained on, and in which type: answered without Lightning, which takes seconds to load."""

from __future__ import annotations

import torch

from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.learning.settings import TrainingConfig


def precision_of(training: TrainingConfig) -> str:
    """Lightning's name of the precision; `auto` is bfloat16 where the hardware computes with it, else float32."""
    if training.precision == "auto":
        bf16_on_gpu = torch.cuda.is_bf16_supported
        fast = bf16_on_gpu(including_emulation=False) if on_gpu(training) else has_fast_bf16()
        return "bf16-mixed" if fast else "32-true"
    return {"float32": "32-true", "bfloat16": "bf16-mixed", "float16": "16-mixed"}[training.precision]


def on_gpu(training: TrainingConfig) -> bool:
    """Whether the run takes a GPU."""
    return training.accelerator != "cpu" and torch.cuda.is_available()
