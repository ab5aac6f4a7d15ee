"""How strong players are whose networks learned from 10,000 generated games: half an hour on two cores.

TICHU_PROOF_DATA names a data folder with the finished runs of the preset for a laptop (`test_training_proof` makes
them) and the truth about their corpus. Every figure of docs/players.md is one of these tests', and what is played is
`tichu tournament` with the same agents, deals and seed. TICHU_PROOF_TABLES names a file for the page's tables; they are
printed as well. TICHU_PROOF_WORKERS are the processes that play.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from tests.makers.runs import Watched, watched_games
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena import tournament as arena
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import TournamentRequest, values_of
from tichu_models.rules.asking import PLAY
from tichu_models.statistics import wilson
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Processes
from tichu_pipeline.tournaments.facts import cell
from tichu_pipeline.tournaments.running import run

pytestmark = pytest.mark.proof
WORKERS = int(os.environ.get("TICHU_PROOF_WORKERS") or 2)
POLICY = "policy:policy_net"
SEARCH = "mcts:policy_net"
CANDIDATE = "candidate:candidate_policy_net"
NEURAL = (POLICY, CANDIDATE, "gc:gc_policy_net", "dt:dt_net")
AT_50_MS = "simulations=7168"  # of 64 deals: 50 ms for a play on a fast core
OF_A_SECOND = "simulations=102400,deals=256"  # likewise two seconds, or .7
BY_VALUE = "simulations=1536,leaf=value"
BY_VALUE_AS_USUAL = f"{BY_VALUE},root=puct,by=visits"
MARGIN, POWER, ERROR = 5.0, 0.8, 0.05
MILLISECONDS = 1e3
STAGES = ((0, 8), (8, 24), (24, 48), (48, 200))  # turns
SUPPOSED, VIEWS_AT_ONCE = 63, 128
AT_TABLE = 4  # neighbouring views are much alike

DUELS = "| Agents | Deals, seed | Points a round |"
AGAINST_CHANCE = "| Against `random` | Games won, of | At least (95 %) |"
THINKING = "| A play with a choice takes | p50 | p99 |"
BELIEFS = "| Turns, games of | Plays | Weight of the true deal | Bits gained a play | Effective number of drawn deals |"
LUCK = "| Agents, pairs of games, seed | Points a round | Without luck | Variance explained of rounds | of pairs |"


@pytest.fixture(scope="module")
def paths() -> DataPaths:
    """Where the runs are."""
    given = os.environ.get("TICHU_PROOF_DATA")
    if not given:
        pytest.skip("TICHU_PROOF_DATA names no data folder")
    return DataPaths(Path(given))


@pytest.fixture(scope="module")
def figure() -> Iterator[Callable[..., None]]:
    """Adds a row to one of the tables of docs/players.md."""
    tables: dict[str, list[str]] = {}

    def add(heading: str, *cells: str) -> None:
        row = f"| {' | '.join(cells)} |"
        print(f"\n{row}", end="")
        tables.setdefault(heading, [heading, "|---" * len(cells) + "|"]).append(row)

    yield add
    text = "\n\n".join("\n".join(rows) for rows in tables.values())
    print(f"\n\n{text}")
    if target := os.environ.get("TICHU_PROOF_TABLES"):
        Path(target).write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def duel(paths, tmp_path, figure):
    """Plays two agents; the facts of their pairing, and the points of each deal. Nothing is written to the runs."""

    def play(a: str, b: str, deals: int, seed: int = 1, **options: Any) -> tuple[dict[str, Any], np.ndarray]:
        kept = DataPaths(tmp_path / "data")
        kept.root.mkdir(exist_ok=True)
        for name in ("runs", "raw"):
            if not (kept.root / name).exists():
                (kept.root / name).symlink_to((paths.root / name).resolve())
        made = run(kept, "duel", TournamentRequest((a, b), deals, seed, **options), Processes(WORKERS))
        (facts,) = summary(made.played)["pairings"]
        if not options:
            points = cell(facts["points_per_round"], facts["interval"])
            figure(DUELS, f"`{a}` : `{b}`", f"{deals:,}, {seed}", points)
        assert facts["forfeits"] == 0
        return facts, values_of(made.played.results)

    return play


@pytest.mark.parametrize("agent", [*NEURAL, f"{SEARCH},simulations=64,deals=16"])
def test_players_with_networks_beat_chance(duel, figure, agent):
    """A network that has learned nothing, or a player who does not use it; the search at a millisecond for a play."""
    facts, _ = duel(agent, "random", 1000, whole_games=True)
    assert facts["games"] == 2000
    low, _ = wilson(facts["games_won"] + facts["games_drawn"] / 2, facts["games"])
    figure(AGAINST_CHANCE, f"`{agent}`", f"{facts['games_won']:,}, {facts['games']:,}", f"{low:.2%}")
    assert low >= 0.99


@pytest.mark.parametrize(("options", "least"), [("", -2), (",temperature=1", -10)])
def test_the_candidate_player_is_as_good_as_those_whom_it_imitates(duel, options, least):
    """A network that plays as it was shown nine times of ten, and gives away what it wins the tenth time. With a
    temperature of 1 it blunders as often as they do, and should lose little by blundering in other places."""
    facts, _ = duel(f"{CANDIDATE}{options}", "crowd", 20_000)
    low, high = facts["interval"]
    assert high - low < 3.5
    assert low >= least


def test_what_the_candidate_player_loses_to_the_best_of_them(duel):
    """Its margin to who makes no mistakes, which a mean over a mix would hide: a figure to state."""
    facts, _ = duel(CANDIDATE, "heuristic", 10_000)
    low, high = facts["interval"]
    assert high - low < 6


def considered(agent: Any, games: int, seed: int) -> list[float]:
    """The processor's milliseconds for each play with a choice, of a player who sits on all seats."""
    consider, taken = agent.consider, []

    def timed(views: np.ndarray, **extras: np.ndarray) -> Any:
        started = time.process_time()
        found = consider(views, **extras)
        taken.extend([(time.process_time() - started) / len(views) * MILLISECONDS] * len(views))
        return found

    agent.consider = timed
    for _ in lockstep.play_games([agent], np.zeros((games, 4)), seed=seed, max_rounds=1):
        pass
    agent.consider = consider
    return taken


