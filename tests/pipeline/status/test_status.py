"""What `tichu status` says of a data folder in the states that it can be in."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest
from typer.testing import CliRunner

from tests.makers.interpreters import imported_by
from tests.paths import ROOT
from tichu_models.arena.tournament import TournamentRequest
from tichu_models.observation.specs import spec
from tichu_pipeline.analysis import build as building
from tichu_pipeline.analysis import notebook
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.cli import app
from tichu_pipeline.features import dataset, shards
from tichu_pipeline.rounds import changes
from tichu_pipeline.rounds import ingest as ingesting
from tichu_pipeline.scaling import fit as fitting
from tichu_pipeline.status.stages import STAGES, status
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.freshness import Standing, State
from tichu_pipeline.storage.stamps import stamped_page
from tichu_pipeline.tournaments import page as ladder_page
from tichu_pipeline.tournaments.entrants import LADDER, entrants
from tichu_pipeline.tournaments.running import run as run_tournament

MONTHS = ["2024-01", "2024-02", "2024-03"]
# What takes training, games, and the page that leads to all others, have tests of their own.
GAMES = {"rules": "game_rules", "runs": "game_runs", "matches": "game_matches"}
GAMES |= {"studies": "game_studies", "report": "games_report"}
NETWORKS = (
    "training_runs",
    "selfplay_runs",
    "best_response",
    "model_comparison",
    *GAMES.values(),
    "overview",
    "reviews",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> DataPaths:
    """A data folder with every stage made; its page bears the right stamp and little else."""
    paths = DataPaths(tmp_path_factory.mktemp("status"))
    generate(paths.raw, 30, MONTHS, seed=8)
    ingesting.ingest(paths.raw, paths)
    run_tournament(paths, LADDER, TournamentRequest(entrants(paths).agents, 2))
    building.build(paths)
    fitting.fit(paths, fit_through="2024-02")
    ladder_page.write_page(paths, LADDER)
    write_page(paths)
    shards.make_shards(paths, spec("grand-65"), MONTHS)
    dataset.make_dataset(paths, "grand", dataset.DatasetRequest("grand-65", size=100))
    return paths


@pytest.fixture
def paths(made, tmp_path) -> DataPaths:
    """A copy of it to damage."""
    return DataPaths(shutil.copytree(made.root, tmp_path / "data"))


def write_page(paths: DataPaths) -> None:
    """What executing the notebook leaves, as far as the stamp is concerned; the notebook has its own tests."""
    stamp = notebook._stamp(paths, notebook._source())
    notebook.page_path(paths).write_text(stamped_page(stamp, ""))


def add_log(paths: DataPaths, month: str) -> None:
    """One more game, from a sound log."""
    folder = paths.raw / month.replace("-", "")
    folder.mkdir()
    shutil.copy(ROOT / "tests" / "golden" / "sound_game.tch", folder / "7.tch")


def by_stage(paths: DataPaths) -> dict[str, Standing]:
    """How each stage stands."""
    return {standing.stage: standing for standing in status(paths)}


def not_fresh(paths: DataPaths) -> list[str]:
    """The stages that are stale or missing, in order, networks left out."""
    return [standing.stage for standing in status(paths) if not standing.is_fresh and standing.stage not in NETWORKS]


def test_an_empty_folder_is_all_missing(tmp_path):
    """A newcomer's first call that ends in a traceback."""
    assert {standing.state for standing in status(DataPaths(tmp_path / "nowhere"))} == {State.MISSING}


def test_everything_made_is_fresh(paths):
    """Stages called stale right after they were made: nobody would look a second time."""
    found = {name: standing for name, standing in by_stage(paths).items() if name not in NETWORKS}
    assert {name: standing.reasons for name, standing in found.items()} == dict.fromkeys(found, ())
    assert {standing.state for standing in found.values()} == {State.FRESH}
    assert all(standing.there and standing.bytes for standing in found.values())


def test_stages_are_those_that_dagster_runs(paths):
    """A stage that is added to the graph and forgotten here."""
    from tichu_pipeline.definitions import defs

    keys = [key.path for key in defs.resolve_asset_graph().get_all_asset_keys()]
    of_games = {GAMES[path[min(len(path) - 1, 2)]] for path in keys if path[0] == "games"}
    assert set(STAGES) == {path[0] for path in keys} - {"rounds_manifest", "games"} | of_games


def test_a_changed_month_makes_stale_what_hangs_on_it(paths):
    """Constants of a window that called for a new fit because of a month outside of it; or a page that stays fresh."""
    add_log(paths, "2024-03")
    assert not_fresh(paths) == ["rounds", "analysis", "analysis_report", "features", "dataset"]
    found = by_stage(paths)
    assert found["rounds"].reasons == ("logs have changed: 2024-03",)
    assert found["rounds"].stale_months == ("2024-03",)
    assert found["analysis"].reasons == found["features"].reasons == ("rounds is stale",)
    assert found["analysis_report"].reasons == ("analysis is stale",)
    ingesting.ingest(paths.raw, paths)
    assert not_fresh(paths) == ["analysis", "analysis_report", "features", "dataset"]
    found = by_stage(paths)
    assert found["features"].reasons == ("grand-65 2024-03: rounds or the spec have changed since",)
    assert found["analysis"].reasons == ("rounds have changed since",)
    assert found["features"].stale_months == ("2024-03",)
    assert "2024-03.parquet: made from other rounds" in found["dataset"].reasons[0]
    building.build(paths)
    assert not_fresh(paths) == ["analysis_report", "features", "dataset"]
    shards.make_shards(paths, spec("grand-65"), MONTHS)
    assert not_fresh(paths) == ["analysis_report", "dataset"]
    assert by_stage(paths)["dataset"].reasons == ("grand.h5: shards or scaling constants have changed since",)
    dataset.make_dataset(paths, "grand", dataset.DatasetRequest("grand-65", size=100))
    write_page(paths)
    assert not_fresh(paths) == []


