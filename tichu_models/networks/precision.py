"""In which type a network's products are fastest on this machine, and who makes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


def has_fast_bf16() -> bool:
    """Whether this CPU multiplies bfloat16 as such."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def keeps_float32() -> bool:
    """Whether oneDNN, allowed to round float32 to bfloat16, does not: with AVX-512 it is only faster by AMX."""
    return torch.cpu._is_avx512_supported() and not torch.cpu._is_amx_tile_supported()


@contextmanager
def float32_by_onednn() -> Iterator[None]:
    """Products of large batches take MKL, torch's first choice, twice as long on AMD's CPUs.

    Torch hands them over only if they may be rounded to bfloat16: it is allowed where none is. The setting is that of
    the whole process, and of GPUs too, which do round; single decisions are slower by it, so it ends with the training.
    """
    before = torch.get_float32_matmul_precision()
    if keeps_float32():
        torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
