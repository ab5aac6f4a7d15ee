"""A second implementation of the rules of Tichu, slow and obvious, with which tests compare the engine.

It shares no code with the engine: cards are label strings, and plays are found by trying all subsets. A single Phoenix
ranks half above the card below it, so that `beats` needs no exception for it. `Round` plays a round move by move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

COLOURS = "SBGR"
RANKS = {**{str(rank): rank for rank in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
COLOURED = [colour + rank for rank in RANKS for colour in COLOURS]
DECK = ["Hu", "Ma", *COLOURED, "Dr", "Ph"]
POINTS = {"5": 5, "10": 10, "K": 10}

Cards = frozenset[str]


class Reading(NamedTuple):
    """A play that a set of cards can be: type, length, rank."""

    type: str
    length: int
    rank: float


def rank(card: str) -> int:
    """Rank of a card that has a colour, or of the Mahjong."""
    return 1 if card == "Ma" else RANKS[card[1:]]


def in_a_row(ranks: list[int]) -> bool:
    """Whether ranks follow each other without a gap."""
    return ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def readings(cards: Cards) -> set[Reading]:
    """All plays that these cards can be as a lead."""
    if not cards:
        return set()
    if len(cards) == 1:
        (card,) = cards
        special = {"Hu": 0, "Ma": 1, "Ph": 1.5, "Dr": 15}
        return {Reading("SINGLE", 1, special[card] if card in special else rank(card))}
    if cards & {"Hu", "Dr"}:
        return set()
    natural = cards - {"Ph"}
    ranks = [rank(card) for card in natural]
    if "Ph" not in cards:
        colours = {card[0] for card in natural if card != "Ma"}
        return _of_ranks(ranks, one_colour=len(colours) == 1 and "Ma" not in natural, phoenix=False)
    return set(chain.from_iterable(_of_ranks([*ranks, r], one_colour=False, phoenix=True) for r in range(2, 15)))


def _of_ranks(ranks: list[int], one_colour: bool, phoenix: bool) -> set[Reading]:
    """All plays that two or more ranks can be. The Phoenix counts as the rank that it replaces."""
    ranks = sorted(ranks)
    length = len(ranks)
    counts = Counter(ranks)
    different = sorted(counts)
    if different == [1]:
        return set()
    found = set()
    if len(counts) == 1 and length == 2:
        found.add(Reading("PAIR", 2, ranks[0]))
    if len(counts) == 1 and length == 3:
        found.add(Reading("TRIPLE", 3, ranks[0]))
    if len(counts) == 1 and length == 4 and not phoenix:
        found.add(Reading("BOMB", 4, ranks[0]))
    if len(counts) > 1 and set(counts.values()) == {2} and in_a_row(different):
        found.add(Reading("STAIR", length, ranks[-1]))
    if sorted(counts.values()) == [2, 3]:
        found.add(Reading("FULLHOUSE", 5, next(r for r, n in counts.items() if n == 3)))
    if length >= 5 and len(counts) == length and in_a_row(ranks):
        found.add(Reading("BOMB" if one_colour else "STREET", length, ranks[-1]))
    return found


def highest(cards: Cards) -> Reading | None:
    """The reading with the highest rank; None if the cards are no play."""
    return max(readings(cards), key=lambda reading: reading.rank, default=None)


def on(cards: Cards, trick: Reading | None) -> Reading | None:
    """The reading of cards that are laid on this trick. None as the trick: they are led."""
    if cards == {"Ph"} and trick and trick.type == "SINGLE" and trick.rank < 15:
        return Reading("SINGLE", 1, int(trick.rank) + 0.5)
    return highest(cards)


def beats(reading: Reading, trick: Reading | None) -> bool:
    """Whether a play may be laid on the trick."""
    if trick is None:
        return True
    if reading.type == "BOMB":
        return trick.type != "BOMB" or (reading.length, reading.rank) > (trick.length, trick.rank)
    return reading[:2] == trick[:2] and reading.rank > trick.rank


def subsets(cards: Cards) -> Iterator[Cards]:
    """All subsets with at least one card."""
    for size in range(1, len(cards) + 1):
        for chosen in combinations(sorted(cards), size):
            yield frozenset(chosen)


def plays(hand: Cards, trick: Reading | None, wish: int = 0) -> dict[Cards, Reading]:
    """The legal plays of the player on turn. The empty set is a pass."""
    possible = {}
    for cards in subsets(hand):
        reading = on(cards, trick)
        if reading and beats(reading, trick):
            possible[cards] = reading
    wished = {card for card in hand if card in COLOURED and rank(card) == wish}
    if any(cards & wished for cards in possible):
        return {cards: r for cards, r in possible.items() if cards & wished or r.type == "BOMB"}
    if trick:
        possible[frozenset()] = Reading("PASS", 0, 0)
    return possible


def has_bomb(hand: Cards) -> bool:
    """Whether the hand has four cards of a rank, or five consecutive ones of a colour."""
    fours = [{colour + label for colour in COLOURS} for label in RANKS]
    labels = list(RANKS)
    fives = [
        {colour + label for label in labels[low : low + 5]} for colour in COLOURS for low in range(len(labels) - 4)
    ]
    return any(bomb <= hand for bomb in fours + fives)


def points(cards: Cards) -> int:
    """The points of cards."""
    special = {"Hu": 0, "Ma": 0, "Dr": 25, "Ph": -25}
    return sum(special[card] if card in special else POINTS.get(card[1:], 0) for card in cards)


class IllegalMoveError(Exception):
    """The rules do not allow the move."""


class Round:
    """A round that is played move by move, from the hands after schupfen."""

    def __init__(self, hands: list[Cards], calls: list[str]) -> None:
        self.hands = hands
        self.calls = calls  # "", "small" or "grand" for each seat
        self.turn = next(seat for seat in range(4) if "Ma" in hands[seat])
        self.trick: Reading | None = None
        self.lying: Cards = frozenset()
        self.owner: int | None = None
        self.passed: set[int] = set()  # seats that have passed since the last play
        self.points = [0, 0, 0, 0]
        self.finished: list[int] = []
        self.takes: list[int] = []

    def over(self) -> bool:
        """Whether the round has ended."""
        return len(self.finished) == 3 or self.double()

    def double(self) -> bool:
        """Whether it is a double victory."""
        return len(self.finished) == 2 and (self.finished[0] - self.finished[1]) % 2 == 0

    def _still_in(self, seat: int) -> int:
        """The seat, or the next one after it that holds cards."""
        return next(s % 4 for s in range(seat, seat + 4) if self.hands[s % 4])

    def complete(self) -> bool:
        """Whether all others with cards have passed."""
        return self.owner is not None and {s for s in range(4) if self.hands[s] and s != self.owner} <= self.passed

    def lay(self, seat: int, cards: Cards) -> None:
        """A seat lays cards, on turn or as a bomb out of turn."""
        reading = on(cards, self.trick)
        if self.over() or not cards <= self.hands[seat] or reading is None or not beats(reading, self.trick):
            raise IllegalMoveError(f"seat {seat} cannot lay {sorted(cards)} on {self.trick}")
        if seat != self.turn and not (reading.type == "BOMB" and self.trick):
            raise IllegalMoveError(f"seat {seat} is not on turn")
        self.hands[seat] -= cards
        if not self.hands[seat]:
            self.finished.append(seat)
        if cards == {"Hu"}:
            self.turn = self._still_in(seat + 2)
            return
        self.trick, self.owner, self.passed = reading, seat, set()
        self.lying |= cards
        if not self.over():
            self.turn = self._still_in(seat + 1)

    def pass_turn(self, seat: int) -> None:
        """A seat passes."""
        if seat != self.turn or self.trick is None or self.complete():
            raise IllegalMoveError(f"seat {seat} cannot pass")
        self.passed.add(seat)
        self.turn = self.owner if self.complete() else self._still_in(seat + 1)
        self.turn = self._still_in(self.turn)

    def take(self, dragon_to: int) -> int:
        """The owner takes the trick, or gives the Dragon's to `dragon_to`. Returns the owner."""
        if not (self.complete() or self.over()):
            raise IllegalMoveError("the trick still runs")
        taker = self.owner
        if self.trick == Reading("SINGLE", 1, 15) and not self.double():
            taker = dragon_to
            if (taker - self.owner) % 2 == 0:
                raise IllegalMoveError("the Dragon goes to an opponent")
        self.points[taker] += points(self.lying)
        owner = self.owner
        self.trick, self.owner, self.lying, self.passed = None, None, frozenset(), set()
        return owner

    def score(self) -> list[int]:
        """The scores of team 20 and team 31."""
        first = self.finished[0]
        result = [0, 0]
        if self.double():
            result[first % 2] = 200
        else:
            (last,) = set(range(4)) - set(self.finished)
            for seat in set(range(4)) - {last}:
                result[seat % 2] += self.points[seat]
            result[first % 2] += self.points[last]
            result[(last + 1) % 2] += points(self.hands[last])
        for seat, call in enumerate(self.calls):
            bonus = {"": 0, "small": 100, "grand": 200}[call]
            result[seat % 2] += bonus if seat == first else -bonus
        return result
