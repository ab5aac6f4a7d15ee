"""The cache of compiled kernels: never an old answer, nothing compiled twice, and safe for many processes.

Most of it is tried on a small project with the real `kernels` and `kernel_cache`: three kernels in three modules, each
of which calls the next.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tichu_models import kernel_cache, kernels

DEEP = '''"""Far below."""
from tichu_models.kernels import inner

POINTS = 25

@inner
def worth(cards):
    """What cards are worth."""
    return POINTS * cards
'''
MIDDLE = '''FACTOR = 2

class Rules:
    """What the rules say."""

from tichu_models.deep import worth
from tichu_models.kernels import inner

@inner
def doubled(cards):
    return FACTOR * worth(cards)
'''
TOP = """
from tichu_models.kernels import kernel
from tichu_models.middle import doubled

@kernel
def answer(cards):
    return doubled(cards) + 0
"""
PAGE = """
from tichu_models.deep import POINTS

def page():
    return f"A page about {POINTS}"
"""
# A module that is run by itself, and has a kernel.
ALONE = """
from tichu_models.kernels import kernel

@kernel
def thrice(cards):
    return 3 * cards

print(thrice(5))
"""
KERNELS = {"answer", "doubled", "worth"}

# Prints the kernels that the process itself compiles, then the answer.
SCRIPT = """
import time
from pathlib import Path
from tichu_models.kernel_cache import KernelCache
from tichu_models.top import answer

save = KernelCache.save_overload
def save_overload(self, sig, data):
    print(self._py_func.__name__, flush=True)
    save(self, sig, data)
KernelCache.save_overload = save_overload
{}
print(answer(3))
"""
HOLD_ON = "while not Path('go').exists(): time.sleep(0.01)"
HANG = "KernelCache.save_overload = lambda *_: (print('hangs', flush=True), time.sleep(600))"
LISTEN = """
from tichu_models.kernel_cache import compiling, listen
said = []
end = listen(lambda now: said.append(now and now.kernel == compiling().kernel and now.kernel))
listen(lambda now: said.append("since " + str(now.since <= time.monotonic()) if now else "done"))
answer(3)
end()
answer(3.0)
print(*said, compiling())
"""


@pytest.fixture
def project(tmp_path):
    """The small project."""
    package = tmp_path / "project" / "tichu_models"
    package.mkdir(parents=True)
    for module in (kernels, kernel_cache):
        shutil.copy(str(module.__file__), package)
    sources = {"__init__": "", "deep": DEEP, "middle": MIDDLE, "top": TOP, "page": PAGE}
    for name, source in sources.items():
        (package / f"{name}.py").write_text(source)
    return package.parent


def start(project: Path, between: str = "", **environment: str) -> subprocess.Popen:
    """A process of its own on the project."""
    base = {"PYTHONPATH": str(project), "NUMBA_CACHE_DIR": str(project.parent / "cache")}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(between)],
        env={**os.environ, **base, **environment},
        cwd=project,
        stdout=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen) -> tuple[set[str], str]:
    """The kernels that a process compiled, and its last line."""
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    *compiled, answer = printed.splitlines()
    assert len(compiled) == len(set(compiled))
    return set(compiled), answer


def change(project: Path, module: str, old: str, new: str) -> None:
    """An edit of a module."""
    path = project / "tichu_models" / f"{module}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_kernels_are_compiled_once(project):
    """Every start of a command compiles its kernels again."""
    assert end(start(project)) == (KERNELS, "150")
    assert end(start(project)) == (set(), "150")


@pytest.mark.parametrize(
    ("module", "old", "new", "compiled", "answer"),
    [
        ("middle", "FACTOR *", "4 *", {"answer", "doubled"}, "300"),
        ("middle", "FACTOR = 2", "FACTOR = 6", {"answer", "doubled"}, "450"),
        ("deep", "* cards", "* cards * cards", KERNELS, "450"),
        ("deep", "POINTS = 25", "POINTS = 10", KERNELS, "60"),
        ("top", "+ 0", "+ 7", {"answer"}, "157"),
    ],
    ids=["callee", "first line of a module", "callee two modules away", "constant two modules away", "kernel itself"],
)
def test_what_a_kernel_is_made_of_compiles_it_anew(project, module, old, new, compiled, answer):
    """A rule is changed, and its callers answer from the cache as if it were not."""
    end(start(project))
    change(project, module, old, new)
    assert end(start(project)) == (compiled, answer)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("deep", "Far below", "Far, far below"),
        ("deep", "What cards are worth", "The worth of cards"),
        ("middle", "the rules say", "counts"),
        ("deep", "    return", "    # so many points each\n    return"),
        ("middle", "\n@inner", "\n\n\n\n@inner"),
        ("page", "A page about", "All about"),
    ],
    ids=[
        "docstring of a module",
        "docstring of a kernel",
        "docstring of a class",
        "comment",
        "line numbers",
        "module that no kernel imports",
    ],
)
def test_what_kernels_do_not_hang_on_compiles_nothing(project, module, old, new):
    """An edit of a text or of a loss costs a minute of compiling."""
    end(start(project))
    change(project, module, old, new)
    assert end(start(project)) == (set(), "150")


def test_a_fresh_clone_finds_the_cache(project, tmp_path):
    """Each clone and each worktree compiles everything for itself."""
    end(start(project))
    clone = tmp_path / "clone"
    shutil.copytree(project, clone, ignore=shutil.ignore_patterns("__pycache__"))
    assert end(start(clone)) == (set(), "150")


def test_processes_that_start_together_share_the_work(project):
    """Two workers with an empty cache compile everything twice, or write into each other's files."""
    both = [start(project, HOLD_ON), start(project, HOLD_ON)]
    (project / "go").touch()
    (some, answer), (others, same_answer) = map(end, both)
    assert answer == same_answer == "150"
    assert some | others == KERNELS
    assert not some & others


