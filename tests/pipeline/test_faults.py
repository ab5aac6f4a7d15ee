"""Stages that are killed, or that meet a full disk: nothing half is taken for whole, nothing that was there is lost.

Downloads, rounds, the database and networks have such tests of their own, beside their other ones.
"""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.pipeline.test_layout import ROOT
from tichu_models.arena import tournament
from tichu_models.observation.specs import spec
from tichu_pipeline.brettspielwelt.corpus import generate
from tichu_pipeline.features import dataset
from tichu_pipeline.features.shards import make_shards
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.tournaments.page import write_page
from tichu_pipeline.tournaments.running import run
from tichu_pipeline.workers import Serial

MONTHS = ["2024-01", "2024-02"]
NAME = "ladder"


def scaling(paths: DataPaths) -> None:
    """Constants and their plots."""
    fit(paths)


def features(paths: DataPaths) -> None:
    """A shard a month."""
    make_shards(paths, spec("play-375"), MONTHS)


def data_set(paths: DataPaths) -> None:
    """An HDF5 file."""
    dataset.make_dataset(paths, "play-375", dataset.Order(size=2_000))


def ladder(paths: DataPaths) -> None:
    """A tournament."""
    run(paths, NAME, tournament.Order(("random", "heuristic"), deals=5), workers=Serial())


def page(paths: DataPaths) -> None:
    """The tournament's page."""
    write_page(paths, NAME)


# In the order in which they hang together, and what each makes.
STAGES = {
    scaling: ("scaling.json", "plots"),
    features: ("features/play-375/",),
    data_set: ("features/play-375.h5",),
    ladder: ("tournaments",),
    page: ("reports",),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> DataPaths:
    """A data folder in which nothing was disturbed."""
    paths = DataPaths(tmp_path_factory.mktemp("whole"))
    generate(paths.raw, 24, MONTHS, seed=5)
    ingest(paths.raw, paths)
    for stage in STAGES:
        stage(paths)
    return paths


def published(paths: DataPaths) -> dict[str, str]:
    """Every file that a reader would take for whole, by what is in it."""
    found = {}
    for path in paths.root.rglob("*"):
        if path.is_file() and not path.name.endswith((".tmp", ".lock")):
            if path.parent == paths.tournaments:  # its metadata hold how long each agent has thought
                content = pq.read_table(path).replace_schema_metadata().to_pydict().__repr__().encode()
            else:
                content = path.read_bytes()
            found[str(path.relative_to(paths.root))] = hashlib.sha256(content).hexdigest()
    return found


def until_killed(stage: Callable[[DataPaths], None], paths: DataPaths, publication: int) -> None:
    """Runs the stage, and ends as by kill -9 with its nth file written and not yet in its place."""
    replace, files = Path.replace, iter(range(1, 1_000))

    def replace_or_die(self: Path, target: Path) -> Path:
        if next(files) == publication:
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(self, target)

    Path.replace = replace_or_die  # type: ignore[method-assign]
    stage(paths)


@pytest.mark.parametrize("stage", STAGES)
def test_killed_before_a_file_is_in_its_place(stage, whole, tmp_path):
    """A stage that counts as done with half of its files, or fills the disk with what its dead predecessors left."""
    paths = DataPaths(shutil.copytree(whole.root, tmp_path / "data"))
    for later in list(STAGES)[list(STAGES).index(stage) :]:
        for made in (paths.root / name for name in STAGES[later]):
            shutil.rmtree(made) if made.is_dir() else made.unlink()
    before, expected = published(paths), published(whole)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    for publication in (1, 2):
        process = context.Process(target=until_killed, args=(stage, paths, publication))
        process.start()
        process.join(120)
        assert process.exitcode in (-signal.SIGKILL, 0 if publication > 1 else None)  # it may have but one file
        assert before.items() <= published(paths).items() <= expected.items()
    stage(paths)
    after = published(paths)
    assert before.items() < after.items() <= expected.items()
    assert {name for name in expected if name.startswith(STAGES[stage])} <= after.keys()
    assert list(paths.root.rglob(".*.tmp")) == []


ON_A_SMALL_DISK = """
import errno, sys
from pathlib import Path
from tests.pipeline import test_faults as faults

paths = faults.DataPaths(Path(sys.argv[1]))
ballast = paths.root / "ballast"
for stage in faults.STAGES:
    before = faults.published(paths)
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    before["ballast"] = faults.published(paths)["ballast"]
    try:
        stage(paths)
        print(stage.__name__, "did not notice")
    except OSError as error:
        print(stage.__name__, error.errno)
    half = [path.name for path in paths.root.rglob(".*.tmp")]
    print(stage.__name__, faults.published(paths) == before, half)
    ballast.unlink()
    stage(paths)
whole = faults.published(faults.DataPaths(Path(sys.argv[2])))
differing = {name for name, _ in whole.items() ^ faults.published(paths).items()}
print(sorted(differing - {"reports/tournament.html"}))  # which tells how long the agents have thought
"""


def test_a_full_disk_in_every_stage(whole, tmp_path):
    """Half a data set that networks train on; a file of yesterday that is gone; a message that helps nobody."""
    disk = tmp_path / "disk"
    disk.mkdir()
    copies = " ".join(str(path) for path in whole.root.iterdir() if path.name in ("raw", "rounds", "games", "tricks",
        "rule_breaks", "combination_stats"))  # fmt: skip
    script = f'mount -t tmpfs -o size=24m none {disk} && cp -r {copies} {disk} && "$@"'
    command = ["unshare", "-rm", "sh", "-c", script, "sh"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a small file system of our own: unshare and mount are not allowed here")
    done = subprocess.run(
        [*command, sys.executable, "-c", ON_A_SMALL_DISK, str(disk), str(whole.root)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for stage in STAGES for line in (f"{stage.__name__} {errno.ENOSPC}", f"{stage.__name__} True []")]
    assert done.stdout.splitlines() == [*lines, "[]"]
