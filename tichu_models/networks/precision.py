"""In which type a network's products are fastest on this machine."""

from __future__ import annotations

import torch


def has_fast_bf16() -> bool:
    """Whether this CPU multiplies bfloat16 as such."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
