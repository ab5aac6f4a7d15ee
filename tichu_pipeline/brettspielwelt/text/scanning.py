"""Text by the word: what a processor does with eight or sixteen bytes at once, for which Numba has no name.

A text is an address; whoever takes it keeps the bytes alive. All read behind the place that they are given, up to
OVERHANG bytes behind the text's end. What the bytes mean does not belong here.
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
    """Loads a value of this kind from a place of a text (args: address, place), whatever its alignment."""
    return builder.load(builder.inttoptr(builder.add(*args), kind.as_pointer()), align=1)


def _all(byte: int) -> Any:
    return ir.Constant(_BLOCK, [byte] * WIDTH)


def _first(builder: Any, found: Any) -> Any:
    """Position of the first lane that is true, WIDTH if none is."""
    lanes = builder.zext(builder.bitcast(found, ir.IntType(WIDTH)), _WORD)
    return builder.cttz(builder.or_(lanes, ir.Constant(_WORD, 1 << WIDTH)), ir.Constant(ir.IntType(1), 1))


if JIT_IS_OFF:

    def byte_at(text, at):
        return ctypes.string_at(int(text + at), 1)[0]

    def word_at(text, at):
        return int.from_bytes(ctypes.string_at(int(text + at), 8), "little", signed=True)

    def before_name_ends(text, at):
        return next(
            (i for i in range(WIDTH) if byte_at(text, at + i) <= SPACE or byte_at(text, at + i) == COLON), WIDTH
        )

    def before_line_ends(text, at):
        return next((i for i in range(WIDTH) if byte_at(text, at + i) == LINE_FEED), WIDTH)

else:

    @intrinsic
    def byte_at(_, text, at):
        """The byte at a place."""

        def generate(context, builder, signature, args):
            return builder.zext(_load(builder, args, _BYTE), _WORD)

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def word_at(_, text, at):
        """Eight bytes from a place on, the first in the lowest bits."""

        def generate(context, builder, signature, args):
            return _load(builder, args, _WORD)

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def before_name_ends(_, text, at):
        """How many bytes stand before the first space, control character or colon; WIDTH if none is near."""

        def generate(context, builder, signature, args):
            block = _load(builder, args, _BLOCK)
            blank = builder.icmp_unsigned("<=", block, _all(SPACE))
            colon = builder.icmp_unsigned("==", block, _all(COLON))
            return _first(builder, builder.or_(blank, colon))

        return types.int64(types.int64, types.int64), generate

    @intrinsic
    def before_line_ends(_, text, at):
        """How many bytes stand before the first line feed; WIDTH if none is near."""

        def generate(context, builder, signature, args):
            block = _load(builder, args, _BLOCK)
            return _first(builder, builder.icmp_unsigned("==", block, _all(LINE_FEED)))

        return types.int64(types.int64, types.int64), generate
