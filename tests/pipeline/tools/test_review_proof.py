"""The proof of the judge: rows that agree with what is known, and a page that says no more than the facts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.paths import SOUND_GAME
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.review.judge import Judge
from tichu_models.review.settings import JudgeSettings
from tichu_models.rules.asking import GRAND_CALL, SCHUPF
from tichu_pipeline.tools import review_planted, review_proof, review_true_deals
from tichu_pipeline.tools.review_planted import GameTask, decisions_in, generated
from tichu_pipeline.tools.review_proof_page import page

SMALL = JudgeSettings(deals=8, more=8, again=16)


@pytest.fixture
def out(tmp_path, monkeypatch):
    """The page of a small proof."""
    for module in (review_planted, review_true_deals, review_proof):
        monkeypatch.setattr(module, "JudgeSettings", lambda seed=0: JudgeSettings(deals=8, more=8, again=16, seed=seed))
    return tmp_path / "proof.md"


def run(*arguments: object) -> None:
    """A part of the proof, in this process."""
    given = [str(each) for each in (*arguments, "--player", "heuristic", "--workers", 1)]
    done = CliRunner().invoke(review_proof.app, given)
    assert done.exit_code == 0, done.output


def test_the_proof_can_be_made_in_parts(out):
    """Games that are judged twice, or lost; a page without what was measured."""
    small = ("planted", "--decisions", 3, "--deals", 64, "--out", out)
    run(*small, "--games", 1)
    first = json.loads(out.with_suffix(".json").read_text())
    run(*small, "--games", 2)
    facts = json.loads(out.with_suffix(".json").read_text())
    assert facts["planted"]["games"]["0"] == first["planted"]["games"]["0"]
    assert set(facts["planted"]["games"]) == {"0", "1"}
    run("calibration", "--games", 2, "--decisions", 3, "--deals", 64, "--out", out)
    rows = json.loads(out.with_suffix(".json").read_text())["calibration"]["games"]
    assert [len({row[0] for row in of_game}) for of_game in rows.values()] == [len(each) for each in rows.values()]
    run("true-deals", "--games", 1, "--deals", 8, "--out", out)
    run("true-deals", SOUND_GAME, "--name", "people", "--deals", 8, "--out", out)
    text, facts = out.read_text(), json.loads(out.with_suffix(".json").read_text())
    assert text == page(facts)
    assert "| people: clearly better | 1 |" in text
    assert f"Of {sum(map(len, rows.values()))} decisions of 2 games" in " ".join(text.split())
    rows = [row for game in facts["planted"]["games"].values() for row in game]
    assert f"| {sum(row[3] < 3 for row in rows)} |" in text
    run(*small, "--games", 1, "--seed", 5)
    assert set(json.loads(out.with_suffix(".json").read_text())["planted"]["games"]) == {"0"}


def test_planted_answers_are_judged_for_what_they_cost(out, tmp_path):
    """Errors that are measured on the judge's own deals, or as if another answer had been given."""
    rows = review_planted.rows_of(GameTask("heuristic", tmp_path, 3, 0, 8, 256))
    assert {row.planted for row in rows} == {False, True}
    for number in {row.decision for row in rows}:
        of_one = [row for row in rows if row.decision == number]
        assert sum(not row.planted for row in of_one) == 1
        assert min(row.worth for row in of_one) < 3 * max(row.worth_error for row in of_one) + 1
    costly = [row for row in rows if row.worth > 60]
    assert len(costly) > 3
    assert np.mean([row.seen for row in costly]) > 0.7
    assert all(row.seen or not row.certain for row in rows)


def test_true_deals_are_the_true_ones(tmp_path):
    """Gains that are measured on supposed deals a second time."""
    rounds = generated("heuristic", tmp_path, 4, 0)
    decisions = decisions_in(rounds, 0)
    before_play = decisions["seen"]["kind"] <= SCHUPF
    judge = Judge(HeuristicAgent(), SMALL)
    compared = 0
    for part, positions in ((before_play, review_true_deals.before_play), (~before_play, review_true_deals.in_play)):
        chosen = decisions[part]
        found = positions(judge, chosen, rounds.rows[chosen["place"]])["state"]
        for i, decision in enumerate(chosen):
            later = chosen[i:][chosen["place"][i:] == decision["place"]]
            for seen in later["seen"][later["seen"]["kind"] > GRAND_CALL]:  # what others turn out to hold
                assert not int(seen["hand"]) & ~int(found["hand"][i][seen["seat"]])
                compared += seen["seat"] != decision["seen"]["seat"]
    assert compared > 1000
