"""How a plain function becomes machine code: the decorator `kernel`, its four companions, and a few intrinsics.

Every module with hot code imports `kernel` from here and nothing from Numba. Where compiled code is kept is
`kernel_cache`; what the kernels compute does not belong here.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import uuid4

import llvmlite.binding
import llvmlite.ir
import numba
import numpy as np
from llvmlite.binding import Linkage
from numba.core import cgutils, config, types
from numba.core.codegen import CPUCodeLibrary
from numba.extending import intrinsic

from tichu_models.kernel_cache import KernelCache

njit: Any = numba.njit

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class _Kind(NamedTuple):
    """How a kernel is compiled."""

    is_inner: bool = False
    is_vectorised: bool = False


def _as_kernel(kind: _Kind, **options: Any) -> Any:
    def decorate(function: Any) -> Any:
        compiled = njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
        if not JIT_IS_OFF:
            compiled._cache = KernelCache(function)
            _compile_once(compiled)
            _note_what_compiles(compiled, kind)
        return compiled

    return decorate


_compiling: list[_Kind] = []  # the kinds of the kernels that are being compiled, the innermost last


def _note_what_compiles(dispatcher: Any, kind: _Kind) -> None:
    compile_ = dispatcher._compiler.compile

    def noted(args, return_type):
        _compiling.append(kind)
        try:
            return compile_(args, return_type)
        except BaseException:
            dispatcher._cache.done()
            raise
        finally:
            _compiling.pop()

    dispatcher._compiler.compile = noted


def _optimize_callers_only() -> None:
    """Numba optimises a kernel by itself, and once more in every caller, and in the callers of those.

    Here a caller has its own copies of what it calls, under names of their own: by the common name its calls would go
    to the inner kernels' own, slow code, and theirs to copies whose arguments LLVM has rearranged.

    Loops are neither vectorised nor unrolled, but for those of a constant length. In most kernels they are short; LLVM
    would take twice the time and write twice the code for them, which runs no faster.
    """
    optimize, finish = CPUCodeLibrary._optimize_final_module, CPUCodeLibrary._finalize_final_module
    llvmlite.binding.set_option("kernels", "-unroll-runtime=false")

    @functools.wraps(optimize)
    def optimize_unless_inner(library):
        kind = _kind()
        if kind.is_inner:
            return
        config.LOOP_VECTORIZE = int(kind.is_vectorised)  # type: ignore[attr-defined]
        own = uuid4().hex
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
                function.name = f"{function.name}.{own}"
        optimize(library)

    @functools.wraps(finish)
    def finish_quickly_if_inner(library):
        if not _kind().is_inner or not library._object_caching_enabled or library._compiled_object is not None:
            finish(library)
            return
        code = _quick_machine(library._codegen).emit_object(library._final_module)
        library._compiled_object = code
        finish(library)  # loads it, and forgets it
        library._compiled_object = code

    CPUCodeLibrary._optimize_final_module = optimize_unless_inner  # type: ignore[method-assign]
    CPUCodeLibrary._finalize_final_module = finish_quickly_if_inner  # type: ignore[method-assign]


def _kind() -> _Kind:
    return _compiling[-1] if _compiling else _Kind()


@functools.cache
def _quick_machine(codegen: Any) -> Any:
    """The target that Numba compiles for, without LLVM's efforts to make its code fast."""
    options: dict[str, Any] = {"opt": 0}
    codegen._customize_tm_options(options)
    return llvmlite.binding.Target.from_triple(llvmlite.binding.get_process_triple()).create_target_machine(**options)


def _compile_once(dispatcher: Any) -> None:
    """Kernels call one version of a kernel, whatever the integers. Numba makes one for each width and each constant."""
    template_for = dispatcher.get_call_template

    def get_call_template(args, kws):
        return template_for([_widest(kind) for kind in args], {name: _widest(kind) for name, kind in kws.items()})

    dispatcher.get_call_template = get_call_template


def _widest(kind: Any) -> Any:
    kind = types.unliteral(kind)  # type of an argument, without its value
    is_signed = isinstance(kind, types.Integer) and str(kind).startswith("int")
    return types.int64 if is_signed else kind


