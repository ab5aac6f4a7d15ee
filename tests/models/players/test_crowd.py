"""The crowd: the players of a corpus, each with the blunders of its own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.makers.runs import Watched
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.tournament import TournamentRequest, play
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.players.crowd import CrowdAgent
from tichu_models.rules.asking import PLAY


def test_everybody_plays_a_round_as_one_player_and_as_often_as_said():
    """A player who is somebody else at every turn; or a crowd that is stronger than the corpus it stands for."""
    rates = np.array([0.0, 0.0, 1.0])
    crowd, careful = Watched(CrowdAgent("crowd", rates)), HeuristicAgent()
    for _ in lockstep.play_games([crowd], np.zeros((400, 4)), seed=1, max_rounds=1):
        pass
    views, extras, choices = crowd.all_of(PLAY)
    by_rule = careful.decide(PLAY, views)
    wild = HeuristicAgent(1.0).decide(PLAY, views)
    whose = extras["rounds"] ^ views["seat"].astype(np.uint64)
    blunderers = 0
    for player in np.unique(whose):
        mine = whose == player
        same = [np.array_equal(choices[mine], answers[mine]) for answers in (by_rule, wild)]
        assert any(same)
        blunderers += same[1]
    seats = len(np.unique(whose))
    assert seats == 1600
    assert abs(blunderers / seats - 1 / 3) < 4 * np.sqrt(2 / 9 / seats)


def test_both_tables_of_a_deal_have_the_same_players():
    """Luck with the partner that does not cancel."""
    numbers = []
    for seat in (0, 1):
        crowd = Watched(CrowdAgent("crowd", np.array([0.1])))
        play(
            TournamentRequest(("crowd", "heuristic"), 3, seed=seat),
            lambda name, c=crowd: c if name == "crowd" else HeuristicAgent(),
        )
        _, extras, _ = crowd.all_of(PLAY)
        numbers.append(np.unique(extras["rounds"]))
    assert [len(found) for found in numbers] == [3, 3]
    assert not np.intersect1d(*numbers).size


def test_it_is_made_of_the_truth_about_a_corpus(tmp_path):
    """Rates of another file, or a traceback where there is none."""
    runs = tmp_path / "runs"
    with pytest.raises(AgentError, match="raw/truth"):
        agent_from("crowd", runs)
    (tmp_path / "raw").mkdir()
    table = pa.table({"blunder_rates": [[0.1, 0.2, 0.3, 0.0], None, [0.25] * 4]})
    pq.write_table(table, tmp_path / "raw" / "truth.parquet")
    assert agent_from("crowd", runs).rates.tolist() == [0.1, 0.2, 0.3, 0.0, 0.25, 0.25, 0.25, 0.25]
    pq.write_table(table, tmp_path / "other.parquet")
    assert len(agent_from("crowd:other.parquet", runs).rates) == 8
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other.parquet")
    with pytest.raises(AgentError, match="expected the truth"):
        agent_from("crowd:other.parquet", runs)
