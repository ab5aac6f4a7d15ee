"""Hints for a person: an agent's choice, or its opinion of the best plays if it has one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from rich.text import Text

from tichu_models.players.base import Agent, Opinion
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH, given_cards
from tichu_models.rules.cards import LABEL_OF_RANK, LABELS, labels
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.state import RIGHT

SHOWN = 5


def hint(agent: Agent, kind: int, views: np.ndarray, extras: Mapping[str, np.ndarray]) -> Text:
    """The agent's choice or opinion on one decision, in one or a few lines."""
    opinion = agent.opinion(views, **extras) if kind == PLAY else None
    if opinion is None:
        return Text(f"  {agent.name}: {said(kind, int(agent.decide(kind, views, **extras)[0]))}", style="cyan")
    return Text("\n".join(f"  {agent.name}: {play:<24} {score}" for play, score in _best(opinion)), style="cyan")


def _best(opinion: Opinion) -> Iterator[tuple[str, str]]:
    """The best plays, with their scores as texts."""
    visits = np.zeros(len(opinion.plays)) if opinion.visits is None else opinion.visits
    for place in np.lexsort((-visits, -opinion.scores))[:SHOWN]:
        play = " ".join(labels(int(cards_of(int(opinion.plays[place]))))) or "pass"
        if opinion.values is None:
            yield play, f"{opinion.scores[place]:.2f}"
        else:
            yield play, f"{opinion.values[place]:+.0f} points, tried {visits[place]:,.0f} times"


def said(kind: int, choice: int) -> str:
    """A choice as the person would type it."""
    if kind in (PLAY, BOMB_THROW):
        return " ".join(labels(choice)) or "pass"
    if kind == SCHUPF:
        return " ".join(LABELS[card] for card in given_cards(choice))
    if kind == WISH:
        return LABEL_OF_RANK[choice] if choice else "0"
    if kind == DRAGON_GIFT:
        return "r" if choice == RIGHT else "l"
    return "y" if choice else "n"
