"""Where compiled kernels are kept on disk: never old code, and nothing compiled twice.

Numba keeps a caller when only its callee in another file has changed. Here each module's kernels lie in a folder that
is named by a digest of all code they can come from: the module and what it imports from this project, however far. The
digest is of bytecode without docstrings and line numbers, so that a comment, a fresh clone or an edit elsewhere
compiles nothing. A process that needs a kernel which another one is compiling waits for it. How a kernel is compiled
is `kernels`.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import importlib.util
import inspect
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

PROJECT = ("tichu_models", "tichu_pipeline")
KERNELS = "tichu_models.kernels"
DECORATORS = {"kernel", "vectorised", "summing", "inner", "inlined"}
KEEP_SECONDS = 14 * 24 * 3600
FOLDER_NAME = re.compile(r"([\w.]+-)?[0-9a-f]{20}(-boundscheck)?")  # once there was a folder for all modules


class Compiling(NamedTuple):
    """A kernel that this process compiles, or waits for while another one does."""

    kernel: str  # with its module
    since: float  # of time.monotonic()


Listener = Callable[[Compiling | None], None]
_compiling: list[Compiling] = []  # each called by the one before it; Numba lets one thread compile at a time
_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Calls a listener whenever this process begins to compile a kernel that Python calls, and, with None, when it is
    done. The thread that compiles calls it, so it should be quick. Returns a function that removes the listener."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def compiling() -> Compiling | None:
    """The kernel that this process is compiling, not those that it calls; None if there is none."""
    return next(iter(_compiling), None)


def _notify(now: Compiling | None) -> None:
    for listener in _listeners[:]:
        listener(now)


class KernelCache(FunctionCache):
    """The cache of one kernel. Between a miss and `done` this process alone compiles it."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._kernel = f"{function.__module__}.{function.__name__}"
        self._lock_path = Path(self.cache_path) / f"{self._impl.filename_base}.lock"
        self._lock = -1
        self._is_compiling = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code; None if this process is to compile it."""
        found = super().load_overload(sig, target_context)
        if found is None and not self._is_compiling:
            self._begin()
            try:
                found = super().load_overload(sig, target_context)
            finally:
                if found is not None:
                    self.done()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        finally:
            self.done()

    def _begin(self) -> None:
        self._is_compiling = True
        _compiling.append(Compiling(self._kernel, time.monotonic()))
        if len(_compiling) == 1:
            _notify(_compiling[0])
        self._lock = _locked(self._lock_path)

    def done(self) -> None:
        """Ends what a miss began: other processes may load or compile the kernel."""
        if not self._is_compiling:
            return
        self._is_compiling = False
        if self._lock >= 0:
            fcntl.flock(self._lock, fcntl.LOCK_UN)  # a process that was forked meanwhile holds the file open too
            os.close(self._lock)
        self._lock = -1
        _compiling.pop()
        if not _compiling:
            _notify(None)


class _Folder(_CacheLocator):
    """A locator as Numba wants it: the folder of a kernel's module."""

    def __init__(self, function: Any) -> None:
        self._py_file = function.__code__.co_filename  # Numba's warnings name it
        self._path = module_folder(function.__module__)

    @classmethod
    def from_function(cls, function: Any, _file: str) -> _Folder:
        return cls(function)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._path.name

    def get_disambiguator(self) -> str:
        """Numba takes the line number. Here names are unique in a module."""
        return "kernel"


class _Impl(CompileResultCacheImpl):
    _locator_classes: Any = (_Folder,)


KernelCache._impl_class = _Impl


def _locked(path: Path) -> int:
    """An open file that no other process has locked. The system unlocks it when the process ends, however it does."""
    handle = -1
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks: each process compiles for itself
        if handle >= 0:
            os.close(handle)
        return -1
    return handle


