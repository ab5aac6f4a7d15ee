"""The notebook: complete, and clean in the repository. That it becomes a page is told by `test_assets`."""

from __future__ import annotations

import json
import re

import pytest

from tests.paths import ROOT
from tichu_pipeline.analysis.notebook import execute
from tichu_pipeline.analysis.reading import DatabaseError
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.storage.folders import DataPaths

NOTEBOOK = ROOT / "tichu_pipeline" / "notebooks" / "Datenanalyse.ipynb"


def test_every_question_is_asked_and_no_output_is_kept():
    """A question that the notebook forgets, or figures of somebody's data in the repository."""
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    source = "".join("".join(cell["source"]) for cell in cells)
    asked = re.findall(r'q\.answer\("(\d\d)"\)', source)
    assert asked == [query.name[:2] for query in queries()], f"{NOTEBOOK} has a cell q.answer(..) for each, in order"
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


def test_without_a_database_it_says_so(tmp_path):
    """A stack trace out of the fifth cell instead of the command that is missing."""
    with pytest.raises(DatabaseError, match="tichu analyse"):
        execute(DataPaths(tmp_path))
