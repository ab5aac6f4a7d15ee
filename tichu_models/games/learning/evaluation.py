"""How a player that learns is judged: by matches of one of its seats against others, or by its scores alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tichu_models.game import Game
from tichu_models.games.agents import GameAgent, agent_of
from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.trainer import ALONE, Result
from tichu_models.games.match import MATCH_RULES, Z, match

SEED = 20_000_000  # of the games of all evaluations
OPENING = 4  # random actions that make deterministic players play different games


def options_of(game: Game, rules: str, **defaults: str) -> np.ndarray:
    """The options of a game by a text key=value,key=value. ValueError says what makes no sense."""
    words: dict[str, str] = dict(defaults)
    for part in filter(None, (part.strip() for part in rules.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"'{part}': expected key=value")
        words[key.strip()] = value.strip()
    return game.read_options(words)


def match_options(game: Game, rules: str = "") -> np.ndarray:
    """The options of a match."""
    return options_of(game, rules, **MATCH_RULES.get(game.name, {}))


def judge(game: Game, player: GameAgent, settings: TrainingSettings) -> list[Result]:
    """One side of the player, a seat where everybody is alone, against all others of each opponent; without opponents
    its scores."""
    options = match_options(game, settings.rules)
    if not settings.opponents:
        return [_result(ALONE, match(game, options, [player], settings.evaluation_games, SEED, 0))]
    others = len(game.sides(options)) - 1
    return [
        _result(
            name,
            match(game, options, [player, *[agent_of(game, name)] * others], settings.evaluation_games, SEED, OPENING),
        )
        for name in settings.opponents
    ]


def of_scores(scores: Callable[[np.ndarray], np.ndarray], games: int) -> list[Result]:
    """The mean score of who plays alone, by a function of the keys of so many games."""
    from tichu_models.algorithms.solo_batch import keys_of

    found = scores(keys_of(np.uint64(SEED), games))
    half = Z * float(found.std()) / math.sqrt(games)
    return [Result(ALONE, float(found.mean()), float(found.mean()) - half, float(found.mean()) + half, games)]


def _result(opponent: str, played: Mapping[str, Any]) -> Result:
    facts = played["agents"][0]
    key = "score_mean" if opponent == ALONE else "share"
    low, high = facts["score_interval" if opponent == ALONE else "interval"]
    return Result(opponent, facts[key], low, high, played["games"])
