"""Duplicate tournaments: every two agents play the same deals, each deal twice with the teams' seats swapped.

Luck that helps a team at one table helps the other team at the second one, so that far fewer deals tell two agents
apart. All pairings play the same deals. The two tables of a deal share its cards and no other random draw. A table
depends only on the seed, the deal and its two agents: tasks, workers and the order of agents change no result.

`play` returns rows of `results`, which also says how forfeits count; `summary` makes the facts of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from tichu_models.arena import lockstep, selfplay
from tichu_models.arena.defaults import DEALS, SEED
from tichu_models.arena.referee import BINS, Forfeit, LenientReferee
from tichu_models.arena.results import results_of, results_of_forfeits
from tichu_models.arena.table import FIRST_DECISIONS, FIXTURE, number_games
from tichu_models.players.base import Agent
from tichu_models.players.builtin import BuiltinAgent
from tichu_models.records.history import PASS_MARK
from tichu_models.records.schema import Rounds, joined
from tichu_models.statistics import SequentialTest

# Table 300000041 is the second table (odd) of deal 20 of the third pairing.
TABLES_A_PAIRING = 10**8
MOST_PAIRINGS = 2**15 - 1
MOST_ROUNDS = selfplay.ROUNDS_A_CHUNK  # in a game
LEAST_DEALS_A_TASK, MOST_DEALS_A_TASK = 16, 1024
TASKS_A_WORKER = 4

Make = Callable[[str], Agent]
Control = Callable[
    [Rounds], np.ndarray
]  # control variate: points that each round's cards promise team 20, 0 on average


class TournamentError(ValueError):
    """A tournament that cannot be played."""


@dataclass(frozen=True)
class TournamentRequest:
    """What to play. With a sequential test, `deals` is the most that a pairing plays."""

    agents: tuple[str, ...]
    deals: int = DEALS
    seed: int = SEED
    whole_games: bool = False  # each deal is then a game to 1000 points, with the same cards at both tables
    limit: float | None = None  # time limit of a decision, in seconds
    test: SequentialTest | None = None
    control: str | None = None  # name of the control variate

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise TournamentError(f"{len(self.agents)} agents: expected two or more")
        if not 0 < 2 * self.deals <= TABLES_A_PAIRING:
            raise TournamentError(f"{self.deals} deals: expected 1..{TABLES_A_PAIRING // 2:,}")
        if len(self.pairings) > MOST_PAIRINGS:
            raise TournamentError(f"{len(self.agents)} agents are {len(self.pairings):,} pairings: far too many")

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Every two agents, as indices of `agents`."""
        return list(combinations(range(len(self.agents)), 2))

    def names(self, pairing: int) -> tuple[str, str]:
        """The agents a and b of a pairing."""
        a, b = self.pairings[pairing]
        return self.agents[a], self.agents[b]


@dataclass(frozen=True)
class Task:
    """Deals of a pairing for one worker, both tables of each."""

    request: TournamentRequest
    make: Make
    pairing: int
    first_deal: int
    deals: int
    control: Control | None = None


@dataclass(frozen=True)
class TournamentPart:
    """The results of a task, or of several."""

    results: np.ndarray  # RESULT, sorted by table and round
    rounds: Rounds  # of the rows that were not forfeited
    forfeits: list[Forfeit]
    broken: list[Rounds]  # the forfeited rounds, each as far as it was played
    times: dict[str, np.ndarray]  # by agent: the number of decisions in each bin of times; the only measure of a clock


@dataclass(frozen=True)
class PlayedTournament:
    """A tournament that was played."""

    request: TournamentRequest
    results: np.ndarray  # RESULT, sorted by table and round
    forfeits: list[Forfeit]
    times: dict[str, np.ndarray]
    timed: frozenset[str]  # agents that think for a given time, whose games cannot be repeated exactly
    left_out: tuple[tuple[str, str], ...] = ()  # (run, reason) of players that should have played and could not
    # By agent with networks and kind of decision: the run that answers it, None for rules of thumb.
    answered_by: dict[str, dict[str, str | None]] = field(default_factory=dict)


RunTasks = Callable[[Callable[[Task], TournamentPart], Sequence[Task]], Iterable[TournamentPart]]


