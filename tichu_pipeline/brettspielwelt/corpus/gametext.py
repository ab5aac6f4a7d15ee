"""A game as lines of text, which are edited before they become the bytes of a log, and the names in them.

`roundtext` knows what the lines mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RESULT = "Ergebnis:"
SEATS = range(4)  # those of the rules, whose import takes a second for the engine

# A name holds anything but ASCII space, tab and colon: `\S` would stop at a no-break space.
_NAMED = re.compile(r"(|Tichu: |Grosses Tichu: |Drache an: )\((\d)\)([^ \t:]*)(.*)")
_SCHUPF = re.compile(r"( gibt: )([^ \t:]*)(: [^ ]+ - )([^ \t:]*)(: [^ ]+ - )([^ \t:]*)(: [^ ]+ - ?)")


@dataclass
class GameText:
    """A game's log before it becomes bytes.

    Each round is a list of lines without their ends, from the header of the first eight cards to `Ergebnis`;
    the last one may be the fragment of an abandoned game.
    """

    game_id: int
    rounds: list[list[str]]
    encoding: str = "utf-8"
    newline: str = "\n"
    blank_lines: int = 0  # between two rounds
    final_newline: bool = True

    def num_whole_rounds(self) -> int:
        """The number of rounds with a result."""
        return sum(map(is_complete, self.rounds))

    def to_bytes(self) -> bytes:
        """The content of the log file."""
        lines: list[str] = []
        for number, round_lines in enumerate(self.rounds):
            lines += [""] * (self.blank_lines if number else 0)
            lines += round_lines
        text = self.newline.join(lines)
        return (text + self.newline if lines and self.final_newline else text).encode(self.encoding)


def is_complete(lines: list[str]) -> bool:
    """Whether a round has a result."""
    return bool(lines) and lines[-1].startswith(RESULT)


def names_at_table(lines: list[str]) -> list[str]:
    """The names of seats 0..3 from the list of the first eight cards; fewer if the list is cut off."""
    matches = [_NAMED.fullmatch(line) for line in lines[1:5]]
    return [match.group(3) if match else "" for match in matches]


def renamed(lines: list[str], seat: int, name: str) -> list[str]:
    """The lines with another name for a seat, wherever a sound round has the name."""
    return [_rename(line, seat, name) for line in lines]


def _rename(line: str, seat: int, name: str) -> str:
    """The line with another name for a seat."""
    if line.startswith("BOMBE: "):
        owners = line.split(" ")
        return " ".join(f"({seat}){name}" if owner.startswith(f"({seat})") else owner for owner in owners)
    match = _NAMED.fullmatch(line)
    if match is None:
        return line
    before, speaker, old, after = match.groups()
    schupf = _SCHUPF.fullmatch(after)
    if schupf:
        parts = list(schupf.groups())
        to = (seat - int(speaker)) % 4
        if to:
            parts[2 * to - 1] = name
        after = "".join(parts)
    return f"{before}({speaker}){name if int(speaker) == seat else old}{after}"
