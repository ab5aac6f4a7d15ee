"""When the VERSION of the inputs of training, or of `model_comparison`, has to be raised.

What a network has learned differs between processors; what it is given does not, nor what is said of networks that are
all zeros.
"""

from __future__ import annotations

import pytest

from tests.makers import golden
from tests.makers.runs import make_run
from tichu_models.learning.config_files import run_config
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.runs import checkpoint
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training import comparison, inputs
from tichu_pipeline.training.runs import runs

PLAIN = ("training.precision=float32", "training.accelerator=cpu", "data.source=rounds")
JUDGED = ("PolicyNet", "ValueNet", "GrandNet", "SchupfNet", "WishNet")


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Rounds of some known games, and runs of networks that are all zeros."""
    made = golden.known_games(tmp_path_factory.mktemp("golden") / "data")
    for name in JUDGED:
        make_run(made.runs, name)
        run = checkpoint.load(made.runs / name)
        for weights in run.network.parameters():
            weights.data.zero_()
        checkpoint.save(made.runs / name, run.network, run.manifest)
        (made.runs / name / "figures.json").write_text("{}")
    return made


def batches(paths: DataPaths) -> dict:
    """What each network reads first, and what its manifest says of that."""
    found = {}
    for name in ARCHITECTURES:
        given = inputs.inputs_of(run_config(name, "smoke", PLAIN), paths)
        manifest = given.manifest
        about = [manifest.spec.name, manifest.inputs, manifest.scaling, manifest.data["months"]]
        arrays = [
            next(iter(given.loader(split, 16, training=split == "train")), ()) for split in ("train", "validation")
        ]
        found[name] = [about, [[None if part is None else part.tolist() for part in batch] for batch in arrays]]
    return found


def figures(paths: DataPaths) -> dict:
    """What is said of the networks, and what they are measured against."""
    table = comparison._table(paths, runs(paths), "validation", 400, lambda _: None)
    found: dict = {}
    for row in table.iter_rows(named=True):
        found.setdefault(row["network"], []).append([row["kind"], row["name"], row["figure"], round(row["value"], 3)])
    return found


@pytest.mark.parametrize(
    ("stage", "module", "parts"), [("training_runs", inputs, batches), ("model_comparison", comparison, figures)]
)
def test_outputs_change_only_with_their_version(paths, stage, module, parts):
    """Networks trained on samples of an older kind, or compared by older figures, that count as up to date."""
    found = parts(paths)
    golden.check(stage, module, {name: golden.digest(part) for name, part in found.items()})
