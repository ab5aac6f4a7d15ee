"""Every stage as a function of a data folder, with the files that it makes.

For tests that kill a stage or fill its disk, and then check which files exist.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
from safetensors import safe_open

from tichu_models.arena import tournament
from tichu_models.observation.specs import spec
from tichu_models.runs.files import (
    CURVES,
    FIGURES,
    ITERATIONS,
    LAST_WEIGHTS,
    METRICS,
    RELIABILITY,
    RESUME_SELFPLAY,
    TRIAL,
    WEIGHTS,
)
from tichu_pipeline.analysis import notebook
from tichu_pipeline.analysis.build import build, row_counts
from tichu_pipeline.exploit.best_response import exploit
from tichu_pipeline.exploit.request import ExploitRequest
from tichu_pipeline.features import dataset
from tichu_pipeline.features.shards import make_shards
from tichu_pipeline.games import matches, rules
from tichu_pipeline.games import page as games_page
from tichu_pipeline.games.runs import GameRunRequest
from tichu_pipeline.games.studies import study
from tichu_pipeline.games.train import train_run as learn_game
from tichu_pipeline.review.judging import review_months
from tichu_pipeline.review.stored import ReviewsRequest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.selfplay.runs import SelfplayRequest
from tichu_pipeline.selfplay.train import train_run as learn_by_selfplay
from tichu_pipeline.status import overview
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import stored_stamp
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.tournaments.page import write_page
from tichu_pipeline.tournaments.running import run
from tichu_pipeline.training.comparison import compare
from tichu_pipeline.training.train import TrainingRequest, train_run

MONTHS = ["2024-01", "2024-02"]  # of the corpus
NAME = "ladder"
TRAINED_IN_SECONDS = ("training.accelerator=cpu", "training.precision=float32", "training.threads=1")


def database(paths: DataPaths) -> None:
    """Makes the DuckDB file."""
    build(paths)


def scaling(paths: DataPaths) -> None:
    """Fits the constants, and draws their plots."""
    fit(paths)


def report(paths: DataPaths) -> None:
    """Runs the notebook."""
    notebook.execute(paths)


def features(paths: DataPaths) -> None:
    """Makes a shard for each month, in sequence: in parallel the second might be whole before the first is killed."""
    make_shards(paths, spec("play-375"), MONTHS, workers=Serial())


def data_set(paths: DataPaths) -> None:
    """Makes an HDF5 data set."""
    dataset.make_dataset(paths, "play-375", dataset.DatasetRequest(size=2_000))


def network(paths: DataPaths) -> None:
    """Trains a network."""
    train_run(paths, TrainingRequest("GrandNet", "smoke", TRAINED_IN_SECONDS))


def comparison(paths: DataPaths) -> None:
    """Compares the networks."""
    compare(paths, samples=500)


def selfplay(paths: DataPaths) -> None:
    """Lets a player learn from self-play."""
    learn_by_selfplay(paths, SelfplayRequest("taught", "smoke"))


def best_response(paths: DataPaths) -> None:
    """Trains another player against a player who does not learn."""
    settings = ("iterations=1", "evaluation_deals=8")
    exploit(paths, ExploitRequest("heuristic", "", None, 1, "smoke", settings, 8))


def ladder(paths: DataPaths) -> None:
    """Plays a tournament."""
    run(paths, NAME, tournament.TournamentRequest(("random", "heuristic"), deals=5), workers=Serial())


def page(paths: DataPaths) -> None:
    """Writes the tournament's page."""
    write_page(paths, NAME)


def reviews(paths: DataPaths) -> None:
    """Judges a game of each month, in sequence."""
    review_months(paths, ReviewsRequest(games=1, agent="heuristic"), Serial())


def game_rules(paths: DataPaths) -> None:
    """Counts the rules of a game."""
    rules.count(paths, rules.RulesRequest.of("chameleon", "smoke"))


def game_run(paths: DataPaths) -> None:
    """Learns a game."""
    learn_game(paths, GameRunRequest("chameleon", "td", "td", "smoke"))


def game_matches(paths: DataPaths) -> None:
    """Plays matches of a game, one with the run."""
    wanted = matches.planned(paths, "chameleon", "smoke")
    assert wanted is not None
    matches.play(paths, wanted)


def game_study(paths: DataPaths) -> None:
    """Makes a study of a game."""
    study.make(paths, "tic-tac-toe", {})


def games_report(paths: DataPaths) -> None:
    """Writes the page of the games."""
    games_page.write(paths)


