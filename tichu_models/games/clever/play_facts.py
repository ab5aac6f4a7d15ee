"""What happened in games of Ganz schön clever that one agent plays alone: points by area, foxes, and what bonuses were
used for. One game at a time; `as_json` is the summary of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tichu_models.chance import Key, draw
from tichu_models.game import CHANCE, OVER, Game, State
from tichu_models.games.agents import GameAgent
from tichu_models.games.clever.entries import AGAIN, AS_EXTRA, NONE_FITS, PASS, PASSIVE
from tichu_models.games.clever.sheet import AREA, AREAS, BOXES
from tichu_models.games.clever.views import points_of, score

Z = 1.96  # of a normal interval
# What the rulebook calls scores of at least so many points.
TIERS = (140, 160, 180, 200, 220, 240, 260, 280)
USES = ("rerolls", "extra dice", *(f"bonus in {area}" for area in AREAS), "rolls lost", "passes")


@dataclass
class GameFacts:
    """One game."""

    score: int = 0
    areas: list[int] = field(default_factory=lambda: [0] * len(AREAS))
    foxes: int = 0
    uses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(USES, 0))
    actions: int = 0

    @property
    def fox_points(self) -> int:
        """Points of the foxes."""
        return self.foxes * min(self.areas)


def use_of(state: State, action: int) -> str | None:
    """What an action uses, or loses; None if it enters a die in the usual way."""
    if action in (AGAIN, PASS, NONE_FITS):
        return {AGAIN: "rerolls", PASS: "passes", NONE_FITS: "rolls lost"}[action]
    if state.owed:
        return f"bonus in {AREAS[AREA[action % BOXES]]}"
    return "extra dice" if action >= AS_EXTRA and state.phase != PASSIVE else None


def play(
    game: Game,
    agent: GameAgent,
    options: np.ndarray,
    key: Key,
    seen: Callable[[State, int], None] = lambda state, action: None,
) -> GameFacts:
    """Plays a game; `seen` gets every position with the action that follows."""
    state, facts = game.new(options, int(draw(key, 0))), GameFacts()
    choices = np.uint64(draw(key, 1))
    while (mover := game.kernels.mover(state)) != OVER:
        if mover == CHANCE:
            game.kernels.chance(state)
            continue
        action = agent.choose(game.copy(state), np.uint64(draw(choices, facts.actions)))
        seen(state, action)
        if use := use_of(state, action):
            facts.uses[use] += 1
        game.step(state, action)
        facts.actions += 1
    facts.score, facts.foxes = int(score(state, 0)), int(state.foxes[0])
    facts.areas = [int(points_of(state, 0, area)) for area in range(len(AREAS))]
    return facts


def as_json(games: Sequence[GameFacts]) -> dict[str, object]:
    """The means of some games with a 95 % interval of the score, its quantiles, and the share of games that reach each
    tier."""
    scores = np.array([each.score for each in games])
    half = Z * float(scores.std()) / len(scores) ** 0.5
    areas = np.mean([each.areas for each in games], axis=0)
    return {
        "games": len(games),
        "score_mean": float(scores.mean()),
        "score_interval": [float(scores.mean()) - half, float(scores.mean()) + half],
        "score_sd": float(scores.std()),
        "quantiles": {str(q): float(np.quantile(scores, q / 100)) for q in (0, 10, 25, 50, 75, 90, 100)},
        "at_least": {str(tier): float((scores >= tier).mean()) for tier in TIERS},
        "areas": dict(zip(AREAS, areas.tolist(), strict=True)),
        "foxes": float(np.mean([each.foxes for each in games])),
        "fox_points": float(np.mean([each.fox_points for each in games])),
        "uses": {use: float(np.mean([each.uses[use] for each in games])) for use in USES},
        "actions": float(np.mean([each.actions for each in games])),
    }
