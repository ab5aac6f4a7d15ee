"""The page about self-play: made of what a data folder has, and of what the page had before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tichu_models.arena.tournament import TournamentRequest
from tichu_models.runs.journal import Journal
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tools import selfplay_page
from tichu_pipeline.tools.search_lessons import RECORD as LESSONS
from tichu_pipeline.tools.selfplay_figures import FILE
from tichu_pipeline.tools.selfplay_study import JUDGED, PREFIX
from tichu_pipeline.tournaments.running import run

CALLS = {"small_a_round": 0.1, "small_made": 0.8, "grand_a_round": 0.2, "grand_made": 0.7}
FIGURES = {"points": 80.0, "error": 1.5, "deals": 1000, **CALLS}


def judge(data: Path, arm: str, points: float) -> None:
    """Leaves an arm in a data folder as the study does."""
    folder = DataPaths(data).runs / f"{PREFIX}{arm}"
    folder.mkdir(parents=True)
    with Journal(folder, 0) as journal:
        for iteration, reached in ((10, 0.0), (20, points)):
            row = {"opponent": "heuristic", "minutes": 0.1, "rounds": 100 * iteration, "points_per_round": reached}
            journal.evaluated(iteration, row)
    (folder / JUDGED).write_text(json.dumps({**FIGURES, "points": points}))


@pytest.fixture
def page(tmp_path):
    """Writes the page from a data folder, and returns its text."""

    def make(data: str) -> str:
        selfplay_page.main(tmp_path / data, tmp_path / "selfplay.md")
        return (tmp_path / "selfplay.md").read_text()

    return make


def test_arms_of_several_data_folders_come_together(tmp_path, page):
    """A study whose first half is lost when the second is made on another machine."""
    judge(tmp_path / "first", "base", 41.5)
    judge(tmp_path / "first", "wide", 40.0)
    judge(tmp_path / "second", "wide", 44.0)
    assert "+41.5" in page("first")
    both = page("second")
    assert "+41.5" in both
    assert "+44.0" in both
    assert "+40.0" not in both
    assert both.index("`wide`") < both.index("`base`")
    assert (tmp_path / selfplay_page.ARMS_PICTURE).stat().st_size > 1000


def test_it_says_what_was_measured(tmp_path, page):
    """A figure in the wrong row, or a run that is left out."""
    how = {"bombs a round": 0.125}
    worth = {"schupf": {**FIGURES, "points": 22.25}, "small": {**FIGURES, "points": 3.5}}
    judged = {"against_blunderer": {**FIGURES, "points": 99.0}, "style": {"self-play": how, "heuristic": how}}
    runs = {"champion": {"against_heuristic": FIGURES, "decisions": worth, **judged}}
    pair = {"runs": ["a", "b"], "error": 0.5}
    facts = {"runs": runs, "partners": [{**pair, "cost": 2.5}], "duels": [{**pair, "points": -1.5}]}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_text(json.dumps(facts))
    lines = page("data").splitlines()
    for words in (
        ("champion", "+80.0 ± 1.5", "1,000", "+99.0"),
        ("schupf", "+22.2"),
        ("bombs", "0.125"),
        ("`a` and `b`", "+2.5"),
        ("`a` and `b`", "-1.5"),
    ):
        assert any(all(word in line for word in words) for line in lines), words
    assert page("nothing") == page("data")


def test_a_run_that_is_judged_again_keeps_its_curve(tmp_path, page):
    """The seed and the rounds of the champion that are lost where its run is not in the data folder."""
    how = {"bombs a round": 0.125}
    judged = {"against_heuristic": FIGURES, "against_blunderer": FIGURES, "style": {"self-play": how, "heuristic": how}}
    known = {"champion": {**judged, "decisions": {}, "seed": 11, "curve": [dict.fromkeys(selfplay_page.CURVE, 7.0)]}}
    (tmp_path / selfplay_page.FACTS).write_text(json.dumps({"runs": known}))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_text(json.dumps({"runs": {"champion": {**judged, "decisions": {}}}}))
    page("data")
    assert json.loads((tmp_path / selfplay_page.FACTS).read_text())["runs"] == known


def test_figures_of_pairs_come_together(tmp_path, page):
    """Strangers of the first machine that are lost when others are judged on the second."""
    for data, other, cost in (("first", "b", 2.5), ("second", "c", 7.5), ("third", "b", 4.5)):
        (tmp_path / data).mkdir()
        pair = {"runs": ["a", other], "error": 0.5}
        facts = {"runs": {}, "partners": [{**pair, "cost": cost}], "duels": [{**pair, "points": cost}]}
        (tmp_path / data / FILE).write_text(json.dumps(facts))
        page(data)
    kept = json.loads((tmp_path / selfplay_page.FACTS).read_text())
    assert [(pair["runs"], pair["cost"]) for pair in kept["partners"]] == [(["a", "b"], 4.5), (["a", "c"], 7.5)]


def test_duels_with_other_players_are_told(tmp_path, page):
    """A stored tournament whose margin has the wrong sign or the wrong names, and others that are none of the page's
    business."""
    paths = DataPaths(tmp_path / "data")
    for name in ("selfplay_chance", "ladder"):
        run(paths, name, TournamentRequest(("heuristic", "random"), deals=4, seed=9))
    (line,) = [line for line in page("data").splitlines() if "`heuristic` : `random`" in line]
    assert "| +" in line
    assert "| 4 | 9 |" in line
    assert page("nothing") == page("data")


def test_lessons_from_search_are_told(tmp_path, page):
    """A pupil whose lessons and result get lost."""
    run = DataPaths(tmp_path / "data").runs / "wiser"
    run.mkdir(parents=True)
    found = {"rounds": 512, "lessons": 487, "points_a_lesson": 41.1, "points_a_round_and_team": 19.6}
    learned = {"learned": 0.9, "held_out": 0.4, "kept": 0.97}
    settings = {"leash": 0.3, "epochs": 8, "learning_rate": 1e-4}
    against = {"points_per_round": 2.5, "low": 1.0, "high": 4.0}
    (run / LESSONS).write_text(
        json.dumps({"found": found, "learned": learned, "settings": settings, "against": against})
    )
    (line,) = [line for line in page("data").splitlines() if "`wiser`" in line]
    for words in ("| 0.3, 8, 0.0001 |", "| 487 |", "| 19.6 |", "| 90% | 40% | 97% |", "+2.5 ± 1.5"):
        assert words in line
    assert page("nothing") == page("data")
