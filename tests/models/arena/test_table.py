"""A table: who is asked what and when, and that an illegal answer changes nothing."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from tests.makers.positions import PLAYS, cards_of, mask_of
from tests.oracles.reference import has_bomb
from tichu_models.arena import table as t
from tichu_models.chance import draw
from tichu_models.observation import view as v
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.rules import asking as q
from tichu_models.rules.combinations import cards_of as played_cards
from tichu_models.rules.state import GRAND, LEFT, NO_CALL, NOT_YET, RIGHT, SMALL

DOG = frozenset({"Hu"})


def new_table(seed: int) -> np.void:
    """A table whose first round is dealt."""
    table = np.zeros(1, dtype=t.TABLE)[0]
    t.begin_game(table, np.uint64(draw(np.uint64(seed), 0)), 0)
    t.next_round(table)
    return table


def ask(table: np.void) -> np.ndarray | None:
    """The view of the next decision; None when the round is over."""
    if t.advance(table, PLAYS) == q.ROUND_OVER:
        return None
    view = np.zeros(1, dtype=v.VIEW)
    t.look(table, view[0])
    return view


Decision = tuple[np.ndarray, int]


@cache
def protocols() -> list[list[Decision]]:
    """All decisions of some rounds, with their answers."""
    rounds = []
    for seed in range(60):
        agent = [RandomAgent(), HeuristicAgent(), HeuristicAgent(blunder=0.3)][seed % 3]
        table, decisions = new_table(seed), []
        while (view := ask(table)) is not None:
            (choice,) = agent.decide(int(view["kind"][0]), view)
            assert t.answer(table, int(choice), PLAYS) == 0
            decisions.append((view[0], int(choice)))
        rounds.append(decisions)
    return rounds


def test_a_round_begins_with_calls_and_schupfen():
    """A seat announces or gives cards with knowledge that it does not have yet, or is not asked."""
    for decisions in protocols():
        kinds = [(int(view["kind"]), int(view["seat"])) for view, _ in decisions]
        grand = [seat for seat in range(4) if decisions[seat][1]]
        tichu = [seat for seat in range(4) if seat not in grand]
        expected = [(q.GRAND_CALL, seat) for seat in range(4)]
        expected += [(q.TICHU_CALL, seat) for seat in tichu] + [(q.SCHUPF, seat) for seat in range(4)]
        assert kinds[: len(expected)] == expected
        assert all(kind > q.SCHUPF for kind, _ in kinds[len(expected) :])
        for view, _ in decisions[: len(expected)]:
            grand_phase = view["kind"] == q.GRAND_CALL
            assert len(cards_of(view["hand"])) == (8 if grand_phase else 14)
            assert view["count"].tolist() == [8 if grand_phase else 14] * 4
            known = [seat for seat in range(4) if view["call"][seat] == GRAND]
            assert known == ([] if grand_phase else grand)
            small = [seat for seat in range(4) if view["call"][seat] == SMALL]
            assert small == [] or view["kind"] == q.SCHUPF


def test_small_calls_are_asked_until_the_first_play():
    """A small Tichu is asked for too late, too often, or not before a play."""
    for decisions in protocols():
        first_play: dict[int, bool] = {}
        for (before, said), (view, choice) in itertools.pairwise(decisions):
            seat = int(view["seat"])
            if view["kind"] == q.SMALL_CALL:
                assert view["turn"] == seat
                assert view["call"][seat] == NO_CALL
                assert seat not in first_play
            if view["kind"] == q.PLAY:
                was_asked = before["kind"] == q.SMALL_CALL and before["seat"] == seat
                assert was_asked == (seat not in first_play and (view["call"][seat] == NO_CALL or said == 1))
            if view["kind"] in (q.PLAY, q.BOMB_THROW) and choice:
                first_play[seat] = True


def test_bombs_are_asked_of_every_seat_that_holds_one():
    """A seat with a bomb is passed over, asked twice, or asked after the Dog; or a seat on turn is asked."""
    asked = 0
    for decisions in protocols():
        for view, _ in decisions:
            if view["kind"] == q.BOMB_THROW:
                asked += 1
                assert view["seat"] != view["turn"]
                assert view["trick"] != 0
                assert has_bomb(cards_of(view["hand"]))
        for (view, choice), (after, _) in itertools.pairwise(decisions):
            if cards_of(choice) == DOG and view["kind"] == q.PLAY:
                assert after["kind"] != q.BOMB_THROW
    assert asked > 50


def test_declined_bombs_are_asked_once_a_play():
    """A declined bomb is asked again and again, so that a table never goes on."""
    for decisions in protocols():
        since: list[tuple[int, int]] = []
        for view, choice in decisions:
            if view["kind"] == q.BOMB_THROW and choice == 0:
                since.append((int(view["seat"]), int(view["complete"])))
            elif view["kind"] in (q.PLAY, q.BOMB_THROW) and choice:
                assert len(since) == len(set(since))
                since = []


def test_the_wish_is_asked_right_after_the_mahjong():
    """The wish comes too late to bind the next player, or somebody else makes it."""
    wishes = 0
    for decisions in protocols():
        for (view, choice), (after, _) in itertools.pairwise(decisions):
            if view["kind"] == q.PLAY and "Ma" in cards_of(choice):
                assert (after["kind"], after["seat"]) == (q.WISH, view["seat"])
                assert "Ma" in cards_of(after["played"])
                wishes += 1
        assert sum(view["kind"] == q.WISH for view, _ in decisions) <= 1
    assert wishes > 30


def test_the_dragon_is_asked_of_who_collects_it():
    """The gift is asked of another seat, or of nobody."""
    gifts = 0
    for decisions in protocols():
        for view, choice in decisions:
            if view["kind"] == q.DRAGON_GIFT:
                assert cards_of(played_cards(int(view["trick"]))) == {"Dr"}
                assert view["seat"] == view["owner"]
                assert choice in (RIGHT, LEFT)
                gifts += 1
    assert gifts > 20


def test_no_two_decisions_share_a_key():
    """Two decisions of a game draw the same random numbers."""
    for decisions in protocols():
        keys = [int(view["key"]) for view, _ in decisions]
        assert len(keys) == len(set(keys))


def illegal_answers(view: np.ndarray) -> list[int]:
    """Answers that are wrong whatever the position is."""
    hand = cards_of(view["hand"][0])
    foreign = mask_of([next(card for card in ("S2", "B2", "G2", "R2", "SA") if card not in hand)])
    indices = [0 | 0 << 8 | 1 << 16, 255, 56 | 1 << 8 | 2 << 16, -1, 1 << 24]
    return {
        q.SCHUPF: indices,
        q.PLAY: [foreign, foreign | int(view["hand"][0]), -1, 1 << 60],
        q.BOMB_THROW: [foreign, mask_of([min(hand)])],
        q.WISH: [1, 15, -1],
        q.DRAGON_GIFT: [0, 2, 4, -1],
    }.get(int(view["kind"][0]), [2, -1])


@pytest.mark.parametrize("seed", range(4))
def test_an_illegal_answer_changes_nothing(seed):
    """A wrong answer is performed in part, or is repaired."""
    table, agent, kinds = new_table(100 + seed), RandomAgent(), set()
    while (view := ask(table)) is not None:
        before = table.tobytes()
        for wrong in illegal_answers(view):
            assert t.answer(table, wrong, PLAYS) != 0
            assert table.tobytes() == before
        kinds.add(int(view["kind"][0]))
        (choice,) = agent.decide(int(view["kind"][0]), view)
        assert t.answer(table, int(choice), PLAYS) == 0
    assert {q.SCHUPF, q.PLAY, q.SMALL_CALL, q.GRAND_CALL} <= kinds


def test_first_plays_are_kept():
    """A round begins with the last round's first plays, so that no small Tichu is asked for."""
    table = new_table(3)
    while ask(table) is not None:
        (choice,) = RandomAgent().decide(int(table["position"]["kind"]), _view(table))
        assert t.answer(table, int(choice), PLAYS) == 0
    assert (table["position"]["state"]["first_play"] != NOT_YET).sum() >= 2
    t.next_round(table)
    assert (table["position"]["state"]["first_play"] == NOT_YET).all()
    assert table["position"]["state"]["last"].tolist() == table["position"]["state"]["total"].tolist()


def _view(table: np.void) -> np.ndarray:
    view = np.zeros(1, dtype=v.VIEW)
    t.look(table, view[0])
    return view