# What Python calls.
kernel: Any = _as_kernel(_Kind())
# Likewise, with long loops over arrays, of which the CPU does several steps at once.
vectorised: Any = _as_kernel(_Kind(is_vectorised=True))
# Likewise, with long sums of floats: LLVM may add in another order, which another CPU may do in yet another one.
summing: Any = _as_kernel(_Kind(is_vectorised=True), fastmath={"reassoc", "contract"})
# What only kernels call. Optimised with its callers, not by itself: called from Python, it is right, but slow.
inner: Any = _as_kernel(_Kind(is_inner=True))
# For small kernels of the innermost loops: melted into their callers, which LLVM does not always do by itself. Large
# ones must not be: a caller is compiled with all that is melted into it, and so is its caller.
inlined: Any = _as_kernel(_Kind(is_inner=True), forceinline=True)
if not JIT_IS_OFF:
    _optimize_callers_only()


def _block(source: np.dtype, target: np.dtype, names: Sequence[str]) -> tuple[int, int, int]:
    """(begin in the source, begin in the target, size) of fields that stand side by side in both, in one order."""
    begins, layouts = [], []
    for dtype in (source, target):
        fields: Any = dtype.fields
        begin = fields[names[0]][1]
        end = fields[names[-1]][1] + fields[names[-1]][0].itemsize
        inside = [name for name, field in fields.items() if begin <= field[1] < end]
        assert inside == list(names), "fields do not stand side by side"
        begins.append(begin)
        layouts.append([(fields[name][0], fields[name][1] - begin) for name in names])
    assert layouts[0] == layouts[1], "fields are not alike"
    return begins[0], begins[1], end - begin


# Two machine instructions, for which Numba has no name. The usual way by a multiplication overflows, and LLVM may take
# for granted that signed numbers do not: with another optimisation level the engine took pairs for nothing.
if JIT_IS_OFF:

    def ones(x):
        return int(x).bit_count()

    def trailing_zeros(x):
        return (int(x) & -int(x)).bit_length() - 1

    def copy_eight(source, at, target, to):
        target[to : to + 8] = source[at : at + 8]

    def record_at(dtype: np.dtype) -> Any:
        """`record_at` without the compiler."""

        def record(address: int) -> Any:
            memory: Any = (ctypes.c_char * dtype.itemsize).from_address(address)
            return np.frombuffer(memory, dtype).view(np.recarray)[0]

        return record

    def field_copier(source: np.dtype, target: np.dtype, names: Sequence[str]) -> Any:
        """`field_copier` without the compiler."""

        def copy(from_: Any, to: Any) -> None:
            for name in names:
                to[name] = from_[name]

        return copy

else:

    @intrinsic
    def ones(_, x):
        """How many bits of an int64 are set."""
        return types.int64(types.int64), lambda context, builder, signature, args: builder.ctpop(args[0])

    @intrinsic
    def trailing_zeros(_, x):
        """Position of the lowest bit that is set."""
        poison_if_zero = llvmlite.ir.Constant(llvmlite.ir.IntType(1), 0)
        return types.int64(types.int64), lambda context, builder, signature, args: builder.cttz(args[0], poison_if_zero)

    @intrinsic
    def copy_eight(_, source, at, target, to):
        """Copies eight elements of a flat array into another of the same type, in one move. Places are not checked."""

        def emit(context, builder, signature, args):
            pointers = [
                builder.gep(context.make_array(kind)(context, builder, array).data, [place])
                for kind, array, place in ((source, args[0], args[1]), (target, args[2], args[3]))
            ]
            eight = context.get_constant(types.intp, 8)
            cgutils.raw_memcpy(builder, pointers[1], pointers[0], eight, source.dtype.bitwidth // 8)
            return context.get_dummy_value()

        return types.void(source, types.int64, target, types.int64), emit

    def record_at(dtype: np.dtype) -> Any:
        """A function (address): the record of this kind at the address, which is not checked."""
        kind = numba.from_dtype(dtype)

        @intrinsic
        def record(_, address):
            def emit(context, builder, signature, args):
                return builder.inttoptr(args[0], context.get_value_type(kind))

            return kind(types.int64), emit

        return record

    def field_copier(source: np.dtype, target: np.dtype, names: Sequence[str]) -> Any:
        """A function (source, target) that copies these fields of a record into another in one move."""
        begin, to, size = _block(source, target, names)

        @intrinsic
        def copy(_, from_, into):
            def emit(context, builder, signature, args):
                pointers = [
                    builder.gep(builder.bitcast(record, cgutils.voidptr_t), [context.get_constant(types.intp, place)])
                    for record, place in zip(args, (begin, to), strict=True)
                ]
                cgutils.raw_memcpy(builder, pointers[1], pointers[0], context.get_constant(types.intp, size), 1)
                return context.get_dummy_value()

            return types.void(from_, into), emit

        return copy
