"""Lessons: what a search has found to be better than the play of the run that leads it.

The run plays rounds against itself. At each of its plays with a choice the search tries others; one that is surely
better on the supposed deals is tried again on other deals, more of them. Only what is surely better there too is a
lesson: of many plays that are tried, some look better by chance. A share of the other plays is kept as well, so that a
network that learns the lessons can be held to what it did elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tichu_models.agents.mctsrl import MCTSRLAgent, Tried
from tichu_models.agents.registry import agent_from
from tichu_models.arena.lockstep import play
from tichu_models.arena.table import fixtures_of
from tichu_models.observation.view import VIEW
from tichu_models.players.base import Agent
from tichu_models.rules.asking import PLAY
from tichu_models.rules.cards import DECK
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.paired import gains, surely_best

KEPT = 0.1  # share of the plays kept that are no lesson
OTHER_SEED = 1 << 20  # of the deals on which a lesson is verified: the search's own seed is below it
LESSON = np.dtype(
    [
        ("view", VIEW),
        ("own", np.int64),  # the run's own play, as a mask of cards
        ("better", np.int64),  # the one that is better, or the own one where there is no lesson
        ("gain", np.float32),  # points by which it is better on the deals that verified it
        ("error", np.float32),  # the standard error of that
    ],
    align=True,
)


@dataclass(frozen=True)
class LessonOptions:
    """How lessons are found."""

    deals: int = 64  # on which plays are tried
    verified_on: int = 192  # deals on which one that looks better is tried again
    certainty: float = 2.0  # standard errors by which it must be better, both times
    least: float = 5.0  # points by which it must be better at least


@dataclass(frozen=True)
class Lessons:
    """Lessons, and plays that are none."""

    rows: np.ndarray  # LESSON
    tried: int  # plays at which others were tried
    looked_better: int  # of these, those at which another one was surely better at first

    @property
    def verified(self) -> np.ndarray:
        """Which rows are lessons."""
        return self.rows["own"] != self.rows["better"]


class Examined(Agent):
    """A run that plays, while a search looks for better plays and writes them down."""

    wants = ("transcripts",)

    def __init__(self, run: str, runs: Path | None, options: LessonOptions) -> None:
        self.name, self.options = run, options
        self.search = _led_by(run, runs, f"deals={options.deals}")
        self.verifier = _led_by(run, runs, f"deals={options.verified_on},width=2,early=false,seed={OTHER_SEED}")
        self.policy = self.search.policy
        self.past, self.by_rule, self.answered_by = self.policy.past, self.policy.by_rule, self.policy.answered_by
        self._found: list[np.ndarray] = []
        self._tried = self._looked_better = 0

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The run's own answers."""
        if kind != PLAY:
            return self.policy.decide(kind, views)
        tried = self.search.consider(views, **extras)
        firsts = tried.counts.cumsum() - tried.counts
        own = tried.moves.plays[tried.places[firsts]] & DECK
        self._examine(views, own, tried, firsts, extras["transcripts"])
        return own

    def _examine(
        self, views: np.ndarray, own: np.ndarray, tried: Tried, firsts: np.ndarray, transcripts: np.ndarray
    ) -> None:
        """Writes down what is surely better, and some of the plays at which nothing is."""
        better = own.copy()
        for i in np.flatnonzero(tried.counts > 1):
            values = tried.values[firsts[i] : firsts[i] + tried.counts[i]]
            best = surely_best(values, tried.weights[i], 0, self.options.certainty)
            better[i] = tried.moves.plays[tried.places[firsts[i] + best]] & DECK
        rows = np.zeros(len(views), dtype=LESSON)
        rows["view"], rows["own"], rows["better"] = views, own, own
        suspects = np.flatnonzero(better != own)
        if len(suspects):
            again = self.verifier.consider(views[suspects], better[suspects], transcripts=transcripts[suspects])
            begins = again.counts.cumsum() - again.counts
            for k, i in enumerate(suspects):
                cards = again.moves.plays[again.places[begins[k] : begins[k] + again.counts[k]]] & DECK
                place = int(np.flatnonzero(cards == better[i])[0])
                means, errors = gains(again.values[begins[k] : begins[k] + again.counts[k]], again.weights[k], 0)
                if means[place] > max(self.options.certainty * errors[place], self.options.least / VALUE_UNIT):
                    rows[i]["better"] = better[i]
                    rows[i]["gain"], rows[i]["error"] = VALUE_UNIT * means[place], VALUE_UNIT * errors[place]
        open_ = tried.moves.counts > 1
        drawn = (views["key"] >> np.uint64(11)) / 2.0**53 < KEPT
        self._found.append(rows[(rows["better"] != own) | (open_ & drawn & (better == own))])
        self._tried += int((tried.counts > 1).sum())
        self._looked_better += len(suspects)

    def found(self) -> Lessons:
        """All that was written down."""
        rows = np.concatenate(self._found) if self._found else np.zeros(0, dtype=LESSON)
        return Lessons(rows, self._tried, self._looked_better)


def _led_by(run: str, runs: Path | None, options: str) -> MCTSRLAgent:
    agent = agent_from(f"mctsrl:{run},{options}", runs)
    assert isinstance(agent, MCTSRLAgent)
    return agent


def lessons_of(run: str, runs: Path | None, options: LessonOptions, rounds: int, seed: int) -> Lessons:
    """Plays so many rounds and returns what was found. They are the same whoever plays them."""
    agent = Examined(run, runs, options)
    play([agent], fixtures_of(np.zeros((rounds, 4), dtype=np.int32), seed), max_rounds=1)
    return agent.found()
