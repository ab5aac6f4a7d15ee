"""The course of MADN and DOG in plain Python, with which tests compare the kernels; the board is `pachisi_board`.

Actions are as JSON has them. Chance is told: a throw, or the hands after a deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tests.oracles.pachisi_board import HOME, Board

Action = dict[str, Any]
CARDS = ["joker", "swap", "2", "3", "4", "5", "6", "7", "8", "9", "10", "1|11", "12", "13"]


@dataclass
class Madn:
    """A game of MADN."""

    board: Board
    turn: int = 0
    die: int = 0
    hands: list[dict[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hands = [dict.fromkeys(range(1, 7), 4) for _ in range(self.board.players)]

    def actions(self) -> list[Action]:
        """What is legal."""
        own, on = self.board.moved_by(self.turn), self.board.on
        numbers = [self.die] if "dice" in on else [n for n in range(1, 7) if self.hands[self.turn][n]]
        leaving = {6, 1} if "start_on_1" in on else {6}
        found = [
            {"pin": pin, "move": n}
            for pin, n in product(range(4), numbers)
            if self.board.move(own, pin, n, n in leaving) is not None
        ]
        return found or [{"pass": True}]

    def locked(self) -> bool:
        """Whether only a pin from home could move, whatever is thrown."""
        pins = self.board.pins[self.board.moved_by(self.turn)]
        out = [square for square in pins if square != HOME]
        return sorted(out) == [("goal", number) for number in range(4 - len(out), 4)]

    def act(self, action: Action) -> None:
        """Makes an action."""
        own, on, hand = self.board.moved_by(self.turn), self.board.on, self.hands[self.turn]
        self.die = 0
        if "pass" in action:
            hand.update(dict.fromkeys(range(1, 7), 4))
        else:
            square = self.board.move(own, action["pin"], action["move"], leaving=True)
            assert square is not None
            self.board.put(own, action["pin"], square)
            hand[action["move"]] -= 1
            if not any(hand.values()):
                hand.update(dict.fromkeys(range(1, 7), 4))
        if action.get("move") != 6 or "bonus_turn_on_6" not in on:
            self.turn = (self.turn + 1) % self.board.players


@dataclass
class Dog:
    """A game of DOG; `hands` are lists of cards."""

    board: Board
    turn: int = 0
    starter: int = -1
    size: int = 7
    phase: str = "deal"
    hands: list[list[str]] = field(default_factory=list)
    pack: int = 0
    given: dict[int, str] = field(default_factory=dict)

    def dealt(self, hands: list[list[str]]) -> int:
        """Takes up what has been dealt; returns how many each should have got."""
        self.size = 6 if self.size == 2 else self.size - 1
        self.hands = [list(hand) for hand in hands]
        self.starter = self.turn = (self.starter + 1) % self.board.players
        self.phase = "exchange" if "teams" in self.board.on else "play"
        return self.size

    def actions(self) -> list[Action]:
        """What is legal."""
        hand = self.hands[self.turn]
        if self.phase == "exchange":
            return [{"give": card} for card in sorted(set(hand), key=CARDS.index)]
        found = [action for card in set(hand) for action in self._plays(card)]
        return found or [{"discard": True}]

    def _plays(self, card: str) -> Iterator[Action]:
        own, on = self.board.moved_by(self.turn), self.board.on
        means = [each for each in CARDS[1:] if each not in ("7", "swap")] if card == "joker" else [card]
        means += [name for name, switch in (("7", "seven"), ("swap", "swap")) if card == "joker" and switch in on]
        for each in means:
            if each == "swap":
                yield from ({"card": card, "swap": swap} for swap in self.board.swaps(own))
            elif each == "7":
                for split in product(range(8), repeat=4):
                    if sum(split) == 7 and self.board.seven(own, split) is not None:
                        yield {"card": card, "seven": list(split)}
            else:
                numbers = {"1|11": [1, 11], "4": [4, -4] if "minus_four" in on else [4]}.get(each) or [int(each)]
                for pin, number in product(range(4), numbers):
                    is_back_from_ring = number > 0 or self.board.pins[own][pin][0] == "ring"
                    if is_back_from_ring and self.board.move(own, pin, number, each in ("1|11", "13")) is not None:
                        yield {"card": card, "pin": pin, "move": number}

    def act(self, action: Action) -> None:
        """Makes an action."""
        own, hand = self.board.moved_by(self.turn), self.hands[self.turn]
        if "give" in action:
            hand.remove(action["give"])
            self.given[self.turn] = action["give"]
            self.turn = (self.turn + 1) % 4
            if self.turn == self.starter:
                for player, card in self.given.items():
                    self.hands[(player + 2) % 4].append(card)
                self.given, self.phase = {}, "play"
            return
        if "discard" in action:
            hand.clear()
        else:
            hand.remove(action["card"])
            if "swap" in action:
                pin, other, its = action["swap"]
                pins = self.board.pins
                pins[own][pin], pins[other][its] = pins[other][its], pins[own][pin]
            elif "seven" in action:
                self.board.make_seven(own, tuple(action["seven"]))
            else:
                square = self.board.move(own, action["pin"], action["move"], leaving=True)
                assert square is not None
                self.board.put(own, action["pin"], square)
        players = self.board.players
        following = [(self.turn + i) % players for i in range(1, players + 1)]
        with_cards = [player for player in following if self.hands[player]]
        self.phase = "play" if with_cards else "deal"
        self.turn = with_cards[0] if with_cards else (self.starter + 1) % players
