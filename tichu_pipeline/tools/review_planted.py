"""Decisions of generated games, judged with the answer that was given and with every other one in its place.

What each answer is really worth is measured first, on so many other deals that little noise is left. So it is known
which answers are errors and how large, and whether the judge sees them at its usual budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tichu_models.agents.choosing import moves_of
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.table import fixtures_of
from tichu_models.players.base import Agent
from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before
from tichu_models.review.answers import Tried, answers_tried
from tichu_models.review.judge import Judge
from tichu_models.review.logged import Finder
from tichu_models.review.losses import GIVEN, loss_of
from tichu_models.review.repeated import taken_later
from tichu_models.review.settings import JudgeSettings
from tichu_models.rules.asking import BOMB_THROW, KINDS, PLAY, SCHUPF
from tichu_models.rules.cards import DECK

OTHER_DEALS = 1 << 14  # number of the first deal by which values are measured, beyond those of the judge


@dataclass(frozen=True)
class GameTask:
    """A game to generate, and how its decisions are measured."""

    player: str  # plays at all four seats, and is the referee
    runs: Path
    seed: int
    game: int
    decisions: int  # of the game, drawn at random from the open ones
    deals: int  # by which values are measured
    one: bool = False  # one answer of each, drawn at random, is judged as the given one; otherwise every one in turn


class Row(NamedTuple):
    """A decision that was judged with one of its answers as the given one."""

    decision: int  # in its game
    kind: str
    planted: bool  # the answer was put in the place of the one that was given
    worth: float  # what the answer really costs, by the many deals
    worth_error: float
    again: bool  # the judge looked closer than twice
    loss: float  # by the judge, before it is shrunk to "no difference seen"
    error: float
    seen: bool
    certain: bool


@lru_cache(maxsize=2)
def _agent(player: str, runs: Path) -> Agent:
    """The agent of this name; it is built once in a process."""
    return agent_from(player, runs)


def generated(player: str, runs: Path, seed: int, game: int) -> Rounds:
    """The rounds of a game of one player at all four seats."""
    fixtures = fixtures_of(np.zeros((1, 4), dtype=np.int32), seed, game)
    return lockstep.play([_agent(player, runs)], fixtures)


def decisions_in(rounds: Rounds, key: int) -> np.ndarray:
    """The decisions of a game (LOGGED); chances that were taken later are no decisions."""
    decisions = Finder().decisions(rounds.rows, scores_before(rounds.rows), rounds.history, key)
    return decisions[~taken_later(decisions)]


def rows_of(task: GameTask) -> list[Row]:
    """The rows of a game."""
    agent, settings = _agent(task.player, task.runs), JudgeSettings(seed=task.seed)
    judge, chance = Judge(agent, settings), np.random.default_rng([task.seed, task.game])
    decisions = decisions_in(generated(task.player, task.runs, task.seed, task.game), task.game)
    tried = answers_tried(judge.player, decisions, settings.width, settings.least)
    chosen = np.sort(chance.permutation(np.flatnonzero(tried.counts > 1))[: task.decisions])
    rows: list[Row] = []
    for i in chosen:
        of_one = tried.of(np.array([i]))
        answers = _and_one_more(decisions[i], of_one, chance)
        given: Sequence[int] = range(len(answers.answers))
        if task.one:
            given = [int(chance.choice(given))]
        rows += _rows_of_decision(int(i), decisions[i : i + 1], answers, given, judge, task)
    return rows


def _and_one_more(decision: np.void, tried: Tried, chance: np.random.Generator) -> Tried:
    """The answers that are tried and any other legal one: few errors are what a strong player finds likely."""
    kind = int(decision["seen"]["kind"])
    if kind == SCHUPF:
        return tried
    bits = DECK if kind in (PLAY, BOMB_THROW) else -1
    legal = moves_of(decision["seen"][None], kind).plays
    others = legal[~np.isin(legal & bits, tried.answers & bits)]
    if len(others) == 0:
        return tried
    answers = np.append(tried.answers, chance.choice(others))
    return Tried(answers, np.append(tried.shares, 0.0), np.array([len(answers)]))


def _rows_of_decision(
    number: int, decision: np.ndarray, tried: Tried, given: Iterable[int], judge: Judge, task: GameTask
) -> Iterator[Row]:
    """The rows of a decision with each of these answers as the given one."""
    (values,), (weights,) = judge.values(decision, tried, task.deals, OTHER_DEALS)
    for k in given:
        order = [k, *(other for other in range(len(tried.answers)) if other != k)]
        worth = loss_of(values[order], weights)
        # Every answer on deals of its own: the rows of a decision do not share their luck.
        other = Judge(judge.player, replace(judge.settings, seed=judge.settings.seed + k))
        judged = other.judge_these(decision, Tried(tried.answers[order], tried.shares[order], tried.counts))
        yield Row(
            decision=number,
            kind=KINDS[decision["seen"]["kind"][0]],
            planted=k != GIVEN,
            worth=round(worth.mean, 2),
            worth_error=round(worth.error, 2),
            again=bool(judged.again[0]),
            loss=round(judged.losses[0].mean, 2),
            error=round(judged.losses[0].error, 2),
            seen=judged.loss(0) > 0,
            certain=judged.is_certain(0),
        )


def facts_of(task: GameTask) -> list[dict[str, Any]]:
    """The rows of a game as records."""
    return [row._asdict() for row in rows_of(task)]
