"""Corpora of one player: whole games with the same agent at all four seats, as yearly zips.

Corpora with the same number of games and seed have the same deals, whoever plays them, as long as a game lasts. The
same arguments give the same bytes, whatever the number of workers.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.table import fixtures_of
from tichu_models.players.base import Agent
from tichu_pipeline.brettspielwelt.corpus.generate import Corpus
from tichu_pipeline.brettspielwelt.corpus.yearly_zips import Calendar, yearly_zip
from tichu_pipeline.brettspielwelt.text.game_logs import texts
from tichu_pipeline.storage.workers import Processes

GAMES_A_TASK = 1024


@dataclass(frozen=True)
class Task:
    """Games to play, and the folder of runs from which their player comes."""

    player: str
    runs: Path
    first: int
    games: int
    seed: int


@dataclass(frozen=True)
class PlayedGames:
    """Games that were played: the number and the log of each, and how many rounds they have together."""

    logs: list[tuple[int, bytes]]
    rounds: int


def generate_played(
    out: Path, player: str, runs: Path, games: int, months: list[str], seed: int, workers: int | None = None
) -> Corpus:
    """Writes OUT/YYYY.zip for each year of the months. `player` is the name of an agent, as tournaments take it."""
    if agent_from(player, runs).timed:
        raise AgentError(f"agent '{player}': thinks for a given time, so that its games could not be made again")
    calendar = Calendar(months, games, np.zeros(games, dtype=np.int64))
    paths = calendar.paths(out)
    tasks = [
        Task(player, runs, first, min(GAMES_A_TASK, games - first), seed) for first in range(0, games, GAMES_A_TASK)
    ]
    rounds = 0
    with ExitStack() as stack:
        archives = {year: stack.enter_context(yearly_zip(path)) for year, path in paths.items()}
        for played in Processes(workers or os.cpu_count() or 1).map(play_task, tasks):
            rounds += played.rounds
            for number, text in played.logs:
                month = calendar.month(number)
                archives[month[:4]](month, calendar.game_id(number), text)
    return Corpus(games, rounds, sum(path.stat().st_size for path in paths.values()), {})


@lru_cache(maxsize=1)
def _agent(player: str, runs: Path) -> Agent:
    """The agent of this name; it is built once in a process."""
    return agent_from(player, runs)


def play_task(task: Task) -> PlayedGames:
    """Plays the games of a task, and writes their logs."""
    fixtures = fixtures_of(np.zeros((task.games, 4), dtype=np.int32), task.seed, task.first)
    rounds = lockstep.play([_agent(task.player, task.runs)], fixtures)
    names = [f"{task.player} {seat}" for seat in range(4)]
    return PlayedGames(texts(rounds, names, np.tile(np.arange(4), (len(rounds), 1))), len(rounds))