def test_a_month_of_the_window_makes_the_constants_stale(paths):
    """Features scaled with constants of other rounds than they claim."""
    add_log(paths, "2024-02")
    assert by_stage(paths)["scaling"].reasons == ("rounds in its window are stale: 2024-02",)
    ingesting.ingest(paths.raw, paths)
    assert by_stage(paths)["scaling"].reasons == ("rounds in its window have changed since",)
    fitting.fit(paths)
    assert by_stage(paths)["scaling"].state is State.FRESH


def test_settings_of_the_last_fit_count(paths):
    """A method that was chosen by hand, and a fit that is called stale for it ever after."""
    fitting.fit(paths, methods={"rtg": "zscore"})
    assert by_stage(paths)["scaling"].state is State.FRESH


def test_the_reason_is_told_apart(paths, monkeypatch):
    """Someone searching the raw folder for a change that was one of the code."""
    add_log(paths, "2023-12")
    month_file(paths.games, "2024-02").unlink()
    monkeypatch.setattr(changes, "VERSION", changes.VERSION + 1)
    monkeypatch.setattr(changes.month_stamp, "__defaults__", (changes.VERSION,))
    assert by_stage(paths)["rounds"].reasons == (
        "new months: 2023-12",
        "made by an older version: 2024-01, 2024-03",
        "files are not of one run: 2024-02",
    )


def test_a_new_version_of_a_stage_is_told_from_other_rounds(paths, monkeypatch):
    """Someone who looks for the month that has changed, where it was the code."""
    for module in (building, fitting, shards):
        monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    found = by_stage(paths)
    assert found["analysis"].reasons == found["scaling"].reasons == ("made by an older version",)
    assert found["features"].reasons == ("grand-65 2024-01..2024-03: made by an older version",)
    add_log(paths, "2024-01")
    ingesting.ingest(paths.raw, paths)
    found = by_stage(paths)
    assert found["analysis"].reasons == ("rounds have changed since",)
    assert found["scaling"].reasons == ("rounds in its window have changed since",)
    assert found["features"].reasons == (
        "grand-65 2024-01: rounds or the spec have changed since",
        "grand-65 2024-02..2024-03: made by an older version",
    )


def test_shards_that_are_stale_alike_share_a_line(paths):
    """Eight lines for one month, and half of them cut off."""
    more = ("tichu-240", "schupf-65")
    for name in more:
        shards.make_shards(paths, spec(name), MONTHS)
    add_log(paths, "2024-02")
    ingesting.ingest(paths.raw, paths)
    reasons = by_stage(paths)["features"].reasons
    assert reasons == ("grand-65, schupf-65, tichu-240 2024-02: rounds or the spec have changed since",)


def test_damage_is_a_reason_and_no_crash(paths):
    """The command that shall say what is wrong, dying of it."""
    month_file(paths.rounds, "2024-02").write_bytes(b"no parquet")
    paths.database.write_bytes(b"no database")
    paths.scaling.write_text("{")
    with zipfile.ZipFile(paths.raw / "2022.zip", "w"):
        pass
    (paths.raw / "2021.zip").write_bytes(b"no zip")
    found = by_stage(paths)
    assert not_fresh(paths) == ["rounds", "analysis", "scaling", "analysis_report", "features", "dataset"]
    assert "2024-02.parquet" in found["rounds"].reasons[0]
    assert "1 problems" in found["raw_logs"].reasons[0]


def test_rounds_without_logs_are_kept(paths):
    """Rounds called stale where their archives were moved away: reading them again is impossible."""
    (paths.raw / "2024.zip").unlink()
    found = by_stage(paths)
    assert not_fresh(paths) == ["raw_logs"]
    assert found["rounds"].reasons == ("logs are gone, rounds kept: 2024-01..2024-03",)
    (paths.raw / "truth.parquet").unlink()  # by which the crowd plays
    assert not_fresh(paths) == ["raw_logs", "tournament", "evaluation"]
    assert "the crowd's corpus" in by_stage(paths)["tournament"].reasons[0]


def test_the_command(paths):
    """JSON with fields that cannot be relied upon; a table that loses the reason."""
    add_log(paths, "2024-03")
    answer = CliRunner().invoke(app, ["status", "--data", str(paths.root), "--json"])
    assert answer.exit_code == 0
    stages = json.loads(answer.stdout)
    assert [stage["stage"] for stage in stages] == list(STAGES)
    assert set(stages[0]) == {"stage", "state", "there", "bytes", "reasons", "stale_months"}
    assert stages[1]["stale_months"] == ["2024-03"]
    shown = CliRunner().invoke(app, ["status", "--data", str(paths.root)], env={"COLUMNS": "160"})
    assert "logs have changed: 2024-03" in shown.stdout


def test_neither_command_loads_dagster():
    """Seconds of waiting for a look at a folder."""
    assert imported_by("import tichu_pipeline.cli").isdisjoint({"dagster", "polars", "duckdb", "pyarrow"})
    judges = "".join(f"\nimport tichu_pipeline.{module}" for module in STAGES.values())
    assert imported_by(f"from tichu_pipeline.status import doctor, stages{judges}").isdisjoint({"dagster", "torch"})
