"""The page of a review in a real browser: every key, link and switch, on a wide window and on a phone's."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.makers.browsers import NARROW, Look, launched
from tests.makers.reviewed import NAMES, reviewed
from tichu_pipeline.review.page import page_data, write_page
from tichu_pipeline.review.texts import Language

HOSTILE = ["<script>document.title='owned'</script>", "\"'><img src=x onerror=alert(1)>", "\u202eevil\u2066", "مرحبا"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with pages: in both languages, and one with hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    found = reviewed()
    (folder / "data.json").write_text(json.dumps(page_data(*found)))
    for lang in Language:
        write_page(folder / f"{lang}.html", *found, lang)
    write_page(folder / "hostile.html", *reviewed(HOSTILE), Language.EN)
    return folder


@pytest.fixture(scope="module")
def data(folder):
    """What the pages show."""
    return json.loads((folder / "data.json").read_text())


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests of this module."""
    with launched() as found:
        yield found


@pytest.fixture
def look(browser, folder) -> Iterator[Look]:
    """The English page on a wide window."""
    found = Look(browser, folder / "en.html")
    yield found
    found.close()


SHOWN = """() => [
    Number(document.querySelector("select[aria-label='Round']").value),
    [...document.querySelectorAll("[aria-label='Whose view'] button")].findIndex((each) => each.ariaPressed === "true"),
    Number(document.querySelector("input[type=range]").value),
]"""


STEP = """() => [
    document.querySelector(".event").textContent, document.querySelectorAll(".plays .top .card").length,
]"""
FEW = 40  # steps


def place(look: Look) -> tuple[int, int, int]:
    """What is on show: the place of the round, the seat, the step."""
    return tuple(look.page.evaluate(SHOWN))


def place_of(decision: dict) -> tuple[int, int, int]:
    """Where a decision was asked."""
    return decision["round"], decision["seat"], decision["step"]


def go(look: Look, decision: dict) -> None:
    """Follows the link to a decision."""
    address = f"#{decision['game_id']}-{decision['round_index']}-{decision['seat']}-{decision['step']}"
    look.page.evaluate("(address) => { location.hash = address; }", address)
    look.page.locator(f".permalink[href='{address}']").first.wait_for()


def errors_of(data: dict, name: str, least: float = 0.05) -> list[dict]:
    """The decisions that cost a player so much, in order."""
    return [each for each in data["decisions"] if each["player"] == name and each["loss"] >= least]


def test_the_top_says_what_the_record_says(look, data):
    """Figures of another player; a list that does not begin with the costliest."""
    page = look.page
    for player in data["players"]:
        page.get_by_role("navigation", name="Players").get_by_role("button", name=player["name"]).click()
        sentence = page.locator(".sentence").inner_text()
        assert f"Of {player['open_decisions']} open decisions" in sentence
        assert f"{player['evening']['lost']:.0f} ± {player['evening']['half']:.0f}" in sentence or (
            player["certain_errors"] == 0 and "none cost" in sentence
        )
        rows = page.locator(".kinds tbody tr")
        assert rows.count() == len(player["by_kind"]) + 1
        assert rows.last.locator("td").nth(2).inner_text() == f"{player['loss_per_round']:.1f}"
        costly = sorted(errors_of(data, player["name"]), key=lambda each: (not each["certain"], -each["loss"]))
        links = page.locator(".costliest a")
        assert links.count() == min(5, len(costly))
        if costly:
            links.first.click()
            page.locator(".decision h3:focus").wait_for()
            assert place(look) == place_of(costly[0])
    assert "±" in page.locator(".luck .note").inner_text()
    disagree = sum(each["disagree"] for each in data["decisions"])
    assert f"disagree on {disagree} of {len(data['decisions'])} decisions" in page.locator("footer").inner_text()


def test_steps_by_keys_buttons_and_slider(look, data):
    """A replay that stands still, or runs beyond its round."""
    page, steps = look.page, data["rounds"][0]["steps"]
    page.get_by_label("Round", exact=True).select_option("0")
    page.locator("h1").click()
    assert page.locator(".event").inner_text() == "The first eight cards."
    assert page.locator(".me .cards li").count() == 8
    for step in steps[1:FEW]:
        page.keyboard.press("ArrowRight")
        said, cards = page.evaluate(STEP)
        if step["event"] == "play":
            assert cards == len(step["cards"])
            assert NAMES[step["seat"]] in said
        elif step["event"] == "pass":
            assert said == f"\u2068{NAMES[step['seat']]}\u2069 passes."
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert place(look)[2] == len(steps) - 1
    assert "The round is over" in page.locator(".event").inner_text()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Step back").click()
    assert place(look)[2] == len(steps) - 3
    page.get_by_role("button", name="Step on").click()
    assert place(look)[2] == len(steps) - 2
    page.locator("h1").click()
    page.keyboard.press("Home")
    assert place(look)[2] == 0
    page.keyboard.press("End")
    assert place(look)[2] == len(steps) - 1
    page.get_by_label("Step of the round").fill("7")
    assert place(look)[2] == 7
    page.keyboard.press("ArrowRight")  # the slider's own
    assert place(look)[2] == 8
    page.keyboard.press("A")
    assert page.get_by_role("button", name="How the cards lay", pressed=True).count() == 1