def index(paths: DataPaths) -> None:
    """Writes the page that links to all others."""
    overview.write(paths)


RUN_FILES = ("manifest.json", "metrics.csv", "events.out.", TRIAL, WEIGHTS, LAST_WEIGHTS, FIGURES, RELIABILITY, CURVES)
OF_A_RUN = [f"runs/grand_net/{name}" for name in RUN_FILES]
# In the order of their dependencies: what each makes, and the files before each of which it is killed.
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
    selfplay: (["runs/taught/"], [CURVES, WEIGHTS, RESUME_SELFPLAY, FIGURES]),
    best_response: (["runs/exploit_heuristic_1/", "exploits/heuristic.json"], [FIGURES, "heuristic.json"]),
    ladder: (["tournaments"], ["ladder.parquet"]),
    page: (["reports/tournament.html"], ["tournament.html"]),
    reviews: (["reviews/"], ["2024-01.parquet", "2024-02.parquet"]),
    game_rules: (["board_games/chameleon/rules.json"], ["rules.json"]),
    game_run: (["board_games/chameleon/td/"], [WEIGHTS, RESUME_SELFPLAY, FIGURES, CURVES]),
    game_matches: (["board_games/chameleon/matches.json"], ["matches.json"]),
    game_study: (["board_games/chameleon/studies/"], ["tic-tac-toe.png", "tic-tac-toe.json"]),
    games_report: (["reports/games.html"], ["games.html"]),
    index: (["reports/index.html", "reports/features.html"], ["index.html"]),
}
SLOW = [report]  # starts a Jupyter kernel, and answers forty questions
# Free bytes on the disk: enough for the first files of a run, also for its journal, also for half of its state.
ROOM = {network: [0, 12_000, 40_000], selfplay: [0, 12_000, 200_000], game_run: [0, 12_000, 100_000]}
TIMED = (METRICS, ITERATIONS, CURVES)  # in the folder of a run of self-play, likewise
MINUTES = "minutes"  # among the figures and the notes of such a run
# They show how long agents and runs took.
TELL_THE_TIME = {"reports/tournament.html", "reports/games.html", "reports/index.html"}


def published(paths: DataPaths) -> dict[str, str]:
    """A digest of each file that a reader would take for whole."""
    found = {}
    for path in paths.root.rglob("*"):
        if path.is_file() and not path.name.endswith((".tmp", ".lock")):
            if path.is_relative_to(paths.tmp):
                continue
            if path.is_relative_to(paths.runs) and not of_finished_run(path, paths.runs):
                continue
            of_run = path.parents[2] == paths.board_games and path.parent.name != "studies"
            if of_run and not of_finished_run(path, path.parents[1]):
                continue
            if path == paths.database:  # its blocks may lie in any order
                content = f"{stored_stamp(paths.database)} {row_counts(path)}".encode()
            elif path.parent == paths.tournaments:  # its metadata have the time of each agent
                content = pq.read_table(path).replace_schema_metadata().to_pydict().__repr__().encode()
            elif path.name in (WEIGHTS, LAST_WEIGHTS):  # its metadata may be in any order
                with safe_open(path, "np") as file:
                    tensors = [(name, file.get_tensor(name).tobytes()) for name in sorted(file.keys())]
                    notes = sorted((name, text) for name, text in file.metadata().items() if name != MINUTES)
                    content = repr((notes, tensors)).encode()
            elif path.parent == paths.exploits:  # likewise, and its stamp depends on them
                best = json.loads(path.read_text())["best_response"]
                content = repr(sorted((name, x) for name, x in best.items() if name != MINUTES)).encode()
            elif path.name == FIGURES:
                figures = json.loads(path.read_text())
                content = repr(sorted((name, x) for name, x in figures.items() if name != MINUTES)).encode()
            else:
                content = path.read_bytes()
            found[str(path.relative_to(paths.root))] = hashlib.sha256(content).hexdigest()
    return found


def of_finished_run(path: Path, runs: Path) -> bool:
    """Whether the file is one of a finished run, and does not depend on the time."""
    run = runs / path.relative_to(runs).parts[0]
    if path.name == TRIAL or path.name.startswith("events.out.") or not (run / FIGURES).exists():
        return False
    return not ((run / ITERATIONS).exists() and path.name in TIMED)


def half(paths: DataPaths) -> list[str]:
    """The names of unfinished files."""
    return sorted(path.name for path in [*paths.root.rglob(".*.tmp"), *paths.tmp.glob("analysis-*")])