@pytest.mark.parametrize(
    ("options", "games"), [("simulations=512", 16), (AT_50_MS, 16), (BY_VALUE, 16), (OF_A_SECOND, 1)]
)
def test_how_long_a_search_thinks(paths, figure, options, games):
    """A budget that is said to be worth 50 ms or a second, and is not on this machine: figures to compare."""
    import torch

    torch.set_num_threads(1)
    considered(agent_from(f"{SEARCH},simulations=64", paths.runs), 1, seed=1)  # compiles
    taken = considered(agent_from(f"{SEARCH},{options}", paths.runs), games, seed=2)
    p50, p99 = np.quantile(taken, [0.5, 0.99])
    figure(THINKING, f"`{options}`", f"{p50:.1f} ms", f"{p99:.1f} ms")


def deals_for(margin: float, spread: float) -> int:
    """How many duplicate deals show a margin, when a deal's points have this standard deviation."""
    normal = NormalDist()
    return math.ceil(((normal.inv_cdf(1 - ERROR / 2) + normal.inv_cdf(POWER)) * spread / margin) ** 2)


def test_a_search_is_better_than_its_policy(duel):
    """Thinking ahead that costs time and wins nothing. How many deals are enough, a pilot with less time says."""
    pilot, values = duel(SEARCH, POLICY, 100)
    spread = float(values.std(ddof=1))
    least = max(pilot["interval"][0] - MARGIN, MARGIN)  # what the pilot leaves of the margin, and sees almost surely
    enough = deals_for(least, spread)
    print(
        f"\nstandard deviation of a deal {spread:.0f}: {deals_for(MARGIN, spread):,} deals for {MARGIN:g} points",
        end="",
    )
    print(f", {enough:,} for {least:.0f}", end="")
    facts, _ = duel(f"{SEARCH},{AT_50_MS}", POLICY, max(160, enough), seed=2)
    assert facts["interval"][0] >= MARGIN


@pytest.mark.parametrize(
    ("options", "deals", "seed"),
    [
        ("open=true", 100, 1),  # as the pilot
        (BY_VALUE, 60, 2),
        (BY_VALUE_AS_USUAL, 60, 2),
        (OF_A_SECOND, 16, 2),
    ],
)
def test_variants_of_a_search(duel, options, deals, seed, monkeypatch):
    """What hidden cards cost, what a search is worth that knows no rules of thumb, what a second for a play brings:
    figures to compare."""
    # Few deals, long ones: of tasks of the usual size there would be one, and smaller ones ask small batches.
    monkeypatch.setattr(arena, "LEAST_DEALS_A_TASK", math.ceil(deals / WORKERS))
    duel(f"{SEARCH},{options}", POLICY, deals, seed=seed)


