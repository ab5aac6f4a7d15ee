"""MCTSRLAgent: search that is led by a player who learned from self-play (concept 2.2).

For a play with a choice it supposes deals, and tries the plays that the player finds likely on each of them: the rest
of the round is played on by the same player at all seats. Another play than the player's own is chosen only if it is
better on these deals by more than chance allows. Deals are supposed some at a time: a choice that more of them would
hardly change is made at once. There are no rules of thumb in it. All decisions other than plays are the player's own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tichu_models.agents.believer import Believer
from tichu_models.agents.choosing import Moves, moves_of, softmax
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.agents.options import LedSearchOptions
from tichu_models.players.base import Agent, Opinion
from tichu_models.rules.asking import PLAY, POSITION
from tichu_models.rules.cards import DECK
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.paired import is_settled, surely_best
from tichu_models.search.playouts import Judge, Playouts, branch, on_turn

USUAL_DEALS, MOST_DEALS = 128, 4096
FIRST_DEALS = 32  # then as many more as there were before, as long as the choice is open
POSITIONS_AT_ONCE = 8192


@dataclass(frozen=True)
class Tried:
    """The plays that were tried at some decisions, and what each was worth on every supposed deal."""

    moves: Moves  # all legal ones
    shares: np.ndarray  # float64 (m,): how likely the player finds each
    counts: np.ndarray  # int64 (n,): how many were tried at each decision, one where nothing is to be searched
    places: np.ndarray  # int64 (k,) end to end: their places among all moves, the player's own play first
    values: np.ndarray  # float64 (k, deals): points / 100 by which the own team would win
    weights: np.ndarray  # float64 (n, deals): of the deals, 0 where none was found, or none was needed any more


class MCTSRLAgent(Agent):
    """A player who searches by playouts of another one. `judge` values positions some plies ahead; None: playouts go
    to the end of the round."""

    def __init__(self, name: str, policy: NNetAgent, options: LedSearchOptions, judge: Judge | None = None) -> None:
        self.name, self.policy, self.options = name, policy, options
        self.past, self.by_rule, self.answered_by = policy.past, policy.by_rule, policy.answered_by
        self.wants = ("transcripts", "hands") if options.open else ("transcripts",)
        self.timed = options.seconds is not None
        self.believer = Believer(policy, options.seed)
        self._playouts = Playouts(policy, judge, options.plies, options.solve)

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """One answer for each view. Only plays with a choice are searched."""
        if kind != PLAY:
            return self.policy.decide(kind, views)
        tried = self.consider(views, **extras)
        firsts = tried.counts.cumsum() - tried.counts
        chosen = firsts.copy()
        certainty = 0.0 if self.options.open else self.options.certainty  # one deal, but the true one
        for i in np.flatnonzero(tried.counts > 1):
            values = tried.values[firsts[i] : firsts[i] + tried.counts[i]]
            chosen[i] += surely_best(values, tried.weights[i], 0, certainty)
        return tried.moves.plays[tried.places[chosen]] & DECK

    def opinion(self, views: np.ndarray, **extras: np.ndarray) -> Opinion:
        """The mean value of each play that was tried, and on how many deals. Other plays score lowest."""
        tried = self.consider(views, **extras)
        values = np.full(len(tried.moves.plays), np.nan)
        visits = np.zeros(len(values))
        if tried.counts[0] > 1 and tried.weights[0].any():
            values[tried.places] = tried.values @ tried.weights[0] / tried.weights[0].sum()
            visits[tried.places] = (tried.weights[0] > 0).sum()
        else:
            visits[tried.places[0]], values[tried.places[0]] = 1, 0.0
        return Opinion(tried.moves.plays, np.where(visits > 0, values, -np.inf), VALUE_UNIT * values, visits)

    def consider(self, views: np.ndarray, answers: np.ndarray | None = None, **extras: np.ndarray) -> Tried:
        """Tries plays at some decisions. `answers` are plays (masks of cards) that are tried in any case."""
        moves = moves_of(views)
        shares = np.empty(len(moves.plays))
        softmax(self.policy.likelihoods(views, moves), moves.counts, shares)
        counts, places = self._candidates(moves, shares, answers)
        deals = self._deals()
        values = np.zeros((len(places), deals))
        weights = np.zeros((len(views), deals))
        searched, ends = np.flatnonzero(counts > 1), counts.cumsum()
        seconds = (self.options.seconds or 0.0) * len(searched)
        done, chunk = 0, deals if self._at_once else min(FIRST_DEALS, deals)
        while chunk and len(searched):
            began = time.monotonic()
            self._try(views, moves, counts, places, searched, slice(done, done + chunk), extras, values, weights)
            done += chunk
            spent = time.monotonic() - began
            seconds, of_a_deal = seconds - spent, spent / (len(searched) * chunk)
            if self.options.early:
                rows = [slice(ends[i] - counts[i], ends[i]) for i in searched]
                settled = [
                    is_settled(values[each, :done], weights[i, :done], 0, self.options.certainty)
                    for i, each in zip(searched, rows, strict=True)
                ]
                searched = searched[~np.array(settled)]
            chunk = min(done, deals - done)
            if self.timed and len(searched):
                chunk = max(0, min(chunk, int(seconds / (of_a_deal * len(searched)))))
        return Tried(moves, shares, counts, places, values[:, :done], weights[:, :done])

    @property
    def _at_once(self) -> bool:
        """Whether all deals are supposed at once. Those that are weighed are, since weights are relative."""
        return self.options.open or self.options.trust > 0 or not (self.options.early or self.timed)

    def _deals(self) -> int:
        """How many deals are supposed for each decision at most."""
        if self.options.open:
            return 1
        if self.options.seconds is not None:
            return MOST_DEALS
        if self.options.simulations is not None:
            return max(2, self.options.simulations // self.options.width)
        return self.options.deals or USUAL_DEALS

    def _candidates(
        self, moves: Moves, shares: np.ndarray, answers: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """How many plays are tried at each decision, and their places end to end, the likeliest first."""
        counts, places, first = np.ones(len(moves.counts), dtype=np.int64), [], 0
        for i, n in enumerate(moves.counts):
            own = shares[first : first + n]
            order = np.argsort(-own, kind="stable")
            tried = order[: self.options.width]
            tried = tried[(own[tried] >= self.options.least) | (tried == order[0])]
            if answers is not None:
                given = np.flatnonzero(moves.plays[first : first + n] & DECK == answers[i])
                tried = np.concatenate([tried, given[~np.isin(given, tried)]])
            counts[i] = len(tried)
            places.append(first + tried)
            first += n
        return counts, np.concatenate(places)

    def _try(
        self,
        views: np.ndarray,
        moves: Moves,
        counts: np.ndarray,
        places: np.ndarray,
        searched: np.ndarray,
        deals: slice,
        extras: Mapping[str, np.ndarray],
        values: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        """Writes the values and the weights of some deals, for decisions that are searched, some at a time."""
        n = deals.stop - deals.start
        ends = counts.cumsum()
        at_once = max(1, POSITIONS_AT_ONCE // (n * int(counts[searched].max())))
        for begin in range(0, len(searched), at_once):
            part = searched[begin : begin + at_once]
            seen, hands = views[part], extras["hands"][part] if self.options.open else None
            believed = (seen, extras["transcripts"][part], n, hands, deals.start)
            states, weighed = self.believer.weighted(*believed, trust=self.options.trust)
            weights[part, deals] = weighed.reshape(len(part), n)
            rows = np.concatenate([np.arange(ends[i] - counts[i], ends[i]) for i in part])
            positions = np.zeros(len(rows) * n, dtype=POSITION)
            asked = on_turn(states, np.repeat(seen["seat"], n))
            branch(asked, moves.plays[places[rows]], counts[part], n, positions)
            signs = np.repeat(1 - 2 * (seen["seat"].astype(np.int64) & 1), counts[part])
            values[rows, deals] = self._playouts.play(positions).reshape(-1, n) * signs[:, None]
