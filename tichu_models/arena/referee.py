"""The referee asks the agents, and handles invalid, crashed and late answers.

`Referee` raises every failure as an error, for trusted agents. `LenientReferee` turns it into a forfeit, which ends the
game of that table and no other: if an agent fails on a batch, the halves of the batch are asked again, down to the
single questions that it fails on. It also measures the time of each decision.
"""

from __future__ import annotations

import signal
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

import numpy as np

from tichu_models.players.base import Agent
from tichu_models.records.schema import Rounds
from tichu_models.rules.asking import BOMB_THROW, KINDS, PLAY
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import labels

ILLEGAL, CRASH, TIMEOUT = "illegal", "crash", "timeout"
REASONS = (ILLEGAL, CRASH, TIMEOUT)
NANOSECOND = 1e-9
STEPS = 8  # bins of times for each doubling
BINS = 48 * STEPS  # of a histogram of times, from a nanosecond on

# (agent, kind) that have answered in this process. The first answer is not timed: it loads and compiles.
_warm: set[tuple[str, int]] = set()


@dataclass(frozen=True)
class Forfeit:
    """A game that ended because an agent gave no legal answer."""

    game: int
    round_index: int
    turn: int  # plays and passes so far
    decision: int  # decisions asked so far in the game
    seat: int
    agent: str
    kind: str
    reason: str
    text: str
    details: str = ""  # the traceback of a crash

    def __str__(self) -> str:
        return (
            f"agent '{self.agent}' at seat {self.seat}, asked for {self.kind} in game {self.game}, round "
            f"{self.round_index}, turn {self.turn}: {self.text}"
        )


class IllegalAnswer(Exception):
    """An agent gave an answer that the rules do not allow, or one without the form of answers."""


class Overtime(Exception):
    """An agent took longer than the time limit."""


@dataclass(frozen=True)
class Fault:
    """Why an agent gave no legal answer to a question."""

    reason: str
    text: str
    details: str = ""


def illegal_choice(kind: int, choice: int, code: int) -> Fault:
    """The fault of an illegal answer; `code` is the RuleBreak."""
    is_cards = kind in (PLAY, BOMB_THROW) and choice > 0
    answer = " ".join(labels(choice)) if is_cards else str(choice)
    return Fault(ILLEGAL, f"answered '{answer}' ({RuleBreak(code).name}), expected a legal choice")


Extras = Mapping[str, np.ndarray]  # what `arena.extras` gives an agent beside its views, one for each view


def answers(agent: Agent, kind: int, views: np.ndarray, extras: Extras) -> np.ndarray:
    """An agent's answers to a batch; raises IllegalAnswer unless there is one int64 for each view."""
    choices = np.asarray(agent.decide(kind, views, **extras))
    if choices.shape != (len(views),) or choices.dtype != np.int64:
        raise IllegalAnswer(
            f"agent '{agent.name}' answered {len(views)} questions of kind {KINDS[kind]} with an array of shape "
            f"{choices.shape} and type {choices.dtype}: expected ({len(views)},) of int64"
        )
    return choices


class Referee:
    """Raises every failure of an agent."""

    def ask(self, agent: Agent, kind: int, views: np.ndarray, extras: Extras) -> tuple[np.ndarray, dict[int, Fault]]:
        """One answer for each view, and the faults by the place of their view."""
        return answers(agent, kind, views, extras), {}

    def note(self, forfeit: Forfeit, broken: Rounds) -> None:
        """Is called for a game that cannot go on, with its round so far."""
        raise IllegalAnswer(str(forfeit))

    def finish(self, rounds: Rounds) -> None:
        """Is called with the rounds that have just ended."""


class LenientReferee(Referee):
    """Collects forfeits and the agents' times. `limit` is the time limit of a decision in seconds."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.forfeits: list[Forfeit] = []
        self.broken: list[Rounds] = []
        self.times: dict[str, np.ndarray] = {}  # by agent: the number of decisions in each bin of times

    def ask(self, agent: Agent, kind: int, views: np.ndarray, extras: Extras) -> tuple[np.ndarray, dict[int, Fault]]:
        """One answer for each view, 0 where there is a fault, and the faults by the place of their view."""
        faults: dict[int, Fault] = {}
        return self._ask(agent, kind, views, extras, faults, 0), faults

    def note(self, forfeit: Forfeit, broken: Rounds) -> None:
        """Keeps the forfeit and the broken round."""
        self.forfeits.append(forfeit)
        self.broken.append(broken)

    def add_time(self, name: str, seconds: float, decisions: int) -> None:
        """Adds decisions that took `seconds` all together, each with the mean time."""
        times = self.times.setdefault(name, np.zeros(BINS, dtype=np.int64))
        doublings = np.log2(max(seconds / decisions / NANOSECOND, 1.0))
        times[min(int(doublings * STEPS), BINS - 1)] += decisions

    def _ask(
        self, agent: Agent, kind: int, views: np.ndarray, extras: Extras, faults: dict[int, Fault], first: int
    ) -> np.ndarray:
        """Asks a part of a batch, which begins at the place `first`; after a failure, each half of it by itself."""
        started = time.perf_counter()
        try:
            with time_limit(self.limit and self.limit * len(views)):
                choices = answers(agent, kind, views, extras)
        except IllegalAnswer as error:
            fault = Fault(ILLEGAL, str(error))
        except Overtime:
            fault = Fault(TIMEOUT, f"took longer than {self.limit:g} s")
        except Exception as error:  # noqa: BLE001  whatever it is, it costs this agent's table only
            fault = Fault(CRASH, f"raised {type(error).__name__}: {error}", traceback.format_exc())
        else:
            if (agent.name, kind) in _warm:
                self.add_time(agent.name, time.perf_counter() - started, len(views))
            _warm.add((agent.name, kind))
            return choices
        if len(views) == 1:
            self.add_time(agent.name, time.perf_counter() - started, 1)
            faults[first] = fault
            return np.zeros(1, dtype=np.int64)
        half = len(views) // 2
        parts = []
        for part in (slice(half), slice(half, None)):
            own_extras = {name: each[part] for name, each in extras.items()}
            parts.append(self._ask(agent, kind, views[part], own_extras, faults, first + (part.start or 0)))
        return np.concatenate(parts)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raises Overtime within a block that takes longer. Outside the main thread it is raised only at its end."""
    if seconds is None:
        yield
        return
    started = time.perf_counter()
    interrupts = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if not interrupts:
        yield
    else:
        former = signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)
    if time.perf_counter() - started > seconds:
        raise Overtime


def _ring(_: int, frame: FrameType | None) -> NoReturn:
    """The handler of the timer's signal."""
    raise Overtime


def quantile_of_times(times: np.ndarray, share: float) -> float | None:
    """A quantile of the times of decisions in seconds, exact to a few percent; None if there are none."""
    decisions = int(times.sum())
    if decisions == 0:
        return None
    place = int(np.searchsorted(np.cumsum(times), share * decisions))
    return float(NANOSECOND * 2.0 ** ((place + 0.5) / STEPS))
