"""When the VERSION of `tournament`, `evaluation` or the calibration of goals has to be raised."""

from __future__ import annotations

import pytest

from tests.makers import golden
from tichu_models.agents.registry import agent_from
from tichu_models.arena.calibration import calibrate
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import TournamentRequest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.tournaments import calibration, page, running
from tichu_pipeline.tournaments.files import to_table

AGENTS = ("random", "heuristic:blunder=.1", "heuristic")
TOLD = {-100.0: "random", 0.0: "heuristic:blunder=.1", 100.0: "heuristic"}  # the player for a goal


def tournaments(tmp_path) -> dict[str, running.Tournament]:
    """Single rounds and whole games, played by players who need no network."""
    paths = DataPaths(tmp_path)
    requests = {
        "rounds": TournamentRequest(AGENTS, 6, seed=2),
        "games": TournamentRequest(AGENTS[1:], 2, seed=2, whole_games=True),
    }
    return {name: running.run(paths, name, request, Serial()) for name, request in requests.items()}


def results(tmp_path) -> dict:
    """Every row of a tournament's file."""
    return {name: to_table(made.played).to_pylist() for name, made in tournaments(tmp_path).items()}


def figures(tmp_path) -> dict:
    """What the page shows, but for the times of decisions."""
    found = {name: summary(made.played) for name, made in tournaments(tmp_path).items()}
    return {name: {part: facts[part] for part in facts if part != "times"} for name, facts in found.items()}


def goals(tmp_path) -> dict:
    """A calibration by players who need no network either."""
    made = calibrate(lambda goal: TOLD[goal], AGENTS[1], agent_from, 8, list(TOLD), 1)
    return {"summary": made.summary(), "points": made.points.tolist()}


@pytest.mark.parametrize(
    ("stage", "module", "parts"),
    [("tournament", running, results), ("evaluation", page, figures), ("calibration", calibration, goals)],
)
def test_outputs_change_only_with_their_version(tmp_path, stage, module, parts):
    """A ladder by older rules that counts as up to date."""
    found = parts(tmp_path)
    golden.check(stage, module, {name: golden.digest(part) for name, part in found.items()})
