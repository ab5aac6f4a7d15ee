"""A second implementation of Ganz schön clever, slow and obvious, with which tests compare the kernels.

It shares nothing with them: a game is one function that reads like the rules from top to bottom, a sheet is lists of
numbers, and whoever plays answers what it asks.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple

COLOURS = ["yellow", "blue", "green", "orange", "purple"]
DICE = [*COLOURS, "white"]
YELLOW = [[3, 6, 5, "X"], [2, 1, "X", 5], [1, "X", 2, 4], ["X", 3, 4, 6]]
YELLOW_ROWS, YELLOW_COLUMNS = ["blue X", "orange 4", "green X", "fox"], [10, 14, 16, 20]
BLUE = [["X", 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
BLUE_ROWS, BLUE_COLUMNS = ["orange 5", "yellow X", "fox"], ["reroll", "green X", "purple 6", "extra"]
BLUE_POINTS = [0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56]
GREEN = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6]
GREEN_POINTS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66]
GREEN_BONUS = ["", "", "", "extra", "", "blue X", "fox", "", "purple 6", "reroll", ""]
ORANGE = [1, 1, 1, 2, 1, 1, 2, 1, 2, 1, 3]
ORANGE_BONUS = ["", "", "reroll", "", "yellow X", "extra", "", "fox", "", "purple 6", ""]
PURPLE_BONUS = ["", "", "reroll", "blue X", "extra", "yellow X", "fox", "reroll", "green X", "orange 6", "extra"]
ROUND_BONUS = {1: "reroll", 2: "extra", 3: "reroll", 4: "free"}
ROUNDS = {1: 6, 2: 6, 3: 5, 4: 4}
FIRST = {"yellow": 0, "blue": 16, "green": 28, "orange": 39, "purple": 50}
REROLL, PASS, NOTHING = 244, 245, 246


class Roll(NamedTuple):
    """Asks for dice to be rolled; `tray` says that three of them go to the tray."""

    dice: list[str]
    tray: bool


class Rolled(NamedTuple):
    """What they show, and the dice on the tray."""

    values: dict[str, int]
    tray: list[str]


class Choice(NamedTuple):
    """Asks a player for one of these actions."""

    player: int
    actions: set[int]


class Play(NamedTuple):
    """An entry: which area, which place in it, with which number."""

    area: str
    place: int
    number: int


Question = Roll | Choice
Course = Generator[Question, Rolled | int, None]


@dataclass
class Sheet:
    """A player's sheet."""

    yellow: list[list[bool]] = field(default_factory=lambda: [[number == "X" for number in row] for row in YELLOW])
    blue: list[list[bool]] = field(default_factory=lambda: [[number == "X" for number in row] for row in BLUE])
    green: int = 0
    orange: list[int] = field(default_factory=list)
    purple: list[int] = field(default_factory=list)
    rerolls: int = 0
    extras: int = 0
    foxes: int = 0
    got: list[str] = field(default_factory=list)  # every bonus so far

    def areas(self) -> dict[str, int]:
        """The points of each area."""
        yellow = sum(p for i, p in enumerate(YELLOW_COLUMNS) if all(row[i] for row in self.yellow))
        crosses = sum(map(sum, self.blue)) - 1
        green = GREEN_POINTS[self.green - 1] if self.green else 0
        orange = sum(number * times for number, times in zip(self.orange, ORANGE, strict=False))
        numbers = [yellow, BLUE_POINTS[crosses], green, orange, sum(self.purple)]
        return dict(zip(COLOURS, numbers, strict=True))

    def score(self) -> int:
        """All points."""
        return sum(self.areas().values()) + self.foxes * min(self.areas().values())

    def places(self, area: str, number: int, total: int) -> list[int]:
        """Where in an area a die with this number can be entered; total is the sum of blue and white."""
        if area == "yellow":
            boxes = [(r, c) for r in range(4) for c in range(4)]
            return [4 * r + c for r, c in boxes if YELLOW[r][c] == number and not self.yellow[r][c]]
        if area == "blue":
            boxes = [(r, c) for r in range(3) for c in range(4)]
            return [4 * r + c for r, c in boxes if BLUE[r][c] == total and not self.blue[r][c]]
        if area == "green":
            return [self.green] if self.green < 11 and number >= GREEN[self.green] else []
        if area == "orange":
            return [len(self.orange)] if len(self.orange) < 11 else []
        if len(self.purple) == 11:
            return []
        last = self.purple[-1] if self.purple else 0
        return [len(self.purple)] if last == 6 or number > last else []

    def free(self, area: str) -> list[int]:
        """Where in an area a bonus can be entered."""
        if area == "yellow":
            return [4 * r + c for r in range(4) for c in range(4) if not self.yellow[r][c]]
        if area == "blue":
            return [4 * r + c for r in range(3) for c in range(4) if not self.blue[r][c]]
        filled = {"green": self.green, "orange": len(self.orange), "purple": len(self.purple)}[area]
        return [filled] if filled < 11 else []

    def enter(self, play: Play) -> list[str]:
        """Enters a number, and returns the bonuses that have to be entered in turn."""
        row, column = divmod(play.place, 4)
        bonuses = []
        if play.area == "yellow":
            assert not self.yellow[row][column]
            self.yellow[row][column] = True
            if all(self.yellow[row]):
                bonuses.append(YELLOW_ROWS[row])
            if row == column and all(self.yellow[i][i] for i in range(4)):
                bonuses.append("extra")
        elif play.area == "blue":
            assert not self.blue[row][column]
            self.blue[row][column] = True
            if all(self.blue[row]):
                bonuses.append(BLUE_ROWS[row])
            if all(self.blue[i][column] for i in range(3)):
                bonuses.append(BLUE_COLUMNS[column])
        elif play.area == "green":
            bonuses.append(GREEN_BONUS[self.green])
            self.green += 1
        elif play.area == "orange":
            bonuses.append(ORANGE_BONUS[len(self.orange)])
            self.orange.append(play.number)
        else:
            bonuses.append(PURPLE_BONUS[len(self.purple)])
            self.purple.append(play.number)
        return [bonus for bonus in bonuses if bonus and not self.keep(bonus)]

    def keep(self, bonus: str) -> bool:
        """Notes a bonus; whether it is one that is kept."""
        self.got.append(bonus)
        if bonus == "reroll":
            self.rerolls += 1
        elif bonus == "extra":
            self.extras += 1
        elif bonus == "fox":
            self.foxes += 1
        return bonus in ("reroll", "extra", "fox")


