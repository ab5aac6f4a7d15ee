"""The file of a review's page: one file that asks for nothing, with the words and the figures that its scripts need."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tomllib

import pytest

from tests.makers.reviewed import reviewed
from tests.paths import ROOT
from tichu_models.rules.asking import KINDS
from tichu_pipeline.html.inlined import STATIC, ScriptError, script_of
from tichu_pipeline.review.evening import certain_loss, evening
from tichu_pipeline.review.page import page, page_data
from tichu_pipeline.review.texts import FILE, Language, texts_in

SCRIPTS = sorted(STATIC.glob("*.js"))
MOST_BYTES = 1_500_000  # of the page of one game
ROUNDS_OF_A_GAME = 16  # a long one
HOSTILE = [
    '</script><script>document.title="owned"</script>',
    "\"'><img src=x onerror=alert(1)>",
    "\u202eevil\u2066",
    "&lt;b&gt;",
]


@pytest.fixture(scope="module")
def found():
    """A review of hostile players, and its games."""
    return reviewed(HOSTILE)


def test_the_page_stands_alone(found):
    """A script of somebody else that runs, a request to somewhere, a page that nobody's mail takes."""
    content = page(*found, Language.EN)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', content)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, pattern in (("script", r'<script type="module">(.*?)</script>'), ("style", r"<style>(.*?)</style>")):
        (inline,) = re.findall(pattern, content, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not re.search(r"<(?:link|img|iframe|object|embed)\b|\bsrc=|@import|url\(", content.partition("<body>")[0])
    assert set(re.findall(r"https?://[^\s\"']*", content)) == {"http://www.w3.org/2000/svg"}
    rounds = len(found[0]["rounds"])
    data = len(content) - len(script_of("review"))
    assert len(content) - data + data * ROUNDS_OF_A_GAME / rounds < MOST_BYTES


def test_names_in_the_data_are_inert(found):
    """A player whose name ends the element of the data, or turns the sentence around."""
    content = page(*found, Language.EN)
    body = content.partition("<body>")[2]
    assert body.count("<script") == body.count("</script") == 2
    block = re.search(r'<script type="application/json" id="review-data">(.*?)</script>', body)[1]
    assert "<" not in block
    names = json.loads(block)["review"]["rounds"][0]["players"]
    assert names[0] == HOSTILE[0]
    assert names[2] == "\ufffdevil\ufffd"


def test_the_same_review_gives_the_same_bytes(found):
    """A page that differs by the day or by the order of a set; one in the wrong language."""
    assert page(*found, Language.EN) == page(*found, Language.EN)
    assert '<html lang="de">' in page(*found, Language.DE)


def test_every_text_is_there_in_both_languages():
    """A key that no dictionary has; a text that misses a value in one language, or that nobody shows."""
    source = "\n".join(script.read_text() for script in SCRIPTS)
    asked = set(re.findall(r'text\(\s*"([\w.]+)"', source))
    asked |= {key for pair in re.findall(r'\? "([\w.]+\.[\w.]+)" : "([\w.]+\.[\w.]+)"', source) for key in pair}
    by_part = {f"{part}." for part in re.findall(r"`([\w.]+)\.\$\{", source)}
    assert len(asked) > 50
    texts = tomllib.loads(FILE.read_text())
    assert sorted(asked - texts.keys()) == []
    for key, text in texts.items():
        assert tuple(text) == tuple(Language), key
        assert key in source or any(key.startswith(part) for part in by_part) or key == "noscript", key
        values = [sorted(re.findall(r"\{(\w+)\}", each)) for each in text.values()]
        assert values == [values[0]] * len(Language), key
        assert all(each.strip() == each != "" for each in text.values()), key
    for kind in KINDS:
        assert {f"kind.{kind}", f"ask.{kind}"} <= texts.keys()
    assert texts_in(Language.DE)["number.comma"] == ","


def test_decisions_stand_at_their_steps(found):
    """A page that shows a decision in another round, or when it was over."""
    record, games = found
    data = page_data(record, games)
    assert len(data["rounds"]) == sum(len(game.rows) for game in games)
    for decision in data["decisions"]:
        of_round = data["rounds"][decision["round"]]
        assert (of_round["game_id"], of_round["round_index"]) == (decision["game_id"], decision["round_index"])
        after = of_round["steps"][decision["step"] + 1]
        if decision["kind"] == "play":
            assert (after["seat"], set(after.get("cards", []))) == (decision["seat"], set(decision["answer"]))
    assert len({(each["round"], each["step"], each["seat"], each["kind"]) for each in data["decisions"]}) == len(
        data["decisions"]
    )


def test_logs_without_numbers_keep_their_rounds(found):
    """Decisions of a second log shown on the rounds of the first, since both have no number."""
    record, games = found
    nameless = json.loads(json.dumps(record))
    for each in (*nameless["rounds"], *nameless["decisions"], *nameless["games"]):
        each["game_id"] = None
    expected = [each["round"] for each in page_data(record, games)["decisions"]]
    assert [each["round"] for each in page_data(nameless, games)["decisions"]] == expected


def test_an_evening_says_little_and_says_so(found):
    """An interval that is too narrow for a few rounds, or a rank from one of them."""
    record, _ = found
    name = HOSTILE[0]
    said = evening(record, name)
    results = [each["result"][0] - each["result"][1] for each in record["rounds"]]
    spread = (sum((each - sum(results) / len(results)) ** 2 for each in results) / (len(results) - 1)) ** 0.5
    assert said["half_result"] > 1.96 * spread / len(results) ** 0.5
    assert said["lost"] == pytest.approx(certain_loss(record, name).lost, abs=0.06)
    one = {**record, "rounds": [{**record["rounds"][0], "luck": None}]}
    assert evening(one, name)["half_result"] is None
    assert evening(one, name)["half_less_luck"] is None


def test_scripts_that_cannot_be_put_together_are_refused(tmp_path, monkeypatch):
    """A page that stays empty because of an import that nobody resolved."""
    monkeypatch.setattr("tichu_pipeline.html.inlined.STATIC", tmp_path)
    (tmp_path / "one.js").write_text('import { b } from "./two.js";\n\nexport const a = 1;\n')
    (tmp_path / "two.js").write_text('export function b() {}\nimport x from "https://example.org/x.js";\n')
    with pytest.raises(ScriptError, match=r"two\.js"):
        script_of("one")
    (tmp_path / "two.js").write_text('import { a } from "./one.js";\nexport function b() {}\n')
    with pytest.raises(ScriptError, match="imports itself"):
        script_of("one")
    (tmp_path / "two.js").write_text("export function b() {}\n")
    assert script_of("one").index("module_two = ") < script_of("one").index("module_one = ")


def test_scripts_and_texts_are_package_data():
    """A page that a checkout can write, and an installed package cannot."""
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    shipped = {path for pattern in patterns["tichu_pipeline"] for path in (ROOT / "tichu_pipeline").glob(pattern)}
    assert {*SCRIPTS, STATIC / "review.css", FILE} <= shipped
