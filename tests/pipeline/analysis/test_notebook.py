"""The notebooks: complete, and clean in the repository. `test_assets` and `test_findings` make pages of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from tichu_pipeline.analysis.notebook import NAME, execute
from tichu_pipeline.analysis.reading import DatabaseError
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.storage.folders import DataPaths

NOTEBOOKS = sorted((ROOT / "tichu_pipeline" / "notebooks").glob("*.ipynb"))
ASKED = re.compile(r'q\.answer\("(\d\d)"\)')


def cells_of(notebook: Path) -> list[dict]:
    """The cells of a notebook."""
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_kept(notebook):
    """Figures of somebody's data in the repository."""
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells_of(notebook))


def test_every_question_is_asked():
    """A question that the notebook forgets."""
    (notebook,) = (path for path in NOTEBOOKS if path.stem == NAME)
    asked = ASKED.findall("".join("".join(cell["source"]) for cell in cells_of(notebook)))
    assert asked == [query.name[:2] for query in queries()], f"{notebook} has a cell q.answer(..) for each, in order"


def test_without_a_database_it_says_so(tmp_path):
    """A stack trace out of the fifth cell instead of the command that is missing."""
    with pytest.raises(DatabaseError, match="tichu analyse"):
        execute(DataPaths(tmp_path))