@functools.cache
def module_folder(module: str) -> Path:
    """The folder for a module's kernels, made if need be: below NUMBA_CACHE_DIR, else the user's cache, else for this
    process alone. So are kernels of a script or a notebook, which is no module that could be found again."""
    if _code(module) is None:
        return _of_this_process() / module
    variant = "-boundscheck" if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0") else ""
    name = f"{module}-{closure_digest(module)}{variant}"
    try:
        folder = _base() / name
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _forget_old(folder.parent)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return _of_this_process() / name


def _base() -> Path:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tichu" / "kernels"


@functools.cache
def _of_this_process() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tichu-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _forget_old(base: Path) -> None:
    limit = time.time() - KEEP_SECONDS
    for other in base.iterdir():
        with contextlib.suppress(OSError):  # another process removes it as well
            if FOLDER_NAME.fullmatch(other.name) and other.stat().st_mtime < limit:
                shutil.rmtree(other, ignore_errors=True)


def closure_digest(module: str) -> str:
    """Digest of a module and of all modules of this project that it imports, directly or not. Imports inside functions
    do not count: what they give cannot be part of a kernel."""
    digest = hashlib.sha256()
    for each in sorted(closure(module)):
        digest.update(f"{each} {_code_digest(each)}\n".encode())
    return digest.hexdigest()[:20]


def closure(module: str) -> set[str]:
    """The module, and what it imports of this project, directly or not."""
    found, waiting = {module}, [module]
    while waiting:
        new = _imports(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def has_kernels(module: str) -> bool:
    """Whether a module defines kernels; it need not be loaded for that."""
    code = _code(module)
    return code is not None and KERNELS in code.co_names and not DECORATORS.isdisjoint(code.co_names)


@functools.cache
def _imports(module: str) -> set[str]:
    """The project's modules that a module names in its imports, and perhaps some more."""
    code = _code(module)
    if code is None:
        return set()
    ours = {*PROJECT, module.split(".", maxsplit=1)[0]}
    named = {name for name in code.co_names if name.split(".")[0] in ours}
    below = {f"{package}.{name}" for package in named for name in code.co_names if _is_package(package)}
    return {name for name in named | below if _code(name) is not None}


@functools.cache
def _spec(module: str) -> Any:
    if module == "__main__":  # with `python -m` it has a spec, whose loader knows it by another name
        return None
    try:
        return importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None


def _is_package(module: str) -> bool:
    spec = _spec(module)
    return spec is not None and spec.submodule_search_locations is not None


@functools.cache
def _code(module: str) -> CodeType | None:
    """A module's bytecode, from its .pyc where that is fresh."""
    spec = _spec(module)
    if spec is None or not spec.has_location:
        return None
    # pytest loads its tests by a loader of its own, which gives no bytecode.
    loader = spec.loader if hasattr(spec.loader, "get_code") else SourceFileLoader(module, spec.origin)
    return loader.get_code(module)


@functools.cache
def _code_digest(module: str) -> str:
    code = _code(module)
    assert code is not None
    return hashlib.sha256("\n".join(_words(code)).encode()).hexdigest()


def _words(code: CodeType) -> Iterator[str]:
    """The content of bytecode, without docstrings, file name and line numbers."""
    yield code.co_name
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags))
    docstring = _docstring_at(code)
    for at, constant in enumerate(code.co_consts):
        if at == docstring:
            continue
        if isinstance(constant, CodeType):
            yield from _words(constant)
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))
        else:
            yield repr(constant)


def _docstring_at(code: CodeType) -> int:
    """Which constant is the docstring, or None in its place; -1 for none of them."""
    if code.co_flags & inspect.CO_OPTIMIZED:  # a function
        has_flag = getattr(inspect, "CO_HAS_DOCSTRING", 0)  # from Python 3.13 on
        return 0 if (code.co_flags & has_flag if has_flag else not code.co_name.startswith("<")) else -1
    if "__doc__" not in code.co_names:
        return -1
    return 0 if code.co_name == "<module>" else 1  # a class's name comes first
