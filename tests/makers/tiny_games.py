"""Games small enough to solve exactly, on which tests prove the learning: Kuhn poker and a patience of four tricks.

Both play many games at once and record what a learner needs. They share nothing with Tichu.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np

# (states, answers end to end, answers of each state) -> the place of an answer for each state, or its probability.
Policy = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Played(NamedTuple):
    """The n decisions of some games, game by game, in each game as they were made."""

    seen: np.ndarray  # float32 (n, ..): what the deciding side sees
    opened: np.ndarray  # float32 (n, ..): the same and all that is hidden from it
    answers: np.ndarray  # int64 (m,): the legal answers of all decisions end to end
    counts: np.ndarray  # int64 (n,): how many each decision has
    chosen: np.ndarray  # int64 (n,): the place of the chosen one among them
    signs: np.ndarray  # float32 (n,): 1 for the first side, -1 for the second
    game: np.ndarray  # int64 (n,)
    results: np.ndarray  # float32 (games,): of the first side


class Step(NamedTuple):
    """The decisions that some of the games reach at one time."""

    opened: np.ndarray
    answers: np.ndarray
    counts: np.ndarray
    chosen: np.ndarray
    signs: np.ndarray
    game: np.ndarray


def played(steps: list[Step], seen: int, results: np.ndarray) -> Played:
    """Steps put in order; the first `seen` columns are what the deciding side sees."""
    opened, answers, counts, chosen, signs, game = map(np.concatenate, zip(*steps, strict=True))
    order = np.argsort(game, kind="stable")
    first = (np.cumsum(counts) - counts)[order]
    opened, counts, signs = opened[order].astype(np.float32), counts[order], signs[order].astype(np.float32)
    answers = answers[of_sets(first, counts)]
    return Played(opened[:, :seen].copy(), opened, answers, counts, chosen[order], signs, game[order], results)


def of_sets(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The places of sets that begin at `first`, end to end."""
    return np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)


