"""The stages `tournament` and `evaluation` as Dagster runs them."""

from __future__ import annotations

import dagster as dg
import pytest

from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.reading import value
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.orchestration.assets.evaluation import evaluation
from tichu_pipeline.orchestration.assets.tournament import nobody_failed, tournament
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import State


@pytest.fixture
def paths(tmp_path) -> DataPaths:
    """A data folder with a database."""
    made = DataPaths(tmp_path / "data")
    generate(made.raw, 10, ["2024-01"], seed=2)
    ingest(made.raw, made)
    build(made)
    return made


def run(paths: DataPaths, **config: object) -> dict[str, dict]:
    """Both stages once; their metadata."""
    result = dg.materialize(
        [tournament, evaluation, nobody_failed],
        resources={"data": DataFolder(root=str(paths.root)), "workers": WorkersResource()},
        run_config={"ops": {"tournament": {"config": {"deals": 20, **config}}}},
    )
    assert all(check.passed for check in result.get_asset_check_evaluations())
    events = [event.step_materialization_data.materialization for event in result.get_asset_materialization_events()]
    return {event.asset_key.to_user_string(): {k: v.value for k, v in event.metadata.items()} for event in events}


def standings(paths: DataPaths) -> dict[str, State]:
    """How these stages stand, and the database."""
    return {
        found.stage: found.state for found in status(paths) if found.stage in ("tournament", "evaluation", "analysis")
    }


def test_made_once_shown_everywhere_and_not_made_twice(paths):
    """A ladder that is played every night anew, or that the database, the page and the status know nothing of."""
    assert set(standings(paths).values()) == {State.FRESH, State.MISSING}
    first = run(paths)
    assert (first["tournament"]["rows"], first["tournament"]["reused"]) == (6 * 40, False)  # with the crowd
    assert "heuristic" in first["evaluation"]["ladder"]
    assert (paths.reports / "tournament.html").exists()
    assert set(standings(paths).values()) == {State.FRESH}
    assert value(paths, "SELECT count(*) FROM tournaments WHERE tournament = 'ladder'") == 240
    second = run(paths)
    assert second["tournament"]["reused"]
    assert second["evaluation"]["reused"]
    assert not run(paths, agents=["random", "heuristic"])["tournament"]["reused"]
    assert standings(paths)["tournament"] is State.STALE  # an agent of the ladder is missing now
