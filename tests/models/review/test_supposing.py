"""Supposed deals: the seat would see in them what it saw, is asked what it was asked, and knows nothing more."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.hidden_cards import hidden_from
from tests.makers.positions import played
from tests.makers.reviewed import logged
from tichu_models.observation.view import VIEW, see
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.records.history import turns
from tichu_models.records.schema import Rounds
from tichu_models.review.judge import Judge
from tichu_models.review.settings import JudgeSettings
from tichu_models.review.supposing import Supposer
from tichu_models.rules.asking import BOMB_THROW, GRAND_CALL, KINDS, PLAY, SCHUPF, SMALL_CALL
from tichu_models.rules.cards import BIT_OF_INDEX, DECK, INDEX_OF_BIT
from tichu_models.search.playouts import Playouts

DEALS = 4


@pytest.fixture(scope="module")
def rounds():
    """Calm rounds and wild ones."""
    return played(12, 5, "HBRB", 4).rounds


@pytest.fixture(scope="module")
def found(rounds):
    """Some of their decisions, of every kind."""
    all_ = logged(rounds)
    chosen = [np.flatnonzero(all_["seen"]["kind"] == kind)[:: 5 if kind == PLAY else 1][:60] for kind in range(8)]
    return all_[np.sort(np.concatenate(chosen))]


def supposed(decisions: np.ndarray, first: int = 0):
    """Deals of decisions before the play and in it, in one list."""
    supposer = Supposer(Playouts(HeuristicAgent(), calls=True), 0)
    return [(each, supposer.deals(decisions[i : i + 1], DEALS, first)) for i, each in enumerate(decisions)]


def test_the_seat_sees_what_it_saw_and_is_asked_what_it_was_asked(found):
    """A judgement of another question: an announcement lost, a trick collected, a wish forgotten, a turn too late."""
    kinds, seen = set(), np.zeros(1, dtype=VIEW)[0]
    for decision, deals in supposed(found):
        view, kind = decision["seen"], int(decision["seen"]["kind"])
        assert (deals.weights == 1).all(), KINDS[kind]
        for position in deals.positions:
            assert (position["kind"], position["seat"]) == (kind, view["seat"])
            assert (position["phase"], position["asked"]) == (decision["phase"], decision["asked"])
            see(position["state"], int(view["seat"]), kind, view["key"], seen)
            for name in VIEW.names:
                assert np.array_equal(seen[name], view[name]), (KINDS[kind], name)
        kinds.add(kind)
    assert kinds == set(range(len(KINDS)))


def test_every_card_is_somewhere_once(found):
    """Deals with a card twice, or with one card less."""
    for decision, deals in supposed(found):
        for position in deals.positions:
            state = position["state"]
            hands = [int(hand) for hand in state["hand"]]
            assert sum(hands) + int(state["played"]) == DECK, KINDS[decision["seen"]["kind"]]
            if decision["seen"]["kind"] == GRAND_CALL:
                assert [int(first).bit_count() for first in state["first"]] == [8] * 4
                assert not [seat for seat in range(4) if int(state["first"][seat]) & ~hands[seat]]


def test_other_numbers_are_other_deals(found):
    """Fresh deals that are the old ones: nothing that looked costly would ever be refuted."""
    before_play = found[found["seen"]["kind"] <= SCHUPF][:8]
    in_play = found[(found["seen"]["kind"] == PLAY) & (found["turn"] < 10)][:8]
    for decisions in (before_play, in_play):
        one, again, other = (supposed(decisions, first) for first in (0, 0, DEALS))
        for (_, deals), (_, same), (_, fresh) in zip(one, again, other, strict=True):
            assert deals.positions.tobytes() == same.positions.tobytes()
            assert np.array_equal(deals.keys, same.keys)
            assert not set(deals.keys.tolist()) & set(fresh.keys.tolist())
            hands = [tuple(hand) for each in (deals, fresh) for hand in each.positions["state"]["hand"].tolist()]
            assert len(set(hands)) == 2 * DEALS


def test_what_other_seats_have_answered_is_not_known(rounds):
    """The seat asked last would be judged by grand Tichus that it could not have heard."""
    grand = [each for each in logged(rounds) if each["seen"]["kind"] == GRAND_CALL and each["seen"]["seat"] == 3]
    for _, deals in supposed(np.array(grand)[:20]):
        assert (deals.positions["state"]["call"] == 0).all()


def up_to(rounds: Rounds, place: int, turn: int) -> Rounds:
    """A round that breaks off after the answer at a turn."""
    row, history = rounds.rows[place : place + 1].copy(), rounds.history_of(place)
    kept, made = 0, 0
    for kind, _, cards in turns(history):
        if made > turn:
            break
        made += kind != "take"
        kept += 1 + len(cards)
    row["history_from"], row["history_to"] = 0, kept
    row["tichu_position"] = np.where(row["tichu_position"] > turn, -3, row["tichu_position"])
    return Rounds(row, np.frombuffer(history[:kept], dtype=np.uint8))


def with_other_hands(rounds: Rounds, hidden: int, seed: int) -> Rounds:
    """The round with the hidden cards in other hands."""
    bits = [bit for bit in range(56) if hidden >> bit & 1]
    moved = np.arange(56)
    moved[bits] = np.random.default_rng(seed).permutation(bits)
    rows = rounds.rows.copy()
    for name in ("first", "start"):
        for seat in range(4):
            cards = int(rows[name][0, seat])
            rows[name][0, seat] = sum(1 << int(moved[bit]) for bit in range(56) if cards >> bit & 1)
    rows["given"] = INDEX_OF_BIT[moved[BIT_OF_INDEX[rows["given"]]]]
    return Rounds(rows, rounds.history)


def judged_again(judge: Judge, rounds: Rounds, decision: np.ndarray) -> tuple[np.void, tuple]:
    """A decision as it is found in a log, and its values and losses."""
    again, view = logged(rounds), decision["seen"]
    same = (again["turn"] == decision["turn"]) & (again["seen"]["kind"] == view["kind"])
    (place,) = np.flatnonzero(same & (again["seen"]["seat"] == view["seat"]))
    judged = judge.judge(again, np.arange(len(again)) == place)
    return again[place], ([values.tolist() for values in judged.values], judged.losses)


def test_hidden_cards_change_no_judgement(rounds, found):
    """Blame for not having seen through the backs of the cards."""
    chosen = found[np.isin(found["seen"]["kind"], (PLAY, SMALL_CALL)) & (found["turn"] < 30)][::4]
    judge = Judge(HeuristicAgent(0.3), JudgeSettings(deals=16, again=16))
    moved = 0
    for i, decision in enumerate(chosen):
        view = decision["seen"]
        log = up_to(rounds, int(decision["place"]), int(decision["turn"]))
        other = with_other_hands(log, hidden_from(view, int(decision["transcript"]["wish"])), i)
        asked, judged = zip(*(judged_again(judge, each, decision) for each in (log, other)), strict=True)
        assert asked[0] == asked[1]
        assert judged[0] == judged[1]
        moved += not np.array_equal(log.rows["start"], other.rows["start"])
    assert moved > 10


def test_bombs_are_asked_for_after_the_play_that_they_would_beat(found):
    """A bomb that is thrown on a trick which is already gone."""
    thrown = found[found["seen"]["kind"] == BOMB_THROW]
    assert len(thrown) > 3
    for _, deals in supposed(thrown):
        assert (deals.positions["state"]["trick"] != 0).all()