@pytest.mark.parametrize("trust", ["1", ".1"])
def test_whether_it_pays_to_trust_what_others_have_played(duel, trust):
    """A default that loses points, whichever it is: likelier deals may be weighed by how the policy would have played,
    or all alike. A figure to compare."""
    duel(f"{SEARCH},trust={trust}", SEARCH, 200, seed=2)


def weights_of_deals(agent: Any, views: np.ndarray, extras: dict[str, np.ndarray]) -> np.ndarray:
    """How much the true deal would weigh, the first of a row, and supposed ones beside it: shares of all of them."""
    parts = []
    for begin in range(0, len(views), VIEWS_AT_ONCE):
        part = slice(begin, begin + VIEWS_AT_ONCE)
        transcripts = extras["transcripts"][part]
        true = agent.believer.likelihoods(agent.believer.draw(views[part], transcripts, 1, extras["hands"][part]))
        others = agent.believer.likelihoods(agent.believer.draw(views[part], transcripts, SUPPOSED)).reshape(
            -1, SUPPOSED
        )
        logs = np.concatenate([true[:, None], others], axis=1)
        weights = np.exp(logs - logs.max(1, keepdims=True))
        parts.append(weights / weights.sum(1, keepdims=True))
    return np.concatenate(parts)


class OfOthers(Watched):
    """Somebody else's games, with all that a search would be handed in them, and the true hands."""

    wanted: Sequence[str] = ("transcripts", "hands")

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self.own_wants, self.wants = self.wants, (*self.wants, *self.wanted)

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The player hears what it has asked for, and nothing else."""
        own = {name: extras[name] for name in self.own_wants if name in extras}
        choices = self.agent.decide(kind, views, **own)
        self.asked.setdefault(kind, []).append((views.copy(), extras, choices))
        return choices


@pytest.mark.parametrize("others", ["crowd", "heuristic"])
def test_the_true_deal_is_likelier_than_supposed_ones(paths, figure, others):
    """Weights by what others have played that point away from their cards, when those others are no network at all.
    Gained are bits beside a uniform weight; where they are lost, weights are surer of themselves than they may be."""
    views, extras, _ = watched_games(OfOthers(agent_from(others, paths.runs)), 60, rounds=1).all_of(PLAY)
    weights = weights_of_deals(agent_from(SEARCH, paths.runs), views, extras)
    found, others_weigh = weights[:, 0], weights[:, 1:]
    count = others_weigh.sum(1) ** 2 / np.maximum((others_weigh**2).sum(1), np.finfo(float).tiny)
    uniform = 1 / (1 + SUPPOSED)
    for first, end in STAGES:
        stage = (views["turns"] >= first) & (views["turns"] < end)
        of_stage = found[stage]
        error = of_stage.std() / np.sqrt(len(of_stage) / AT_TABLE)
        share = f"{of_stage.mean() / uniform:.2f} ± {2 * error / uniform:.2f} times uniform"
        bits = np.log2(of_stage / uniform).mean()
        figure(
            BELIEFS,
            f"{first} to {end - 1}, `{others}`",
            f"{len(of_stage):,}",
            share,
            f"{bits:+.2f}",
            f"{count[stage].mean():.1f}",
        )
    late = found[views["turns"] >= STAGES[1][0]]
    assert late.mean() - 2 * late.std() / np.sqrt(len(late) / AT_TABLE) > uniform


def test_how_much_luck_a_network_takes_away(duel, figure):
    """A control that adds noise, or moves what it should leave alone."""
    facts, _ = duel("heuristic", "crowd", 300, whole_games=True, control="value_net")
    plain, controlled = (cell(facts[f"{of}points_per_round"], facts[f"{of}interval"]) for of in ("", "controlled_"))
    explained = [f"{facts[name]:.0%}" for name in ("variance_explained_of_rounds", "variance_explained")]
    figure(LUCK, "`heuristic` : `crowd`, 300, 1", plain, controlled, *explained)
    widths = [np.diff(facts[name])[0] for name in ("interval", "controlled_interval")]
    assert widths[1] <= 1.02 * widths[0]
    assert abs(facts["controlled_points_per_round"] - facts["points_per_round"]) < widths[0] / 2
