"""Text by the word: what a processor does with eight or sixteen bytes at once, for which Numba has no name.

All read behind the place they are given; a text must go on for OVERHANG bytes behind its end. What the bytes mean
does not belong here.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from tichu_models.kernels import JIT_IS_OFF

OVERHANG = 32
LINE_FEED, SPACE, COLON = 10, 32, 58
WIDTH = 16
_BYTE, _WORD, _BLOCK = ir.IntType(8), ir.IntType(64), ir.VectorType(ir.IntType(8), WIDTH)


def _load(context: Any, builder: Any, array: Any, args: Any, kind: Any) -> Any:
    """Loads a value of this kind from a place of a byte array (args: array, place), whatever its alignment."""
    value, at = args
    data = context.make_array(array)(context, builder, value).data
    place = builder.bitcast(builder.gep(data, [at]), kind.as_pointer())
    return builder.load(place, align=1)


def _all(byte: int) -> Any:
    return ir.Constant(_BLOCK, [byte] * WIDTH)


def _first(context: Any, builder: Any, found: Any) -> Any:
    """Position of the first lane that is true, WIDTH if none is."""
    lanes = builder.zext(builder.bitcast(found, ir.IntType(WIDTH)), _WORD)
    return builder.cttz(builder.or_(lanes, ir.Constant(_WORD, 1 << WIDTH)), ir.Constant(ir.IntType(1), 1))


if JIT_IS_OFF:

    def word_at(text, at):
        return int.from_bytes(bytes(text[at : at + 8]), "little", signed=True)

    def before_name_ends(text, at):
        return next((i for i in range(WIDTH) if text[at + i] <= SPACE or text[at + i] == COLON), WIDTH)

    def before_line_ends(text, at):
        return next((i for i in range(WIDTH) if text[at + i] == LINE_FEED), WIDTH)

    def copy_bytes(target, to, source, start, n):
        target[to : to + n] = source[start : start + n]

else:

    @intrinsic
    def word_at(_, text, at):
        """Eight bytes from a place on, the first in the lowest bits."""

        def generate(context, builder, signature, args):
            return _load(context, builder, signature.args[0], args, _WORD)

        return types.int64(text, types.int64), generate

    @intrinsic
    def before_name_ends(_, text, at):
        """How many bytes stand before the first white space or colon; WIDTH if none is near."""

        def generate(context, builder, signature, args):
            block = _load(context, builder, signature.args[0], args, _BLOCK)
            blank = builder.icmp_unsigned("<=", block, _all(SPACE))
            colon = builder.icmp_unsigned("==", block, _all(COLON))
            return _first(context, builder, builder.or_(blank, colon))

        return types.int64(text, types.int64), generate

    @intrinsic
    def before_line_ends(_, text, at):
        """How many bytes stand before the first line feed; WIDTH if none is near."""

        def generate(context, builder, signature, args):
            block = _load(context, builder, signature.args[0], args, _BLOCK)
            return _first(context, builder, builder.icmp_unsigned("==", block, _all(LINE_FEED)))

        return types.int64(text, types.int64), generate

    @intrinsic
    def copy_bytes(_, target, to, source, start, n):
        """Copies n bytes from one array to another."""

        def generate(context, builder, signature, args):
            target_kind, _to, source_kind, _start, _n = signature.args
            into = context.make_array(target_kind)(context, builder, args[0]).data
            out_of = context.make_array(source_kind)(context, builder, args[2]).data
            cgutils.raw_memcpy(builder, builder.gep(into, [args[1]]), builder.gep(out_of, [args[3]]), args[4], 1)
            return context.get_dummy_value()

        return types.void(target, types.int64, source, types.int64, types.int64), generate
