"""Reads a text eight or sixteen bytes at a time, by machine instructions that Numba has no function for.

A text is the address of its first byte; the caller keeps the bytes alive. Every function may read beyond the place it
is given, up to OVERHANG bytes after the end of the text. `tokens` says what the bytes mean.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.ir as ir
from numba.core import types
from numba.extending import intrinsic

from tichu_models.kernels import JIT_IS_OFF

LINE_FEED, SPACE, COLON = 10, 32, 58
WIDTH = 16
_BYTE, _WORD, _BLOCK = ir.IntType(8), ir.IntType(64), ir.VectorType(ir.IntType(8), WIDTH)


def _load(builder: Any, args: Any, kind: Any) -> Any:
    """Loads a value of this kind from a text, whatever its alignment. `args` are the address and the place."""
    return builder.load(builder.inttoptr(builder.add(*args), kind.as_pointer()), align=1)


def _all(byte: int) -> Any:
    """A block in which every lane is this byte."""
    return ir.Constant(_BLOCK, [byte] * WIDTH)


def _first(builder: Any, block: Any) -> Any:
    """Position of the first lane that is true, WIDTH if none is."""
    lanes = builder.zext(builder.bitcast(block, ir.IntType(WIDTH)), _WORD)
    return builder.cttz(builder.or_(lanes, ir.Constant(_WORD, 1 << WIDTH)), ir.Constant(ir.IntType(1), 1))


if JIT_IS_OFF:

    def byte_at(address: int, at: int) -> int:
        return ctypes.string_at(int(address + at), 1)[0]

    def word_at(address: int, at: int) -> int:
        return int.from_bytes(ctypes.string_at(int(address + at), 8), "little", signed=True)

    def before_name_ends(address: int, at: int) -> int:
        return next(
            (i for i in range(WIDTH) if byte_at(address, at + i) <= SPACE or byte_at(address, at + i) == COLON), WIDTH
        )

    def before_line_ends(address: int, at: int) -> int:
        return next((i for i in range(WIDTH) if byte_at(address, at + i) == LINE_FEED), WIDTH)

else:

    @intrinsic
    def byte_at(_, address, at):
        """The byte at a place."""

        def generate(context, builder, signature, args):
            return builder.zext(_load(builder, args, _BYTE), _WORD)

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def word_at(_, address, at):
        """Eight bytes from a place on, the first in the lowest bits."""

        def generate(context, builder, signature, args):
            return _load(builder, args, _WORD)

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def before_name_ends(_, address, at):
        """The number of bytes before the first space, control character or colon; WIDTH if the block has none."""

        def generate(context, builder, signature, args):
            block = _load(builder, args, _BLOCK)
            blank = builder.icmp_unsigned("<=", block, _all(SPACE))
            colon = builder.icmp_unsigned("==", block, _all(COLON))
            return _first(builder, builder.or_(blank, colon))

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def before_line_ends(_, address, at):
        """The number of bytes before the first line feed; WIDTH if the block has none."""

        def generate(context, builder, signature, args):
            block = _load(builder, args, _BLOCK)
            return _first(builder, builder.icmp_unsigned("==", block, _all(LINE_FEED)))

        return types.int64(types.int64, types.int64), generate
