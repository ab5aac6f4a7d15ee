"""How an agent plays Ganz schön clever, as tables and pages."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from tichu_models.chance import draw
from tichu_models.games.agents import Advice, agent_of
from tichu_models.games.clever.play_facts import USES, as_json, play
from tichu_models.games.registry import game
from tichu_pipeline.cli import app
from tichu_pipeline.games.game_page import game_page, move_of

CLEVER = game("clever")
OPTIONS = CLEVER.read_options({})


def report(*arguments: str):
    """What `tichu games report` answers."""
    return CliRunner().invoke(app, ["games", "report", *arguments])


class Boaster:
    """Plays at random, and would write into the page."""

    name = "<script>"

    def __init__(self) -> None:
        self.choose = agent_of(CLEVER, "random").choose

    def advice(self, state):
        """Thinks the same of all actions."""
        return {action: Advice(0.0, "<script>") for action in CLEVER.legal(state)}


def test_facts_are_those_of_the_game():
    """Points that are counted twice, or a bonus that nobody had: against the score and the number of actions."""
    for number in range(20):
        seen = []
        agent = agent_of(CLEVER, "random")
        facts = play(CLEVER, agent, OPTIONS, np.uint64(draw(np.uint64(1), number)), lambda *each: seen.append(each))  # noqa: B023
        assert facts.score == sum(facts.areas) + facts.fox_points
        assert facts.actions == len(seen)
        assert facts.uses["rerolls"] == sum(action == 244 for _, action in seen)
        assert sum(facts.uses.values()) <= facts.actions
        assert set(facts.uses) == set(USES)


def test_the_summary_is_a_mean_with_its_interval():
    """A quantile of something else than the scores, an interval that misses the mean."""
    found = [play(CLEVER, agent_of(CLEVER, "random"), OPTIONS, np.uint64(key)) for key in range(30)]
    facts = as_json(found)
    assert facts["score_mean"] == pytest.approx(np.mean([each.score for each in found]))
    assert facts["score_interval"][0] < facts["score_mean"] < facts["score_interval"][1]
    assert facts["score_mean"] == pytest.approx(sum(facts["areas"].values()) + facts["fox_points"])
    assert facts["quantiles"]["0"] <= facts["quantiles"]["50"] <= facts["quantiles"]["100"]


def test_the_page_of_a_game_shows_every_move_and_runs_nothing():
    """A name or a thought that becomes part of the page; a move that is left out."""
    moves, agent = [], Boaster()
    play(CLEVER, agent, OPTIONS, np.uint64(4), lambda *each: moves.append(move_of(CLEVER, agent, *each)))
    end = CLEVER.copy(moves[-1].state)
    CLEVER.step(end, moves[-1].action)
    text = game_page(CLEVER, f"{agent.name} plays", moves, end)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert len(re.findall(r"id='move-\d+'", text)) == len(moves)
    assert text.count("<svg") == len(moves) + 1
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_report_is_a_table_and_two_pages(tmp_path):
    """Links to pages that are not there; other figures on the page than in the answer."""
    arguments = ("clever", "random", "--games", "5", "--data", str(tmp_path))
    facts = json.loads(report(*arguments, "--json").stdout)
    assert facts["games"] == 5
    folder = tmp_path / "reports" / "games"
    page = (folder / "clever-random.html").read_text()
    assert f"{facts['score_mean']:.1f}" in page
    for target in re.findall(r"(?:href|src)='([^']+)'", page):
        assert (folder / target).is_file()
    assert "Points by area" in report(*arguments).stdout
    assert "expected clever" in report("chameleon", "random").stderr
