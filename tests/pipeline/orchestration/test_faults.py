"""Stages that are killed, or that meet a full disk: nothing half is taken for whole, nothing that was there is lost.

Downloads and rounds have such tests of their own, beside their other ones.
"""

from __future__ import annotations

import ast
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
from safetensors import safe_open

from tests.paths import ROOT
from tichu_models.arena import tournament
from tichu_models.observation.specs import spec
from tichu_models.runs.files import CURVES, FIGURES, LAST_WEIGHTS, RELIABILITY, TRIAL, WEIGHTS
from tichu_pipeline.analysis import notebook
from tichu_pipeline.analysis.build import build, row_counts
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.features import dataset
from tichu_pipeline.features.shards import make_shards
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.status import overview
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import stored_stamp
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.tournaments.page import write_page
from tichu_pipeline.tournaments.running import run
from tichu_pipeline.training.comparison import compare
from tichu_pipeline.training.train import Order, train_run

MONTHS = ["2024-01", "2024-02"]
NAME = "ladder"
TRAINED_IN_SECONDS = ("training.accelerator=cpu", "training.precision=float32", "training.threads=1")


def database(paths: DataPaths) -> None:
    """A DuckDB file."""
    build(paths)


def scaling(paths: DataPaths) -> None:
    """Constants and their plots."""
    fit(paths)


def report(paths: DataPaths) -> None:
    """The notebook, executed."""
    notebook.execute(paths)


def features(paths: DataPaths) -> None:
    """A shard a month, one after the other: side by side, the second may be whole before the first is killed."""
    make_shards(paths, spec("play-375"), MONTHS, workers=Serial())


def data_set(paths: DataPaths) -> None:
    """An HDF5 file."""
    dataset.make_dataset(paths, "play-375", dataset.Order(size=2_000))


def network(paths: DataPaths) -> None:
    """A trained network: what it is, a state to go on from, the best weights, figures, a picture."""
    train_run(paths, Order("GrandNet", "smoke", TRAINED_IN_SECONDS))


def comparison(paths: DataPaths) -> None:
    """Networks side by side."""
    compare(paths, samples=500)


def ladder(paths: DataPaths) -> None:
    """A tournament."""
    run(paths, NAME, tournament.Order(("random", "heuristic"), deals=5), workers=Serial())


def page(paths: DataPaths) -> None:
    """The tournament's page."""
    write_page(paths, NAME)


def index(paths: DataPaths) -> None:
    """The page that leads to all others."""
    overview.write(paths)


RUN_FILES = ("manifest.json", "metrics.csv", "events.out.", TRIAL, WEIGHTS, LAST_WEIGHTS, FIGURES, RELIABILITY, CURVES)
OF_A_RUN = [f"runs/grand_net/{name}" for name in RUN_FILES]
# In the order in which they hang together: what each makes, and the files of which it is killed before each.
STAGES = {
    database: (["tichu.duckdb"], ["tichu.duckdb"]),
    scaling: (["scaling.json", "plots"], ["points_qq.png", "scaling.json"]),
    report: (["reports/Datenanalyse.html"], ["Datenanalyse.html"]),
    features: (["features/play-375/"], ["2024-01.parquet", "2024-02.parquet"]),
    data_set: (["features/play-375.h5"], ["play-375.h5"]),
    network: (OF_A_RUN, ["resume.ckpt", WEIGHTS, LAST_WEIGHTS, FIGURES, RELIABILITY, CURVES]),
    comparison: (
        ["reports/model_comparison."],
        ["model_comparison.html", "model_comparison.parquet"],
    ),
    ladder: (["tournaments"], ["ladder.parquet"]),
    page: (["reports/tournament.html"], ["tournament.html"]),
    index: (["reports/index.html", "reports/features.html"], ["index.html"]),
}
SLOW = [report]  # starts a kernel, and answers forty questions


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


def published(paths: DataPaths) -> dict[str, str]:
    """Every file that a reader would take for whole, by what is in it."""
    found = {}
    for path in paths.root.rglob("*"):
        if path.is_file() and not path.name.endswith((".tmp", ".lock")):
            if path.is_relative_to(paths.tmp) or (path.is_relative_to(paths.runs) and not of_finished_run(path)):
                continue
            if path == paths.database:  # its blocks may lie in any order
                content = f"{stored_stamp(paths.database)} {row_counts(path)}".encode()
            elif path.parent == paths.tournaments:  # its metadata hold how long each agent has thought
                content = pq.read_table(path).replace_schema_metadata().to_pydict().__repr__().encode()
            elif path.name in (WEIGHTS, LAST_WEIGHTS):  # what it says of itself may stand in any order
                with safe_open(path, "np") as file:
                    tensors = [(name, file.get_tensor(name).tobytes()) for name in sorted(file.keys())]
                    content = repr((sorted(file.metadata().items()), tensors)).encode()
            else:
                content = path.read_bytes()
            found[str(path.relative_to(paths.root))] = hashlib.sha256(content).hexdigest()
    return found


def of_finished_run(path: Path) -> bool:
    """Whether a file of a run is looked at, and does not tell the time."""
    return (path.parent / FIGURES).exists() and path.name != TRIAL and not path.name.startswith("events.out.")


def half(paths: DataPaths) -> list[str]:
    """What is neither whole nor taken for it."""
    return sorted(path.name for path in [*paths.root.rglob(".*.tmp"), *paths.tmp.glob("analysis-*")])


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
    context.set_forkserver_preload([__name__, "tichu_models.learning.training"])
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
from tests.pipeline.orchestration import test_faults as faults
from tichu_pipeline.cli import app

paths = faults.DataPaths(Path(sys.argv[1]))
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

for stage in faults.STAGES:
    if stage.__name__ in sys.argv[3:]:
        continue
    before = faults.published(paths)
    for room in faults.ROOM.get(stage, [0]):
        fill(room)
        try:
            stage(paths)
            print(stage.__name__, "did not notice")
        except OSError as error:
            print(stage.__name__, error.errno)
        ballast.unlink()
        print(stage.__name__, faults.published(paths) == before, faults.half(paths))
    stage(paths)
whole = faults.published(faults.DataPaths(Path(sys.argv[2])))
print(sorted({name for name, _ in whole.items() ^ faults.published(paths).items()}))
fill(0)
done = CliRunner().invoke(app, ["train", "GrandNet", "--preset", "smoke", "--name", "other", "--data", str(paths.root)])
print(done.exit_code, done.output.strip())
"""
# Bytes that are left on the disk: for the first files of a run, for its journal as well, for half of its state.
ROOM = {network: [0, 12_000, 40_000]}
TELL_THE_TIME = {"reports/tournament.html", "reports/index.html"}  # how long agents have thought, and a run has taken


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
