"""What a history tells at a glance: held against the walk through the engine, round by round."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tichu_models.arena.selfplay import stream
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.records.history import PASS_ENTRY, PLAY_ENTRY, TAKE_ENTRY, kind_of, load, seat_of
from tichu_models.records.replay import SCRATCH, begin, check, step
from tichu_models.records.round_summary import ROUND_SUMMARY, TALLY, ZERO, summarise_rounds, tally_rounds
from tichu_models.records.schema import Rounds
from tichu_models.rules.cards import DOG, MAHJONG, count, of_rank, points
from tichu_models.rules.combinations import BOMB, type_of
from tichu_models.rules.state import begin_round


def played(agent, games: int) -> tuple[Rounds, np.ndarray]:
    """Sound rounds and their outcomes."""
    rounds = next(iter(stream([agent], np.zeros((games, 4), dtype=np.int32), seed=3))).rounds
    outcomes, normal = check(rounds)
    return normal, outcomes


def begins_of(rounds: Rounds) -> np.ndarray:
    """Where the histories begin, and where the last ends."""
    return np.append(rounds.rows["history_from"], len(rounds.history))


@pytest.mark.parametrize("agent", [HeuristicAgent(), RandomAgent()])
def test_the_glance_agrees_with_the_engine(agent):
    """A finishing place, a Dog, a wish or a bomb credited to the wrong seat in every table of the database; points
    counted after the turn instead of before it."""
    rounds, outcomes = played(agent, 40)
    rows = rounds.rows
    courses, tally = np.zeros(len(rows), dtype=ROUND_SUMMARY), np.zeros(1, dtype=TALLY)
    complete = np.ones(len(rows), dtype=np.bool_)
    begins = begins_of(rounds)
    summarise_rounds(rounds.history, begins, rows["wish"], rows["dragon_recipient"], complete, courses)
    leads = (rows["score"][:, 0] - rows["score"][:, 1]).astype(np.int64)
    doubles = outcomes["is_double_victory"].astype(np.bool_)
    tally_rounds(rounds.history, begins, rows["dragon_recipient"], leads, doubles, complete, tally[0])

    expected = {name: Counter[int]() for name in TALLY.names}
    scratch = np.zeros(1, dtype=SCRATCH)
    for i, (row, course) in enumerate(zip(rows, courses, strict=True)):
        state, log = scratch[0]["state"], scratch[0]["log"]
        facts = _from_engine(row, rounds.history, state, log, scratch[0]["plays"], int(leads[i]), expected)
        places = state["place"].tolist()
        if state["loser"] >= 0:
            places[state["loser"]] = 4
        assert course["place"].tolist() == places
        assert course["bombs_played"].tolist() == facts["bombs"]
        for name in ("mahjong_by", "wish_fulfilled_by", "dragon_giver", "dog_by", "dog_to"):
            assert course[name] == facts[name], (name, i)
    for name, counts in expected.items():
        found = tally[0][name]
        assert {int(at) - ZERO: int(found[at]) for at in np.flatnonzero(found)} == dict(counts), name


def _from_engine(row, history, state, log, plays, lead, expected) -> dict:
    facts = {
        "bombs": [0] * 4,
        "mahjong_by": -1,
        "wish_fulfilled_by": -1,
        "dragon_giver": -1,
        "dog_by": -1,
        "dog_to": -1,
    }
    load(log, history, row)
    begin_round(state, row["first"], row["start"], 0, 0, 0, 0)
    begin(state, row)
    turns = []
    for at in range(int(log["length"])):
        entry, before = int(log["entry"][at]), int(state["played"])
        kind, seat, owner = kind_of(entry), seat_of(entry), int(state["owner"])
        if kind in (PASS_ENTRY, PLAY_ENTRY):
            collected = state["points"].tolist()
            ahead = collected[0] + collected[2] - collected[1] - collected[3]
            expected["trick_points"][int(points(int(state["trick_cards"])))] += 1
            expected["points"].update(collected)
            turns.append((seat, ahead))
        gift = int(state["dragon_recipient"])
        assert step(state, row, log, at, plays) == 0
        if kind == TAKE_ENTRY and state["dragon_recipient"] != gift:
            facts["dragon_giver"] = owner
        if kind != PLAY_ENTRY:
            continue
        cards = int(state["played"]) & ~before
        if facts["dog_by"] >= 0 and facts["dog_to"] < 0:
            facts["dog_to"] = seat
        wished = int(row["wish"])
        if wished and facts["mahjong_by"] >= 0 and facts["wish_fulfilled_by"] < 0 and of_rank(cards, wished):
            facts["wish_fulfilled_by"] = seat
        if cards & MAHJONG:
            facts["mahjong_by"] = seat
        if cards == DOG:
            facts["dog_by"] = seat
        elif count(cards) >= 4 and type_of(int(state["trick"])) == BOMB:
            facts["bombs"][seat] += 1
    for seat, ahead in turns:
        to_go = lead if state["double"] else lead - ahead
        expected["rtg"][-to_go if seat & 1 else to_go] += 1
    return facts
