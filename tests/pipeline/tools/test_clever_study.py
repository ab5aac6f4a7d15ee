"""The study of Ganz schön clever: its runs are trained once, and its page has what they found."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tichu_pipeline.tools.clever_page import FACTS, PAGE, PICTURES
from tichu_pipeline.tools.clever_study import app


def test_the_study_makes_its_page_and_trains_once(tmp_path):
    """A page with figures of another run, pictures of half of the experiments, or an hour of training again."""
    data, docs = tmp_path / "data", tmp_path / "docs"
    docs.mkdir()
    arguments = ["--data", str(data), "--docs", str(docs), "--preset", "smoke", "--longer", "smoke", "--games", "100"]
    first = CliRunner().invoke(app, [*arguments, "--agents", "ppo:study"])
    assert first.exit_code == 0, first.output
    facts = json.loads((docs / FACTS).read_text())
    assert [(row["dice"], row["mask"]) for row in facts["prototype"]] == [(2, True), (2, False), (4, True), (4, False)]
    assert [row["games"] for row in facts["longer"]] == 4 * [500]
    for row in facts["prototype"]:
        assert 0 <= row["low"] <= row["mean"] <= row["high"] <= 86
        assert len(row["scores"]) == len(row["invalid_moves"]) == 20
    assert facts["whole"]["illegal"] == 0
    assert facts["whole"]["mean"] == pytest.approx(facts["players"][0]["mean"])
    page = (docs / PAGE).read_text()
    assert f"{facts['prototype'][0]['mean']:.2f}" in page
    assert f"{facts['whole']['mean']:.1f} points" in page
    assert (docs / PICTURES).stat().st_size > 10_000
    weights = {path: path.stat().st_mtime_ns for path in data.rglob("model.safetensors")}
    assert len(weights) == 9
    assert CliRunner().invoke(app, [*arguments, "--part", "prototype"]).exit_code == 0
    assert weights == {path: path.stat().st_mtime_ns for path in data.rglob("model.safetensors")}
    assert json.loads((docs / FACTS).read_text()) == facts
