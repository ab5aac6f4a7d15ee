"""Matches of agents: every distinct way to seat them is played equally often, and intervals say how sure a result is.

Agents that are fewer than the seats are seated several times each; seats that win together have one agent. An agent is
given what its seat knows, and nothing else of the state. All ways of seating begin with the same few random
actions, which make deterministic agents play different games; the next round of seatings has others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

import numpy as np

from tichu_models.chance import Key, draw, draw_below
from tichu_models.game import CHANCE, OVER, Game
from tichu_models.games.agents import GameAgent, SideBySide
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


class Played(NamedTuple):
    """One game of a match."""

    returns: np.ndarray  # of the seats
    shares: np.ndarray  # of the game, by seat
    length: int
    illegal: dict[int, int]  # by seat


def seatings(names: Sequence[str], seats: int) -> list[tuple[int, ...]]:
    """Every distinct way to seat these agents, all of them equally often, as the agent of each seat. Agents of one name
    are one: who changes places with its like changes nothing."""
    if not names or seats % len(names):
        raise MatchError(f"{len(names)} agents for {seats} seats: each must get equally many")
    alike = [names.index(name) for name in names]
    return sorted(set(permutations(alike[i % len(names)] for i in range(seats))))


def play(game: Game, options: np.ndarray, agents: Sequence[GameAgent | None], key: Key, opening: int) -> Played:
    """Plays a game; `agents` has one for each seat that there can be."""
    state, made, illegal = game.new(options, int(draw(key, 0))), 0, dict.fromkeys(game.seats_of(options), 0)
    decisions, by_chance = _key_of(key, 1), _key_of(key, 2)
    while (seat := int(game.kernels.mover(state))) != OVER:
        if seat == CHANCE:
            game.kernels.chance(state)
            continue
        legal = game.legal(state)
        if made < opening:
            action = legal[int(draw_below(by_chance, made, len(legal)))]
        else:
            agent = agents[seat]
            assert agent is not None
            action = agent.choose(game.as_known_to(seat, state), _key_of(decisions, made))
            if action not in legal:
                illegal[seat] += 1
                action = legal[0]
        game.kernels.step(state, action)
        made += 1
    returns = game.returns(state)
    return Played(returns, returns if game.total is not None else _won(returns, game.seats_of(options)), made, illegal)


def _won(scores: np.ndarray, seats: tuple[int, ...]) -> np.ndarray:
    """The shares of a game that the highest score wins; who has it too has as much."""
    shares = np.zeros(len(scores))
    best = [seat for seat in seats if scores[seat] == max(scores[list(seats)])]
    shares[best] = 1 / len(best)
    return shares


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
    wins, lengths = dict.fromkeys(game.seats_of(options), 0), []
    for number in range(games):
        round_, way = divmod(number, len(ways))
        seated: list[GameAgent | None] = [None] * len(game.seats)
        for side, agent in zip(sides, ways[way], strict=True):
            for seat in side:
                seated[seat] = agents[agent]
        played = play(game, options, seated, _key_of(np.uint64(seed), round_), opening)
        _count(scores, wins, [(side, seated[side[0]]) for side in sides], played)
        lengths.append(played.length)
        report(1)
    return {
        "game": game.name,
        "games": games,
        "seatings": len(ways),
        "opening": opening,
        "seed": seed,
        "length_mean": float(np.mean(lengths)),
        "agents": [score.as_json() for score in scores.values()],
        "seats": {game.seats[seat]: {"wins": won} for seat, won in wins.items()},
    }


def _alone(
    game: Game, options: np.ndarray, agent: GameAgent, games: int, seed: int, report: Callable[[int], None]
) -> dict[str, object]:
    """A match of one who plays alone: without random actions at the beginning, as chance makes games differ. Who can
    play many games side by side does; it plays legal actions only."""
    (seat,) = game.seats_of(options)
    score, keys = Score(agent.name, seats=1), [_key_of(np.uint64(seed), number) for number in range(games)]
    lengths: list[int] = []
    if isinstance(agent, SideBySide):
        found, made = agent.scores(options, np.array([_key_of(key, 0) for key in keys], dtype=np.uint64))
        score.returns, lengths = found.tolist(), made.tolist()
        report(games)
    else:
        seated = [agent if each == seat else None for each in range(len(game.seats))]
        for key in keys:
            played = play(game, options, seated, key, 0)
            score.returns.append(float(played.returns[seat]))
            score.illegal += played.illegal[seat]
            lengths.append(played.length)
            report(1)
    score.wins, score.shares = games, [1.0] * games
    return {
        "game": game.name,
        "games": games,
        "seatings": 1,
        "opening": 0,
        "seed": seed,
        "length_mean": float(np.mean(lengths)),
        "agents": [score.as_json()],
        "seats": {game.seats[seat]: {"wins": games}},
    }


def _key_of(key: Key, counter: int) -> Key:
    return np.uint64(draw(key, counter))  # Python gets an int from a kernel


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
