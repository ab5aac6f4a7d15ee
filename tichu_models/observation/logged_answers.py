"""Answers of logged decisions as people write them, as labels of cards, ranks, sides, yes and no."""

from __future__ import annotations

from typing import Any

import numpy as np

from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH, given_cards
from tichu_models.rules.cards import DECK, LABELS, labels
from tichu_models.rules.state import RIGHT


def answer_label(kind: int, answer: int) -> Any:
    """An answer as `tichu features` writes labels: cards (none for a pass), three cards, a rank, `right` or `left`,
    true or false, whatever the bomb."""
    if kind == PLAY:
        return labels(answer & DECK)
    if kind == SCHUPF:
        return [LABELS[card] for card in given_cards(answer)]
    if kind == DRAGON_GIFT:
        return "right" if answer == RIGHT else "left"
    return answer if kind == WISH else bool(answer)


def with_thrown_bombs(kinds: np.ndarray, seats: np.ndarray, out_of_turn: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """The answers to decisions of a round in order, where a bomb that was thrown has its cards in place of a yes. They
    are those of the play out of turn that follows."""
    answers = answers.copy()
    thrown = (kinds == PLAY) & (out_of_turn == 1)
    for at in np.flatnonzero((kinds == BOMB_THROW) & (answers == 1)):
        after = np.flatnonzero(thrown[at:] & (seats[at:] == seats[at]))
        answers[at] = answers[at + after[0]]
    return answers
