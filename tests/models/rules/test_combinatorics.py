"""Hands with a bomb, counted exactly: nothing but the definition of a bomb, rank by rank."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np

from tests.makers.positions import cards_of
from tests.oracles import reference
from tichu_models import chance
from tichu_models.rules import cards, legal
from tichu_models.rules.deal import deal

FLUSH = 5
SPECIAL_CARDS = 4
# Which of the four colours of a rank are on a hand: 16 ways.
SUITS_HELD = [set(chosen) for size in range(5) for chosen in combinations(range(4), size)]
NO_RUNS = (0, 0, 0, 0)


def grow(runs: tuple[int, ...], held: set[int]) -> tuple[int, ...]:
    """Per colour, how many ranks in a row are held up to this one; five or more count as five."""
    return tuple(min(run + 1, FLUSH) if colour in held else 0 for colour, run in enumerate(runs))


def is_bomb(runs: tuple[int, ...], held: set[int]) -> bool:
    """Whether a rank completes four of a kind, or five of a colour in a row."""
    return len(held) == 4 or FLUSH in runs


def hands_without(size: int, runs_count: bool) -> int:
    """Hands without four of a kind and, if runs count, without five of a colour in a row."""
    ways = Counter({(NO_RUNS, 0): 1})
    for _ in reference.RANKS:
        longer: Counter = Counter()
        for (runs, num_cards), number in ways.items():
            for held in SUITS_HELD:
                grown = grow(runs, held) if runs_count else NO_RUNS
                if num_cards + len(held) <= size and not is_bomb(grown, held):
                    # Colours are alike: only how long the runs are matters from here on.
                    longer[tuple(sorted(grown)), num_cards + len(held)] += number
        ways = longer
    return sum(number * comb(SPECIAL_CARDS, size - num_cards) for (_, num_cards), number in ways.items())


def test_first_eight_cards():
    """The definition of a bomb, or of the deck, is not the one behind the published counts."""
    assert comb(56, 8) == 1_420_494_075
    assert comb(56, 8) - hands_without(8, runs_count=True) == 4_229_667


def test_fourteen_cards():
    """As above, where long runs and several bombs overlap."""
    assert comb(56, 14) == 5_804_731_963_800
    assert comb(56, 14) - hands_without(14, runs_count=True) == 294_663_199_638
    assert comb(56, 14) - hands_without(14, runs_count=False) == 204_703_407_480


def bomb_by_runs(hand: frozenset[str]) -> bool:
    """The notion that the counts above use, for one hand."""
    runs: tuple[int, ...] = NO_RUNS
    for label in reference.RANKS:
        held = {colour for colour in range(4) if reference.COLOURS[colour] + label in hand}
        runs = grow(runs, held)
        if is_bomb(runs, held):
            return True
    return False


def test_has_bomb_is_the_notion_that_was_counted():
    """The engine finds bombs that the counts do not mean, or misses some."""
    first, start = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    found = 0
    for number in range(500):
        deal(np.uint64(chance.draw(np.uint64(17), number)), first, start)
        # Two hands together hold bombs often, one hand seldom.
        for hand in (*first, *start, start[0] | first[1], start[0] | start[1]):
            labels = cards_of(hand)
            assert legal.has_bomb(hand) == bomb_by_runs(labels) == reference.has_bomb(labels)
            found += legal.has_bomb(hand)
    assert found > 400


def test_every_bomb_is_found_alone_and_one_card_short_is_none():
    """A bomb at the edge of the ranks, or of one colour, is overlooked."""
    fours = [["S" + label, "B" + label, "G" + label, "R" + label] for label in reference.RANKS]
    order = list(reference.RANKS)
    fives = [[colour + label for label in order[low : low + 5]] for colour in "SBGR" for low in range(9)]
    assert len(fours + fives) == 13 + 36
    for bomb in fours + fives:
        mask = cards.parse_cards(" ".join(bomb))
        assert legal.has_bomb(mask)
        for card in bomb:
            rest = mask & ~cards.parse_cards(card)
            assert not legal.has_bomb(rest | cards.parse_cards("Ph Ma Hu Dr"))
