"""The stages features and dataset in Dagster: what is made, what is skipped, and checks that can fail."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import h5py
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tichu_models.observation.specs import spec
from tichu_models.samples.sources import ShardSource
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.features.shards import shard_file
from tichu_pipeline.orchestration.assets import dataset, features
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.storage.folders import DataPaths

MONTHS = ["2024-01", "2024-02"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A data folder up to the stage scaling."""
    made = tmp_path_factory.mktemp("data")
    generate(made / "raw", 80, MONTHS, seed=4)
    ingest(made / "raw", DataPaths(made))
    fit(DataPaths(made))
    return made


def run(folder: Path, **config: object) -> dg.ExecuteInProcessResult:
    """One run of both stages over both months."""
    return dg.materialize(
        [*dg.load_assets_from_modules([features, dataset]), *dg.load_asset_checks_from_modules([features, dataset])],
        resources={"data": DataFolder(root=str(folder)), "workers": WorkersResource()},
        run_config={"ops": {"features": {"config": {"specs": ["play-375"], **config}}}},
        tags={"dagster/asset_partition_range_start": MONTHS[0], "dagster/asset_partition_range_end": MONTHS[1]},
        raise_on_error=False,
    )


def facts(result: dg.ExecuteInProcessResult, stage: str) -> list[dict]:
    """The metadata of a stage's materialisations."""
    return [
        {name: entry.value for name, entry in event.step_materialization_data.materialization.metadata.items()}
        for event in result.get_asset_materialization_events()
        if event.asset_key == dg.AssetKey([stage])
    ]


def checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    """What the checks said."""
    return {entry.check_name: entry.passed for entry in result.get_asset_check_evaluations()}


def test_both_stages_make_their_files_once(folder):
    """A demo without training data, or one that makes it anew with every run."""
    first = run(folder)
    assert first.success
    assert checks(first) == {"every_game_is_in_one_split": True, "shards_are_small": True, "groups_are_disjoint": True}
    paths = DataPaths(folder)
    assert ShardSource([shard_file(paths, spec("play-375"), month) for month in MONTHS], spec("play-375")).blocks
    with h5py.File(paths.features / "play-375.h5") as file:
        assert set(file) == {"train", "validation", "test", "players"}
        assert sum(len(file[group]["labels"]) for group in file) == facts(first, "dataset")[0]["rows"] > 1000
    second = run(folder)
    assert [entry["reused"] for entry in (*facts(second, "features"), *facts(second, "dataset"))] == [True] * 3


def test_only_the_declared_window_gets_shards(folder, tmp_path):
    """Twenty gigabytes a spec that nobody has asked for."""
    result = run(folder, window="2024-02..2024-02", specs=["wish-233"])
    assert [entry["in_window"] for entry in facts(result, "features")] == [False, True]
    found = sorted(path.stem for path in (DataPaths(folder).features / "wish-233").iterdir())
    assert found == ["2024-02"]


def test_a_game_in_another_split_stops_the_run(folder):
    """Test games in the training data: results too good to be true."""
    path = shard_file(DataPaths(folder), spec("play-375"), MONTHS[0])
    assert run(folder).success
    whole = path.read_bytes()
    table = pq.read_table(path)
    moved = pa.array([3] * len(table), type=pa.int8())
    pq.write_table(table.set_column(table.schema.get_field_index("split"), table.schema.field("split"), moved), path)
    try:
        result = run(folder)
        assert not checks(result)["every_game_is_in_one_split"]
        assert not result.success
        assert facts(result, "dataset") == []
    finally:
        path.write_bytes(whole)
