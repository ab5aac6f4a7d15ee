"""Replays step by step: at every decision the table that its seat saw."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.makers.positions import played
from tests.makers.reviewed import games_of
from tichu_models.review.logged import Finder
from tichu_models.review.steps import replays
from tichu_models.rules.asking import KINDS
from tichu_models.rules.cards import labels


@pytest.fixture(scope="module")
def games():
    """Calm games and wild ones."""
    return games_of(played(6, 3, "HBRB", 4).rounds)


def at_step(record: dict[str, Any], step: int, seat: int) -> dict[str, Any]:
    """The table after a step as a page puts it together."""
    table: dict[str, Any] = {"points": [0] * 4, "places": [0] * 4, "wish": 0, "trick": []}
    hands = record["first" if step == 0 else "start" if step < 3 else "hands"]
    left = [set(hand) for hand in hands]
    for each in record["steps"][: step + 1]:
        table |= each
        if each["event"] == "play":
            left[each["seat"]] -= set(each["cards"])
    return table | {"hand": left[seat], "counts": [len(hand) for hand in left]}


def test_every_decision_is_shown_with_the_table_that_its_seat_saw(games):
    """A page that shows another trick, another hand or other points than the player had before the eyes."""
    seen_kinds = set()
    for game in games:
        found = replays(game)
        for decision in Finder().decisions(game.rows, game.before, game.history, game.key):
            seen, kind = decision["seen"], KINDS[decision["seen"]["kind"]]
            turn, seat = int(decision["turn"]), int(seen["seat"])
            replay = found[decision["place"]]
            step = replay.step_of(kind, None if turn < 0 else turn, seat)
            table = at_step(replay.record, step, seat)
            what = f"{game.file} {decision['place']} {kind} {turn} {seat}"
            assert table["hand"] == set(labels(int(seen["hand"]))), what
            assert table["counts"] == seen["count"].tolist(), what
            assert {card for _, cards in table["trick"] for card in cards} - {"Hu"} == set(
                labels(int(seen["trick_cards"]))
            ), what
            for name, field in (("points", "points"), ("places", "place"), ("calls", "call"), ("wish", "wish")):
                value = seen[field].tolist()
                assert table[name] == value, (what, name)
            assert kind in ("grand", "tichu", "schupf") or table["next"] == seen["turn"], what
            after = replay.record["steps"][step + 1]
            if kind == "play":
                assert (after["event"], after["seat"]) == ("play" if decision["answer"] else "pass", seat), what
                assert set(after["cards"]) == set(labels(int(decision["answer"]))), what
            if kind == "small":
                assert (after["event"] == "call" and after["seat"] == seat) == decision["answer"], what
            seen_kinds.add(kind)
    assert seen_kinds == set(KINDS)


def test_rounds_begin_with_the_deal_and_end_with_the_score(games):
    """A last trick that nobody takes, a gift of the Dragon that is not told, facts that are no JSON."""
    events = []
    for game in games:
        for replay, row in zip(replays(game), game.rows, strict=True):
            record = json.loads(json.dumps(replay.record))
            steps = record["steps"]
            assert [each["event"] for each in steps[:4]] == ["first", "deal", "schupf", "exchange"]
            assert steps[-1]["score"] == row["score"].tolist()
            assert all(len(hand) == 14 for hand in record["hands"] + record["start"])
            assert set().union(*record["hands"]) == set().union(*record["start"])
            gifts = [each["to"] for each in steps if "to" in each]
            assert gifts == [row["dragon_recipient"]][: int(row["dragon_recipient"]) + 1]
            assert [each["seat"] for each in steps if each["event"] == "call"] == [
                seat for _, seat in sorted((at, seat) for seat, at in enumerate(row["tichu_position"]) if at >= 0)
            ]
            events += [each["event"] for each in steps]
            events += ["forced"] * any("forced" in each for each in steps)
    assert {"take", "call", "wish", "pass", "forced"} <= set(events)