def test_errors_by_keys_and_buttons(look, data):
    """An error that is left out, one of another player, one that the threshold hides."""
    page = look.page
    name = max(NAMES, key=lambda each: len(errors_of(data, each)))
    page.get_by_role("navigation").get_by_role("button", name=name).click()
    for least in (0.05, 20):
        page.get_by_label("errors from").select_option(str(int(least)))
        page.get_by_label("Round", exact=True).select_option("0")
        page.locator("h1").click()
        errors = errors_of(data, name, least)
        expected = sorted({place_of(each) for each in errors if each["round"] or each["step"]})
        assert len(expected) > 2 or least == 20
        walked = []
        for _ in expected:
            page.keyboard.press("n")
            walked.append(place(look))
        assert walked == expected
        page.keyboard.press("n")
        assert page.get_by_role("status").inner_text() == "No further error."
    page.get_by_role("button", name="‹ error").click()
    page.get_by_role("button", name="error ›").click()
    page.keyboard.press("p")
    for _ in expected:
        page.keyboard.press("p")
    assert page.get_by_role("status").inner_text() == "No former error."


def test_rounds_by_keys_buttons_and_list(look, data):
    """Brackets that a keyboard writes with AltGr, and that do nothing; a list that says another round."""
    page, rounds = look.page, data["rounds"]
    listed = page.get_by_label("Round", exact=True)
    listed.select_option("0")
    page.locator("h1").click()
    for number in range(1, len(rounds)):
        page.keyboard.press("]")
        assert listed.input_value() == str(number)
    page.keyboard.press("]")
    assert listed.input_value() == str(len(rounds) - 1)
    with_alt_gr = "{key: '[', ctrlKey: true, altKey: true, bubbles: true}"
    page.evaluate(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {with_alt_gr}))")
    assert listed.input_value() == str(len(rounds) - 2)
    page.get_by_role("button", name="Former round").click()
    page.get_by_role("button", name="Next round").click()
    assert listed.input_value() == str(len(rounds) - 2)


def test_seats_and_hands(look, data):
    """Other hands in a seat's own view; a seat that shows another seat's cards."""
    page, first = look.page, data["rounds"][0]
    page.get_by_label("Round", exact=True).select_option("0")
    page.get_by_label("Step of the round").fill("3")
    page.locator("h1").click()
    for _ in range(4):
        seat = place(look)[1]
        chosen = page.get_by_role("group", name="Whose view").get_by_role("button", pressed=True)
        assert chosen.inner_text().strip("\u2068\u2069") == NAMES[seat]
        assert page.locator(".me .card").count() == 14
        assert page.locator(".left .card:not(.back), .right .card:not(.back), .partner .card:not(.back)").count() == 0
        page.keyboard.press("a")
        for where, to in (("me", 0), ("right", 1), ("partner", 2), ("left", 3)):
            faces = page.locator(f".{where} .card:not(.back)")
            assert faces.count() == 14
            names = set(faces.evaluate_all("cards => cards.map((card) => card.getAttribute('aria-label'))"))
            assert ("Dragon" in names) == ("Dr" in first["hands"][(seat + to) % 4])
        page.get_by_role("button", name="How the cards lay", pressed=True).click()
        page.keyboard.press("s")
    page.get_by_role("group", name="Whose view").get_by_role("button", name=NAMES[2]).click()
    assert place(look)[1] == 2


def test_every_decision_has_a_link_and_shows_its_answers(look, data):
    """A link to nothing; an answer that is left out; one that is as good, shown as a loss."""
    page = look.page
    some = [each for each in data["decisions"] if each["loss"]] + data["decisions"][:: len(data["decisions"]) // 12]
    alone = [
        each
        for each in some
        if sum(
            (other["round"], other["step"], other["seat"]) == (each["round"], each["step"], each["seat"])
            for other in data["decisions"]
        )
        == 1
    ]
    assert len(alone) > 10
    for decision in alone:
        go(look, decision)
        options = page.locator(".option")
        assert options.count() == len(decision["options"])
        assert page.locator(".option.given").count() == 1
        verdict = page.locator(".verdict").inner_text()
        assert ("No difference" in verdict) == (decision["loss"] == 0)
        assert ("for certain" in verdict) == decision["certain"]
        second = page.locator(".beside").inner_text()
        assert ("sees no difference" in second) == (decision["beside"]["loss"] == 0)
        assert ("disagree" in second) == decision["disagree"]
        for at, option in enumerate(decision["options"]):
            standing = options.nth(at).get_attribute("class").split()
            if option["answer"] == decision["answer"]:
                assert ("equal" in standing) == (decision["loss"] == 0)
            elif option["answer"] != decision["best"]:
                assert ("equal" in standing) == (option["behind_interval"][0] <= 0)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)  # the address follows a moment later
    page.reload()
    assert place(look) == (alone[-1]["round"], alone[-1]["seat"], alone[-1]["step"] + 1)


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
