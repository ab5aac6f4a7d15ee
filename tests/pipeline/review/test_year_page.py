"""The page of a player's year: a file that asks for nothing, and what a browser shows of it."""

from __future__ import annotations

import json
import re

import pytest

from tests.makers.browsers import NARROW, Look
from tests.makers.review_pages import HOSTILE
from tests.makers.reviewed import busiest
from tichu_pipeline.html.inlined import script_of
from tichu_pipeline.review import deciles
from tichu_pipeline.review.lost import Reviews
from tichu_pipeline.review.texts import Language
from tichu_pipeline.review.year import year_record
from tichu_pipeline.review.year_page import page


@pytest.fixture(scope="module")
def record(judged):
    """The year of a player who is compared with others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deciles, "LEAST_PLAYERS", 5)
        patch.setattr(deciles, "LEAST_ROUNDS", 10)
        return year_record(Reviews(judged), busiest(judged), 2024)


def hostile(record: dict) -> dict:
    """The same year among players whose names are no good."""
    copy = json.loads(json.dumps(record))
    copy["player"] = HOSTILE[0]
    for at, part in enumerate(copy["by_partner"]):
        part["partner"] = HOSTILE[at % len(HOSTILE)]
    for decision in copy["costliest"]:
        decision |= {"partner": HOSTILE[1], "players": HOSTILE}
    return copy


@pytest.fixture
def show(browser, tmp_path):
    """Opens the page of a record; all pages must have been quiet."""
    opened = []

    def open_(record: dict, lang: Language = Language.EN, **options: object) -> Look:
        file = tmp_path / f"{len(opened)}.html"
        file.write_text(page(record, lang), encoding="utf-8")
        opened.append(Look(browser, file, **options))
        return opened[-1]

    yield open_
    for look in opened:
        look.close()


def test_the_page_stands_alone(record):
    """A script of somebody else that runs, a request to somewhere, a name that ends the element of the data."""
    content = page(hostile(record), Language.EN)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', content)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert set(re.findall(r"https?://[^\s\"']*", content)) == {"http://www.w3.org/2000/svg"}
    body = content.partition("<body>")[2]
    assert body.count("<script") == body.count("</script") == 2
    assert script_of("year") in content
    assert "\u202e" not in content
    assert content == page(hostile(record), Language.EN)
    assert len(content) < 200_000


def test_it_shows_what_the_record_says(show, record):
    """Figures of another row; a bar without its whiskers; deciles that nobody can open by keyboard."""
    look = show(record)
    tables = look.page.locator("section > table")
    kinds = [*record["by_kind"].values(), record["all"]]
    for at, parts in enumerate((kinds, record["by_partner"], record["by_month"], record["by_year"])):
        rows = tables.nth(at).locator("tbody tr")
        assert rows.count() == len(parts)
        for place, part in enumerate(parts):
            cells = rows.nth(place).locator("td").all_inner_texts()
            counts = [part["open"]] if at == 0 else [part["rounds"], part["open"]]
            assert cells[: len(counts)] == [str(count) for count in counts]
            assert float(cells[len(counts) + 1]) == pytest.approx(part["loss"], abs=0.051)
            assert (cells[len(counts) + 2] == "") == (part["interval"] is None)
    assert tables.first.locator(".band").count() == len(kinds)
    assert tables.first.locator("tbody tr").last.locator("td").last.inner_text().endswith("%")
    top = look.page.locator(".summary").inner_text()
    assert f"Of {record['open_decisions']} open decisions" in top
    assert f"{record['all']['rounds']} rounds of {record['games']} games" in top
    assert f"Of {record['corpus']['players']} other players" in top
    assert look.page.locator(".costliest li").count() == len(record["costliest"])
    look.page.locator(".deciles summary").focus()
    look.page.keyboard.press("Enter")
    assert look.page.locator(".deciles tbody tr").count() == len(kinds)
    assert look.page.locator(".deciles tbody td").first.is_visible()


def test_a_phone_shows_it_in_german(show, record):
    """A page that scrolls sideways, or speaks two languages at once."""
    look = show(record, Language.DE, size=NARROW, has_touch=True, color_scheme="dark")
    look.page.locator(".deciles summary").tap()
    assert look.is_as_wide_as_its_window()
    words = look.page.locator("body").inner_text()
    assert not [word for word in ("points", "rounds", "Loss", "players", "Month", "decision") if word in words]


def test_hostile_names_and_nobody_to_compare_with(show, record):
    """A name that runs as a script or turns a sentence around; a page that stays empty where figures are missing."""
    few = hostile(record)
    few["corpus"] |= {"players": 2, "enough": False}
    for part in [few["all"], *few["by_kind"].values()]:
        part |= {"deciles": None, "lose_more": None, "interval": None}
    look = show(few | {"costliest": [], "certain_errors": 0, "left_out": ["2024-01"]}, size=NARROW)
    assert look.page.title() == f"{HOSTILE[0]}: 2024"
    text = look.page.locator("body").inner_text()
    assert HOSTILE[0] in text
    assert "\u202e" not in text
    assert "only 2 other players" in text
    assert "another referee has judged them: 2024-01" in text
    assert look.page.locator("img, .band, .deciles").count() == 0
    assert look.is_as_wide_as_its_window()
