"""How torch calculates fastest on this machine: in which number type, by which library, with how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


def has_fast_bf16() -> bool:
    """Whether this CPU has instructions for products of bfloat16."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def keeps_float32() -> bool:
    """Whether allowing oneDNN to round float32 to bfloat16 changes no bit: so it is with AVX-512 without AMX."""
    return torch.cpu._is_avx512_supported() and not torch.cpu._is_amx_tile_supported()


@contextmanager
def float32_by_onednn() -> Iterator[None]:
    """Lets oneDNN multiply float32 matrices: MKL, torch's default, takes twice as long for large batches on AMD's CPUs.

    Torch uses oneDNN only if rounding to bfloat16 is allowed; it is allowed here only where that changes no bit. The
    setting holds for the whole process and for GPUs, which do round, and makes single decisions slower; it is therefore
    undone at the end of the training.
    """
    before = torch.get_float32_matmul_precision()
    if keeps_float32():
        torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def use_one_thread() -> None:
    """As `one_thread`, for good: how a thread begins that calculates."""
    torch.set_num_threads(1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Lets torch calculate with one thread, as far as the calling thread is concerned: in small batches more of them
    would wait for each other, or take a core that has something else to do."""
    threads = torch.get_num_threads()
    use_one_thread()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
