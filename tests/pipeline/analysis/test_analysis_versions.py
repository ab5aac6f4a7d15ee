"""When the VERSION of `analysis` or `analysis_report` has to be raised; and that questions keep their names."""

from __future__ import annotations

import json
import re

import pytest

from tests.makers import golden
from tests.paths import GOLDEN
from tichu_pipeline.analysis import build as building
from tichu_pipeline.analysis import notebook
from tichu_pipeline.analysis.reading import table
from tichu_pipeline.analysis.scripts import queries, query
from tichu_pipeline.storage.folders import DataPaths

ASKED = re.compile(r"answer\(\\?['\"]([0-9]+)")  # in the notebook, whose text is JSON


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """The database of one known game."""
    made = golden.known_games(tmp_path_factory.mktemp("golden") / "data", games=[7])
    building.build(made)
    return made


def tables(paths: DataPaths) -> dict:
    """All rows of every table."""
    names = [name for name in building.row_counts(paths.database) if name != "about"]
    return {name: table(paths, f"FROM {name} ORDER BY ALL").to_pylist() for name in names}


def answers(paths: DataPaths) -> dict:
    """What the notebook is given: the answers to its questions, each in any order of rows; and a distribution."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TICHU_DATA", str(paths.root))
        questions = notebook.Questions()
    asked = [query(number) for number in sorted(set(ASKED.findall(notebook._source())))]
    assert len(asked) > 30
    found: dict = {each.name: sorted(questions.frame(each.sql).to_dicts(), key=str) for each in asked}
    points = questions.distribution("points", "players_rounds")
    return found | {"distribution": [points.values.tolist(), points.counts.tolist()]}


@pytest.mark.parametrize(
    ("stage", "module", "parts"), [("analysis", building, tables), ("analysis_report", notebook, answers)]
)
def test_outputs_change_only_with_their_version(paths, stage, module, parts):
    """An old database, or a page of it, that counts as up to date though the code now makes another."""
    found = parts(paths)
    golden.check(stage, module, {name: golden.digest(part) for name, part in found.items()})


def test_questions_stay_where_they_are():
    """A renamed query breaks scripts and pages that call it by its name."""
    names = [each.name for each in queries()]
    kept = json.loads((GOLDEN / "analysis_report.json").read_text())["digests"].keys() - {"distribution"}
    assert names == sorted(kept), "a new query comes last, and the golden file of analysis_report keeps its answer"
    assert [name[:3] for name in names] == [f"{number:02}_" for number in range(1, len(names) + 1)]
    assert len(names) >= 40
    assert (names[0], names[36], names[39]) == ("01_totals", "37_ratings", "40_ratings_and_losses")