def test_a_process_that_is_killed_while_it_compiles_blocks_nobody(project):
    """A worker that is out of memory leaves a lock behind, at which all others wait for ever."""
    hanging = start(project, HANG)
    assert hanging.stdout is not None
    assert hanging.stdout.readline() == "hangs\n"
    waiting = start(project)
    time.sleep(2)
    assert waiting.poll() is None, "it did not wait"
    hanging.kill()
    assert end(waiting) == (KERNELS, "150")
    hanging.communicate()


def test_a_process_that_was_forked_meanwhile_holds_no_lock(project):
    """A worker forked by another thread keeps a copy of the lock, at which all others wait until it ends."""
    fork = """
import os, sys
def forking(self, sig, data):
    if self._py_func.__name__ == "worth" and os.fork() == 0:
        os.close(1)
        time.sleep(60)
        os._exit(0)
    save(self, sig, data)
KernelCache.save_overload = forking
"""
    began = time.monotonic()
    assert end(start(project, fork)) == (set(), "150")
    change(project, "top", "+ 0", "+ 7")
    assert end(start(project)) == ({"answer"}, "157")
    assert time.monotonic() - began < 60


def test_a_kernel_that_does_not_compile_lets_others_go_on(project):
    """A mistake in a kernel is reported once, and then hides behind a lock."""
    change(project, "deep", "POINTS * cards", "POINTS * cards.unknown")
    failing = "try:\n    answer(3)\nexcept Exception as error:\n    print(KernelCache.__name__)\n    answer = len"
    both = [start(project, failing.replace("len", "lambda _: 0")) for _ in range(2)]
    assert [end(process) for process in both] == 2 * [({"KernelCache"}, "0")]


def test_who_listens_is_told_what_is_compiled(project):
    """A command stands still for half a minute, and nobody can say why."""
    output, _ = start(project, LISTEN).communicate(timeout=120)
    said = next(line for line in output.splitlines() if "since" in line)
    once = "tichu_models.top.answer since True None done"
    assert said == f"{once} since True done None"


def test_nobody_is_told_of_kernels_that_are_there(project):
    """A display says `compiling` of what is only loaded."""
    end(start(project))
    silent = "from tichu_models.kernel_cache import listen\nlisten(lambda now: print('compiling'))"
    assert end(start(project, silent)) == (set(), "150")


def test_a_folder_that_cannot_be_written(project):
    """A read-only home keeps every command from starting."""
    (project / "file").touch()
    show = "from tichu_models.kernel_cache import module_folder\nprint(module_folder('tichu_models.top'))"
    compiled, answer = end(start(project, show, NUMBA_CACHE_DIR=str(project / "file" / "cache")))
    assert answer == "150"
    (folder,) = compiled - KERNELS
    assert compiled > KERNELS
    assert not Path(folder).parent.exists(), "it was left behind"


@pytest.mark.parametrize("how", [("alone.py",), ("-m", "alone")])
def test_a_kernel_in_the_main_module(project, how):
    """Somebody's own script with a kernel does not start, or leaves a folder for each of its runs."""
    (project / "alone.py").write_text(ALONE)
    environment = {**os.environ, "PYTHONPATH": str(project), "NUMBA_CACHE_DIR": str(project.parent / "cache")}
    command = [sys.executable, *how]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("15\n", "")
    assert not list(project.parent.glob("cache/*main*"))


def test_a_user_without_a_home(project):
    """A container whose user is in no list: no command starts, though a folder for the cache is named."""
    nobody = "from pathlib import Path\ndef home():\n    raise RuntimeError\nPath.home = home\n"
    (project / "sitecustomize.py").write_text(nobody)
    assert end(start(project)) == (KERNELS, "150")
    assert end(start(project)) == (set(), "150")
    assert end(start(project, NUMBA_CACHE_DIR="", XDG_CACHE_HOME="")) == (KERNELS, "150")


def test_checked_bounds_have_a_cache_of_their_own(project):
    """Whoever looks for a wrong index is served the code that does not check."""
    end(start(project))
    assert end(start(project, NUMBA_BOUNDSCHECK="1")) == (KERNELS, "150")
    assert end(start(project, NUMBA_BOUNDSCHECK="1")) == (set(), "150")
    assert end(start(project)) == (set(), "150")


def test_old_folders_are_forgotten(project, tmp_path, monkeypatch):
    """The cache grows by every change of the sources for ever, or other folders beside it are deleted."""
    base = tmp_path / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(base))
    old, fresh, foreign = (base / name for name in (f"a.b-{'0' * 20}", f"a.b-{'1' * 20}", "mine"))
    old_and_checked, former = base / f"a.b2-{'0' * 20}-boundscheck", base / ("0" * 20)
    for folder in (old, old_and_checked, former, fresh, foreign):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    for folder in (old, old_and_checked, former, foreign):
        os.utime(folder, (0, 0))
    current = kernel_cache.module_folder.__wrapped__("tichu_models.chance")
    assert current.parent == base
    assert sorted(base.iterdir()) == sorted([current, fresh, foreign])
