"""Tournaments: fair, the same whoever works at them, and honest about agents that fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from tichu_models.agents.registry import agent_from
from tichu_models.arena import tournament
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import PlayedTournament, Task, TournamentError, TournamentRequest, play, play_table
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.records.replay import check
from tichu_models.records.schema import Rounds
from tichu_models.rules.asking import PLAY

BLUNDERER = "heuristic:blunder=.3"
AGENTS = ("heuristic", BLUNDERER, "random")


class Slow(HeuristicAgent):
    """Not fused: its answers come through batches."""

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """Those of its class."""
        return super().decide(kind, views)


class SlowRandom(RandomAgent):
    """Likewise."""

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """Those of its class."""
        return super().decide(kind, views)


class Failing(HeuristicAgent):
    """Fails at every play from the 40th turn of a round on, if the hand holds the right card; else plays well."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.name = how
        self.how = how

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """Good answers, or none."""
        choices = super().decide(kind, views)
        bad = (views["turns"] >= 40) & (views["hand"] & (1 << 30) != 0)
        if kind != PLAY or not bad.any():
            return choices
        if self.how == "crash":
            raise RuntimeError("no idea")
        if self.how == "sleep":
            time.sleep(60)
        if self.how == "shape":
            return choices[:-1]
        choices[bad] = 3
        return choices


def made(name: str) -> Agent:
    """Agents of the tests and of the registry."""
    if name == "slow":
        return Slow()
    if name == "slow random":
        return SlowRandom()
    return Failing(name) if name in ("crash", "sleep", "shape", "illegal") else agent_from(name)


def in_reverse(function: Callable[[Task], Any], tasks: Iterable[Task]) -> list[Any]:
    """The tasks from the last to the first."""
    return [function(task) for task in reversed(list(tasks))]


def facts(played: PlayedTournament) -> tuple[bytes, Any, list]:
    """All that must not depend on who works."""
    told = summary(played)
    return played.results.tobytes(), {key: told[key] for key in ("pairings", "ratings")}, told["forfeits"]


@pytest.mark.parametrize("whole_games", [False, True])
def test_workers_and_tasks_change_nothing(whole_games, monkeypatch):
    """A result that depends on the machine it was measured on cannot be checked by anybody."""
    request = TournamentRequest(AGENTS, 40, seed=4, whole_games=whole_games)
    expected = facts(play(request, agent_from))
    assert facts(play(request, agent_from, in_reverse, workers=3)) == expected
    monkeypatch.setattr(tournament, "LEAST_DEALS_A_TASK", 1)
    assert facts(play(request, agent_from, workers=17)) == expected
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert facts(play(request, agent_from, pool.map, workers=2)) == expected


def test_a_test_decides_the_same_whoever_works(monkeypatch):
    """A sequential test that looks when a worker happens to be done would stop on luck."""
    request = TournamentRequest(("heuristic", BLUNDERER), 3000, seed=4, test=tournament.SequentialTest(10))
    expected = facts(play(request, agent_from))
    assert facts(play(request, agent_from, in_reverse, workers=5)) == expected
    (pairing,) = expected[1]["pairings"]
    assert pairing["decided"] == "heuristic"
    assert 0 < pairing["deals"] < 3000
    assert pairing["deals"] % tournament.SequentialTest.EVERY == 0


def test_batched_and_fused_tournaments_are_equal():
    """The fast path plays other games than that of all other agents."""
    request = TournamentRequest(("heuristic", "random"), 60, seed=2)
    fused = play(request, agent_from)
    batched = play(replace(request, agents=("slow", "slow random")), made)
    for field in fused.results.dtype.names:
        assert np.array_equal(fused.results[field], batched.results[field]), field


@pytest.mark.parametrize("whole_games", [False, True])
def test_swapping_the_agents_negates_the_margin(whole_games):
    """An advantage of who is named first, or of a team's seats."""
    one = summary(play(TournamentRequest(("random", BLUNDERER), 50, 3, whole_games), agent_from))["pairings"][0]
    other = summary(play(TournamentRequest((BLUNDERER, "random"), 50, 3, whole_games), agent_from))["pairings"][0]
    assert one["points_per_round"] == -other["points_per_round"] != 0
    assert one["interval"] == pytest.approx([-bound for bound in reversed(other["interval"])])
    assert (one["games_won"], one["deals_won"]) == (other["games_lost"], other["deals_lost"])
    assert one["sides"] == other["sides"][::-1]


