"""The page of a review in a real browser: its top, and the way through rounds, steps, errors, seats and decisions."""

from __future__ import annotations

from tests.makers.review_pages import errors_of, go, place, place_of
from tests.makers.reviewed import NAMES

STEP = """() => [
    document.querySelector(".event").textContent, document.querySelectorAll(".plays .top .card").length,
]"""
FEW = 40  # steps


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
