"""The notebook: complete, clean in the repository, and executed into a page."""

from __future__ import annotations

import json
import re

import pytest

from tests.pipeline.test_layout import ROOT
from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.notebook import execute
from tichu_pipeline.analysis.reading import DatabaseError
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.brettspielwelt.corpus import generate
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.ingest import ingest

NOTEBOOK = ROOT / "tichu_pipeline" / "notebooks" / "Datenanalyse.ipynb"


def test_every_question_is_asked_and_no_output_is_kept():
    """A question that the notebook forgets, or figures of somebody's data in the repository."""
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    source = "".join("".join(cell["source"]) for cell in cells)
    assert re.findall(r'q\.answer\("(\d\d)"\)', source) == [query.name[:2] for query in queries()]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


def test_it_becomes_a_page(tmp_path):
    """A cell that fails is noticed by nobody until the page is looked for."""
    paths = DataPaths(tmp_path)
    with pytest.raises(DatabaseError, match="tichu analyse"):
        execute(paths)
    generate(paths.raw, 40, ["2024-01", "2024-02"], seed=3)
    ingest(paths.raw, paths)
    build(paths)
    page = execute(paths)
    html = page.path.read_text(encoding="utf-8")
    assert not page.reused
    assert html.count("data:image/png;base64") >= 12
    assert "SELECT" in html
    assert "08_double_victories" in html
    assert execute(paths).reused
    assert [path.name for path in paths.reports.iterdir()] == ["Datenanalyse.html"]