def test_both_tables_have_the_same_cards_and_all_pairings_the_same_deals():
    """Luck that does not cancel, of which nobody would know."""
    request = TournamentRequest(AGENTS, 5, seed=8)
    rows = [
        tournament.play_task(Task(request, agent_from, pairing, 0, 5)).rounds.rows
        for pairing in range(len(request.pairings))
    ]
    assert all(np.array_equal(part["start"], rows[0]["start"]) for part in rows)
    assert np.array_equal(rows[0]["start"][::2], rows[0]["start"][1::2])
    assert not np.array_equal(rows[0]["start"][0], rows[0]["start"][2])


def test_an_agent_against_itself_is_no_better():
    """An arena that favours a side: intervals must hold 0 about as often as they say, and games be won by half."""
    seeds, covered, halves = 120, 0, 0
    for seed in range(seeds):
        (facts,) = summary(play(TournamentRequest((BLUNDERER, BLUNDERER), 60, seed), agent_from))["pairings"]
        assert facts["points_per_round"] != 0
        covered += facts["interval"][0] <= 0 <= facts["interval"][1]
    assert 0.88 <= covered / seeds <= 0.99  # of .95; beyond, by chance, once in a hundred
    for seed in range(20):
        (facts,) = summary(play(TournamentRequest((BLUNDERER, BLUNDERER), 100, seed, whole_games=True), agent_from))[
            "pairings"
        ]
        assert facts["games"] == facts["games_won"] + facts["games_lost"] + facts["games_drawn"] == 200
        halves += facts["win_interval"][0] < 0.5 < facts["win_interval"][1]
    assert halves >= 17


def test_what_is_counted_is_what_was_played():
    """Calls, bombs and double victories that are another's, or nobody's."""
    request = TournamentRequest(("heuristic", "random"), 300, seed=5)
    played = play(request, agent_from)
    part = tournament.play_task(Task(request, agent_from, 0, 0, 300))
    outcomes, _ = check(part.rounds)
    assert not outcomes["rule_break"].any()
    assert np.array_equal(part.rounds.rows["score"], played.results["score"])
    (facts,) = summary(played)["pairings"]
    first, second = facts["sides"]
    called = part.rounds.rows["tichu_position"] >= -2
    assert sum(side["tichu_called"] + side["grand_called"] for side in (first, second)) == called.sum()
    assert second["tichu_called"] == second["grand_called"] == 0  # the random player never calls
    assert first["tichu_made"] == (played.results["winner"] % 2 == played.results["team_a"])[
        (part.rounds.rows["tichu_position"] >= -1).any(axis=1)
    ].sum() - _partners_of_callers(played)
    doubles = played.results["double"].sum()
    assert first["double_victories"] + second["double_victories"] == doubles > 0
    assert facts["rounds"] == 600


def _partners_of_callers(played: PlayedTournament) -> int:
    """Rounds in which a caller's partner came in first."""
    called = played.results["tichu_position"] >= -1
    partner = (played.results["winner"] + 2) % 4
    rows = np.arange(len(called))
    return int((called[rows, partner] & ~called[rows, played.results["winner"]]).sum())


@pytest.mark.parametrize(
    ("how", "reason", "said"),
    [
        ("illegal", "illegal", "answered 'Ma Hu'"),
        ("shape", "illegal", "shape"),
        ("crash", "crash", "RuntimeError: no idea"),
        ("sleep", "timeout", "longer than 0.05 s"),
    ],
)
def test_an_agent_that_fails_forfeits_its_table_and_no_other(how, reason, said):
    """A broken agent that ends the tournament, passes for a weak one, or takes sound tables of its batch with it."""
    deals = 12 if how == "sleep" else 60
    request = TournamentRequest((how, "heuristic"), deals, seed=6, limit=0.05 if how == "sleep" else None)
    played = play(request, made)
    (facts,) = summary(played)["pairings"]
    forfeited = played.results["forfeit"] > 0
    assert 0 < forfeited.sum() < deals
    assert facts["forfeits"] == len(played.forfeits) == forfeited.sum()
    assert facts["illegal"] == (forfeited.sum() if reason == "illegal" else 0)
    assert facts["rounds"] == 2 * deals
    rows = played.results[forfeited]
    assert (rows["score"][np.arange(len(rows)), 1 - rows["team_a"]] == 200).all()
    assert {forfeit.reason for forfeit in played.forfeits} == {reason}
    sound = play(replace(request, agents=("slow", "heuristic")), made)
    swapped = sound.results["table"] ^ (("slow" > "heuristic") != (how > "heuristic"))
    for row in played.results[~forfeited]:
        (twin,) = sound.results[swapped == row["table"]]
        assert row["score"].tolist() == twin["score"].tolist()
    first = played.forfeits[0]
    assert said in first.text
    assert (first.agent, first.kind, first.turn >= 40) == (how, "play", True)
    again = play_table(request, made, first.game)
    assert [str(forfeit) for forfeit in again.forfeits] == [str(first)]
    assert again.results.tobytes() == played.results[played.results["table"] == first.game].tobytes()


