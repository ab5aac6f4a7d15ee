"""The champion: it plays by its name alone, out of the package, and says so where there is none."""

from __future__ import annotations

import time
import tomllib

import numpy as np
import pytest

from tests.makers.agents import make_champion
from tests.makers.runs import make_runs
from tests.paths import ROOT
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena.tournament import TournamentRequest, play
from tichu_models.rules.asking import KINDS
from tichu_models.runs import files

ORIGINAL = files.CHAMPION
MOST_BYTES = 6_000_000


@pytest.fixture
def champion(tmp_path, monkeypatch):
    """A champion with small networks, in place of the shipped one."""
    folder = make_champion(tmp_path / "package")
    monkeypatch.setattr(files, "CHAMPION", folder)
    return folder


def test_the_champion_plays_without_a_data_folder(champion):
    """A player that is there after installing, and asks for a run."""
    for text in ("champion", "champion:fast"):
        agent = agent_from(text)
        assert agent.name == text
        assert agent.answered_by == {kind: "champion" if kind == "play" else f"champion/{kind}" for kind in KINDS}
    played = play(TournamentRequest(("champion:deals=2", "champion:fast", "heuristic"), 4), agent_from)
    assert not played.forfeits
    scores = {number: played.results["score"][played.results["pairing"] == number] for number in range(3)}
    assert not np.array_equal(scores[1], scores[2])


def test_it_searches_as_its_run_does_by_name(champion):
    """A champion whose search has other settings than the documented ones."""
    player = agent_from("champion")
    assert player.options == agent_from("mctsrl:champion", champion.parent).options
    assert player.policy.answered_by == agent_from("champion:fast").answered_by


def test_networks_of_a_data_folder_do_not_play_with_it(champion, tmp_path):
    """A champion that plays worse in a folder with runs."""
    make_runs(tmp_path / "runs", ("GrandNet", "SchupfNet"))
    assert agent_from("champion", tmp_path / "runs").answered_by["grand"] == "champion/grand"


def test_its_options_follow_the_colon(champion):
    """An option that is read as a run."""
    fast, searching = agent_from("champion:fast,temperature=.5,seed=3").options, agent_from("champion:deals=8").options
    assert (fast.temperature, fast.seed) == (0.5, 3)
    assert searching.deals == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("champion:slow", "'slow': expected key=value"),
        ("champion:fast,blunder=.1", "unknown key 'blunder'"),
        ("champion:announce=.5", "unknown key 'announce'"),
    ],
)
def test_what_it_has_not_gets_a_clear_error(champion, text, message):
    """A slip of the pen that is played as something else."""
    with pytest.raises(AgentError, match=message):
        agent_from(text)


@pytest.mark.parametrize("text", ["champion", "champion:fast"])
def test_an_installation_without_a_champion_says_how_to_get_one(monkeypatch, tmp_path, text):
    """A traceback about a file inside the package."""
    monkeypatch.setattr(files, "CHAMPION", tmp_path / "nothing")
    with pytest.raises(AgentError, match=r"this installation has no champion.*`make champion` trains one"):
        agent_from(text)


def test_it_is_loaded_in_no_time(champion):
    """A second of waiting at every command."""
    agent_from("champion")  # imports
    started = time.process_time()
    agent_from("champion")
    assert time.process_time() - started < 2


def test_all_of_it_is_package_data(champion):
    """A package without the networks that the tests in a checkout have played with."""
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"][
        "tichu_models"
    ]
    shipped = {path for pattern in patterns for path in champion.parent.glob(pattern)}
    assert {path for path in champion.rglob("*") if path.is_file()} <= shipped
    assert ORIGINAL.parent == ROOT / "tichu_models"


@pytest.mark.skipif(not ORIGINAL.exists(), reason="`make champion` has trained none yet")
def test_the_shipped_champion_is_whole_and_small():
    """A checkout that is ten times as large after a few trainings; or a champion whose manifest is of older code."""
    sizes = [path.stat().st_size for path in ORIGINAL.rglob("*") if path.is_file()]
    assert sum(sizes) <= MOST_BYTES
    assert agent_from("champion").by_rule == ()
