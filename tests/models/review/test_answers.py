"""Which answers are tried: the given one in any case, none twice in other colours, and none that nobody would give."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.positions import played, view_of
from tests.makers.reviewed import logged
from tests.makers.runs import make_self_taught
from tichu_models.agents.registry import agent_from
from tichu_models.review.answers import answers_tried
from tichu_models.review.logged import LOGGED
from tichu_models.review.referee import RefereeError, likely_answers, who_plays_on
from tichu_models.rules.asking import BOMB_THROW, KINDS, PLAY, SCHUPF, given_cards
from tichu_models.rules.cards import DECK, VALUE_OF_INDEX, labels, parse_cards
from tichu_models.rules.legal import has_bomb

WIDTH = 4


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A self-taught player, and one that has no network for schupfen."""
    folder = tmp_path_factory.mktemp("runs")
    make_self_taught(folder, "self_taught", seed=4)
    make_self_taught(folder, "plays_alone", kinds=(), seed=4)
    return folder


@pytest.fixture(scope="module")
def found():
    """Decisions of every kind."""
    return logged(played(3, 5, "HBRB", 4).rounds)


def tried_at(tried):
    """Answers and shares of each decision."""
    ends = tried.counts.cumsum()
    return [
        (tried.answers[end - n : end], tried.shares[end - n : end]) for n, end in zip(tried.counts, ends, strict=True)
    ]


@pytest.mark.parametrize("text", ["policy:self_taught", "policy:plays_alone", "heuristic", "random"])
def test_the_given_answer_is_always_tried(runs, found, text):
    """A review that does not judge what was played, because nobody would play it."""
    tried = answers_tried(agent_from(text, runs), found, WIDTH, 0.05)
    for decision, (answers, _) in zip(found, tried_at(tried), strict=True):
        kind = decision["seen"]["kind"]
        bare = answers & DECK if kind in (PLAY, BOMB_THROW) else answers
        assert bare[0] == decision["answer"], KINDS[kind]
        assert len(set(bare.tolist())) == len(answers) <= WIDTH


def test_the_others_are_those_that_the_referee_finds_likely(runs, found):
    """Answers that nobody would give, in the place of one that all would."""
    player = agent_from("policy:self_taught", runs)
    tried = answers_tried(player, found, WIDTH, 0.05)
    own = np.array([player.decide(int(each["seen"]["kind"]), each["seen"][None])[0] for each in found])
    for i, (answers, shares) in enumerate(tried_at(tried)):
        kind = int(found["seen"]["kind"][i])
        of_own = own[i] == (answers & DECK if kind in (PLAY, BOMB_THROW) else answers)
        assert (shares[1:][~of_own[1:]] >= 0.05).all(), KINDS[kind]
        assert 0 < shares.sum() < 1 + 1e-9
        if kind not in (PLAY, SCHUPF, BOMB_THROW):
            _, all_shares = likely_answers(player, kind, found["seen"][i : i + 1], found["answer"][i : i + 1])
            assert len(answers) >= min(WIDTH, (all_shares >= 0.05).sum())


def test_colours_are_no_choice(runs, found):
    """The same play tried four times in the place of four plays; a bomb broken unseen where colours matter."""
    tried = answers_tried(agent_from("policy:self_taught", runs), found, 64, 0)
    merged = 0
    for decision, (answers, _) in zip(found, tried_at(tried), strict=True):
        kind, hand = decision["seen"]["kind"], int(decision["seen"]["hand"])
        if kind == PLAY:
            ranks = [tuple(sorted(label[1:] or label for label in labels(int(answer & DECK)))) for answer in answers]
        elif kind == SCHUPF:
            ranks = [tuple(VALUE_OF_INDEX[card] for card in given_cards(int(answer))) for answer in answers]
        else:
            continue
        if not has_bomb(hand):
            assert len(set(ranks)) == len(ranks)
            merged += 1
    assert merged > 50


@pytest.mark.parametrize(("hand", "tried"), [("SA S5 R5 G9 B9 R9", 3), ("S5 R5 S6 S7 S8 S9", 6)])
def test_colours_are_one_where_they_decide_over_a_bomb(runs, hand, tried):
    """A bomb that is broken unseen, because its card is as good as another of its rank."""
    decision = np.zeros(1, dtype=LOGGED)
    decision["seen"], decision["answer"] = view_of(PLAY, hand, owner=-1, turn=0), parse_cards("S5")
    answers = answers_tried(agent_from("policy:self_taught", runs), decision, 64, 0).answers & DECK
    singles = [labels(int(answer)) for answer in answers if int(answer).bit_count() == 1]
    assert ["S5"] in singles
    assert len(singles) == tried
    assert (["R5"] in singles) == (tried == 6)


def test_without_probabilities_few_answers_are_tried(found):
    """All of a thousand leads tried by rules of thumb."""
    tried = answers_tried(agent_from("heuristic"), found, WIDTH, 0.05)
    assert np.isnan(tried.shares).all()
    calls = found["seen"]["kind"] < PLAY
    assert (tried.counts[calls & (found["seen"]["kind"] != SCHUPF)] == 2).all()
    assert (tried.counts[~calls] <= 2).all()


def test_the_likeliest_threes_are_those_of_the_network(runs, found):
    """Threes whose probabilities belong to others: the shares of all threes do not sum up."""
    player = agent_from("policy:self_taught", runs)
    views = found["seen"][found["seen"]["kind"] == SCHUPF][:8].copy()
    own = player.decide(SCHUPF, views)
    moves, shares = likely_answers(player, SCHUPF, views, own)
    for i in range(len(views)):
        mine = slice(moves.counts[:i].sum(), moves.counts[: i + 1].sum())
        answers, known = moves.plays[mine], shares[mine]
        assert answers[0] == answers[1] == answers[2] == own[i]  # given, own, and likeliest
        np.testing.assert_allclose(known[0], known[2])
        assert known[2:].sum() < 1
        for answer in answers[2:].tolist():
            cards = given_cards(answer)
            assert len(set(cards)) == 3


def test_a_player_who_searches_is_judged_by_its_policy(runs):
    """A search at every turn of every playout: a review that never ends. Or a player that is shown empty turns."""
    for text in ("mctsrl:self_taught,deals=4", "mcts:self_taught"):
        agent = agent_from(text, runs)
        assert who_plays_on(agent) is agent.policy
    assert who_plays_on(agent := agent_from("heuristic")) is agent
    make_self_taught(runs, "looks_back", spec_name="play-375+history-8")
    with pytest.raises(RefereeError, match="the latest turns; expected champion"):
        who_plays_on(agent_from("policy:looks_back", runs))