def test_a_forfeit_loses_the_game():
    """A game that nobody finished, counted as a draw or for whoever led."""
    played = play(TournamentRequest(("crash", "heuristic"), 20, seed=6, whole_games=True), made)
    (facts,) = summary(played)["pairings"]
    assert facts["forfeits"] > 10
    assert facts["games_lost"] >= facts["forfeits"]
    assert facts["games"] == 40
    last = {row["table"]: row["forfeit"] for row in played.results}  # by round: the last one stays
    assert sum(code > 0 for code in last.values()) == facts["forfeits"]


def luck_of(rounds: Rounds) -> np.ndarray:
    """What team 20 was dealt of aces, Dragon and Phoenix more than the other team."""
    high = np.bitwise_count(rounds.rows["start"] & (15 << 52 | 12)).astype(float)
    return high[:, 0] + high[:, 2] - high[:, 1] - high[:, 3]


def test_a_control_variate_takes_luck_away_and_nothing_else():
    """A correction that moves the margin, or adds noise. The luck of the deal itself cancels at a deal's two tables."""
    request = TournamentRequest((BLUNDERER, "heuristic"), 400, seed=3, control="high cards")
    (facts,) = summary(play(request, agent_from, control=luck_of))["pairings"]
    (plain,) = summary(play(replace(request, control=None), agent_from))["pairings"]
    own = {"control", "variance_explained", "variance_explained_of_rounds"}
    assert {name: facts[name] for name in facts if name not in own and not name.startswith("controlled")} == plain
    assert facts["controlled_points_per_round"] == pytest.approx(plain["points_per_round"])
    assert facts["variance_explained"] == 0
    assert facts["variance_explained_of_rounds"] > 0.1


def test_a_control_moves_no_margin_on_average():
    """Luck that is taken from one side only: an agent against itself would win, in the long run."""
    means, plain, covered = [], [], 0
    for seed in range(60):
        request = TournamentRequest((BLUNDERER, BLUNDERER), 40, seed, whole_games=True, control="high cards")
        (facts,) = summary(play(request, agent_from, control=luck_of))["pairings"]
        means.append(facts["controlled_points_per_round"])
        plain.append(facts["points_per_round"])
        covered += facts["controlled_interval"][0] <= 0 <= facts["controlled_interval"][1]
    assert abs(np.mean(means)) < 3 * np.std(means) / np.sqrt(len(means))
    assert np.std(means) < np.std(plain)
    assert covered >= 50  # of 60, at 95 %


def test_a_control_looks_at_forfeited_rounds_as_well():
    """The luck of a table would be left over where an agent fails at the other one, as it may with certain cards."""
    request = TournamentRequest(("illegal", "heuristic"), 60, seed=6, control="high cards")
    results = play(request, made, control=luck_of).results
    assert (results["forfeit"] > 0).any()
    signed = results["control"] * np.where(results["team_a"] == 0, 1, -1)
    assert not np.bincount(results["deal"], weights=signed).any()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"agents": ("random",), "deals": 5}, "two or more"),
        ({"agents": ("random", "random"), "deals": 0}, "0 deals"),
    ],
)
def test_what_cannot_be_played_is_an_error(fields, said):
    """An empty result that looks like one."""
    with pytest.raises(TournamentError, match=said):
        TournamentRequest(**fields)
    with pytest.raises(TournamentError, match="no table 7"):
        play_table(TournamentRequest(AGENTS, 5), agent_from, 7)
