"""Compiling all kernels beforehand: complete, in processes that share the work, and loud when a part does not run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.paths import ROOT
from tichu_models.kernel_cache import module_folder
from tichu_pipeline.tools.warm_up import CompileError, PartProgress, compile_all, is_compiled, kernel_modules, run_part


def test_every_module_with_kernels_is_compiled_beforehand():
    """A new game compiles in the middle of the demo, since no part runs it."""
    if not is_compiled():
        compile_all()
    without = [module for module in kernel_modules() if not any(module_folder(module).glob("*.nbc"))]
    assert not without, "a part in tichu_pipeline/tools/kernel_parts.py runs the kernels of each module"
    assert is_compiled()


def test_an_empty_cache_is_not_compiled(tmp_path):
    """The demo takes kernels for compiled that are not, and stands still later on."""
    code = "from tichu_pipeline.tools.warm_up import is_compiled; print(is_compiled())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_what_a_part_compiles_is_reported(tmp_path, monkeypatch):
    """A minute of compiling of which nobody sees anything."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said: list[PartProgress] = []
    run_part("statistics", said.append)
    begun, *kernels, ended = said
    assert begun == PartProgress("statistics", 0.0)
    assert [each.kernel for each in kernels] == ["tichu_models.chance.fill", "tichu_models.statistics._resample"]
    assert ended.done
    assert sorted(said, key=lambda each: each.seconds) == said


def test_a_part_that_does_not_run_is_told():
    """Half of the kernels are missing, and it says `ready`."""
    said: list[PartProgress] = []
    with pytest.raises(CompileError, match="KeyError: 'no such part'"):
        run_part("no such part", said.append)
    assert not any(each.done for each in said)
