"""Rounds as tasks that are judged anywhere: in this process, in others of this machine, or on a cluster.

A round is always judged alone, so that the verdict does not depend on where that is or on how many are judged at once.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tichu_models.agents.registry import agent_from
from tichu_models.review.judge import Judge
from tichu_models.review.report import JudgedRound, LoggedGame, judged_round
from tichu_models.review.settings import JudgeSettings


@dataclass(frozen=True)
class Referees:
    """Who judges, as plain data."""

    agent: str
    runs: Path | None  # the folder of runs
    settings: JudgeSettings
    beside: str | None = None  # the agent with the second opinion


@dataclass(frozen=True)
class RoundTask:
    """A round that is to be judged: a game of one round."""

    game: LoggedGame
    referees: Referees
    player: str | None = None  # whose decisions are judged; None: everybody's


@lru_cache(maxsize=16)
def _judge_of(agent: str, runs: Path | None, settings: JudgeSettings, thread: int) -> Judge:
    """A judge for each thread, built once."""
    return Judge(agent_from(agent, runs), settings)


def judge_task(task: RoundTask) -> JudgedRound:
    """Judges a round. Raises AgentError or RefereeError."""
    by, thread = task.referees, threading.get_ident()
    judge = _judge_of(by.agent, by.runs, by.settings, thread)
    beside = _judge_of(by.beside, by.runs, by.settings, thread) if by.beside else None
    return judged_round(task.game, judge, task.player, beside)
