"""What self-play has found out: habits agree with the questions, and the page says what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.rules.asking import GRAND_CALL
from tichu_models.rules.cards import INDEX_OF_LABEL, mask_of
from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.reading import table
from tichu_pipeline.analysis.scripts import queries, query
from tichu_pipeline.brettspielwelt.corpus.played import generate_played
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tools import findings, findings_grand, findings_page
from tichu_pipeline.tools import findings_questions as questions
from tichu_pipeline.tools.findings_habits import HABITS, VALUES, compared, given, habits_of, holds_bomb
from tichu_pipeline.tools.findings_worth import ByRule, worth_of

GAMES = 12


def sets_of(texts: Iterable[str]) -> np.ndarray:
    """Sets of cards, given by labels."""
    return np.array([mask_of(INDEX_OF_LABEL[label] for label in text.split()) for text in texts])


@pytest.fixture(scope="module")
def corpora(tmp_path_factory) -> dict[str, DataPaths]:
    """The games of two players, ingested and analysed."""
    folder, made = tmp_path_factory.mktemp("corpora"), {}
    for player in ("champion", "heuristic"):
        made[player] = DataPaths(folder / player)
        agent = "champion:fast" if player == "champion" else player
        generate_played(made[player].raw, agent, folder, GAMES, ["2024-01"], seed=4, workers=1)
        ingest(made[player].raw, made[player])
        build(made[player])
    return made


def test_habits_agree_with_the_questions(corpora):
    """A habit that counts other decisions than it names: both ways to count start from the same rounds."""
    for paths in corpora.values():
        habits = habits_of(paths)
        rows = {number: table(paths, query(number).sql).to_pylist() for number in ("09", "15", "16", "17", "13")}
        assert habits["announces a grand Tichu"].tolist() == [
            rows["09"][0]["seats"] - rows["09"][0]["calls"],
            rows["09"][0]["calls"],
        ]
        for number, recipient in (("15", "right opponent"), ("16", "partner"), ("17", "left opponent")):
            expected = np.zeros(len(VALUES), dtype=int)
            for row in rows[number]:
                expected[row["value"]] = row["cards"]
            assert habits[f"gives to the {recipient}"].tolist() == expected.tolist()
        wishes = {row["wish_value"]: row["rounds"] for row in rows["13"]}
        assert habits["wishes"][1:].sum() == sum(wishes.values()) - wishes.get(0, 0)
        assert habits["wishes"][0] <= wishes.get(0, 0)  # nobody is asked where the Mahjong ends the round
        to = [habits[f"gives to the {recipient}"][0] for recipient in ("right opponent", "partner", "left opponent")]
        assert habits["gives the Dog away"][1:].tolist() == to
    by_rule = habits_of(corpora["heuristic"])
    assert by_rule["announces a small Tichu after its partner's call"][1] == 0
    assert by_rule["wishes"][2] > by_rule["wishes"][[0, 3, 4, 5]].sum()


def test_sets_with_a_bomb_are_known():
    """Streets of several colours, or of the special cards, that count as bombs."""
    bombs = ("S9 B9 G9 R9", "S2 S3 S4 S5 S6 Ma", "R10 RB RD RK RA")
    others = ("S9 B9 G9 Ph", "Ma S2 S3 S4 S5", "S2 S3 S4 S5 B6", "RA S2 S3 S4 S5", "Hu Ma Ph Dr")
    assert holds_bomb(sets_of((*bombs, *others))).tolist() == [True] * len(bombs) + [False] * len(others)


def test_the_distance_is_the_share_that_would_have_to_change():
    """A habit with many answers that leads the list for having many answers."""
    one = {habit.name: np.full(len(habit.answers), 1000) for habit in HABITS}
    other = {name: counts.copy() for name, counts in one.items()}
    assert {habit["distance"] for habit in compared(one, other)} == {0.0}
    other["announces a grand Tichu"] = np.array([1500, 500])
    other["wishes"] = np.array([1600, 1000, 400, 1000, 1000, 1000])
    first, second = compared(one, other)[:2]
    assert (first["name"], first["distance"], first["shares"]) == ("announces a grand Tichu", 25.0, [50.0, 25.0])
    assert (second["name"], second["distance"], second["most"]) == ("wishes", 10.0, "none")


def test_shares_are_matched_by_their_keys():
    """Shares of different rows that are compared because they stand in the same line of an answer."""
    empty = {each.name: [] for each in queries()}
    wishes = [{"name": name, "rounds": n, "percent": n / 10} for name, n in (("5", 600), ("Ace", 400))]
    swapped = [{"name": name, "rounds": n, "percent": n / 10} for name, n in (("Ace", 300), ("no wish", 700))]
    (found,) = questions.compared(empty | {"13_wish_values": wishes}, empty | {"13_wish_values": swapped})
    assert (found["where"], found["shares"], found["cases"]) == ("no wish", [0.0, 70.0], [1000, 1000])
    assert found["errors"][1] == pytest.approx(1.449, abs=1e-3)


def test_rules_of_thumb_answer_one_habit_alone():
    """A worth that other decisions have made; and one that is not 0 although nothing was changed."""
    worth = worth_of("heuristic", Path(), ["gives to the partner", "wishes"], deals=20)
    assert [(each["points"], each["error"]) for each in worth.values()] == [(0.0, 0.0)] * 2
    champion = agent_from("champion:fast")
    grand = next(habit for habit in HABITS if habit.kind == GRAND_CALL)
    player, asked = ByRule(champion, grand), {}

    class Asked(RandomAgent):
        """Notes what it is asked."""

        def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
            asked.setdefault(kind, []).append(views)
            return super().decide(kind, views)

    list(lockstep.play_games([Asked()], np.zeros((2, 4), dtype=np.int32), 1, max_rounds=1))
    for kind, parts in asked.items():
        views = np.concatenate(parts)
        expected = HeuristicAgent() if kind == GRAND_CALL else champion
        assert (player.decide(kind, views) == expected.decide(kind, views)).all()


def test_schupfen_by_rule_changes_what_it_names():
    """A worth of one card that was measured with three others; two seats who get the same card."""
    rng = np.random.default_rng(1)
    cards = np.array([rng.permutation(8)[:3] for _ in range(2000)])  # of eight, 0 the Dog
    answers = cards[:, 0] | cards[:, 1] << 8 | cards[:, 2] << 16
    own, others = answers[:1000], answers[1000:]
    for to, recipient in enumerate(("right opponent", "partner", "left opponent")):
        (habit,) = (habit for habit in HABITS if habit.name == f"gives to the {recipient}")
        mixed = np.stack([given(habit.mixed(own, others), seat) for seat in range(3)], axis=1)
        assert (mixed[:, to] == given(others, to)).all()
        clash = (cards[:1000] == given(others, to)[:, None]).any(axis=1)
        assert (np.delete(mixed, to, axis=1) == np.delete(cards[:1000], to, axis=1))[~clash].all()
        assert ((mixed == cards[:1000]) | (mixed == cards[1000:])).all()
        assert all(len(set(row)) == 3 for row in mixed.tolist())
    (dog,) = (habit for habit in HABITS if habit.name == "gives the Dog away")
    mixed = np.stack([given(dog.mixed(own, others), seat) for seat in range(3)], axis=1)
    assert ((mixed == 0) == (cards[1000:] == 0)).all()
    assert all(len(set(row)) == 3 for row in mixed.tolist())


def test_classes_of_hands_have_their_names():
    """Advice that stands in the row of another hand."""
    hands = {
        "Dr Ph SA BA S2 B3 G4 R5": "Dragon, Phoenix, 2 aces",
        "Ph S2 B3 G4 R5 S7 B8 G9": "Phoenix",
        "SA BA GA S2 B3 G4 R5 S7": "3 aces or more",
        "Hu Ma S2 B3 G4 R5 S7 B8": "none of them",
        "Dr SA S9 B9 G9 R9 S2 B3": "a bomb",
    }
    classes = findings_grand.class_of(sets_of(hands))
    assert [findings_grand.name_of(number) for number in classes] == list(hands.values())


def test_page_pictures_and_notebook_are_made(corpora, tmp_path):
    """A command that fails after minutes of play; a page or a notebook without its figures."""
    out = tmp_path / "findings.md"
    findings.main(
        corpora["champion"].root, corpora["heuristic"].root, "champion", tmp_path, 4, 2, 1, notebook=True, out=out
    )
    facts, text = json.loads(out.with_suffix(".json").read_text()), out.read_text()
    assert {habit["name"] for habit in facts["habits"]} == {habit.name for habit in HABITS}
    assert len(facts["grand"]["classes"]) == findings_grand.CLASSES
    for picture in ("HABITS", "SCHUPF", "GRAND", "CALLS"):
        name = getattr(findings_page, f"{picture}_PICTURE")
        assert f"({name})" in text
        assert (tmp_path / name).stat().st_size > 1000
    first = facts["habits"][0]
    line = next(line for line in text.splitlines() if line.startswith(f"| {first['name']}"))
    assert f"{first['distance']:.1f}" in line
    assert findings_page.interval(first["worth"]) in line
    assert "--deals 4 --hands 2" in text
    assert "| Ace |" in text
    html = (corpora["champion"].reports / "Selbstspiel.html").read_text(encoding="utf-8")
    assert html.count("data:image/png;base64") >= 4
    assert "29_grand_tichu_by_first_hand" in html
