"""Deals by the first eight cards of a seat: hands of every class, the rare ones too, without playing to find them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tichu_models.arena.table import DEALS, fixtures_of
from tichu_models.chance import draw
from tichu_models.kernels import kernel
from tichu_models.rules.deal import deal

DEALS_AT_ONCE = 1 << 16


@kernel
def fill_first_hands(fixtures: np.ndarray, hands: np.ndarray, start: np.ndarray) -> None:
    """Writes the first eight cards of the four seats in the first round of each fixture; `start` is scratch."""
    for i in range(len(fixtures)):
        deal(draw(fixtures[i].key, DEALS), hands[i], start)


def first_hands(fixtures: np.ndarray) -> np.ndarray:
    """The first eight cards of the four seats in the first round of each fixture: int64 (n, 4)."""
    hands = np.empty((len(fixtures), 4), dtype=np.int64)
    fill_first_hands(fixtures, hands, np.empty(4, dtype=np.int64))
    return hands


@dataclass(frozen=True)
class DrawnHands:
    """Hands of eight cards that were drawn by their classes, equally many of each where there were enough."""

    fixtures: np.ndarray  # FIXTURE (n,): the deal
    seats: np.ndarray  # who holds the hand
    hands: np.ndarray  # int64 (n,)
    classes: np.ndarray  # int64 (n,)
    shares: np.ndarray  # of all hands, by class


def draw_hands(
    class_of: Callable[[np.ndarray], np.ndarray], classes: int, of_each: int, most_deals: int, seed: int
) -> DrawnHands:
    """Draws hands until there are `of_each` of every class, but among no more than `most_deals` deals."""
    seen, missing = np.zeros(classes, dtype=np.int64), np.full(classes, of_each)
    parts: list[tuple[np.ndarray, ...]] = []
    for first in range(0, most_deals, DEALS_AT_ONCE):
        count = min(DEALS_AT_ONCE, most_deals - first)
        fixtures = fixtures_of(np.zeros((count, 4), dtype=np.int32), seed, first)
        hands = first_hands(fixtures).ravel()
        found = class_of(hands)
        seen += np.bincount(found, minlength=classes)
        for number in np.flatnonzero(missing):
            taken = np.flatnonzero(found == number)[: missing[number]]
            missing[number] -= len(taken)
            parts.append((fixtures[taken // 4], taken % 4, hands[taken], found[taken]))
        if not missing.any():
            break
    fixtures, seats, drawn, numbers = (np.concatenate(each) for each in zip(*parts, strict=True))
    return DrawnHands(fixtures, seats, drawn, numbers, seen / seen.sum())
