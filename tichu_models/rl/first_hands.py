"""Deals by the first eight cards of a seat, and what a grand Tichu on them gains: twin rounds that differ by the call.

In both rounds of a pair all other decisions are the player's own, so that the difference of their results is what the
announcement was worth, on hands too on which it would never, or always, be made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tichu_models.arena.table import DEALS, fixtures_of
from tichu_models.chance import draw
from tichu_models.kernels import kernel
from tichu_models.rl.rollout import no_forks
from tichu_models.rl.tasks import PlayerOfTask, RunTasks, play_task, tasks_of
from tichu_models.rules.asking import GRAND_CALL
from tichu_models.rules.deal import deal
from tichu_models.rules.state import GRAND

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


@dataclass(frozen=True)
class GrandTwins:
    """What happened in the twin rounds of hands, with and without a grand Tichu on each."""

    gain: np.ndarray  # points by which the own team does better with the announcement
    called: np.ndarray  # whether the player itself announces
    made: np.ndarray  # whether the announcement is made


def play_twins(player: PlayerOfTask, drawn: DrawnHands, run_tasks: RunTasks = map) -> GrandTwins:
    """Plays every hand twice, with the same player at all seats."""
    if GRAND_CALL not in player.networks:
        raise ValueError("this player announces grand Tichus by rules of thumb; expected one that has learned it")
    n = len(drawn.seats)
    fixtures, forks = np.repeat(drawn.fixtures, 2), no_forks(2 * n)
    forks["kind"][1::2], forks["seat"][1::2], forks["nth"][1::2] = GRAND_CALL, drawn.seats, 1
    tasks = tasks_of([player], fixtures, forks, only_results=True)
    ended = np.concatenate([part.ended for part in run_tasks(play_task, tasks)])
    lead = (ended["score"][:, 0].astype(np.float64) - ended["score"][:, 1]).reshape(n, 2)
    calls = ended["call"].reshape(n, 2, 4)[np.arange(n), :, drawn.seats] == GRAND
    assert (calls.sum(axis=1) == 1).all()
    with_call = calls.argmax(axis=1)
    own = 1 - 2 * (drawn.seats & 1)
    gain = (lead[np.arange(n), with_call] - lead[np.arange(n), 1 - with_call]) * own
    made = ended["winner"].reshape(n, 2)[np.arange(n), with_call] == drawn.seats
    return GrandTwins(gain, calls[:, 0], made)
