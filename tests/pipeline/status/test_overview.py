"""The page that leads to all others, for folders that hold everything, something and nothing."""

from __future__ import annotations

import re

import pytest

from tichu_models.arena.tournament import TournamentRequest
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.status import overview
from tichu_pipeline.status.stages import STAGES, status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import State
from tichu_pipeline.tools import demo
from tichu_pipeline.tournaments.entrants import LADDER, entrants
from tichu_pipeline.tournaments.page import write_page
from tichu_pipeline.tournaments.running import run


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Rounds, constants with their pictures, and a tournament; no network."""
    made = DataPaths(tmp_path_factory.mktemp("overview"))
    demo.ensure_corpus(made.raw, demo.CorpusRequest(20, ["2024-01"], seed=8))
    ingest(made.raw, made)
    fit(made)
    run(made, LADDER, TournamentRequest(entrants(made).agents, 2))
    write_page(made, LADDER)
    return made


def test_an_empty_folder_has_a_page(tmp_path):
    """A first look that ends in a traceback."""
    made = overview.write(DataPaths(tmp_path))
    text = made.path.read_text(encoding="utf-8")
    assert text.count("class='missing'") == len(STAGES) - 1


def test_years_of_players_are_linked(tmp_path):
    """Pages that the job `judge` has made, and that nobody finds."""
    page = tmp_path / "reports" / "years" / "2024-Roe.html"
    page.parent.mkdir(parents=True)
    page.write_text("")
    assert "<a href='years/2024-Roe.html'>2024-Roe</a>" in overview.write(DataPaths(tmp_path)).path.read_text()


def test_all_links_lead_somewhere(paths):
    """A page of dead links, or one that breaks when the data folder is moved."""
    text = overview.write(paths).path.read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:href|src)='([^']+)'", text))
    assert len(targets) > 5
    assert not [target for target in targets if target.startswith(("/", "http"))]
    assert not [target for target in targets if not (paths.reports / target).is_file()]
    assert all(stage in text for stage in STAGES if stage != "overview")
    assert "heuristic" in text


def test_what_has_not_changed_is_not_written_again(paths):
    """A page that is new after every run, and makes everything else look new."""
    before = overview.write(paths)
    again = overview.write(paths)
    assert again.reused
    assert again.stamp == before.stamp
    of_page = {standing.stage: standing for standing in status(paths)}["overview"]
    assert of_page.state is State.FRESH


def test_provenance_tells_versions_stamps_and_seeds(paths):
    """A figure that nobody can make again."""
    told = dict(overview.provenance(paths))
    assert {"git commit", "Python", "torch", "stamp of the rounds", "stamp of the constants"} <= set(told)
    assert told["seed of the generated logs"] == "8"
    assert told["tournament ladder"].startswith("seed 1, stamp ")
    assert all(told.values())
