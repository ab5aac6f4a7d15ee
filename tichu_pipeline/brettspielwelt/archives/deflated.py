"""Inflates compressed members, a whole chunk in one call, directly into the output buffer.

A kernel calls libdeflate without the interpreter: two calls a member through the interpreter cost two threads half of
their time in waiting for each other. libdeflate comes with the `deflate` package. Without it, or without compiled
kernels, `zlib` does the same at a third of the speed; a test checks that both give equal results. `zip_members` finds
the members and checks their headers.
"""

from __future__ import annotations

import ctypes
import zlib
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import binding
from numba.core.types import ExternalFunction, int32, intp, uint32, void

from tichu_models.kernels import kernel

try:
    import deflate
except ImportError:
    deflate = None  # type: ignore[assignment]

DONE, NOT_INFLATED, WRONG_CHECKSUM = 0, 1, 2  # status of a member

# The C interface of libdeflate, with pointers and sizes as signed integers: kernels would turn unsigned ones into
# floats. The arguments of decompress: decompressor, input, its size, output, its size, null (the size must be exact).
_SIGNATURES: dict[str, Any] = {
    "libdeflate_alloc_decompressor": intp(),
    "libdeflate_deflate_decompress": int32(intp, intp, intp, intp, intp, intp),
    "libdeflate_crc32": uint32(uint32, intp, intp),
    "libdeflate_free_decompressor": void(intp),
}
_FUNCTIONS: list[Any] = [ExternalFunction(name, signature) for name, signature in _SIGNATURES.items()]
_allocate, _decompress, _checksum, _free = _FUNCTIONS


def _load() -> bool:
    """Makes libdeflate's functions known to the linker of kernels; False if libdeflate is missing."""
    if deflate is None or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    library = ctypes.CDLL(deflate._deflate.__file__)
    if not all(hasattr(library, name) for name in _SIGNATURES):
        return False
    for name in _SIGNATURES:
        binding.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return True


NATIVE = _load()


def unpack(
    block: npt.NDArray[np.uint8],
    at: npt.NDArray[np.int64],
    compressed: npt.NDArray[np.int64],
    stored: npt.NDArray[np.bool_],
    crcs: npt.NDArray[np.uint32],
    out: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
) -> npt.NDArray[np.uint8]:
    """Writes each member's content to its start in `out`; returns a status for each.

    Member i has `compressed[i]` bytes from `at[i]` on in `block`, and `sizes[i]` bytes from `starts[i]` on in `out`.
    Both ranges must lie inside the arrays, and the two sizes of a stored member must be equal. Nothing is written
    beyond a member's size.
    """
    status = np.empty(len(at), np.uint8)
    if len(at):
        (_unpack_native if NATIVE else _unpack_zlib)(block, at, compressed, stored, crcs, out, starts, sizes, status)
    return status


@kernel
def _unpack_native(
    block: np.ndarray,
    at: np.ndarray,
    compressed: np.ndarray,
    stored: np.ndarray,
    crcs: np.ndarray,
    out: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    status: np.ndarray,
) -> None:
    """`unpack` by libdeflate, which fills in `status`."""
    decompressor = _allocate()
    if not decompressor:
        raise MemoryError
    for member in range(len(at)):
        source = np.intp(block.ctypes.data) + at[member]
        target = np.intp(out.ctypes.data) + starts[member]
        if stored[member]:
            start, end = starts[member], starts[member] + sizes[member]
            out[start:end] = block[at[member] : at[member] + sizes[member]]
        elif _decompress(decompressor, source, compressed[member], target, sizes[member], 0):
            status[member] = NOT_INFLATED
            continue
        right = _checksum(0, target, sizes[member]) == crcs[member]
        status[member] = DONE if right else WRONG_CHECKSUM
    _free(decompressor)


def _unpack_zlib(
    block: np.ndarray,
    at: np.ndarray,
    compressed: np.ndarray,
    stored: np.ndarray,
    crcs: np.ndarray,
    out: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    status: np.ndarray,
) -> None:
    """`unpack` by zlib, which fills in `status`."""
    source, target = block.data, out.data
    columns = zip(
        at.tolist(),
        compressed.tolist(),
        stored.tolist(),
        crcs.tolist(),
        starts.tolist(),
        sizes.tolist(),
        strict=True,
    )
    for member, (start, length, plain, crc, to, size) in enumerate(columns):
        content: bytes | memoryview = source[start : start + length]
        if not plain:
            stream = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                content = stream.decompress(content, size + 1)
            except zlib.error:
                status[member] = NOT_INFLATED
                continue
            if len(content) != size or not stream.eof:
                status[member] = NOT_INFLATED
                continue
        target[to : to + size] = content
        status[member] = DONE if zlib.crc32(content) == crc else WRONG_CHECKSUM