def play(
    request: TournamentRequest,
    make: Make,
    run_tasks: RunTasks = map,
    workers: int = 1,
    keep: Callable[[TournamentPart], None] | None = None,
    done: Callable[[int], None] = lambda deals: None,
    control: Control | None = None,
) -> PlayedTournament:
    """Plays a tournament. `run_tasks(function, tasks)` yields the results of the tasks in any order, as `map` does;
    `keep` is called with each part as it arrives, `done` with the number of deals that it holds."""
    agents = {name: make(name) for name in request.agents}  # an agent that cannot be built fails here, before any play
    timed = frozenset(name for name, agent in agents.items() if agent.timed)
    answered_by = {name: dict(agent.answered_by) for name, agent in agents.items() if agent.answered_by}
    undecided = list(range(len(request.pairings)))
    results: list[np.ndarray] = []
    forfeits: list[Forfeit] = []
    times: dict[str, np.ndarray] = {}
    for wave in _waves(request):
        size = _deals_a_task(len(wave) * len(undecided), workers)
        tasks = [
            Task(request, make, pairing, first, min(size, wave.stop - first), control)
            for first in range(wave.start, wave.stop, size)
            for pairing in undecided
        ]
        for part in run_tasks(play_task, tasks):
            results.append(part.results)
            forfeits += part.forfeits
            for name, counts in part.times.items():
                times[name] = times.get(name, np.zeros(BINS, dtype=np.int64)) + counts
            done(len(np.unique(part.results["deal"])))
            if keep:
                keep(part)
        if request.test:
            so_far = np.concatenate(results)
            undecided = [
                p for p in undecided if not request.test.look(values_of(so_far[so_far["pairing"] == p])).better
            ]
            if not undecided:
                break
    settled, kept = _settled(request, np.concatenate(results), forfeits)
    return PlayedTournament(request, settled, kept, times, timed, answered_by=answered_by)


