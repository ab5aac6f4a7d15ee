"""Reads a sound round's text far enough to edit it: hands, turns, tricks.

It trusts the lines, since they come from the writer: it checks no rules and needs no engine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tichu_pipeline.brettspielwelt.corpus.gametext import RESULT, SEATS, names_at_table

# The labels of tichu_models.rules.cards, which imports compiled kernels that editing text does not need.
RANK_OF_LABEL = {**{str(rank): rank for rank in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
LABEL_OF_RANK = {rank: label for label, rank in RANK_OF_LABEL.items()}
COLOURS = "SBGR"

FIRST_CARDS, START_CARDS = range(1, 5), range(6, 10)  # the lines of the two card lists
NOBODY = -1

_TURN = re.compile(r"\((\d)\)[^ \t:]*(?:: (.*)| passt\.)")
_CALL = re.compile(r"(Grosses )?Tichu: \((\d)\).*")
_GIVEN = re.compile(r": ([^ :]+) -")


def rank(card: str) -> int:
    """2..14 for a card with a colour, 0 for a special card."""
    return RANK_OF_LABEL.get(card[1:], 0) if card[0] in COLOURS else 0


def naturals(cards: Iterable[str]) -> list[str]:
    """The cards with a colour, sorted, so that the order is the same in every run."""
    return sorted(card for card in cards if rank(card))


def is_bomb(cards: tuple[str, ...]) -> bool:
    """Four of a kind, or five or more of one colour in a row."""
    ranks = sorted(rank(card) for card in cards)
    if not ranks or ranks[0] == 0:
        return False
    if len(ranks) == 4:
        return ranks[0] == ranks[3]
    in_a_row = ranks == list(range(ranks[0], ranks[0] + len(ranks)))
    return len(ranks) >= 5 and in_a_row and len({card[0] for card in cards}) == 1


@dataclass(frozen=True)
class Turn:
    """A play or a pass, with the state of the round before it."""

    line: int
    seat: int
    cards: tuple[str, ...]  # empty for a pass
    hands: tuple[frozenset[str], ...]
    top: tuple[str, ...]  # the play to beat; empty on a lead
    owner: int  # the seat that laid it, or NOBODY
    wish: int  # 2..14 if one is open, else 0
    collects: bool  # whether it is the pass by which the winner takes the trick

    @property
    def leads(self) -> bool:
        """Whether this is the first play of a trick."""
        return bool(self.cards) and not self.top


@dataclass(frozen=True)
class Call:
    """An announcement."""

    line: int
    seat: int
    grand: bool


class RoundText:
    """The lines of a sound round, read into turns and calls."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.names = names_at_table(lines)
        self.first = [_cards(lines[i]) for i in FIRST_CARDS]
        self.start = [_cards(lines[i]) for i in START_CARDS]
        self.schupfen = lines.index("Schupfen:")
        self.given = [_GIVEN.findall(lines[self.schupfen + 1 + seat]) for seat in SEATS]
        self.play_header = lines.index("---------------Rundenverlauf------------------")
        self.result = len(lines) - 1
        self.calls = [
            Call(i, int(match.group(2)), match.group(1) is not None)
            for i, line in enumerate(lines)
            if (match := _CALL.fullmatch(line))
        ]
        self.wish_line = self._line_of("Wunsch:")
        self.gift_line = self._line_of("Drache an: ")
        self.out: list[int] = []  # seats in the order of going out
        self.turns = list(self._read_turns())

    def _line_of(self, beginning: str) -> int | None:
        """The first line of the play with this beginning; None if there is none."""
        lines = range(self.play_header, self.result)
        return next((i for i in lines if self.lines[i].startswith(beginning)), None)

    def _read_turns(self) -> Iterable[Turn]:
        hands = [frozenset(self.start[seat]) - set(self.given[seat]) for seat in SEATS]
        for seat in SEATS:
            for to, card in enumerate(self.given[seat], start=1):
                hands[(seat + to) % 4] |= {card}
        top: tuple[str, ...] = ()
        owner, wish, complete = NOBODY, 0, False
        for i in range(self.play_header + 1, self.result):
            if self.lines[i].startswith("Wunsch:"):
                wish = RANK_OF_LABEL[self.lines[i].removeprefix("Wunsch:").strip()]
            match = _TURN.fullmatch(self.lines[i])
            if match is None:
                continue
            seat, cards = int(match.group(1)), tuple((match.group(2) or "").split())
            # A player who is out takes his trick without a line.
            if complete and seat != owner and not is_bomb(cards):
                top, owner, complete = (), NOBODY, False
            collects = not cards and complete and seat == owner
            yield Turn(i, seat, cards, tuple(hands), top, owner, wish, collects)
            if collects:
                top, owner, complete = (), NOBODY, False
            elif not cards:
                others = (seat + step for step in range(1, 5))
                following = next(s % 4 for s in others if hands[s % 4] or s % 4 == owner)
                complete = following == owner
            else:
                hands[seat] -= frozenset(cards)
                if wish in map(rank, cards):
                    wish = 0
                if not hands[seat]:
                    self.out.append(seat)
                top, owner, complete = ((), NOBODY, False) if cards == ("Hu",) else (cards, seat, False)

    @property
    def plays(self) -> list[Turn]:
        """The turns in which cards were laid."""
        return [turn for turn in self.turns if turn.cards]

    @property
    def end(self) -> Turn:
        """The play that ended the round."""
        return self.plays[-1]

    @property
    def is_double_victory(self) -> bool:
        """Whether two partners went out first."""
        return len(self.out) == 2

    @cached_property
    def hands_left(self) -> list[frozenset[str]]:
        """The hands at the end of the round."""
        return [hand - set(self.end.cards) for hand in self.end.hands]

    @property
    def score(self) -> tuple[int, int]:
        """The result as logged."""
        left, right = self.lines[self.result].removeprefix(RESULT).split(" - ", 1)
        return int(left), int(right)

    def plays_of(self, seat: int) -> list[Turn]:
        """The plays of one seat."""
        return [turn for turn in self.plays if turn.seat == seat]

    def after(self, turn: Turn) -> Turn | None:
        """The turn that follows."""
        return next((other for other in self.turns if other.line > turn.line), None)

    def play_line(self, seat: int, cards: Iterable[str]) -> str:
        """The line of a play."""
        return f"({seat}){self.names[seat]}: {' '.join(cards)} "

    def pass_line(self, seat: int) -> str:
        """The line of a pass."""
        return f"({seat}){self.names[seat]} passt."

    def replaced(self, line: int, text: str) -> list[str]:
        """All lines, with this text as the line of this number."""
        return [*self.lines[:line], text, *self.lines[line + 1 :]]

    def inserted(self, line: int, *texts: str) -> list[str]:
        """All lines, with these texts inserted before the line of this number."""
        return [*self.lines[:line], *texts, *self.lines[line:]]

    def without(self, line: int) -> list[str]:
        """All lines but the one of this number."""
        return [*self.lines[:line], *self.lines[line + 1 :]]

    def moved(self, line: int, to: int) -> list[str]:
        """The lines with one of them moved to before another one."""
        lines = self.inserted(to, self.lines[line])
        del lines[line if line < to else line + 1]
        return lines


def _cards(line: str) -> list[str]:
    return line.split(" ", 1)[1].split()


def ranks_of(cards: Iterable[str]) -> list[tuple[int, int]]:
    """(rank, number of cards) of the cards with a colour, the most frequent rank first."""
    return Counter(rank(card) for card in cards if rank(card)).most_common()
