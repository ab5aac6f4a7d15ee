"""The facts of a tournament, which are printed, plotted and stored: pairings, ratings, times, forfeits.

They are computed from the rows of `results`, so that a stored tournament gives the same facts as one just played. Only
`times` depends on the clock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.arena.referee import REASONS, quantile_of_times
from tichu_models.arena.tournament import PlayedTournament, TournamentRequest, margins, points_of, values_of
from tichu_models.ratings import Rating, ratings
from tichu_models.rules.state import CALLED_BEFORE_PLAY, CALLED_GRAND, SEATS
from tichu_models.statistics import bootstrap, controlled, wilson

PLURALS = dict(zip(REASONS, ("illegal", "crashes", "timeouts"), strict=True))


def summary(played: PlayedTournament) -> dict[str, Any]:
    """The facts of a tournament, ready for JSON."""
    request = played.request
    parts = [played.results[played.results["pairing"] == pairing] for pairing in range(len(request.pairings))]
    rated = ratings(request.agents, request.pairings, [points_of(part)[0] for part in parts])
    return {
        "seed": request.seed,
        "whole_games": request.whole_games,
        "pairings": [_pairing(played, pairing, part) for pairing, part in enumerate(parts)],
        "ratings": [{**_rating(rating), **_field(played, rating.place, parts)} for rating in rated],
        "times": [_times(name, played) for name in dict.fromkeys(request.agents)],
        "decisions": [{"name": name, "answered_by": kinds} for name, kinds in played.answered_by.items()],
        "forfeits": [
            {"table": forfeit.game, "agent": forfeit.agent, "reason": forfeit.reason, "what": str(forfeit)}
            for forfeit in played.forfeits
        ],
        "left_out": [{"run": run, "why": why} for run, why in played.left_out],
    }


def _pairing(played: PlayedTournament, pairing: int, results: np.ndarray) -> dict[str, Any]:
    """The facts of a pairing; margins are those of its first agent."""
    request = played.request
    names = request.names(pairing)
    points, rounds = points_of(results)
    facts: dict[str, Any] = {
        "a": names[0],
        "b": names[1],
        "deals": len(points),
        "rounds": len(results),
        "points_per_round": float(points.sum() / rounds.sum()),
        "interval": list(bootstrap(points, rounds, request.seed)),
        "deals_won": int((points > 0).sum()),
        "deals_lost": int((points < 0).sum()),
        "deals_tied": int((points == 0).sum()),
        **_games(request, results),
        "illegal": int((results["forfeit"] == 1 + REASONS.index("illegal")).sum()),
        "forfeits": int((results["forfeit"] > 0).sum()),
        "timed": any(name in played.timed for name in names),
        "sides": [{"name": name, **_side(results, of_b)} for of_b, name in enumerate(names)],
    }
    if request.control:
        facts |= _controlled(request, results, points, rounds)
    if request.test:
        verdict = request.test.look(values_of(results))
        facts["decided"] = names["ab".index(verdict.better)] if verdict.better else None
        facts["log_likelihood_ratio"] = verdict.log_likelihood_ratio
    return facts


def _controlled(
    request: TournamentRequest, results: np.ndarray, points: np.ndarray, rounds: np.ndarray
) -> dict[str, Any]:
    """Points a round with the control variate subtracted, and the share of the variance that it explains: of deals, and
    of the rounds of single tables."""
    signed = results["control"].astype(np.float64) * np.where(results["team_a"] == 0, 1.0, -1.0)
    adjusted = controlled(points, np.bincount(results["deal"], weights=signed))
    single = margins(results).astype(np.float64)
    return {
        "control": request.control,
        "controlled_points_per_round": float(adjusted.sum() / rounds.sum()),
        "controlled_interval": list(bootstrap(adjusted, rounds, request.seed)),
        "variance_explained": _explained(points, adjusted),
        "variance_explained_of_rounds": _explained(single, controlled(single, signed)),
    }


def _explained(before: np.ndarray, after: np.ndarray) -> float:
    """The share of the variance that the control variate has removed."""
    variance = float(np.var(before))
    return 1 - float(np.var(after)) / variance if variance else 0.0


def _games(request: TournamentRequest, results: np.ndarray) -> dict[str, Any]:
    """Whole games: who has more points at the end, or did not forfeit. Empty where a deal is a single round."""
    if not request.whole_games:
        return {"games": 0, "games_won": 0, "games_lost": 0, "games_drawn": 0, "win_rate": None, "win_interval": None}
    tables, place = np.unique(results["table"], return_inverse=True)
    totals = np.bincount(place, weights=margins(results), minlength=len(tables))
    forfeited = results["forfeit"] > 0
    totals[place[forfeited]] = margins(results)[forfeited]
    won, lost = int((totals > 0).sum()), int((totals < 0).sum())
    drawn = len(tables) - won - lost
    return {
        "games": len(tables),
        "games_won": won,
        "games_lost": lost,
        "games_drawn": drawn,
        "win_rate": (won + drawn / 2) / len(tables),
        "win_interval": list(wilson(won + drawn / 2, len(tables))),
    }


def _side(results: np.ndarray, of_b: int) -> dict[str, int]:
    """Counts for one agent of a pairing: calls, double victories, bombs, forfeits."""
    team = results["team_a"] ^ of_b
    seats = np.array(SEATS)
    own = team[:, None] == seats % 2
    first = results["winner"][:, None] == seats
    small, grand = results["tichu_position"] >= CALLED_BEFORE_PLAY, results["tichu_position"] == CALLED_GRAND
    failed = [
        (PLURALS[reason], (results["forfeit"] == code) & (results["forfeit_seat"] % 2 == team))
        for code, reason in enumerate(REASONS, start=1)
    ]
    return {
        "tichu_called": int((small & own).sum()),
        "tichu_made": int((small & own & first).sum()),
        "grand_called": int((grand & own).sum()),
        "grand_made": int((grand & own & first).sum()),
        "double_victories": int(((results["double"] == 1) & (results["winner"] % 2 == team)).sum()),
        "bombs": int(results["bombs"][own].sum()),
        **{name: int(rounds.sum()) for name, rounds in failed},
    }


def _rating(rating: Rating) -> dict[str, Any]:
    """An agent's rating."""
    return {
        "name": rating.name,
        "mu": rating.mu,
        "sigma": rating.sigma,
        "ordinal": rating.ordinal,
        "matches": rating.matches,
    }


def _field(played: PlayedTournament, agent: int, parts: list[np.ndarray]) -> dict[str, Any]:
    """An agent against the field: its points a round, deal by deal the mean over its pairings."""
    signed = [
        values_of(part) * (1 if a == agent else -1)
        for (a, b), part in zip(played.request.pairings, parts, strict=True)
        if agent in (a, b)
    ]
    deals = min(map(len, signed))
    values = np.mean([part[:deals] for part in signed], axis=0)
    interval = bootstrap(values, np.ones(deals), played.request.seed)
    return {"points_per_round": float(values.mean()), "interval": list(interval)}


def _times(name: str, played: PlayedTournament) -> dict[str, Any]:
    """An agent's times for a decision, in seconds."""
    times = played.times.get(name, np.zeros(1, dtype=np.int64))
    return {
        "name": name,
        "timed": name in played.timed,
        "decisions": int(times.sum()),
        "p50": quantile_of_times(times, 0.5),
        "p99": quantile_of_times(times, 0.99),
    }
