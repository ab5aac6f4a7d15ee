"""The referee: the player who plays supposed deals on, and says which answers are likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.agents.choosing import Moves, give_cards, moves_of, softmax
from tichu_models.agents.neural.nnet_agent import NNetAgent
from tichu_models.agents.neural.self_taught_agent import SelfTaughtAgent, scores_of
from tichu_models.observation.choices import PICKS
from tichu_models.players.base import Agent
from tichu_models.rules.asking import PLAY, SCHUPF, given_cards

WIDTH_OF_PICKS = (6, 4, 3)  # cards of each pick of schupfen, and of each way to pick those before


class RefereeError(ValueError):
    """An agent that cannot play supposed deals on."""


def who_plays_on(agent: Agent) -> Agent:
    """The player of an agent's playouts: itself, or the policy that leads its search."""
    player: Any = agent
    if agent.wants and hasattr(agent, "policy"):
        player = agent.policy
    if player.wants or player.past:
        needs = ", ".join(player.wants) or "the latest turns"
        raise RefereeError(
            f"agent '{agent.name}' cannot play supposed deals on: it needs {needs}; expected champion or policy:RUN"
        )
    return player


def likely_answers(player: Agent, kind: int, views: np.ndarray, given: np.ndarray) -> tuple[Moves, np.ndarray]:
    """Answers to questions of one kind end to end, and how likely the player finds each, NaN where it has no
    probabilities: all legal answers, but of schupfen the given one, the player's own and the likeliest."""
    knows = isinstance(player, SelfTaughtAgent) and kind in player.others
    if kind == SCHUPF:
        own = player.decide(kind, views)
        if isinstance(player, SelfTaughtAgent) and knows:
            likely, shares = _likely_threes(player, views)
            several = np.column_stack([given, own, likely])
            known = np.column_stack([_share_of(player, views, given), _share_of(player, views, own), shares])
        else:
            several, known = np.column_stack([given, own]), np.full((len(views), 2), np.nan)
        return Moves(several.ravel(), np.full(len(views), several.shape[1], dtype=np.int64)), known.ravel()
    moves = moves_of(views, kind)
    if kind == PLAY and isinstance(player, NNetAgent):
        scores = player.likelihoods(views, moves)
    elif isinstance(player, SelfTaughtAgent) and knows:
        scores = scores_of(player.others[kind], kind, views, moves)
    else:
        return moves, np.full(len(moves.plays), np.nan)
    return moves, _probabilities(scores, moves.counts)


def _probabilities(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    shares = np.empty(len(scores))
    softmax(np.asarray(scores, dtype=np.float64), counts, shares)
    return shares


def _picks(player: SelfTaughtAgent, views: np.ndarray, pick: int) -> tuple[Moves, np.ndarray]:
    """The cards of one pick of schupfen, and how likely each is."""
    moves = moves_of(views, SCHUPF)
    return moves, _probabilities(scores_of(player.others[SCHUPF], SCHUPF, views, moves, pick), moves.counts)


def _share_of(player: SelfTaughtAgent, views: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """How likely the player finds these answers to schupf."""
    seen, rest, shares = views.copy(), np.zeros(len(views), dtype=np.int64), np.ones(len(views))
    for pick, cards in enumerate(given_cards(answers)):
        moves, probabilities = _picks(player, seen, pick)
        shares *= probabilities[moves.plays == np.repeat(cards, moves.counts)]
        give_cards(seen, pick, cards, rest)
    return shares


def _likely_threes(player: SelfTaughtAgent, views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest answers to schupf and their shares, a row for each view: for each likely card to the right opponent
    the likely ones to the partner, for each of these the likely ones to the left opponent."""
    seen, answers, shares = views.copy(), np.zeros(len(views), dtype=np.int64), np.ones(len(views))
    for pick in range(PICKS):
        moves, probabilities = _picks(player, seen, pick)
        kept = _likeliest(probabilities, moves.counts, WIDTH_OF_PICKS[pick])
        before, cards = np.repeat(np.arange(len(seen)), moves.counts)[kept], moves.plays[kept]
        shares = shares[before] * probabilities[kept]
        seen, answers = seen[before].copy(), answers[before]
        give_cards(seen, pick, cards, answers)
    return answers.reshape(len(views), -1), shares.reshape(len(views), -1)


def _likeliest(shares: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """The places of the likeliest answers of each decision, all of which have at least so many."""
    ends = counts.cumsum()
    begins = ends - counts
    return np.concatenate(
        [begin + np.argsort(-shares[begin:end], kind="stable")[:most] for begin, end in zip(begins, ends, strict=True)]
    )
