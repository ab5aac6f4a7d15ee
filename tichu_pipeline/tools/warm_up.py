"""Compiles all kernels side by side: `python -m tichu_pipeline.tools.warm_up`.

Each part runs in a process of its own, as many at once as there are cores. What several parts call is compiled by the
first that needs it. Which parts there are is `kernel_parts`; where compiled code is kept, `tichu_models.kernel_cache`.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numba
from llvmlite.binding import get_host_cpu_name

from tichu_models.kernel_cache import PROJECT, Compiling, closure_digest, has_kernels, listen, module_folder
from tichu_pipeline.tools import kernel_parts
from tichu_pipeline.tools.kernel_parts import PARTS

NAME = "tichu_pipeline.tools.warm_up"  # also where this module is the main one
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class CompileError(Exception):
    """A part that failed."""


@dataclass(frozen=True)
class PartProgress:
    """A report on one part: it begins, it compiles another kernel, or it is done."""

    part: str
    seconds: float  # since it began
    kernel: str = ""  # what is compiled now, with its module; none at the beginning and the end
    done: bool = False


def kernel_modules() -> list[str]:
    """All modules of the project that define kernels."""
    found = []
    for package in PROJECT:
        paths = importlib.import_module(package).__path__
        found += [each.name for each in pkgutil.walk_packages(paths, f"{package}.") if has_kernels(each.name)]
    return sorted(found)


def is_compiled() -> bool:
    """Whether all parts have been compiled, as the kernels are now. Costs a fraction of a second."""
    return _sign().is_dir() and all(any(module_folder(module).glob("*.nbc")) for module in kernel_modules())


def _sign() -> Path:
    """The empty folder that marks everything as compiled. Its name is a digest of all that compiled code depends on."""
    folders = [module_folder(module) for module in kernel_modules()]
    machine = (numba.__version__, sys.version_info[:2], get_host_cpu_name())
    content = repr((machine, closure_digest(kernel_parts.__name__), [folder.name for folder in folders]))
    return folders[0].parent / f"compiled-{hashlib.sha256(content.encode()).hexdigest()[:20]}"


def compile_all(report: Callable[[PartProgress], None] = lambda _: None, processes: int | None = None) -> None:
    """Compiles what is not compiled yet. `report` is called by one thread at a time, but not by the caller's."""
    lock = threading.Lock()

    def report_alone(progress: PartProgress) -> None:
        with lock:
            report(progress)

    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as threads:
        try:
            for _ in threads.map(lambda part: run_part(part, report_alone), PARTS):
                pass
        finally:
            threads.shutdown(cancel_futures=True)
    _sign().mkdir(parents=True, exist_ok=True)


def run_part(part: str, report: Callable[[PartProgress], None]) -> None:
    """Runs a part in a process of its own, which prints the name of each kernel that it compiles."""
    started = time.monotonic()
    report(PartProgress(part, 0.0))
    command = [sys.executable, "-m", NAME, part]
    with tempfile.TemporaryFile("w+") as faults:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=faults, text=True, env={**os.environ, **ONE_THREAD}
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                report(PartProgress(part, time.monotonic() - started, line.strip()))
        if process.returncode:
            faults.seek(0)
            raise CompileError(f"kernels of {part}: {faults.read().strip()}")
    report(PartProgress(part, time.monotonic() - started, done=True))


def _run_here(part: str) -> None:
    def say(now: Compiling | None) -> None:
        if now:
            print(now.kernel, flush=True)

    listen(say)
    PARTS[part]()


def _print(progress: PartProgress) -> None:
    if progress.done:
        print(f"kernels of {progress.part}: ready after {progress.seconds:.1f} s", flush=True)
    elif not progress.kernel:
        print(f"kernels of {progress.part}: compiling", flush=True)


def main() -> None:
    """Compiles all kernels, or, called with the name of a part, those of this part in this process."""
    if len(sys.argv) > 1:
        _run_here(sys.argv[1])
        return
    started = time.perf_counter()
    try:
        if not is_compiled():
            compile_all(_print)
    except CompileError as error:
        sys.exit(str(error))
    print(f"kernels ready after {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
