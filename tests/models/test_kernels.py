"""The cache of compiled kernels: never an old answer, and safe for processes that start together."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tichu_models
from tichu_models import kernels

# A kernel that calls one of another module, and the answer that this one gives.
CALLER = '''
"""What two such sets of cards are worth."""
from tichu_models.kernels import kernel
from tichu_models.rules.cards import points

@kernel
def twice(cards):
    return 2 * points(cards)
'''
SCRIPT = """
import os
from tichu_models.rules.cards import parse_cards
from tichu_models.twice import twice
print(twice(parse_cards("Dr")), os.environ["NUMBA_CACHE_DIR"])
"""
START_A_CHILD = (
    SCRIPT
    + """
import subprocess, sys
sys.stdout.flush()
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""
)


@pytest.fixture
def project(tmp_path):
    """A copy of the package, with one more kernel, and a cache of its own."""
    source = Path(tichu_models.__file__).parent
    shutil.copytree(source, tmp_path / "tichu_models", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tichu_models" / "twice.py").write_text(CALLER)
    return tmp_path


def start(project: Path, script: str, *arguments: str) -> subprocess.Popen:
    """A process of its own on the copy."""
    environment = {**os.environ, "PYTHONPATH": str(project), "NUMBA_CACHE_DIR": str(project / "cache")}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, env=environment, cwd=project, stdout=subprocess.PIPE, text=True)


def answers(process: subprocess.Popen) -> list[list[str]]:
    """Lines that a process printed, as words."""
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return [line.split() for line in printed.splitlines()]


def test_a_changed_callee_in_another_module_is_compiled_anew(project):
    """A rule is changed, and its callers answer from the cache as if it were not."""
    ((before, folder),) = answers(start(project, SCRIPT))
    ((again, same_folder),) = answers(start(project, SCRIPT))
    assert (before, again) == ("50", "50")
    assert folder == same_folder
    cards = project / "tichu_models" / "rules" / "cards.py"
    changed = cards.read_text().replace(
        "DRAGON_POINTS, PHOENIX_POINTS = 25, -25", "DRAGON_POINTS, PHOENIX_POINTS = 30, -25"
    )
    assert changed != cards.read_text()
    cards.write_text(changed)
    ((after, new_folder),) = answers(start(project, SCRIPT))
    assert after == "60"
    assert new_folder != folder


def test_kernels_are_compiled_once(project):
    """Every start of a command compiles its kernels again."""
    answers(start(project, SCRIPT))
    compiled = {path: path.stat().st_mtime_ns for path in (project / "cache").rglob("*.nbc")}
    assert compiled
    answers(start(project, SCRIPT))
    assert {path: path.stat().st_mtime_ns for path in (project / "cache").rglob("*.nbc")} == compiled


def test_two_processes_at_once(project):
    """Two workers that start with an empty cache write into each other's files."""
    both = [start(project, SCRIPT), start(project, SCRIPT)]
    assert [answers(process)[0][0] for process in both] == ["50", "50"]
    assert answers(start(project, SCRIPT))[0][0] == "50"


def test_a_child_shares_the_cache_of_its_parent(project):
    """Every worker process compiles the engine anew, in a folder below that of its parent."""
    (_, folder), (_, folder_of_child) = answers(start(project, START_A_CHILD, SCRIPT))
    assert folder_of_child == folder


def test_the_digest_covers_every_source(project):
    """A module is left out of the digest, so that its changes find old code. Networks hold no kernels."""
    networks = project / "tichu_models" / "networks"
    left_out = [project / "tichu_models" / folder for folder in kernels.OF_TORCH_ALONE]
    sources = [
        path for path in (project / "tichu_models").rglob("*.py") if not any(each in path.parents for each in left_out)
    ]
    assert not [path for each in left_out for path in each.rglob("*.py") if "kernels import" in path.read_text()]
    digests = {kernels.source_digest(project)}
    for source in sources:
        source.write_text(source.read_text() + "\n# changed\n")
        digests.add(kernels.source_digest(project))
    assert len(digests) == len(sources) + 1
    before = kernels.source_digest(project)
    (networks / "policy_net.py").write_text("# changed\n")
    assert kernels.source_digest(project) == before


def test_old_caches_are_forgotten(project, monkeypatch):
    """The cache grows by every change of the sources for ever, or other folders beside it are deleted."""
    base = project / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(base))
    old, fresh, foreign = base / ("0" * 20), base / ("1" * 20), base / "mine"
    for folder in (old, fresh, foreign):
        folder.mkdir(parents=True)
    for folder in (old, foreign):
        os.utime(folder, (0, 0))
    current = kernels.cache_folder(project)
    assert current.parent == base
    assert sorted(base.iterdir()) == sorted([current, fresh, foreign])
