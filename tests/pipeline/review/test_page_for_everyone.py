"""The page of a review for those who try first, on a phone, by keyboard, on paper; and with hostile names."""

from __future__ import annotations

from tests.makers.browsers import NARROW, Look
from tests.makers.review_pages import HOSTILE, go, place
from tests.makers.reviewed import NAMES, reviewed
from tichu_pipeline.review.page import write_page
from tichu_pipeline.review.texts import Language


def test_the_answer_is_hidden_until_one_has_tried(look, data):
    """A solver that shows the answer first, or calls an equally good answer wrong."""
    page = look.page
    page.get_by_role("button", name="Try first").click()
    costly = max((each for each in data["decisions"] if each["kind"] == "play"), key=lambda each: each["loss"])
    go(look, costly)
    assert page.locator(".option, .verdict, .me .given, .me .best").count() == 0
    assert page.locator(".list a[aria-current]").inner_text() == "Play"
    assert "better" not in page.locator(".costliest").inner_text()
    assert page.locator(".choice").count() == len(costly["options"])
    page.locator(".choice").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".tried").inner_text()
    assert "Cost" in page.locator(".verdict").inner_text() or "cost" in page.locator(".verdict").inner_text()
    assert page.evaluate("document.activeElement.tagName") == "H3"
    equal = next(
        each for each in data["decisions"] if each["kind"] == "grand" and each["loss"] == 0 and each["answer"] is False
    )
    go(look, equal)
    page.locator(".choice", has_text="not announced").click()
    assert "As good as any" in page.locator(".tried").inner_text()
    page.keyboard.press("t")
    go(look, data["decisions"][-1])
    assert page.locator(".option").count() > 1


def test_the_graph_and_the_list_lead_to_decisions(look, data):
    """A graph that is a picture only; forced turns that fill the list."""
    page = look.page
    decision = next(each for each in data["decisions"] if each["kind"] == "play" and each["step"] > 9)
    go(look, decision)
    page.locator(".graph .value.own").first.click(force=True)
    assert place(look)[2] < decision["step"]
    own = [each for each in data["decisions"] if (each["round"], each["seat"]) == (decision["round"], decision["seat"])]
    links = page.locator(".list > ol a")
    assert links.count() == len(own)
    links.last.click()
    page.locator(".decision h3:focus").wait_for()
    assert place(look)[2] == own[-1]["step"]
    assert not page.locator(".forced ol").is_visible()
    page.locator(".forced summary").click()
    assert page.locator(".forced li").first.is_visible()
    assert page.locator(".graph").get_attribute("aria-label").startswith("Graph: the deal was worth")


def test_by_keyboard_and_screen_reader_alone(look, data):
    """Buttons without names, cards that are only pictures, changes that nobody is told."""
    page = look.page
    go(look, next(each for each in data["decisions"] if each["kind"] == "play"))
    names = page.evaluate(
        "[...document.querySelectorAll('button, select, input, .card:not(.back), section')].map((each) => "
        "each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent)"
    )
    assert len(names) > 30
    assert all(name.strip() for name in names)
    page.locator("h1").click()
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent"))
    for control in ("Try first", "How the cards lay", "error ›"):
        assert f"BUTTON {control}" in reached
    before = page.get_by_role("status").inner_text()
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("status").inner_text() not in ("", before)
    outline = page.locator("main").aria_snapshot()
    assert 'group "Whose view"' in outline
    assert "[pressed]" in outline


def test_a_phone_shows_it_in_german(browser, folder, data):
    """A page that scrolls sideways, or speaks two languages at once; fingers that miss the buttons."""
    look = Look(browser, folder / "de.html", NARROW, has_touch=True, color_scheme="dark")
    page = look.page
    assert page.evaluate("document.documentElement.lang") == "de"
    assert look.is_as_wide_as_its_window()
    kinds = {}
    for decision in data["decisions"]:
        kinds.setdefault(decision["kind"], decision)
    for decision in kinds.values():
        go(look, decision)
        page.get_by_role("button", name="Wie die Karten lagen").tap()
        assert look.is_as_wide_as_its_window(), decision["kind"]
    page.get_by_role("button", name="Erst selbst entscheiden").tap()
    assert look.is_as_wide_as_its_window()
    page.get_by_role("button", name="Schritt vor").tap()
    heights = page.locator(".controls button").evaluate_all("all => all.map((each) => each.offsetHeight)")
    assert min(heights) >= 38
    words = page.locator("body").inner_text()
    assert not [word for word in ("points", "decision", "Expected", "cards", "errors") if word in words]
    look.close()


def test_one_player_without_luck_or_errors(browser, folder):
    """A page that stays empty since something is missing: no champion, one player, nothing open."""
    record, games = reviewed()
    for each in (*record["rounds"], *record["players"]):
        each.update({"luck": None} if "luck" in each else {"luck_per_round": None})
    alone = {**record, "players": record["players"][1:2], "decisions": [], "referee": {**record["referee"]}}
    alone["players"][0].update(open_decisions=0, certain_errors=0, by_kind={}, loss_per_round=0.0, interval=[0.0, 0.0])
    write_page(folder / "alone.html", alone, games, Language.EN)
    look = Look(browser, folder / "alone.html")
    page = look.page
    assert page.locator("nav").inner_text().strip("\u2068\u2069") == NAMES[1]
    assert "none cost" in page.locator(".sentence").inner_text()
    assert page.locator(".luck tr").count() == 1
    assert place(look) == (0, 1, 0)
    for key in ("n", "ArrowRight", "s", "]", "t"):
        page.keyboard.press(key)
    assert place(look)[:2] == (1, 2)
    assert "were not judged" in page.locator(".list").inner_text()
    look.close()


def test_it_prints(look, data):
    """Paper full of buttons, without what was found."""
    go(look, next(each for each in data["decisions"] if each["loss"]))
    look.page.emulate_media(media="print")
    assert not look.page.get_by_role("button", name="Try first").is_visible()
    assert look.page.locator(".sentence").is_visible()
    assert look.page.locator(".option").first.is_visible()


def test_hostile_names_are_names(browser, folder):
    """A name in a log that runs as a script, adds a picture or turns the page's sentences around."""
    look = Look(browser, folder / "hostile.html", NARROW)
    page = look.page
    assert page.title() == "Tichu review"
    assert page.locator("img").count() == 0
    assert HOSTILE[0] in page.locator("nav").inner_text()
    for name in ("a", "s", "n", "t"):
        page.keyboard.press(name)
    assert page.locator("img").count() == 0
    assert "\u202e" not in page.locator("body").inner_text()
    assert look.is_as_wide_as_its_window()
    look.close()
