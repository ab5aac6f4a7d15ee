"""Outputs become the scores of moves as the concept says; all refinements against sums by hand."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.makers.learners import plays_of, random_candidates
from tichu_models.networks.candidates import Candidates, best, find, log_softmax, types_and_lengths
from tichu_models.networks.decision_rule import move_scores, rarity
from tichu_models.networks.interface import DECISION_RULES
from tichu_models.rules.cards import LABELS, NUM_CARDS
from tichu_models.rules.combinations import TYPE_AND_LENGTH, TYPE_NAMES

MOVES = ["S9", "S9 B9", "Dr", "S4 Ph", "Hu", ""]


def _odds(p):
    return math.log(p / (1 - p))


def _outputs(passing=0.25, **probability):
    """Outputs in which every card has the probability .1, but for those named."""
    outputs = torch.full((1, 57), _odds(0.1))
    outputs[0, 56] = _odds(passing)
    for label, p in probability.items():
        outputs[0, LABELS.index(label)] = _odds(p)
    return outputs


def _candidates(*moves):
    return Candidates.of_counts(plays_of(list(moves)), torch.tensor([len(moves)]))


def _scores(rule, outputs=None):
    if outputs is None:
        outputs = _outputs(S9=0.5, B9=0.4, Dr=0.7, S4=0.2, Ph=0.6, Hu=0.3)
    return dict(zip(MOVES, move_scores(outputs, _candidates(*MOVES), rule).tolist(), strict=True))


def test_the_score_is_the_sum_of_the_cards_probabilities():
    """Cards in the wrong order, or a pass that is summed as well, would play other moves than the network means."""
    assert _scores("sum") == pytest.approx({"S9": 0.5, "S9 B9": 0.9, "Dr": 0.7, "S4 Ph": 0.8, "Hu": 0.3, "": 0.25})


def test_the_mean():
    """Long moves would win by their length."""
    assert _scores("mean") == pytest.approx({"S9": 0.5, "S9 B9": 0.45, "Dr": 0.7, "S4 Ph": 0.4, "Hu": 0.3, "": 0.25})


def test_rare_cards_weigh_more():
    """The four special cards, of which there is one each, weigh log 56 / log 14."""
    w = math.log(56) / math.log(14)
    expected = {"S9": 0.5, "S9 B9": 0.9, "Dr": 0.7 * w, "S4 Ph": 0.2 + 0.6 * w, "Hu": 0.3 * w, "": 0.25}
    assert _scores("rarity") == pytest.approx(expected)
    assert rarity()[LABELS.index("SA")] == 1


def test_the_likelihood_is_that_of_exactly_these_outputs():
    """It must be the likelihood under which a network is trained by BCE: every card counts, those kept as well."""
    outputs = _outputs(S9=0.5, B9=0.4, Dr=0.7, S4=0.2, Ph=0.6, Hu=0.3)
    p = outputs[0].double().sigmoid()
    for move, score in _scores("likelihood").items():
        label = torch.zeros(57, dtype=torch.float64)
        label[[LABELS.index(card) for card in move.split()] or [56]] = 1
        assert score == pytest.approx(float((label * p + (1 - label) * (1 - p)).log().sum()), rel=1e-5)


def test_a_hierarchical_policy_weighs_cards_by_the_gate():
    """Its cards are given that it plays: they say nothing of whether it should."""
    outputs = torch.cat(
        [_outputs(S9=0.5, B9=0.4)[:, :56], torch.tensor([[math.log(3.0), 0.0]])], dim=1
    )  # passes at 3/4
    scores = _scores("sum", outputs)
    assert scores[""] == pytest.approx(0.75)
    assert scores["S9 B9"] == pytest.approx(0.9 / 4)
    likely = _scores("likelihood", outputs)
    assert likely[""] == pytest.approx(math.log(0.75), rel=1e-5)
    assert likely["S9"] == pytest.approx(math.log(0.25 * 0.5 * 0.6) + 54 * math.log(0.9), rel=1e-5)


@pytest.mark.parametrize("rule", DECISION_RULES)
@pytest.mark.parametrize("outputs", [57, 58])
def test_a_batch_scores_as_its_decisions_one_by_one(rule, outputs):
    """A player would choose otherwise at one table than at a thousand."""
    torch.manual_seed(3)
    batch, values = random_candidates(9), torch.randn(9, outputs)
    scores, at = move_scores(values, batch, rule), best(move_scores(values, batch, rule), batch)
    for i in range(9):
        alone = batch.row == i
        one = Candidates.of_counts(batch.plays[alone], batch.counts[i : i + 1])
        torch.testing.assert_close(move_scores(values[i : i + 1], one, rule), scores[alone])
        assert batch.plays[at[i]] == one.plays[scores[alone].argmax()]


def test_an_unknown_rule_is_refused():
    """A misspelt rule would play by another."""
    with pytest.raises(ValueError, match="rule 'product': expected one of sum, mean, rarity, likelihood"):
        move_scores(_outputs(), _candidates("S9"), "product")  # type: ignore[arg-type]


@given(st.lists(st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=5), min_size=1, max_size=5))
def test_softmax_and_best_within_a_decision(decisions):
    """Moves of one decision would take probability from those of another."""
    counts = torch.tensor([len(each) for each in decisions])
    scores = torch.tensor([score for each in decisions for score in each])
    candidates = Candidates.of_counts(torch.zeros(len(scores), dtype=torch.int64), counts)
    found, at = log_softmax(scores, candidates).split(counts.tolist()), best(scores, candidates)
    first = 0
    for i, each in enumerate(decisions):
        torch.testing.assert_close(found[i], torch.tensor(each).log_softmax(0))
        assert at[i] == first + each.index(max(each))
        first += len(each)


def test_padded_candidates():
    """What fills a row up would be taken for a legal pass."""
    padded = torch.tensor([[5, 6, 0], [7, 0, 0]])
    candidates = Candidates.of_padded(padded, torch.tensor([2, 1]))
    assert candidates.plays.tolist() == [5, 6, 7]
    assert candidates.row.tolist() == [0, 0, 1]
    assert candidates.counts.tolist() == [2, 1]


def test_what_was_played_is_found():
    """A target at the wrong move teaches nonsense; one that is not legal must be seen."""
    plays = plays_of(["S9", "", "Dr", "", "Ma", "Hu"])
    candidates = Candidates.of_counts(plays, torch.tensor([2, 2, 2]))
    target = torch.eye(NUM_CARDS + 1)[[NUM_CARDS, LABELS.index("Dr"), LABELS.index("S2")]]
    assert find(candidates, target).tolist() == [1, 2, -1]
    assert find(candidates, torch.zeros(3, NUM_CARDS + 1)).tolist() == [-1, -1, -1]
    every = Candidates.of_counts(plays_of(list(LABELS)), torch.tensor([NUM_CARDS]))
    for index in range(NUM_CARDS):
        assert find(every, torch.eye(NUM_CARDS + 1)[[index]]).item() == index


def test_types_and_lengths_have_the_31_labels():
    """A full house would be embedded as a street of five."""
    moves = {"": ("PASS", 0), "Ph": ("SINGLE", 1), "S9 B9": ("PAIR", 2), "S7 B7 G7 R2 G2": ("FULLHOUSE", 5)}
    moves |= {"S5 B5 G5 R5": ("BOMB", 4), "S2 S3 S4 S5 S6 S7": ("BOMB", 6), "Ma B2 G3 S4 S5": ("STREET", 5)}
    found = types_and_lengths(plays_of(list(moves)))
    assert [TYPE_AND_LENGTH[i] for i in found] == [(TYPE_NAMES.index(kind), n) for kind, n in moves.values()]
