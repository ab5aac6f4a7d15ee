"""Pages of reviews, and a browser that looks at them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.makers.browsers import Look, launched
from tests.makers.review_pages import HOSTILE
from tests.makers.reviewed import reviewed
from tichu_pipeline.review.page import page_data, write_page
from tichu_pipeline.review.texts import Language


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
