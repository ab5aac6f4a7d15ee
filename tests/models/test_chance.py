"""Random numbers and deals."""

from __future__ import annotations

import numpy as np

from tichu_models import chance
from tichu_models.rules import cards
from tichu_models.rules.deal import deal

DEALS = 4000


def dealt(seed: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """First eight and all fourteen cards of each seat."""
    first, start = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    deal(np.uint64(chance.draw(np.uint64(seed), number)), first, start)
    return first, start


def chi_square(observed: np.ndarray, expected: float) -> float:
    """How far counts are from an expectation that all share, in standard deviations of the statistic."""
    freedom = observed.size - 1
    return float((((observed - expected) ** 2).sum() / expected - freedom) / np.sqrt(2 * freedom))


def test_every_card_is_dealt_once():
    """A card is dealt twice or is missing, or the first eight are not among the fourteen."""
    for number in range(500):
        first, start = dealt(7, number)
        assert all(cards.count(hand) == 8 for hand in first)
        assert all(cards.count(hand) == 14 for hand in start)
        assert np.bitwise_or.reduce(start) == cards.DECK
        assert not (first & ~start).any()


def test_deals_are_uniform():
    """Some seats get some cards more often: every comparison of players is off."""
    whole, early = np.zeros((4, 56)), np.zeros((4, 56))
    bits = np.arange(56)
    for number in range(DEALS):
        first, start = dealt(11, number)
        whole += start[:, None] >> bits & 1
        early += first[:, None] >> bits & 1
    assert abs(chi_square(whole, DEALS / 4)) < 5
    assert abs(chi_square(early, DEALS / 7)) < 5


def test_pairs_of_cards_are_dealt_independently():
    """Cards that lie side by side in the deck stay together through the shuffle."""
    together = np.zeros(55)
    bits = np.arange(55)
    for number in range(DEALS):
        for hand in dealt(13, number)[1]:
            together += hand >> bits & hand >> bits + 1 & 1
    expected = DEALS * 13 / 55
    assert np.abs(together - expected).max() < 5 * np.sqrt(expected)


def test_same_key_same_deal():
    """A game cannot be played again from its seed."""
    assert all((one == other).all() for one, other in zip(dealt(5, 9), dealt(5, 9), strict=True))
    several = {dealt(seed, number)[1].tobytes() for seed in range(30) for number in range(30)}
    assert len(several) == 900


def test_draws_are_splitmix64():
    """A change of the mixer silently gives other games for every stored seed."""
    # The first numbers of SplitMix64 from seed 1234567, as its author's reference code prints them.
    known = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [int(chance.draw(np.uint64(1234567), i)) for i in range(5)] == known


def test_draw_below_is_uniform_and_below():
    """A choice among n plays is biased or points behind the last one."""
    for limit in (1, 2, 3, 13, 56, 700):
        numbers = np.array([chance.draw_below(np.uint64(3), i, limit) for i in range(40 * limit)])
        assert numbers.min() >= 0
        assert numbers.max() < limit
        if limit > 2:
            assert chi_square(np.bincount(numbers, minlength=limit), 40) < 5


def test_draw_unit_fills_the_unit_interval():
    """Blunder rates come out wrong, or a rate of 1 does not always blunder."""
    numbers = np.array([chance.draw_unit(np.uint64(3), i) for i in range(4000)])
    assert 0 <= numbers.min() < 0.01
    assert 0.99 < numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.025
