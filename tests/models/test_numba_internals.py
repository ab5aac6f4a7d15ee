"""That Numba is inside as `kernels` and `kernel_cache` take it to be: they change and use what is not its interface.

Where a test fails after an upgrade, its message names what has moved and who uses it. Read both, mend the use, then
raise the caps in pyproject.toml, and compare `make bench` and the time of a cold `warm_up` with those of before.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from operator import attrgetter

import pytest
from numba.core import config
from packaging.requirements import Requirement

from tests.paths import ROOT
from tichu_models.rules.legal import legal_plays

SCAN, INFLATE = "brettspielwelt.text.scanning", "brettspielwelt.archives.deflated"

# Functions and methods: module, name, parameters, who uses it.
CALLED = [
    ("numba.core.codegen", "CPUCodeLibrary._optimize_final_module", "self", "kernels._optimize_callers_only"),
    ("numba.core.codegen", "CPUCodeLibrary._finalize_final_module", "self", "kernels._optimize_callers_only"),
    ("numba.core.codegen", "JITCPUCodegen._customize_tm_options", "self, options", "kernels._quick_machine"),
    ("numba.core.dispatcher", "Dispatcher.get_call_template", "self, args, kws", "kernels._compile_once"),
    ("numba.core.dispatcher", "_FunctionCompiler.compile", "self, args, return_type", "kernels._note_what_compiles"),
    ("numba.core.caching", "FunctionCache.load_overload", "self, sig, target_context", "KernelCache"),
    ("numba.core.caching", "FunctionCache.save_overload", "self, sig, data", "KernelCache"),
    ("numba.core.caching", "_CacheLocator.from_function", "py_func, py_file", "kernel_cache._Folder"),
    ("numba.core.caching", "_CacheLocator.get_cache_path", "self", "kernel_cache._Folder"),
    ("numba.core.caching", "_CacheLocator.get_source_stamp", "self", "kernel_cache._Folder"),
    ("numba.core.caching", "_CacheLocator.get_disambiguator", "self", "kernel_cache._Folder"),
    (
        "numba.core.cgutils",
        "raw_memcpy",
        "builder, dst, src, count, itemsize, align",
        "kernels.copy_eight, field_copier",
    ),
    ("numba.core.types", "unliteral", "lit_type", "kernels._widest"),
    ("llvmlite.binding", "set_option", "name, option", "kernels._optimize_callers_only"),
    ("llvmlite.binding", "TargetMachine.emit_object", "self, module", "kernels._quick_machine"),
]

# Attributes: of what, name, who uses it.
HELD = [
    (legal_plays, "_cache._impl.filename_base", "KernelCache.__init__"),
    (legal_plays, "_cache._impl.locator", "kernel_cache._Folder"),
    (legal_plays, "_cache.cache_path", "KernelCache.__init__"),
    (legal_plays, "_compiler.compile", "kernels._note_what_compiles"),
    (legal_plays, "get_call_template", "kernels._compile_once"),
    (config, "LOOP_VECTORIZE", "kernels._optimize_callers_only"),
]


def moved(what: str, user: str) -> str:
    """The message."""
    return f"Numba {version('numba')}, llvmlite {version('llvmlite')}: {what} is not as it was; see {user}"


@pytest.mark.parametrize(("module", "name", "parameters", "user"), CALLED, ids=[each[1] for each in CALLED])
def test_what_is_called_or_replaced_is_there(module, name, parameters, user):
    """An upgrade of Numba moves what is patched: everything compiles for minutes, or answers old code."""
    try:
        found = attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        pytest.fail(moved(f"{module}.{name}", user))
    names = ", ".join(inspect.signature(found).parameters)
    assert names == parameters, moved(f"{module}.{name}({parameters})", user)


@pytest.mark.parametrize(("owner", "name", "user"), HELD, ids=[each[1] for each in HELD])
def test_what_is_read_or_set_is_there(owner, name, user):
    """As above: an attribute that is set where nobody reads it any more does nothing, without a word."""
    try:
        attrgetter(name)(owner)
    except AttributeError:
        pytest.fail(moved(name, user))


@pytest.mark.parametrize(
    ("module", "name", "attributes", "user"),
    [
        ("numba.core.codegen", "CPUCodeLibrary", ("_final_module", "_codegen"), "kernels._optimize_callers_only"),
        (
            "numba.core.codegen",
            "CodeLibrary",
            ("_object_caching_enabled", "_compiled_object"),
            "kernels._optimize_callers_only",
        ),
        ("numba.core.codegen", "CPUCodegen", ("LOOP_VECTORIZE",), "kernels._optimize_callers_only"),
        ("numba.core.caching", "CacheImpl", ("_locator_classes", "from_function"), "kernel_cache._Impl"),
        ("numba.core.caching", "Cache", ("_impl_class", "_cache_path"), "KernelCache"),
        ("numba.core.dispatcher", "Dispatcher", ("_cache.load_overload", "_cache.save_overload"), "KernelCache"),
        ("numba.core.dispatcher", "Dispatcher", ("_compiler.compile",), "kernels._note_what_compiles"),
    ],
)
def test_numba_reads_what_is_set(module, name, attributes, user):
    """As above, for what only Numba's own code shows."""
    source = inspect.getsource(attrgetter(name)(importlib.import_module(module)))
    for attribute in attributes:
        assert re.search(rf"\b{re.escape(attribute)}\b", source), moved(f"{attribute} in {module}.{name}", user)