def _waves(request: TournamentRequest) -> Iterator[range]:
    """Ranges of deals. The sequential test looks after each; without a test there is one range."""
    begin = 0
    while begin < request.deals:
        step = max(4 * request.test.EVERY, begin // 2) if request.test else request.deals
        end = min(begin + step, request.deals)
        yield range(begin, end)
        begin = end


def _deals_a_task(deals: int, workers: int) -> int:
    """How many deals a task has, so that every worker gets several tasks."""
    return min(max(deals // (TASKS_A_WORKER * workers), LEAST_DEALS_A_TASK), MOST_DEALS_A_TASK)


def _settled(
    request: TournamentRequest, results: np.ndarray, forfeits: Sequence[Forfeit]
) -> tuple[np.ndarray, list[Forfeit]]:
    """Results and forfeits, sorted, without the deals after the one at which the sequential test stopped."""
    results = results[np.lexsort((results["round_index"], results["table"]))]
    if request.test:
        for pairing in range(len(request.pairings)):
            mine = results["pairing"] == pairing
            enough = request.test.look(values_of(results[mine])).deals
            results = results[~mine | (results["deal"] < enough)]
    played = set(results["table"][results["forfeit"] > 0].tolist())
    kept = [forfeit for forfeit in forfeits if forfeit.game in played]
    return results, sorted(kept, key=lambda forfeit: forfeit.game)


def play_task(task: Task) -> TournamentPart:
    """Plays the deals of a task."""
    fixtures = fixtures_of_deals(task.request, task.pairing, task.first_deal, task.deals)
    return _play_fixtures(task.request, task.make, fixtures, task.control)


def play_table(request: TournamentRequest, make: Make, table: int) -> TournamentPart:
    """Plays one table of a tournament again. The number of deals in the request does not matter."""
    pairing, place = divmod(table, TABLES_A_PAIRING)
    if not 1 <= pairing <= len(request.pairings):
        raise TournamentError(
            f"no table {table}: expected {TABLES_A_PAIRING:,} times 1..{len(request.pairings)}, the number of the "
            "pairing, plus twice the deal, plus 1 for its second table"
        )
    fixtures = fixtures_of_deals(request, pairing - 1, place // 2, 1)
    return _play_fixtures(request, make, fixtures[place % 2 :][:1], None)


def fixtures_of_deals(request: TournamentRequest, pairing: int, first_deal: int, deals: int) -> np.ndarray:
    """The two tables of each deal. At the first table, team 20 is the agent whose name sorts first."""
    once = np.zeros(deals, dtype=FIXTURE)
    number_games(np.uint64(request.seed), first_deal, once)
    fixtures = np.repeat(once, 2)
    second = np.arange(2 * deals) % 2
    fixtures["game"] = (pairing + 1) * TABLES_A_PAIRING + 2 * fixtures["game"] + second
    fixtures["first_decision"] = second * FIRST_DECISIONS
    team_of_a = _team_of_a(request, fixtures["game"])
    for seat in range(4):
        fixtures["agent"][:, seat] = (team_of_a != seat % 2).astype(np.int32)
    return fixtures


def _team_of_a(request: TournamentRequest, tables: np.ndarray) -> np.ndarray:
    """The team (0 or 1) that a pairing's first agent plays at each of these tables."""
    swapped = np.array([a > b for a, b in (request.names(pairing) for pairing in range(len(request.pairings)))])
    return (tables % 2) ^ swapped[tables // TABLES_A_PAIRING - 1]


@lru_cache(maxsize=64)
def _built(make: Make, name: str) -> Agent:
    """The agent of this name; it is built once in a process."""
    return make(name)


def _play_fixtures(
    request: TournamentRequest, make: Make, fixtures: np.ndarray, control: Control | None
) -> TournamentPart:
    """Plays fixtures of one pairing, in the fused loop if both agents allow it."""
    pairing = int(fixtures["game"][0]) // TABLES_A_PAIRING - 1
    names = request.names(pairing)
    agents = [_built(make, name) for name in names]
    max_rounds = MOST_ROUNDS if request.whole_games else 1
    referee = LenientReferee(request.limit)
    built_in = [agent for agent in agents if isinstance(agent, BuiltinAgent) and is_plain(agent)]
    if len(built_in) == 2:
        rounds = _fused(built_in, fixtures, max_rounds, referee)
    else:
        rounds = lockstep.play(agents, fixtures, max_rounds, len(fixtures), referee)
    results, forfeited = results_of(rounds), results_of_forfeits(referee.forfeits)
    if control:
        results["control"] = control(rounds)
        forfeited["control"] = control(joined(referee.broken))
    results = np.concatenate([results, forfeited])
    results = results[np.lexsort((results["round_index"], results["table"]))]
    results["pairing"] = pairing
    results["deal"] = results["table"] % TABLES_A_PAIRING // 2
    results["team_a"] = _team_of_a(request, results["table"])
    # By the names of the request, from which an agent's own name may differ.
    requested = {agent.name: name for agent, name in zip(agents, names, strict=True)}
    forfeits = [replace(forfeit, agent=requested[forfeit.agent]) for forfeit in referee.forfeits]
    times = {requested[name]: counts for name, counts in referee.times.items()}
    return TournamentPart(results, rounds, forfeits, referee.broken, times)


def is_plain(agent: BuiltinAgent) -> bool:
    """Whether a built-in agent decides by the kernel that the fused loop calls, and not by a method of a subclass."""
    return type(agent).decide is BuiltinAgent.decide


def _fused(agents: Sequence[BuiltinAgent], fixtures: np.ndarray, max_rounds: int, referee: LenientReferee) -> Rounds:
    """Plays fixtures of built-in players in the fused loop. Each turn is given the mean time of all."""
    nobody = np.full((len(fixtures), 3), -1, dtype=np.int32)
    list(selfplay.stream_fixtures(agents, fixtures[:1], 1, nobody))  # compiles the kernel, which is not timed
    started = time.perf_counter()
    rounds = joined([played.rounds for played in selfplay.stream_fixtures(agents, fixtures, max_rounds, nobody)])
    seconds = time.perf_counter() - started
    for agent in agents:
        referee.add_time(agent.name, seconds, max(int((rounds.history >= PASS_MARK).sum()), 1))
    return rounds


def values_of(results: np.ndarray) -> np.ndarray:
    """The margin a round of a pairing's first agent, for each deal in order."""
    points, rounds = points_of(results)
    return points / rounds


def points_of(results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The margin of a pairing's first agent in each deal, and the number of rounds of the deal."""
    return np.bincount(results["deal"], weights=margins(results)), np.bincount(results["deal"])


def margins(results: np.ndarray) -> np.ndarray:
    """The margin of each round: points of the pairing's first agent less those of the other."""
    score = results["score"].astype(np.int64)
    return (score[:, 0] - score[:, 1]) * np.where(results["team_a"] == 0, 1, -1)
