"""MCTSAgent: what it considers is what its options say, and what it plays is the best of that."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.runs import make_runs, watched_games
from tichu_models.agents.registry import agent_from
from tichu_models.rules.asking import PLAY
from tichu_models.rules.cards import DECK

SIMULATIONS, DEALS = 32, 4
BY_VALUE = f"mcts:PolicyNet,simulations={SIMULATIONS},deals={DEALS}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A policy to be led by, and a network that judges positions."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder, ("PolicyNet", "ValueNet"), seed=4)
    return folder


@pytest.fixture(scope="module")
def asked(runs):
    """Plays with a choice, and what a searching player hears with them."""
    agent = agent_from("mcts:PolicyNet,simulations=2,deals=2,open=true", runs)
    views, extras, _ = watched_games(agent, 2, rounds=1).all_of(PLAY)
    chosen = np.flatnonzero(agent.consider(views, **extras)[0].counts > 1)[::6]
    return views[chosen], {name: each[chosen] for name, each in extras.items()}


def parts(counts: np.ndarray) -> list[slice]:
    """Where the moves of each decision stand."""
    ends = counts.cumsum()
    return [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]


@pytest.mark.parametrize("options", ["", ",root=puct", ",leaf=value", ",trust=.5,no_bombs=true"])
def test_every_simulation_is_spent_on_a_legal_move(runs, asked, options):
    """Deals of which some are not looked at, or weights that do not add up: strength by the number of simulations would
    be measured at another one."""
    views, extras = asked
    moves, visits, values = agent_from(BY_VALUE + options, runs).consider(views, transcripts=extras["transcripts"])
    for part in parts(moves.counts):
        assert visits[part].sum() == pytest.approx(SIMULATIONS)
    assert (np.abs(values) <= 4).all()  # no round is won by more than two Tichus and a double victory
    assert not values[visits == 0].any()


@pytest.mark.parametrize("by", ["value", "visits"])
def test_what_looks_best_is_played(runs, asked, by):
    """A search that is made and not heeded."""
    views, extras = asked
    agent = agent_from(f"{BY_VALUE},root=puct,by={by}", runs)
    moves, visits, values = agent.consider(views, transcripts=extras["transcripts"])
    choices = agent.decide(PLAY, views, transcripts=extras["transcripts"])
    for choice, part in zip(choices, parts(moves.counts), strict=True):
        looks = visits[part] if by == "visits" else np.where(visits[part] > 0, values[part], -np.inf)
        place = np.flatnonzero(moves.plays[part] & DECK == choice)
        assert looks[place] == looks.max()


def test_deals_that_are_supposed_hold_what_is_known(runs, asked):
    """A search on deals that cannot be: own cards with somebody else, or a hand that is too long."""
    views, extras = asked
    agent = agent_from(BY_VALUE, runs)
    beliefs = agent.believer.draw(views, extras["transcripts"], DEALS)
    made = beliefs.tries > 0
    assert made.any()
    seen = views.repeat(DEALS)[made]
    hands = beliefs.states["hand"][made]
    assert np.array_equal(hands[np.arange(len(seen)), seen["seat"]], seen["hand"])
    assert np.array_equal(np.bitwise_count(hands), seen["count"])
    assert np.array_equal(np.bitwise_or.reduce(hands, axis=1) | seen["played"], np.full(len(seen), DECK))


def test_a_player_who_sees_all_hands_supposes_the_true_deal(runs, asked):
    """What hidden cards are worth would be measured with a player who does not see them."""
    views, extras = asked
    agent = agent_from("mcts:PolicyNet,simulations=8,open=true", runs)
    beliefs = agent.believer.draw(views, extras["transcripts"], 1, extras["hands"])
    assert np.array_equal(beliefs.states["hand"], extras["hands"])