@dataclass
class Table:
    """A game: its sheets, and what the dice show."""

    sheets: list[Sheet]
    seed_rules: bool = False
    values: dict[str, int] = field(default_factory=dict)

    def plays(self, sheet: Sheet, dice: list[str], extra: bool) -> dict[int, tuple[str, Play]]:
        """What can be done with these dice: by the code of the action, the die and the entry."""
        found = {}
        for die in dice:
            for area in COLOURS if die == "white" else [die]:
                for place in sheet.places(area, self.values[die], self.values["blue"] + self.values["white"]):
                    code = FIRST[area] + place + (61 if die == "white" else 0) + (122 if extra else 0)
                    found[code] = (die, Play(area, place, self.values[die]))
        return found

    def enter(self, player: int, play: Play | None, waiting: list[str]) -> Course:
        """Enters a number, if any, and then all bonuses that follow."""
        sheet = self.sheets[player]
        if play is not None:
            waiting = waiting + sheet.enter(play)
        while True:
            by_code: dict[int, tuple[str, Play]] = {}
            for bonus in sorted(waiting):  # of several orange numbers the largest has the code
                word, number = bonus.split() if " " in bonus else (bonus, "6")
                for area in COLOURS if word == "free" else [word]:
                    for place in sheet.free(area):
                        by_code[FIRST[area] + place] = (bonus, Play(area, place, 6 if number == "X" else int(number)))
            oranges = sorted({bonus for bonus in waiting if bonus.startswith("orange")})
            if len(oranges) > 1:
                for place in sheet.free("orange"):
                    by_code[FIRST["orange"] + place + 61] = (oranges[0], Play("orange", place, int(oranges[0][-1])))
            if not by_code:
                return
            bonus, play = by_code[(yield Choice(player, set(by_code)))]
            waiting = list(waiting)
            waiting.remove(bonus)
            waiting += sheet.enter(play)

    def active_turn(self, player: int) -> Generator[Question, Rolled | int, list[str]]:
        """Up to three rolls; returns the dice that were entered."""
        sheet, pool, entered = self.sheets[player], list(DICE), []
        for _ in range(3):
            if not pool:
                break
            while True:
                self.values.update((yield Roll(pool, tray=False)).values)
                plays = self.plays(sheet, pool, extra=False)
                actions = set(plays) or {NOTHING}
                action = yield Choice(player, actions | {REROLL} if sheet.rerolls else actions)
                if action != REROLL:
                    break
                sheet.rerolls -= 1
            if action == NOTHING:
                continue
            die, play = plays[action]
            entered.append(die)
            pool = [other for other in pool if other != die and self.values[other] >= self.values[die]]
            yield from self.enter(player, play, [])
        return entered

    def extra_dice(self, player: int) -> Course:
        """The extra dice at the end of a turn."""
        sheet, left = self.sheets[player], list(DICE)
        while sheet.extras:
            plays = self.plays(sheet, left, extra=True)
            if not plays:
                return
            action = yield Choice(player, {*plays, PASS})
            if action == PASS:
                return
            die, play = plays[action]
            sheet.extras -= 1
            left.remove(die)
            yield from self.enter(player, play, [])

    def passive_turn(self, player: int, tray: list[str]) -> Course:
        """The die of a player who is not active."""
        sheet = self.sheets[player]
        plays = self.plays(sheet, tray, extra=True)
        if not plays and not self.seed_rules:
            plays = self.plays(sheet, [die for die in DICE if die not in tray], extra=True)
        actions = set(plays) if self.seed_rules else {*plays, PASS}
        action = yield Choice(player, actions if plays else {NOTHING})
        if action not in (PASS, NOTHING):
            yield from self.enter(player, plays[action][1], [])

    def play(self) -> Course:
        """A whole game."""
        n = len(self.sheets)
        for number in range(1, ROUNDS[n] + 1):
            for player, sheet in enumerate(self.sheets):
                bonus = ROUND_BONUS.get(number)
                if bonus and not sheet.keep(bonus):
                    yield from self.enter(player, None, [bonus])
            for active in range(n):
                entered = yield from self.active_turn(active)
                if self.seed_rules and number == ROUNDS[n] and active == n - 1:
                    return
                yield from self.extra_dice(active)
                tray = [die for die in DICE if die not in entered]
                if n == 1:
                    rolled = yield Roll(list(DICE), tray=True)
                    self.values, tray = rolled.values, rolled.tray
                    others = [self.values[die] for die in DICE if die not in tray]
                    assert len(tray) == 3
                    assert self.seed_rules or max(self.values[die] for die in tray) <= min(others)
                for i in range(1, max(n, 2)):
                    yield from self.passive_turn((active + i) % n, tray)
                    yield from self.extra_dice((active + i) % n)
