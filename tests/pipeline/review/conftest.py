"""Pages of reviews, a browser that looks at them, and a data folder whose decisions have been judged."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.makers.browsers import Look, launched
from tests.makers.review_pages import HOSTILE
from tests.makers.reviewed import reviewed
from tichu_models.review.settings import JudgeSettings
from tichu_pipeline.analysis.build import build
from tichu_pipeline.brettspielwelt.corpus import generate as corpus
from tichu_pipeline.review import judging, stored
from tichu_pipeline.review.judging import review_months
from tichu_pipeline.review.page import page_data, write_page
from tichu_pipeline.review.stored import ReviewsRequest
from tichu_pipeline.review.texts import Language
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Serial

MONTHS = ["2023-12", "2024-01", "2024-02"]
GAMES = 3  # of a month
PEOPLE = 16  # so few that everybody plays several games


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with pages: in both languages, and one with hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    found = reviewed()
    (folder / "data.json").write_text(json.dumps(page_data(*found)))
    for lang in Language:
        write_page(folder / f"{lang}.html", *found, lang)
    write_page(folder / "hostile.html", *reviewed(HOSTILE), Language.EN)
    return folder


@pytest.fixture(scope="session")
def data(folder):
    """What the pages show."""
    return json.loads((folder / "data.json").read_text())


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests of a module."""
    with launched() as found:
        yield found


@pytest.fixture
def look(browser, folder) -> Iterator[Look]:
    """The English page on a wide window."""
    found = Look(browser, folder / "en.html")
    yield found
    found.close()


@pytest.fixture
def quick(monkeypatch):
    """A judge who looks at few deals."""
    look_quickly(monkeypatch)


def look_quickly(patch: pytest.MonkeyPatch) -> None:
    """Lets the stage look at few deals."""
    for module in (judging, stored):
        patch.setattr(module, "JudgeSettings", lambda seed=0: JudgeSettings(deals=8, more=8, again=16, seed=seed))


@pytest.fixture(scope="session")
def judged(tmp_path_factory) -> DataPaths:
    """Three months of generated games in a database, some of them judged by rules of thumb. Tests only read it."""
    paths = DataPaths(tmp_path_factory.mktemp("judged"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "PLAYERS", PEOPLE)
        corpus.generate(paths.raw, (GAMES + 1) * len(MONTHS), MONTHS, seed=11, workers=1)
        ingest(paths.raw, paths)
        look_quickly(patch)
        review_months(paths, ReviewsRequest(games=GAMES, agent="heuristic"), Serial())
    build(paths)
    return paths
