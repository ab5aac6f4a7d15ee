"""When the VERSION of `features` or `dataset` has to be raised."""

from __future__ import annotations

import h5py
import pyarrow.parquet as pq
import pytest

from tests.makers import golden
from tichu_models.observation.specs import SPEC_OF_KIND, spec
from tichu_pipeline.features import dataset, shards
from tichu_pipeline.features.groups import BALANCES, DatasetRequest
from tichu_pipeline.storage.folders import DataPaths


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Shards of some known games."""
    made = golden.known_games(tmp_path_factory.mktemp("golden") / "data")
    for name in SPEC_OF_KIND.values():
        shards.make_shard(made, spec(name), golden.MONTH)
    return made


def shard_parts(paths: DataPaths) -> dict:
    """Columns and rows of each shard."""
    tables = {name: pq.read_table(shards.shard_file(paths, spec(name), golden.MONTH)) for name in SPEC_OF_KIND.values()}
    return {name: [str(table.schema.remove_metadata()), table.to_pylist()] for name, table in tables.items()}


def dataset_parts(paths: DataPaths) -> dict:
    """Every column of every group, for each way to balance classes."""
    found = {}
    for balance in BALANCES:
        request = DatasetRequest(size=300, balance=balance, seed=3)
        with h5py.File(dataset.make_dataset(paths, balance, request).path) as file:
            found[balance] = {
                split: {name: column[:].tolist() for name, column in group.items()} for split, group in file.items()
            }
    return found


@pytest.mark.parametrize(
    ("stage", "module", "parts"), [("features", shards, shard_parts), ("dataset", dataset, dataset_parts)]
)
def test_outputs_change_only_with_their_version(paths, stage, module, parts):
    """Vectors of an older kind that count as up to date: networks learn from a mixture."""
    found = parts(paths)
    golden.check(stage, module, {name: golden.digest(part) for name, part in found.items()})