class Kuhn:
    """Kuhn poker: cards 0, 1, 2, a stake of 1 each, and one bet of 1 that can be called.

    Its value for the first side is -1/18. In equilibrium the first side bets with 0 with a probability a of at most
    1/3, never with 1, with 2 with probability 3a, and calls with 1 with probability a + 1/3; the second side bets with
    0 after a check, and calls with 1 after a bet, with probability 1/3.
    """

    CHECK, BET, FOLD, CALL = ANSWERS = range(4)
    START, CHECKED, BETTED, CHECKED_AND_BETTED = range(4)  # who decides: first, second, second, first
    VALUE = -1 / 18
    SEEN, OPENED = 12, 12 + 36  # one-hot: node and own card; and the other card too

    def play(self, games: int, choose: Policy, generator: np.random.Generator) -> Played:
        """Plays games of a policy with itself."""
        cards = np.argsort(generator.random((games, 3)), axis=1)[:, :2]
        higher = np.where(cards[:, 0] > cards[:, 1], 1, -1)
        results = np.zeros(games, dtype=np.float32)
        steps = []

        def ask(node: int, game: np.ndarray) -> np.ndarray:
            side, n = int(node in (self.CHECKED, self.BETTED)), len(game)
            own, other = cards[game, side], cards[game, 1 - side]
            opened = np.zeros((n, self.OPENED), dtype=np.float32)
            opened[np.arange(n), 3 * node + own] = 1
            opened[np.arange(n), self.SEEN + 9 * node + 3 * own + other] = 1
            answers, counts = np.tile(self.legal(node), n), np.full(n, 2)
            chosen = choose(opened[:, : self.SEEN], answers, counts)
            steps.append(Step(opened, answers, counts, chosen, np.full(n, 1 - 2 * side), game))
            return chosen == 1

        bets = ask(self.START, np.arange(games))
        betted, checked = np.flatnonzero(bets), np.flatnonzero(~bets)
        results[betted] = np.where(ask(self.BETTED, betted), 2 * higher[betted], 1)
        bets = ask(self.CHECKED, checked)
        results[checked] = higher[checked]
        betted = checked[bets]
        results[betted] = np.where(ask(self.CHECKED_AND_BETTED, betted), 2 * higher[betted], -1)
        return played(steps, self.SEEN, results)

    def legal(self, node: int) -> tuple[int, int]:
        """The legal answers."""
        return (self.CHECK, self.BET) if node in (self.START, self.CHECKED) else (self.FOLD, self.CALL)

    def table(self, probabilities: Policy) -> np.ndarray:
        """(4, 3): how likely a policy bets or calls, by node and own card."""
        answers = np.concatenate([np.tile(self.legal(node), 3) for node in range(4)])
        return probabilities(np.eye(self.SEEN, dtype=np.float32), answers, np.full(12, 2))[1::2].reshape(4, 3)

    @staticmethod
    def value(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """What the first side can expect of a game of two tables (.., 4, 3)."""
        total = 0.0
        for a, b in permutations(range(3), 2):
            wins = 1 if a > b else -1
            bet, call, bet_after_check, call_of_bet = (
                first[..., 0, a],
                first[..., 3, a],
                second[..., 1, b],
                second[..., 2, b],
            )
            of_bet = call_of_bet * 2 * wins + (1 - call_of_bet)
            of_check = (1 - bet_after_check) * wins + bet_after_check * (call * 2 * wins - (1 - call))
            total = total + (bet * of_bet + (1 - bet) * of_check) / 6
        return total

    def exploitability(self, table: np.ndarray) -> float:
        """What a perfect opponent wins a game, on average over both sides; 0 in equilibrium."""
        pure = np.zeros((64, 4, 3))
        for row, answers in enumerate(product((0, 1), repeat=6)):
            pure[row, [0, 3]] = pure[row, [1, 2]] = np.reshape(answers, (2, 3))
        return float(self.value(pure, table).max() - self.value(table, pure).min()) / 2


class Patience:
    """Four tricks against a dealer: of the cards 0..7 each has four. The dealer turns up one of his at random; the
    player must follow its colour, odd or even, if he can. A higher card of that colour wins the dealer's rank and 1."""

    CARDS, HAND = 8, 4
    ANSWERS = range(CARDS)
    SEEN = OPENED = 3 * CARDS  # the player's cards, the dealer's, the one turned up

    def play(self, games: int, choose: Policy, generator: np.random.Generator) -> Played:
        """Plays games of a policy."""
        return self.play_deals(np.argsort(generator.random((games, self.CARDS)), axis=1), choose)

    def play_deals(self, deals: np.ndarray, choose: Policy) -> Played:
        """A game for each row: the player's cards, then the dealer's in the order in which he turns them up."""
        game = np.arange(len(deals))
        mine = np.zeros((len(deals), self.CARDS), dtype=bool)
        mine[game[:, None], deals[:, : self.HAND]] = True
        his = ~mine
        results = np.zeros(len(deals), dtype=np.float32)
        steps = []
        for up in deals[:, self.HAND :].T:
            opened = np.concatenate([mine, his, np.eye(self.CARDS, dtype=bool)[up]], axis=1).astype(np.float32)
            follows = mine & (np.arange(self.CARDS) % 2 == up[:, None] % 2)
            legal = np.where(follows.any(1, keepdims=True), follows, mine)
            answers, counts = np.nonzero(legal)[1], legal.sum(1)
            chosen = choose(opened, answers, counts)
            steps.append(Step(opened, answers, counts, chosen, np.ones(len(deals)), game))
            card = answers[np.cumsum(counts) - counts + chosen]
            results += np.where((card % 2 == up % 2) & (card > up), up + 1, 0)
            mine[game, card] = his[game, up] = False
        return played(steps, self.SEEN, results)

    def every_deal(self) -> np.ndarray:
        """All deals, each equally likely."""
        rest = [(hand, [card for card in self.ANSWERS if card not in hand]) for hand in combinations(self.ANSWERS, 4)]
        return np.array([(*hand, *order) for hand, others in rest for order in permutations(others)])

    def optimum(self) -> float:
        """What the best play can expect, by trying all."""

        @cache
        def worth(mine: frozenset[int], his: frozenset[int]) -> float:
            total = 0.0
            for up in his:
                legal = [card for card in mine if card % 2 == up % 2] or mine
                total += max(
                    (up + 1) * (card % 2 == up % 2 and card > up) + worth(mine - {card}, his - {up}) for card in legal
                )
            return total / max(len(his), 1)

        hands = [frozenset(hand) for hand in combinations(self.ANSWERS, self.HAND)]
        return sum(worth(hand, frozenset(self.ANSWERS) - hand) for hand in hands) / len(hands)
