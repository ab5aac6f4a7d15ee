"""Stages that are killed, or that meet a full disk: nothing half is taken for whole, nothing that was there is lost.

Downloads and rounds have such tests of their own, beside their other ones.
"""

from __future__ import annotations

import ast
import errno
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.makers.stages import MONTHS, ROOM, SLOW, STAGES, TELL_THE_TIME, half, published
from tests.paths import ROOT
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> DataPaths:
    """A data folder in which nothing was disturbed."""
    paths = DataPaths(tmp_path_factory.mktemp("whole"))
    generate(paths.raw, 24, MONTHS, seed=5)
    ingest(paths.raw, paths)
    for stage in STAGES:
        if stage not in SLOW:
            stage(paths)
    return paths


def until_killed(stage: Callable[[DataPaths], None], paths: DataPaths, file: str) -> None:
    """Runs the stage, and ends as by kill -9 when this file is written and not yet in its place."""
    replace = Path.replace

    def replace_or_die(self: Path, target: Path) -> Path:
        if target.name == file:
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(self, target)

    Path.replace = replace_or_die  # type: ignore[method-assign]
    stage(paths)


@pytest.mark.parametrize(
    "stage", [pytest.param(stage, marks=pytest.mark.proof) if stage in SLOW else stage for stage in STAGES]
)
def test_killed_before_a_file_is_in_its_place(stage, whole, tmp_path):
    """A stage that counts as done with half of its files, or fills the disk with what its dead predecessors left."""
    if stage in SLOW:  # left for here
        stage(whole)
    paths = DataPaths(shutil.copytree(whole.root, tmp_path / "data"))
    for later in list(STAGES)[list(STAGES).index(stage) :]:
        for made in (made for name in STAGES[later][0] for made in paths.root.glob(f"{name.rstrip('/')}*")):
            shutil.rmtree(made) if made.is_dir() else made.unlink()
    before, expected = published(paths), published(whole)
    made, deaths = STAGES[stage]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "tichu_models.learning.training", "tichu_models.rl.train"])
    for file in deaths:
        process = context.Process(target=until_killed, args=(stage, paths, file))
        process.start()
        process.join(120)
        assert process.exitcode == -signal.SIGKILL
        assert before.items() <= published(paths).items() <= expected.items()
    stage(paths)
    after = published(paths)
    assert before.items() < after.items() <= expected.items()
    assert {name for name in expected if name.startswith(tuple(made))} <= after.keys()
    assert half(paths) == []


ON_A_SMALL_DISK = """
import sys
from pathlib import Path
from typer.testing import CliRunner
from tests.makers import stages
from tichu_pipeline.cli import app
from tichu_pipeline.storage.folders import DataPaths

paths = DataPaths(Path(sys.argv[1]))
ballast = paths.root / "ballast"

def fill(room):
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
        file.truncate(file.tell() - room)

for stage in stages.STAGES:
    if stage.__name__ in sys.argv[3:]:
        continue
    before = stages.published(paths)
    for room in stages.ROOM.get(stage, [0]):
        fill(room)
        try:
            stage(paths)
            print(stage.__name__, "did not notice")
        except OSError as error:
            print(stage.__name__, error.errno)
        ballast.unlink()
        print(stage.__name__, stages.published(paths) == before, stages.half(paths))
    stage(paths)
whole = stages.published(DataPaths(Path(sys.argv[2])))
print(sorted({name for name, _ in whole.items() ^ stages.published(paths).items()}))
fill(0)
done = CliRunner().invoke(app, ["train", "GrandNet", "--preset", "smoke", "--name", "other", "--data", str(paths.root)])
print(done.exit_code, done.output.strip())
"""


def test_a_full_disk_in_every_stage(whole, tmp_path):
    """Half a data set that networks train on; a file of yesterday that is gone; a message that helps nobody."""
    disk = tmp_path / "disk"
    disk.mkdir()
    copies = " ".join(str(path) for path in whole.root.iterdir() if path.name in ("raw", "rounds", "games", "tricks",
        "rule_breaks", "combination_stats"))  # fmt: skip
    script = f'mount -t tmpfs -o size=64m none {disk} && cp -r {copies} {disk} && "$@"'
    command = ["unshare", "-rm", "sh", "-c", script, "sh"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a small file system of our own: unshare and mount are not allowed here")
    left_out = [stage.__name__ for stage in SLOW]
    done = subprocess.run(
        [*command, sys.executable, "-c", ON_A_SMALL_DISK, str(disk), str(whole.root), *left_out],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    *told, differing, command_told = done.stdout.splitlines()
    stages = [stage.__name__ for stage in STAGES if stage not in SLOW for _ in ROOM.get(stage, [0])]
    assert told == [line for name in stages for line in (f"{name} {errno.ENOSPC}", f"{name} True []")]
    assert set(ast.literal_eval(differing)) <= TELL_THE_TIME | {made for stage in SLOW for made in STAGES[stage][0]}
    assert command_told.startswith("1 ")
    assert "No space left on device; free some space" in command_told
