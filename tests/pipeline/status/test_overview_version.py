"""When the VERSION of `overview` has to be raised."""

from __future__ import annotations

import re

from tests.makers import golden
from tests.makers.runs import make_run
from tichu_models.arena.tournament import TournamentRequest
from tichu_models.runs.files import FIGURES, TRIAL
from tichu_pipeline.status import overview
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.tournaments.entrants import LADDER
from tichu_pipeline.tournaments.running import run
from tichu_pipeline.training.runs import run_of


def test_figures_change_only_with_their_version(tmp_path):
    """A page that Dagster takes for that of the code before. What it says of stages is theirs."""
    paths = golden.known_games(tmp_path / "data")
    folder = paths.runs / make_run(paths.runs, "GrandNet")
    (folder / FIGURES).write_text('{"val_loss": 0.5, "val_called_auc": 0.75}')
    (folder / TRIAL).write_text('{"parameters": 1234, "seconds": 90}')
    run(paths, LADDER, TournamentRequest(("random", "heuristic"), 2, seed=1), Serial())
    trained = run_of(folder)
    assert trained.manifest is not None
    row = overview._trained(trained, trained.manifest, overview.page_path(paths))
    network = [re.findall(r"[0-9.]+", cell) for cell in row[3:]]  # figures, whatever words stand beside them
    provenance = [name for name, _ in overview.provenance(paths)]
    golden.check("overview", overview, {"network": golden.digest(network), "provenance": golden.digest(provenance)})