COMPILES = """
from tichu_models.kernels import inner, kernel, vectorised

@inner
def part(x):
    return 3 * x

@inner
def half(x):
    return part(x) + 1

@kernel
def whole(x):
    return half(x) + half(x + 1)

@vectorised
def squares(numbers):
    for i in range(len(numbers)):
        numbers[i] = numbers[i] * numbers[i] + 3

@kernel
def plain_squares(numbers):
    for i in range(len(numbers)):
        numbers[i] = numbers[i] * numbers[i] + 3

import numpy as np
assert whole(np.int8(5)) == whole(5) == 35
assert len(half.signatures) == 1, half.signatures  # of any width of an integer

def code_of(kernel):
    name = f"@_ZN8__main__{len(kernel.__name__)}{kernel.__name__}"
    functions = kernel.inspect_llvm(kernel.signatures[0]).split("define ")
    return next(each for each in functions if name in each.splitlines()[0]).partition("\\n}")[0]

for kernel in squares, plain_squares:
    kernel(np.arange(10))
print("4part" in code_of(half), "4part" in code_of(whole))
print("x i64>" in code_of(squares), "x i64>" in code_of(plain_squares))
"""


def test_kernels_are_optimised_as_they_are_meant_to_be(tmp_path):
    """Patches that are there but without effect: all inner kernels are optimised again, or no loop is vectorised.

    What LLVM has optimised calls no small function any more. Vectors of integers show that a loop is vectorised.
    """
    script = tmp_path / "script.py"
    script.write_text(COMPILES)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = dict(
        zip(("inner calls", "kernel calls", "vectorised", "kernel vectorised"), done.stdout.split(), strict=True)
    )
    assert found == {
        "inner calls": "True",
        "kernel calls": "False",
        "vectorised": "True",
        "kernel vectorised": "False",
    }, moved("what the patches of kernels.py do", "kernels._optimize_callers_only")


def test_versions_are_capped():
    """A new Numba comes with an installation, untried, and breaks what the tests above look at."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {each.name: each for each in map(Requirement, project["dependencies"])}
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line[:40])
    for name in ("numba", "llvmlite"):
        tried = pins[name]
        major, minor = tried.split(".")[:2]
        assert tried in needed[name].specifier, f"{name} {tried} is pinned, but not allowed"
        assert f"{major}.{int(minor) + 1}.0" not in needed[name].specifier, f"{name} has no cap"
