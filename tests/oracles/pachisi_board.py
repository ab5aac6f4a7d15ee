"""The board of MADN and DOG once more, slow and obvious, with which tests compare the kernels.

It shares nothing with them: a pin is at home, on the ring or in a goal, and walks square by square.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

HOME = ("home", 0)
Square = tuple[str, int]
Path = list[Square]


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
        path, at_entry, through = [], False, "must_traverse_start" in self.on
        for _ in range(steps):
            kind, number = square
            ring = 4 * self.distance
            entry = (self.start(player)[1] - 1) % ring
            if kind == "goal":
                square = ("goal", number + 1)
            elif turning_in and (square == self.start(player) if at_entry else number == entry and not through):
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
