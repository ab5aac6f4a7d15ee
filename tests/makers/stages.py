"""Every stage as a function of a data folder, the files that it makes, and what counts as published.

For tests that kill a stage or fill its disk, and then look at what is there.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet as pq
from safetensors import safe_open

from tichu_models.arena import tournament
from tichu_models.observation.specs import spec
from tichu_models.runs.files import CURVES, FIGURES, LAST_WEIGHTS, RELIABILITY, TRIAL, WEIGHTS
from tichu_pipeline.analysis import notebook
from tichu_pipeline.analysis.build import build, row_counts
from tichu_pipeline.features import dataset
from tichu_pipeline.features.shards import make_shards
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.status import overview
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import stored_stamp
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.tournaments.page import write_page
from tichu_pipeline.tournaments.running import run
from tichu_pipeline.training.comparison import compare
from tichu_pipeline.training.train import TrainingRequest, train_run

MONTHS = ["2024-01", "2024-02"]  # of the corpus that the stages are made of
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
    dataset.make_dataset(paths, "play-375", dataset.DatasetRequest(size=2_000))


def network(paths: DataPaths) -> None:
    """A trained network: what it is, a state to go on from, the best weights, figures, a picture."""
    train_run(paths, TrainingRequest("GrandNet", "smoke", TRAINED_IN_SECONDS))


def comparison(paths: DataPaths) -> None:
    """Networks side by side."""
    compare(paths, samples=500)


def ladder(paths: DataPaths) -> None:
    """A tournament."""
    run(paths, NAME, tournament.TournamentRequest(("random", "heuristic"), deals=5), workers=Serial())


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
# Bytes that are left on the disk: for the first files of a run, for its journal as well, for half of its state.
ROOM = {network: [0, 12_000, 40_000]}
TELL_THE_TIME = {"reports/tournament.html", "reports/index.html"}  # how long agents have thought, and a run has taken


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
