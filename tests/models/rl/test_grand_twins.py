"""Twin rounds by the first eight cards: the hands are those of the deals, and only the call differs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.runs import make_self_taught
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.first_hands import draw_hands, first_hands
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.records.replay import check
from tichu_models.rl.grand_twins import play_twins
from tichu_models.rl.players import player_of
from tichu_models.rules.asking import GRAND_CALL
from tichu_models.rules.cards import DRAGON, PHOENIX
from tichu_models.rules.state import CALLED_GRAND


def strong(hands: np.ndarray) -> np.ndarray:
    """1 for hands with Dragon and Phoenix, else 0."""
    return ((hands & DRAGON != 0) & (hands & PHOENIX != 0)).astype(np.int64)


def test_hands_are_drawn_by_class(tmp_path):
    """Gains that are put down to other hands than those that were played."""
    drawn = draw_hands(strong, 2, 5, 10_000, seed=3)
    assert np.bincount(drawn.classes).tolist() == [5, 5]
    assert (strong(drawn.hands) == drawn.classes).all()
    assert 0.01 < drawn.shares[1] < 0.03
    assert (first_hands(drawn.fixtures)[np.arange(10), drawn.seats] == drawn.hands).all()
    fixtures = drawn.fixtures.copy()
    fixtures["game"] = np.arange(10)
    rows = lockstep.play([HeuristicAgent()], fixtures, max_rounds=1).rows
    assert (rows["first"][np.arange(10), drawn.seats] == drawn.hands).all()
    few = draw_hands(strong, 2, 5, 20, seed=3)
    assert len(few.seats) < 10


class OneCall(Agent):
    """A player of whom one seat is told whether to announce a grand Tichu."""

    def __init__(self, agent: Agent, seat: int, call: bool) -> None:
        self.agent, self.seat, self.call, self.name = agent, seat, call, "told"

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """Its own answers but for that one."""
        answers = self.agent.decide(kind, views, **extras)
        return np.where((kind == GRAND_CALL) & (views["seat"] == self.seat), self.call, answers)


def test_twins_differ_by_the_call_alone(tmp_path):
    """A gain of the wrong sign or seat, or one that other decisions have made."""
    run = make_self_taught(tmp_path, "taught", seed=2)
    agent, drawn = agent_from(f"policy:{run}", tmp_path), draw_hands(strong, 2, 4, 10_000, seed=3)
    twins = play_twins(player_of(tmp_path / run), drawn)
    for i, seat in enumerate(drawn.seats):
        deal = drawn.fixtures[i : i + 1]
        rounds = [lockstep.play([OneCall(agent, seat, call)], deal, max_rounds=1) for call in (True, False)]
        leads = [int(each.rows["score"][0, seat % 2]) - int(each.rows["score"][0, 1 - seat % 2]) for each in rounds]
        assert twins.gain[i] == leads[0] - leads[1]
        assert twins.made[i] == (check(rounds[0])[0]["winner_index"][0] == seat)
        own = lockstep.play([agent], deal, max_rounds=1).rows
        assert twins.called[i] == (own["tichu_position"][0, seat] == CALLED_GRAND)
    with pytest.raises(ValueError, match="by rules of thumb"):
        play_twins(player_of(tmp_path / run, by_rule=("grand",)), drawn)
