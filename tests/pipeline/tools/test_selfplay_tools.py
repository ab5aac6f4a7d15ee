"""The tools that judge runs of self-play and ship the best: what they say of runs whose worth is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
import typer

from tests.makers.runs import make_self_taught
from tichu_models.agents.registry import agent_from
from tichu_models.rl.lessons import LessonOptions
from tichu_models.runs import files
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Processes
from tichu_pipeline.tools import search_figures, search_lessons, selfplay_figures, selfplay_page, ship_champion
from tichu_pipeline.tools.ship_champion import RECORD, ship

DEALS = 6


@pytest.fixture
def paths(tmp_path):
    """A data folder with two runs of the same weights and one of others."""
    paths = DataPaths(tmp_path / "data")
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        make_self_taught(paths.runs, name, seed=seed)
    return paths


def test_a_player_costs_nothing_as_its_own_partner(paths):
    """A stranger's cost that is measured on other deals, or with the seats mixed up."""
    selfplay_figures.main(["one", "same", "other"], paths.root, DEALS, DEALS, DEALS, workers=1)
    facts = json.loads((paths.root / selfplay_figures.FILE).read_text())
    assert set(facts["runs"]) == {"one", "same", "other"}
    costs = {tuple(pair["runs"]): pair["cost"] for pair in facts["partners"]}
    assert costs["one", "same"] == 0
    assert costs["one", "other"] == costs["same", "other"]
    points = {tuple(pair["runs"]): pair["points"] for pair in facts["duels"]}
    assert points["one", "same"] == 0
    assert facts["runs"]["one"] == facts["runs"]["same"]
    assert set(facts["runs"]["one"]["decisions"]) == {*selfplay_figures.GROUPS, "all but plays"}


def test_a_run_that_ships_plays_as_before(paths, tmp_path, monkeypatch):
    """A champion that is another player than the run, or whose record is missing."""
    shipped = tmp_path / "champion"
    record = ship(paths.runs / "one", shipped, "make champion", deals=DEALS)
    assert json.loads((shipped / RECORD).read_text()) == record
    assert record["against_heuristic"]["deals"] == DEALS
    monkeypatch.setattr(files, "CHAMPION", shipped)
    assert agent_from("champion:fast").answered_by.keys() == agent_from("policy:one", paths.runs).answered_by.keys()


def test_a_challenger_that_does_not_beat_the_champion_stays_out(paths, tmp_path, monkeypatch):
    """A champion that is replaced by an equal one, or lost on the way."""
    monkeypatch.setattr(ship_champion, "TRIAL_DEALS", DEALS)
    shipped = tmp_path / "champion"
    ship(paths.runs / "one", shipped, "first", deals=DEALS)
    with pytest.raises(typer.Exit):
        ship(paths.runs / "same", shipped, "second", deals=DEALS)
    assert json.loads((shipped / RECORD).read_text())["command"] == "first"


def test_what_is_too_large_does_not_ship(paths, tmp_path, monkeypatch):
    """A package that grows beyond what may ship, and a former champion that is deleted for it."""
    shipped = tmp_path / "champion"
    monkeypatch.setattr(ship_champion, "BYTES_MOST", 1000)
    with pytest.raises(typer.Exit):
        ship(paths.runs / "one", shipped, "too large", deals=DEALS)
    assert not list(tmp_path.glob("champion*"))


def test_a_search_that_overrides_nothing_adds_nothing(paths, tmp_path, monkeypatch):
    """A searcher who sits in the other pair at the second table, or whose deals are not the same there."""
    monkeypatch.setattr(files, "CHAMPION", paths.runs / "one")
    idle, bold = "champion:deals=2,least=1", "champion:deals=2,certainty=0,least=0"
    arms = {"idle": search_figures.Arm(idle, 1, 3), "bold": search_figures.Arm(bold, 1, 3)}
    monkeypatch.setattr(search_figures, "ARMS", arms)
    for arm in arms.values():
        margins = search_figures.play_task(search_figures.Task(arm, 0, 3, paths.runs))
        assert margins.any() == (arm.agent == bold)
    monkeypatch.setattr(search_figures, "ROUNDS_ALONE", 1)
    monkeypatch.setattr(search_figures, "play_task", lambda task: np.arange(1.0, task.deals + 1))
    monkeypatch.setattr(Processes, "map", lambda self, function, tasks: map(function, tasks))
    search_figures.main(["bold"], paths.root, workers=1)
    facts = json.loads((paths.root / search_figures.FILE).read_text())
    assert (facts["bold"]["points"], facts["bold"]["deals"]) == (2.0, 3)
    assert facts["bold"]["alone"] > 0
    out = tmp_path / "selfplay.md"
    selfplay_page.main(paths.root, out)
    assert any(f"`{bold}`" in line and "+2.0" in line and "| one |" in line for line in out.read_text().splitlines())


def test_a_pupil_is_a_whole_player(paths, monkeypatch):
    """A pupil without its teacher's other networks, or lessons that are looked for again at every call."""
    easily = LessonOptions(deals=4, verified_on=8, certainty=1.0, least=1.0)
    monkeypatch.setattr(search_lessons, "LessonOptions", lambda: easily)
    monkeypatch.setattr(search_lessons, "ROUNDS_A_PART", 1)
    monkeypatch.setattr(search_lessons, "DEALS", DEALS)
    monkeypatch.setattr(Processes, "map", lambda self, function, tasks: map(function, tasks))
    search_lessons.main("one", "wiser", 1, ["epochs=1"], paths.root, 1)
    monkeypatch.setattr(search_lessons, "lessons_of", None)
    search_lessons.main("one", "wiser", 1, ["epochs=1", "leash=2"], paths.root, 1)
    record = json.loads((paths.runs / "wiser" / search_lessons.RECORD).read_text())
    assert record["settings"]["leash"] == 2
    assert record["found"]["lessons"] > 0
    agents = [agent_from(f"policy:{run}", paths.runs) for run in ("wiser", "one")]
    assert agents[0].answered_by.keys() == agents[1].answered_by.keys()
    assert agents[0].by_rule == agents[1].by_rule
