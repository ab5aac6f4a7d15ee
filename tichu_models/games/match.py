"""Matches of agents: every distinct way to seat them is played equally often, and intervals say how sure a result is.

Agents that are fewer than the seats are seated several times each; seats that win together have one agent. All ways of
seating begin with the same few random actions, which make deterministic agents play different games; the next round of
seatings has others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent, SideBySide
from tichu_models.games.course import Played, key_of, play_all
from tichu_models.statistics import LEVEL, wilson

Z = 1.96  # of a normal interval
# Options by which a match differs from the rules: of a game that two cautious players would never end.
MATCH_RULES = {"chameleon": {"limit": "100"}}


class MatchError(ValueError):
    """A match that cannot be played."""


@dataclass
class Score:
    """What an agent has reached in a match, all of its seats together."""

    name: str
    seats: int = 0  # it has in every game
    wins: int = 0  # games that one of its seats has won alone, or a side of them
    draws: int = 0  # games that were drawn with it
    illegal: int = 0  # actions that were not allowed; the first legal one was made instead
    shares: list[float] = field(default_factory=list)  # of each game
    returns: list[float] = field(default_factory=list)  # of its seats in each game, together

    def as_json(self) -> dict[str, object]:
        """The score with intervals: of the share of games, and of the mean return of a seat."""
        share, mean = float(np.mean(self.shares)), float(np.mean(self.returns))
        half = Z * float(np.std(self.returns)) / math.sqrt(len(self.returns))
        low, high = wilson(sum(self.shares), len(self.shares), LEVEL)
        return {
            "name": self.name,
            "seats": self.seats,
            "wins": self.wins,
            "draws": self.draws,
            "share": share,
            "interval": [low, high],
            "score_mean": mean / self.seats,
            "score_interval": [(mean - half) / self.seats, (mean + half) / self.seats],
            "illegal": self.illegal,
        }


def seatings(names: Sequence[str], seats: int) -> list[tuple[int, ...]]:
    """Every distinct way to seat these agents, all of them equally often, as the agent of each seat. Agents of one name
    are one: who changes places with its like changes nothing."""
    if not names or seats % len(names):
        raise MatchError(f"{len(names)} agents for {seats} seats: each must get equally many")
    alike = [names.index(name) for name in names]
    return sorted(set(permutations(alike[i % len(names)] for i in range(seats))))


def match(
    game: Game,
    options: np.ndarray,
    agents: Sequence[GameAgent],
    games: int,
    seed: int,
    opening: int,
    report: Callable[[int], None] = lambda _: None,
) -> dict[str, object]:
    """Plays a match and returns its result as JSON has it. `report` is called after every game."""
    sides = game.sides(options)
    if len(sides) == len(agents) == 1:
        return _alone(game, options, agents[0], games, seed, report)
    ways = seatings([agent.name for agent in agents], len(sides))
    scores: dict[str, Score] = {}
    for i, side in enumerate(sides):
        name = agents[i % len(agents)].name
        scores.setdefault(name, Score(name)).seats += len(side)
    wins = dict.fromkeys(game.seats_of(options), 0)
    seated: list[list[GameAgent | None]] = [[None] * len(game.seats) for _ in range(games)]
    for number, of_game in enumerate(seated):
        for side, agent in zip(sides, ways[number % len(ways)], strict=True):
            for seat in side:
                of_game[seat] = agents[agent]
    keys = [key_of(np.uint64(seed), number // len(ways)) for number in range(games)]
    all_played = play_all(game, options, seated, keys, opening, report)
    for of_game, played in zip(seated, all_played, strict=True):
        _count(scores, wins, [(side, of_game[side[0]]) for side in sides], played)
    return {
        "game": game.name,
        "games": games,
        "seatings": len(ways),
        "opening": opening,
        "seed": seed,
        "length_mean": float(np.mean([played.length for played in all_played])),
        "broken_off": sum(not played.is_over for played in all_played),
        "agents": [score.as_json() for score in scores.values()],
        "seats": {game.seats[seat]: {"wins": won} for seat, won in wins.items()},
    }


def _alone(
    game: Game, options: np.ndarray, agent: GameAgent, games: int, seed: int, report: Callable[[int], None]
) -> dict[str, object]:
    """A match of one who plays alone: without random actions at the beginning, as chance makes games differ. Who can
    play many games side by side does; it plays legal actions only."""
    (seat,) = game.seats_of(options)
    score, keys = Score(agent.name, seats=1), [key_of(np.uint64(seed), number) for number in range(games)]
    lengths: list[int] = []
    broken_off = 0
    if isinstance(agent, SideBySide):
        found, made = agent.scores(options, np.array([key_of(key, 0) for key in keys], dtype=np.uint64))
        score.returns, lengths = found.tolist(), made.tolist()
        report(games)
    else:
        seated = [agent if each == seat else None for each in range(len(game.seats))]
        for played in play_all(game, options, [seated] * games, keys, 0, report):
            score.returns.append(float(played.returns[seat]))
            score.illegal += played.illegal[seat]
            lengths.append(played.length)
            broken_off += not played.is_over
    score.wins, score.shares = games, [1.0] * games
    return {
        "game": game.name,
        "games": games,
        "seatings": 1,
        "opening": 0,
        "seed": seed,
        "length_mean": float(np.mean(lengths)),
        "broken_off": broken_off,
        "agents": [score.as_json()],
        "seats": {game.seats[seat]: {"wins": games}},
    }


def _count(
    scores: dict[str, Score],
    wins: dict[int, int],
    seated: Sequence[tuple[tuple[int, ...], GameAgent | None]],
    played: Played,
) -> None:
    """Adds a game; `seated` has each side with its agent."""
    shares, returns = dict.fromkeys(scores, 0.0), dict.fromkeys(scores, 0.0)
    drawn = set()
    for side, agent in seated:
        assert agent is not None
        won = float(sum(played.shares[seat] for seat in side))
        shares[agent.name] += won
        for seat in side:
            returns[agent.name] += float(played.returns[seat])
            scores[agent.name].illegal += played.illegal[seat]
            wins[seat] += won == 1
        if won == 1:
            scores[agent.name].wins += 1
        elif won > 0:
            drawn.add(agent.name)
    for name, share in shares.items():
        scores[name].shares.append(share)
        scores[name].returns.append(returns[name])
        scores[name].draws += name in drawn
