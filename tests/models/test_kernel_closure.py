"""That the digest of a module's kernels covers all that they can be made of."""

from __future__ import annotations

import ast
import functools
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

from tests.paths import ROOT
from tichu_models.kernel_cache import DECORATORS, PROJECT, closure, closure_digest
from tichu_pipeline.tools.warm_up import kernel_modules


def file_of(module: str) -> Path:
    """Where a module's source lies, should there be one."""
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def imports_of(module: str) -> frozenset[str]:
    """The project's modules that a module imports when it is loaded, read off its source."""
    tree = ast.parse(file_of(module).read_text())
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    names = set()
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: a relative import, which the digest does not follow"
            names |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in names if name.split(".")[0] in PROJECT and file_of(name).exists())


def loaded_by(module: str) -> set[str]:
    """A module and what it imports, however far."""
    found, waiting = {module}, [module]
    while waiting:
        new = imports_of(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def test_every_module_with_kernels_is_found():
    """A module whose kernels nobody compiles beforehand."""
    marks = (*(f"\n@{name}\n" for name in DECORATORS), " = bound(", " = lockstep_of(")
    paths = [path for package in PROJECT for path in (ROOT / package).rglob("*.py")]
    with_kernels = [path for path in paths if any(mark in path.read_text() for mark in marks)]
    assert with_kernels
    assert kernel_modules() == sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in with_kernels)


@pytest.mark.parametrize("module", kernel_modules())
def test_the_digest_covers_what_a_module_imports(module):
    """A module is left out, so that its changes find old code."""
    assert loaded_by(module) <= closure(module)


def test_the_digest_covers_what_python_loads():
    """An import by other means than a statement escapes both the digest and the test above."""
    module = "tichu_models.observation.samples"
    code = f"import {module}, sys; print(*[each for each in sys.modules if each.split('.')[0] in {PROJECT}])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {each for each in done.stdout.split() if not file_of(each).name.startswith("__")}
    assert loaded <= closure(module)


@pytest.mark.parametrize("module", kernel_modules())
def test_kernels_call_nothing_from_elsewhere(module):
    """A kernel that is put into another module's namespace at run time, which no import shows."""
    loaded = importlib.import_module(module)
    called = {
        value.py_func.__module__
        for kernel in vars(loaded).values()
        if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == module
        for name, value in kernel.py_func.__globals__.items()
        if name in kernel.py_func.__code__.co_names and isinstance(value, Dispatcher)
    }
    assert called <= closure(module)


@pytest.mark.parametrize("module", kernel_modules())
def test_training_and_pages_do_not_count(module):
    """An edit of a loss, a network or a page compiles every kernel anew."""
    rooms = ["learning", "commands", "orchestration", "html", "plots"]
    if not module.startswith("tichu_models.agents."):  # who plays with a network may name it
        rooms += ["networks", "agents"]
    apart = tuple(f"{package}.{room}" for package in PROJECT for room in rooms)
    assert not [each for each in closure(module) if each.startswith(apart)]


def test_a_digest_is_the_same_in_every_process():
    """Hashes that differ from start to start, so that nothing is ever found."""
    module = "tichu_models.observation.samples"
    code = f"from tichu_models.kernel_cache import closure_digest; print(closure_digest({module!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == closure_digest(module)
