"""What is not made twice: `everything` over unchanged logs, over one changed month, and by two runs at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.paths import ROOT
from tichu_models.observation.specs import SPEC_OF_KIND
from tichu_pipeline.analysis.reading import value
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.definitions import build
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import State

pytestmark = pytest.mark.proof

MONTHS = ["2024-01", "2024-02", "2024-03"]
NETWORKS = ("training_runs", "selfplay_runs", "best_response", "model_comparison", "games", "reviews")
OF_GAMES = ("game_rules", "game_runs", "game_matches", "game_studies", "games_report")
RANGE = {"dagster/asset_partition_range_start": MONTHS[0], "dagster/asset_partition_range_end": MONTHS[-1]}


@pytest.fixture
def paths(tmp_path) -> DataPaths:
    """Generated logs, and nothing made of them."""
    made = DataPaths(tmp_path / "data")
    generate(made.raw, 60, MONTHS, seed=12)
    return made


@pytest.fixture
def instance(tmp_path) -> Iterator[dg.DagsterInstance]:
    """An instance as the project sets it up."""
    (tmp_path / "home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", tmp_path / "home")
    with dg.DagsterInstance.from_config(str(tmp_path / "home")) as made:
        yield made


def reused(
    instance: dg.DagsterInstance, paths: DataPaths, config: dict | None = None, only: str | None = None
) -> dict[str, list[bool]]:
    """One run of everything but the networks, which take their time, or of one stage: by stage, whether it was reused,
    for each month or once."""
    job = build(root=str(paths.root)).resolve_job_def("everything")
    stages = [key for key in job.asset_layer.executable_asset_keys if key.path[0] not in NETWORKS]
    result = job.execute_in_process(
        instance=instance,
        tags=RANGE,
        run_config={"ops": config or {}},
        asset_selection=[dg.AssetKey(only)] if only else stages,
    )
    checks = result.get_asset_check_evaluations()
    assert checks
    assert all(check.passed for check in checks)
    found: dict[str, list[bool]] = {}
    for event in result.get_asset_materialization_events():
        made = event.step_materialization_data.materialization
        if "reused" in made.metadata:
            found.setdefault(made.asset_key.to_user_string(), []).append(bool(made.metadata["reused"].value))
    return found


def files(paths: DataPaths) -> dict[str, tuple[int, int]]:
    """Everything that was made, with what changes whenever a file is written or replaced."""
    everything = [path for path in paths.root.rglob("*") if path.is_file() and path.suffix != ".lock"]
    return {str(path.relative_to(paths.root)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in everything}


def changes(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> set[str]:
    """The files that are new, gone, or written again."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def in_state(paths: DataPaths, state: State) -> list[str]:
    """The stages of this state but the networks."""
    return [stage.stage for stage in status(paths) if stage.state is state and stage.stage not in NETWORKS + OF_GAMES]


def test_only_what_hangs_on_a_change_is_made_again(paths, instance):
    """A monthly update that costs as much as the first run; or one that leaves something as it was."""
    window = {"scaling": {"config": {"fit_through": "2024-02"}}}
    once = {"rounds": [False] * 3, "analysis": [False], "scaling": [False], "analysis_report": [False]}
    once |= {"features": [False] * 3, "dataset": [False]}
    once |= {"tournament": [False], "evaluation": [False], "overview": [False]}
    assert reused(instance, paths, window) == once
    first = files(paths)

    assert reused(instance, paths) == {stage: [True] * len(found) for stage, found in once.items()}
    assert changes(first, files(paths)) == set()
    assert in_state(paths, State.STALE) == in_state(paths, State.MISSING) == []

    log = paths.raw / "202403" / "7.tch"
    log.parent.mkdir()
    shutil.copy(ROOT / "tests" / "golden" / "sound_game.tch", log)
    below = ["analysis", "analysis_report", "features", "dataset", "overview"]
    assert in_state(paths, State.STALE) == ["rounds", *below]
    assert reused(instance, paths) == {
        "rounds": [True, True, False],
        "analysis": [False],
        "scaling": [True],
        "analysis_report": [False],
        "features": [True, True, False],
        "dataset": [False],
        "tournament": [True],
        "evaluation": [True],
        "overview": [False],
    }
    tables = ("rounds", "games", "tricks", "rule_breaks", "combination_stats")
    expected = {"raw/202403/7.tch", "tichu.duckdb", "reports/Datenanalyse.html", "reports/index.html"}
    expected |= {"features/play-375.h5", *(f"{table}/2024-03.parquet" for table in tables)}
    expected |= {f"features/{name}/2024-03.parquet" for name in SPEC_OF_KIND.values()}
    assert changes(first, files(paths)) == expected

    before = files(paths)
    method = {"scaling": {"config": {"methods": {"rtg": "zscore"}}}}
    assert reused(instance, paths, method, only="scaling") == {"scaling": [False]}
    changed = changes(before, files(paths))
    assert "scaling.json" in changed
    assert {name for name in changed if not name.startswith("plots/scaling/")} == {"scaling.json"}
    assert in_state(paths, State.STALE) == ["analysis_report", "dataset", "overview"]


def test_two_runs_at_once(paths, tmp_path, instance):
    """Two writers of one database: the schedule's run and a person's, started in the same minute."""
    command = (
        "import sys, json\n"
        "import dagster as dg\n"
        "from tichu_pipeline.definitions import build\n"
        "with dg.DagsterInstance.from_config(sys.argv[1]) as instance:\n"
        "    job = build(root=sys.argv[2]).resolve_job_def('refresh')\n"
        "    assert job.execute_in_process(instance=instance, tags=json.loads(sys.argv[3])).success\n"
    )
    arguments = [sys.executable, "-c", command, str(tmp_path / "home"), str(paths.root), json.dumps(RANGE)]
    environment = os.environ | {"TICHU_RETRY_SECONDS": "1"}
    runs = [
        subprocess.Popen(
            arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = [run.communicate(timeout=300)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], told[0][-3000:] + told[1][-3000:]
    assert "next attempt" not in "".join(told)  # one waits for the other, and does not run into it
    assert value(paths, "SELECT count(*) FROM games") == 60
    assert [stage.state for stage in status(paths)][:3] == [State.FRESH] * 3
    left = [path for path in Path(paths.root).rglob("*") if path.suffix == ".tmp" or path.name.startswith("analysis-")]
    assert left == []
