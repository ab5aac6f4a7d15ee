"""The judge: values by playouts as one would reckon them by hand, exact endings, planted errors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.positions import PLAYS, played
from tests.makers.reviewed import logged
from tichu_models.chance import draw
from tichu_models.observation.view import VIEW, see
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.review.answers import Tried, answers_tried
from tichu_models.review.judge import Judge
from tichu_models.review.settings import JudgeSettings
from tichu_models.review.supposing import Supposer
from tichu_models.rules.asking import ALL_KINDS, BOMB_THROW, KINDS, PLAY, ROUND_OVER, SCHUPF, next_question, perform
from tichu_models.rules.cards import DECK
from tichu_models.rules.combinations import classify, on_trick
from tichu_models.search.endgame import SOLVING, UNSOLVED, WORST, solve
from tichu_models.search.playouts import Playouts
from tichu_models.search.position import choices, lead_of_team_20

DEALS = 8
SMALL = JudgeSettings(deals=DEALS, more=DEALS, again=4 * DEALS, solve=0)


@pytest.fixture(scope="module")
def found():
    """The decisions of calm rounds and wild ones."""
    return logged(played(12, 5, "HBRB", 4).rounds)


def of_every_kind(decisions: np.ndarray, most: int) -> np.ndarray:
    """Some decisions of each kind, in order."""
    kinds = decisions["seen"]["kind"]
    chosen = [np.flatnonzero(kinds == kind) for kind in range(len(KINDS))]
    return decisions[np.sort(np.concatenate([each[:: max(1, len(each) // most)] for each in chosen]))]


def played_on(position: np.ndarray, key: np.uint64, player: HeuristicAgent) -> int:
    """One deal played to the end, one question after the other: points by which team 20 wins."""
    view, ply = np.zeros(1, dtype=VIEW), 0
    while (kind := next_question(position, ALL_KINDS, PLAYS)) != ROUND_OVER:
        if kind >= PLAY and choices(position, PLAYS) == 1:
            answer = PLAYS["move"][0]
        else:
            see(position["state"], position["seat"], kind, np.uint64(draw(key, ply)), view[0])
            answer = player.decide(kind, view)[0]
            if kind in (PLAY, BOMB_THROW):
                answer = on_trick(classify(answer), position["state"]["trick"])
            ply += 1
        perform(position, answer)
    return int(lead_of_team_20(position["state"]))


def test_values_are_those_of_a_slow_loop_over_one_deal_at_a_time(found):
    """Answers that are compared on different deals or by different luck; values of the other team."""
    decisions = of_every_kind(found, 5)
    player = HeuristicAgent(0.3)  # it draws
    tried = answers_tried(player, decisions, 4, 0)
    values, _ = Judge(player, SMALL).values(decisions, tried, DEALS, 3)
    supposer = Supposer(Playouts(player, calls=True), 0)
    ends = tried.counts.cumsum()
    for i in range(len(decisions)):
        deals = supposer.deals(decisions[i : i + 1], DEALS, 3)
        sign = 1 - 2 * (int(decisions["seen"]["seat"][i]) & 1)
        for k, answer in enumerate(tried.answers[ends[i] - tried.counts[i] : ends[i]]):
            for d in range(DEALS):
                position = deals.positions[d].copy()
                perform(position, answer)
                assert sign * played_on(position, deals.keys[d], player) == round(values[i][k, d], 6)


def test_decisions_are_judged_alone_as_together(found):
    """A review that changes when another player is reviewed as well."""
    judge = Judge(HeuristicAgent(0.3), SMALL)
    round_ = found[found["place"] == 1]
    everything = judge.judge(round_, np.ones(len(round_), dtype=bool))
    seats = everything.decisions["seen"]["seat"]
    alone = judge.judge(round_, round_["seen"]["seat"] == 2)
    mine = np.flatnonzero(seats == 2)
    assert 5 < len(mine) == len(alone.losses) < len(seats)
    for i, place in enumerate(mine):
        assert alone.losses[i] == everything.losses[place]
        np.testing.assert_array_equal(alone.values[i], everything.values[place])


def last_two(found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Plays when two seats are left with few cards, so that each knows the other's; and their only deal."""
    held = found["seen"]["count"] > 0
    few = (held.sum(1) == 2) & (found["seen"]["count"].sum(1) <= 6) & (found["seen"]["kind"] == PLAY)
    decisions = found[few]
    positions = Supposer(Playouts(RandomAgent()), 0).deals(decisions, 2, 0).positions
    assert (positions[::2]["state"]["hand"] == positions[1::2]["state"]["hand"]).all()
    return decisions, positions[::2]


def all_legal(positions: np.ndarray) -> list[dict[int, float]]:
    """All legal answers (packed plays) in positions, and what each is worth to the own team by the endgame solver."""
    solving, worth = np.zeros(1, dtype=SOLVING)[0], []
    for position in positions:
        legal = PLAYS["move"][: choices(position, PLAYS)].tolist()
        worth.append({})
        for answer in legal:
            after = position.copy()
            perform(after, answer)
            points = solve(after, -WORST, WORST, 1_000_000, solving)
            assert points != UNSOLVED
            worth[-1][answer] = float(points) * (1 - 2 * (int(position["seat"]) & 1))
    return worth


