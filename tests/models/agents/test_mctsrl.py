"""MCTSRLAgent: what it tries, on which deals, and when it leaves the player who leads it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.runs import make_critic, make_self_taught, watched_games
from tichu_models.agents.mctsrl import FIRST_DEALS, MOST_DEALS
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.rules.asking import PLAY
from tichu_models.rules.cards import DECK
from tichu_models.search.paired import is_settled

DEALS = 8
TEXT = f"mctsrl:self_taught,deals={DEALS},least=0,width=4"
MANY = 128  # deals, which are drawn in several steps


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A player to be led by, with a critic."""
    folder = tmp_path_factory.mktemp("runs")
    make_self_taught(folder, "self_taught", seed=4)
    make_self_taught(folder, "looks_back", spec_name="play-375+history-8")
    make_critic(folder / "self_taught")
    return folder


@pytest.fixture(scope="module")
def asked(runs):
    """Plays, and what a searching player hears with them."""
    agent = agent_from("mctsrl:self_taught,open=true,least=.9", runs)
    views, extras, _ = watched_games(agent, 2, rounds=1).all_of(PLAY)
    chosen = np.arange(0, len(views), 5)
    return views[chosen], {name: each[chosen] for name, each in extras.items()}


def tried_at(tried, i):
    """The places of the plays that were tried at a decision, and their values."""
    end = tried.counts[: i + 1].sum()
    rows = slice(end - tried.counts[i], end)
    return tried.places[rows], tried.values[rows]


def test_the_likeliest_plays_are_tried_the_players_own_first(runs, asked):
    """A search among plays that nobody would make; a player replaced who never came first."""
    views, extras = asked
    agent = agent_from(TEXT, runs)
    tried = agent.consider(views, transcripts=extras["transcripts"])
    ends = tried.moves.counts.cumsum()
    own = agent.policy.decide(PLAY, views)
    assert tried.counts.max() == 4
    for i, end in enumerate(ends):
        shares = tried.shares[end - tried.moves.counts[i] : end]
        places, _ = tried_at(tried, i)
        assert tried.moves.plays[places[0]] & DECK == own[i]
        assert tried.counts[i] == min(4, len(shares))
        assert sorted(tried.shares[places]) == sorted(shares)[-len(places) :]


def test_unlikely_plays_are_left_out_unless_they_are_asked_for(runs, asked):
    """A review that does not judge what was played, because nobody would play it."""
    views, extras = asked
    agent = agent_from("mctsrl:self_taught,deals=2,least=1", runs)
    assert (agent.consider(views, transcripts=extras["transcripts"]).counts == 1).all()
    moves = agent.consider(views, transcripts=extras["transcripts"]).moves
    last = moves.plays[moves.counts.cumsum() - 1] & DECK
    tried = agent.consider(views, last, transcripts=extras["transcripts"])
    for i in range(len(views)):
        places, _ = tried_at(tried, i)
        assert last[i] in (tried.moves.plays[places] & DECK)


@pytest.mark.parametrize("options", ["", ",trust=1", ",leaf=critic,plies=3", ",solve=10"])
def test_values_are_results_of_rounds(runs, asked, options):
    """Values that nothing was written into, or of another scale."""
    views, extras = asked
    tried = agent_from(TEXT + options, runs).consider(views, transcripts=extras["transcripts"])
    for i in np.flatnonzero(tried.counts > 1):
        _, values = tried_at(tried, i)
        assert (np.abs(values) <= 10).all()  # four grand Tichus and a double victory
        assert values.any()
        assert tried.weights[i].sum() == pytest.approx(DEALS)


def test_a_part_of_the_decisions_is_judged_as_all_of_them(runs, asked):
    """Values that depend on what else is asked: a review that changes with the size of its batches."""
    views, extras = asked
    agent = agent_from(TEXT, runs)
    together = agent.consider(views, transcripts=extras["transcripts"])
    for i in (0, len(views) // 2, len(views) - 1):
        alone = agent.consider(views[i : i + 1], transcripts=extras["transcripts"][i : i + 1])
        np.testing.assert_array_equal(tried_at(alone, 0)[1], tried_at(together, i)[1])


def test_the_own_play_is_kept_unless_another_is_surely_better(runs, asked):
    """A search that plays whatever was lucky on a few deals."""
    views, extras = asked
    heard = {"transcripts": extras["transcripts"]}
    own = agent_from("policy:self_taught", runs).decide(PLAY, views)
    changed = [
        (agent_from(f"{TEXT},certainty={certainty}", runs).decide(PLAY, views, **heard) != own).mean()
        for certainty in (0, 2, 1000)
    ]
    assert changed[0] > changed[1] > changed[2]
    assert changed[2] < 0.05  # another play that is better by as much on every deal is certain


def test_simulations_and_seconds_are_budgets(runs, asked):
    """A budget that is not kept: strength would be measured at another one."""
    views, extras = asked
    some = {"transcripts": extras["transcripts"][:4]}
    assert (
        agent_from("mctsrl:self_taught,simulations=40,width=4", runs).consider(views[:4], **some).values.shape[1] == 10
    )
    timed = agent_from("mctsrl:self_taught,seconds=.001,least=0", runs)
    assert timed.timed
    assert 0 < timed.consider(views[:4], **some).values.shape[1] < MOST_DEALS


def test_deals_are_drawn_until_the_choice_is_settled(runs, asked):
    """Time spent on what is clear; deals that are other ones when they are drawn in steps."""
    views, extras = asked
    heard = {"transcripts": extras["transcripts"]}
    text = f"mctsrl:self_taught,deals={MANY},least=0"
    early, whole = (agent_from(f"{text},early={each}", runs).consider(views, **heard) for each in ("true", "false"))
    searched = np.flatnonzero(whole.counts > 1)
    deals = (early.weights[searched] > 0).sum(1)
    assert (whole.weights[searched] > 0).all()
    assert set(deals) == {FIRST_DEALS, 2 * FIRST_DEALS, MANY}
    for i, n in zip(searched, deals, strict=True):
        np.testing.assert_array_equal(tried_at(early, i)[1][:, :n], tried_at(whole, i)[1][:, :n])
        settled = is_settled(tried_at(early, i)[1][:, :n], early.weights[i, :n], 0, 2)
        assert settled or n == MANY


def test_who_sees_all_hands_supposes_the_true_deal(runs, asked):
    """What hidden cards are worth would be measured with a player who does not see them."""
    views, extras = asked
    agent = agent_from("mctsrl:self_taught,open=true,least=0", runs)
    tried = agent.consider(views, **extras)
    assert tried.values.shape[1] == 1
    choices = agent.decide(PLAY, views, **extras)
    for i in np.flatnonzero(tried.counts > 1):
        places, values = tried_at(tried, i)
        chosen = np.flatnonzero(tried.moves.plays[places] & DECK == choices[i])
        assert values[chosen, 0] == values.max()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mctsrl:looks_back", "latest turns"),
        ("mctsrl:self_taught,deals=4,seconds=1", "expected one of them"),
        ("mctsrl:looks_back,leaf=critic", "latest turns"),
    ],
)
def test_what_cannot_search_is_told(runs, text, message):
    """A search whose policy reads empty turns, or a budget that is silently ignored."""
    with pytest.raises(AgentError, match=message):
        agent_from(text, runs)
