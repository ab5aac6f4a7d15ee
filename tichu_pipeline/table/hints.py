"""What an agent would do, for a person: its choice, and where it tells, how it weighs the plays against each other.

Searching agents tell by `consider` what each play is worth and how often it was tried, those with a network by
`scores` how much they like it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.text import Text

from tichu_models.players.base import Agent
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH
from tichu_models.rules.cards import LABEL_OF_RANK, LABELS, labels
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.state import RIGHT

SHOWN = 5


def hint(agent: Agent, kind: int, views: np.ndarray, heard: Mapping[str, np.ndarray]) -> Text:
    """A line or a few about one decision."""
    weighed = _weighed(agent, views, heard) if kind == PLAY else []
    if weighed:
        return Text("\n".join(f"  {agent.name}: {what:<24} {told}" for what, told in weighed), style="cyan")
    decide: Any = agent.decide
    return Text(f"  {agent.name}: {said(kind, int(decide(kind, views, **heard)[0]))}", style="cyan")


def _weighed(agent: Agent, views: np.ndarray, heard: Mapping[str, np.ndarray]) -> list[tuple[str, str]]:
    """The best plays and what the agent says of them; none if it says nothing."""
    searching: Any = agent
    if hasattr(agent, "consider"):
        moves, visits, values = searching.consider(views, **heard)
        order = np.lexsort((visits, np.where(visits > 0, values, -np.inf)))[::-1]
        told = [
            f"{100 * value:+.0f} points, tried {tried:,.0f} times" for value, tried in zip(values, visits, strict=True)
        ]
    elif hasattr(agent, "scores"):
        from tichu_models.agents.choosing import moves_of

        moves = moves_of(views)
        scores = np.asarray(searching.scores(views, moves, **heard), dtype=float)
        order = np.argsort(-scores, kind="stable")
        told = [f"{score:.2f}" for score in scores]
    else:
        return []
    plays = [" ".join(labels(int(cards_of(int(play))))) or "pass" for play in moves.plays]
    return [(plays[place], told[place]) for place in order[:SHOWN]]


def said(kind: int, choice: int) -> str:
    """A choice in words that the person could type."""
    if kind in (PLAY, BOMB_THROW):
        return " ".join(labels(choice)) or "pass"
    if kind == SCHUPF:
        return " ".join(LABELS[choice >> (8 * to) & 255] for to in range(3))
    if kind == WISH:
        return LABEL_OF_RANK[choice] if choice else "0"
    if kind == DRAGON_GIFT:
        return "r" if choice == RIGHT else "l"
    return "y" if choice else "n"