def test_endings_are_worth_what_the_solver_says(found):
    """Where nothing is hidden any more, a value has no excuse."""
    decisions, positions = last_two(found)
    worth = all_legal(positions)
    counts = np.array([len(each) for each in worth])
    answers = np.array([answer for each in worth for answer in each])
    tried = Tried(answers, np.full(len(answers), np.nan), counts)
    values, _ = Judge(RandomAgent(), JudgeSettings(solve=6)).values(decisions, tried, 2, 0)
    for of_decision, expected in zip(values, worth, strict=True):
        np.testing.assert_allclose(of_decision, np.array([*expected.values()])[:, None].repeat(2, 1))
    assert sum(len(set(each.values())) > 1 for each in worth) > 5


def test_a_planted_error_costs_what_the_solver_says_and_most_of_its_round():
    """An obvious blunder, such as the Dragon wasted in an ending, that is not seen, or somewhere among small errors."""
    calm = logged(played(30, 9, "HHHH", 4).rounds)
    decisions, positions = last_two(calm)
    judge = Judge(HeuristicAgent(), JudgeSettings(deals=16, more=16, again=32, solve=6))
    planted = costliest = 0
    for decision, worth in zip(decisions, all_legal(positions), strict=True):
        own = judge.player.decide(PLAY, decision["seen"][None])[0]
        values = {answer & DECK: value for answer, value in worth.items()}
        if values[own] - min(values.values()) < 50:
            continue
        round_ = calm[calm["place"] == decision["place"]].copy()
        (at,) = np.flatnonzero((round_["turn"] == decision["turn"]) & (round_["seen"]["kind"] == PLAY))
        round_["answer"][at] = min(values, key=lambda answer: values[answer])
        judged = judge.judge(round_, round_["seen"]["seat"] == round_["seen"]["seat"][at])
        losses = [judged.loss(i) for i in range(len(judged.losses))]
        (found,) = np.flatnonzero(judged.decisions["seen"]["key"] == round_["seen"]["key"][at])
        assert losses[found] == pytest.approx(values[own] - min(values.values()))
        assert judged.is_certain(found)
        planted += 1
        costliest += losses[found] == max(losses)
    assert planted > 5
    assert costliest >= 0.8 * planted


def test_nothing_is_certain_before_other_deals_have_said_so(found):
    """Whatever was lucky on a few deals, called an error."""
    found = found[found["place"] < 8]
    judged = Judge(HeuristicAgent(), SMALL).judge(found, np.ones(len(found), dtype=bool))
    assert 5 < judged.again.sum() < len(judged.again)
    looked = set()
    for i, values in enumerate(judged.values):
        looked.add(values.shape[1])
        assert len(values) == judged.tried.counts[i]
        if judged.again[i]:
            assert values.shape[1] == SMALL.again
        else:
            assert values.shape[1] <= SMALL.deals + SMALL.more
            assert judged.loss(i) == 0
            assert not judged.is_certain(i)
    assert looked == {SMALL.deals, SMALL.deals + SMALL.more, SMALL.again}
    assert (judged.tried.counts > 1).all()
    assert len(set(judged.decisions["seen"]["kind"])) > 4


def test_every_look_has_deals_of_its_own(found, monkeypatch):
    """A loss that is measured on the deals on which it was found."""
    judge, asked, values = Judge(HeuristicAgent(), SMALL), [], Judge.values

    def note(self, decisions, tried, deals, first):
        asked.append(range(first, first + deals))
        return values(self, decisions, tried, deals, first)

    monkeypatch.setattr(Judge, "values", note)
    judge.judge(found[found["place"] == 0], np.ones((found["place"] == 0).sum(), dtype=bool))
    assert [len(deals) for deals in asked] == [SMALL.deals, SMALL.more, SMALL.again]
    assert len({deal for deals in asked for deal in deals}) == sum(map(len, asked))


def test_given_decisions_are_judged_by_given_answers(found):
    """A second opinion of other questions than the first; one that does not look closer where it should."""
    round_ = found[found["place"] == 1]
    judged = Judge(HeuristicAgent(), SMALL).judge(round_, np.ones(len(round_), dtype=bool))
    judge = Judge(HeuristicAgent(), SMALL)
    same = judge.judge_these(judged.decisions, judged.tried)
    assert same.losses == judged.losses
    np.testing.assert_array_equal(same.again, judged.again)
    closer = judge.judge_these(judged.decisions, judged.tried, np.ones(len(judged.again), dtype=bool))
    assert closer.again.all()
    assert [closer.losses[i] for i in np.flatnonzero(judged.again)] == [
        judged.losses[i] for i in np.flatnonzero(judged.again)
    ]


def test_schupfen_and_plays_may_be_judged_in_one_batch(found):
    """Decisions before the play that are supposed as if they were in it."""
    mixed = found[np.isin(found["seen"]["kind"], (SCHUPF, PLAY))][:30]
    tried = answers_tried(HeuristicAgent(), mixed, 3, 0)
    values, weights = Judge(HeuristicAgent(), SMALL).values(mixed, tried, DEALS, 0)
    assert all(each.any() for each in values)
    assert all((each == 1).all() for each in weights)
