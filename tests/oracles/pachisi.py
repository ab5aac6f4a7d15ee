"""A second implementation of MADN and DOG, slow and obvious, with which tests compare the kernels.

It shares nothing with them: a pin is at home, on the ring or in a goal, and walks square by square. Actions are as JSON
has them. Chance is told: a throw, or the hands after a deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

HOME = ("home", 0)
Square = tuple[str, int]
Path = list[Square]
Action = dict[str, Any]
CARDS = ["joker", "swap", "2", "3", "4", "5", "6", "7", "8", "9", "10", "1|11", "12", "13"]
PACK = {card: 6 if card == "joker" else 8 for card in CARDS}


@dataclass
class Board:
    """Where all pins are."""

    players: int
    distance: int
    on: set[str]  # the switches
    pins: list[list[Square]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pins = [[HOME] * 4 for _ in range(self.players)]
        if "initial_free_pin" in self.on:
            for player in range(self.players):
                self.pins[player][0] = self.start(player)

    def start(self, player: int) -> Square:
        """Where a player's pins leave home."""
        return ("ring", self.distance * player)

    def cell(self, player: int, square: Square) -> int:
        """The number of a square."""
        kind, number = square
        return {"home": -1, "ring": number, "goal": 4 * self.distance + 4 * player + number}[kind]

    def holders(self, square: Square) -> list[tuple[int, int]]:
        """The pins on a square of the ring."""
        return [(p, i) for p in range(self.players) for i in range(4) if self.pins[p][i] == square]

    def side(self, player: int) -> list[int]:
        """Who wins together with a player."""
        return [player, (player + 2) % 4] if "teams" in self.on else [player]

    def done(self, player: int) -> bool:
        """Whether all four are in the goal."""
        return all(kind == "goal" for kind, _ in self.pins[player])

    def winners(self) -> list[int]:
        """Who has won."""
        return [p for p in range(self.players) if all(self.done(each) for each in self.side(p))]

    def moved_by(self, player: int) -> int:
        """Whose pins a player moves."""
        return self.side(player)[-1] if self.done(player) else player

    def walk(self, player: int, square: Square, steps: int, turning_in: bool) -> Path | None:
        """The squares that a pin steps on, one after another; None if the goal is too short. `turning_in` leads it
        into the goal where it can, otherwise it goes round."""
        path, at_entry = [], False
        for _ in range(steps):
            kind, number = square
            ring = 4 * self.distance
            entry = (self.start(player)[1] - 1) % ring
            if kind == "goal":
                square = ("goal", number + 1)
            elif turning_in and at_entry and square == self.start(player):
                square = ("goal", 0)
            elif turning_in and number == entry and "must_traverse_start" not in self.on:
                square = ("goal", 0)
            else:
                at_entry = number == entry
                square = ("ring", (number + 1) % ring)
            if square == ("goal", 4):
                return None
            path.append(square)
        return path

    def bars(self, square: Square, moving: list[tuple[int, int]]) -> bool:
        """Whether a pin that does not move bars the way on its own start."""
        return "start_blocking" in self.on and any(
            self.start(player) == square and (player, pin) not in moving for player, pin in self.holders(square)
        )

    def path(
        self, player: int, square: Square, steps: int, taken: set[int], moving: list[tuple[int, int]]
    ) -> Path | None:
        """How a pin on the ring goes, or None; `taken` are the places in its goal that are not free for it."""
        path = self.walk(player, square, steps, turning_in=True)
        if path is not None and path[-1][0] == "goal":
            passed = {number for kind, number in path if kind == "goal"}
            shut = passed & taken if "jump_in_goal_area" not in self.on else {path[-1][1]} & taken
            if shut:
                path = None
        else:
            path = None
        if path is None:
            path = self.walk(player, square, steps, turning_in=False)
            assert path is not None
            if "circular_board" not in self.on and self.start(player) in path:
                return None
        return None if any(self.bars(each, moving) for each in path if each[0] == "ring") else path

    def taken(self, player: int) -> set[int]:
        """Places in a player's goal with a pin."""
        return {number for kind, number in self.pins[player] if kind == "goal"}

    def move(self, player: int, pin: int, steps: int, leaving: bool) -> Square | None:
        """Where a pin comes to by a number, or None."""
        square = self.pins[player][pin]
        if square == HOME:
            start = self.start(player)
            own = any(p == player for p, _ in self.holders(start))
            return start if leaving and not own else None
        if square[0] == "goal":
            path = self.walk(player, square, steps, turning_in=True)
            passed = [number for _, number in path or []]
            if "jump_in_goal_area" in self.on:
                passed = passed[-1:]
            return path[-1] if path and not set(passed) & self.taken(player) else None
        if steps < 0:
            back = [("ring", (square[1] - i) % (4 * self.distance)) for i in range(1, -steps + 1)]
            if "circular_board" not in self.on and self.start(player) in [square, *back[:-1]]:
                return None
            path = None if any(self.bars(each, []) for each in back) else back
        else:
            path = self.path(player, square, steps, self.taken(player), [])
        if path is None:
            return None
        if "friendly_fire" not in self.on and path[-1][0] == "ring":
            if any(p == player for p, _ in self.holders(path[-1])):
                return None
        return path[-1]

    def put(self, player: int, pin: int, square: Square) -> None:
        """Moves a pin; whoever is on the ring there goes home."""
        if square[0] == "ring":
            for other, each in self.holders(square):
                self.pins[other][each] = HOME
        self.pins[player][pin] = square

    def seven(self, player: int, split: tuple[int, ...]) -> list[tuple[Square, Path]] | None:
        """For each pin where it comes to and how; None if the split is illegal."""
        pins = self.pins[player]
        if any(steps and square == HOME for square, steps in zip(pins, split, strict=True)):
            return None
        inside = {i: pins[i][1] + split[i] for i in range(4) if pins[i][0] == "goal"}
        if any(place > 3 for place in inside.values()):
            return None
        if "jump_in_goal_area" not in self.on:
            order = [inside[i] for i in sorted(inside, key=lambda i: pins[i][1])]
            if order != sorted(set(order)):
                return None
        taken = set() if "jump_in_goal_area" in self.on else set(inside.values())
        moving = [(player, i) for i in range(4) if split[i]]
        found: list[tuple[Square, Path]] = []
        for square, steps in zip(pins, split, strict=True):
            if not steps:
                found.append((square, []))
                continue
            inner = [("goal", square[1] + k) for k in range(1, steps + 1)]
            path = inner if square[0] == "goal" else self.path(player, square, steps, taken, moving)
            if path is None:
                return None
            found.append((path[-1], path))
        return found

    def make_seven(self, player: int, split: tuple[int, ...]) -> None:
        """Moves pins at the same time."""
        found = self.seven(player, split)
        assert found is not None
        before = list(self.pins[player])
        for i, (square, _) in enumerate(found):
            of_others = {each for k, (_, path) in enumerate(found) if k != i for each in path}
            hit = before[i] in of_others and square in of_others
            self.pins[player][i] = HOME if hit else square
        passed = {each for _, path in found for each in path if each[0] == "ring"}
        for other in range(self.players):
            if other != player:
                self.pins[other] = [HOME if square in passed else square for square in self.pins[other]]

    def swaps(self, player: int) -> Iterator[list[int]]:
        """Own pin, other player, its pin."""
        for pin, other in product(range(4), range(self.players)):
            for its in range(4):
                squares = self.pins[player][pin], self.pins[other][its]
                owners = player, other
                if other != player and all(kind == "ring" for kind, _ in squares):
                    on_start = [square == self.start(p) for p, square in zip(owners, squares, strict=True)]
                    if not ("start_blocking" in self.on and any(on_start)):
                        yield [pin, other, its]


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
