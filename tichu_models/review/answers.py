"""Which answers are tried at a decision: the one that was given, the referee's own, and those that it finds likely.

Answers that differ only in the colours of their cards count as one, unless the seat holds a bomb, for which colours
matter; so do all bombs that may be thrown. A decision is open if at least two answers are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tichu_models.players.base import Agent
from tichu_models.review.referee import likely_answers
from tichu_models.review.supposed_rounds import kin_of_plays
from tichu_models.rules.asking import BOMB_THROW, KINDS, PLAY, SCHUPF, given_cards
from tichu_models.rules.cards import DECK, VALUE_OF_INDEX
from tichu_models.rules.legal import has_bomb

FEW = 2  # so many answers are all tried where the referee has no probabilities


class Tried(NamedTuple):
    """The answers that are tried at some decisions, end to end, the given one first."""

    answers: np.ndarray  # int64 (k,): packed plays, for plays and bombs
    shares: np.ndarray  # float64 (k,): how likely the referee finds each, NaN where it has no probabilities
    counts: np.ndarray  # int64 (n,): one where the decision is not open

    def of(self, decisions: np.ndarray) -> Tried:
        """Those of some of the decisions."""
        ends = self.counts.cumsum()
        rows = [np.arange(ends[i] - self.counts[i], ends[i]) for i in decisions]
        places = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        return Tried(self.answers[places], self.shares[places], self.counts[decisions])


def _kin_of(kind: int, views: np.ndarray, answers: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """A number for each answer, equal for those that count as one."""
    if kind == BOMB_THROW:
        return (answers != 0).astype(np.int64)
    kin = answers.copy()
    if kind == PLAY:
        kin_of_plays(np.ascontiguousarray(views["hand"]), answers, counts, kin)
    elif kind == SCHUPF:
        right, partner, left = (VALUE_OF_INDEX[card].astype(np.int64) for card in given_cards(answers))
        plain = np.repeat([not has_bomb(hand) for hand in views["hand"].tolist()], counts)
        kin[plain] = -1 - (right | partner << 8 | left << 16)[plain]
    return kin


def answers_tried(player: Agent, decisions: np.ndarray, width: int, least: float) -> Tried:
    """The answers that are tried at decisions (LOGGED): at most `width` with a probability of `least` at least, and in
    any case the given one and the player's own."""
    chosen: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(0, dtype=np.int64), np.zeros(0))] * len(decisions)
    for kind in range(len(KINDS)):
        rows = np.flatnonzero(decisions["seen"]["kind"] == kind)
        if len(rows):
            for row, of_row in zip(rows, _of_kind(player, kind, decisions[rows], width, least), strict=True):
                chosen[row] = of_row
    counts = np.array([len(answers) for answers, _ in chosen], dtype=np.int64)
    none = np.zeros(0, dtype=np.int64), np.zeros(0)
    answers, shares = (np.concatenate([none[column], *(part[column] for part in chosen)]) for column in range(2))
    return Tried(answers, shares, counts)


def _of_kind(
    player: Agent, kind: int, decisions: np.ndarray, width: int, least: float
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Answers and their shares for each of these decisions, all of one kind."""
    views, given = np.ascontiguousarray(decisions["seen"]), decisions["answer"]
    own = player.decide(kind, views)
    moves, shares = likely_answers(player, kind, views, given)
    kin, ends = _kin_of(kind, views, *moves), moves.counts.cumsum()
    bare = moves.plays & DECK if kind in (PLAY, BOMB_THROW) else moves.plays
    for i, (begin, end) in enumerate(zip(ends - moves.counts, ends, strict=True)):
        part = slice(begin, end)
        places, totals = _chosen(shares[part], kin[part], bare[part], (given[i], own[i]), width, least)
        yield moves.plays[part][places], totals


def _chosen(
    shares: np.ndarray, kin: np.ndarray, answers: np.ndarray, always: tuple[int, int], width: int, least: float
) -> tuple[np.ndarray, np.ndarray]:
    """The places of the answers that are tried, one of each kin, and how likely each kin is. `always` are the given
    answer and the player's own, which stand for their kin."""
    _, once = np.unique(answers, return_index=True)
    _, group = np.unique(kin, return_inverse=True)
    totals = np.bincount(group[once], shares[once])
    likely = np.argsort(-totals, kind="stable")
    if np.isnan(totals).any():
        likely = likely[: FEW if len(totals) <= FEW else 0]
    else:
        likely = likely[totals[likely] >= least]
    stands_for: dict[int, int] = {}
    for answer in always:
        for place in np.flatnonzero(answers == answer)[:1].tolist():
            stands_for.setdefault(int(group[place]), place)
    for each in likely.tolist():
        if len(stands_for) < max(width, FEW):
            of_kin = np.flatnonzero(group == each)
            stands_for.setdefault(each, int(of_kin[np.argmax(shares[of_kin])]))
    return np.array(list(stands_for.values())), totals[list(stands_for)]
