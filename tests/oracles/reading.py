"""A plain-Python parser of Brettspielwelt's text for sound rounds, with which tests compare the product.

It shares no code with the product's parser: a regular expression for each line, a dict for each round.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np

from tichu_models.records.schema import ROUND, Rounds
from tichu_models.rules.cards import INDEX_OF_LABEL, parse_cards

RANKS = {**{str(n): n for n in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
HAND = re.compile(r"\((\d)\)(\S*) (.*)")
PLAY = re.compile(r"\((\d)\)(\S*): (.*)")
PASS = re.compile(r"\((\d)\)(\S*) passt\.?")
GIVES = re.compile(r"\((\d)\)(\S*) gibt: (.*) - ")
CALL = re.compile(r"(Grosses )?Tichu: \((\d)\)")


def read_rounds(text: str) -> list[dict]:
    """The rounds of a log. `lines` of a round are (seat, labels) of plays and passes, collecting ones included."""
    rounds = []
    for part in text.split("---------------Gr.Tichukarten------------------\n")[1:]:
        lines = part.splitlines()
        round_ = {
            "names": [""] * 4, "first": [None] * 4, "start": [None] * 4, "given": [None] * 4,
            "calls": {}, "bombs": set(), "lines": [], "wish": 0, "dragon": -1, "score": None, "text": lines,
        }  # fmt: skip
        section = "first"
        for line in lines:
            _read_line(round_, section, line)
            if line.startswith("---------------Startkarten"):
                section = "start"
            elif line == "Schupfen:":
                section = "schupfen"
            elif line.startswith("---------------Rundenverlauf"):
                section = "play"
        rounds.append(round_)
    return rounds


def _read_line(round_: dict, section: str, line: str) -> None:
    """Reads one line into the round."""
    if call := CALL.match(line):
        place = count_turns(round_["lines"]) if section == "play" else -1
        round_["calls"].setdefault(int(call[2]), -2 if call[1] else place)
    elif line.startswith("BOMBE:"):
        round_["bombs"] = {int(seat) for seat in re.findall(r"\((\d)\)", line)}
    elif line.startswith("Wunsch:"):
        round_["wish"] = RANKS[line.removeprefix("Wunsch:")]
    elif line.startswith("Drache an:"):
        round_["dragon"] = int(line[12])
    elif line.startswith("Ergebnis:"):
        twenty, thirty_one = re.fullmatch(r"Ergebnis: (-?\d+) - (-?\d+)", line).groups()
        round_["score"] = (int(twenty), int(thirty_one))
    elif section in ("first", "start") and (hand := HAND.fullmatch(line)):
        round_["names"][int(hand[1])] = hand[2]
        round_[section][int(hand[1])] = hand[3].split()
    elif section == "schupfen" and (gives := GIVES.fullmatch(line)):
        round_["given"][int(gives[1])] = [part.split(": ")[1] for part in gives[3].split(" - ")]
    elif section == "play" and (passed := PASS.fullmatch(line)):
        round_["lines"].append((int(passed[1]), []))
    elif section == "play" and (play := PLAY.fullmatch(line)):
        round_["lines"].append((int(play[1]), play[3].split()))


def count_turns(lines: list[tuple[int, list[str]]]) -> int:
    """The number of turns among the lines. A pass on the own play collects the trick, and is no turn."""
    turns, owner = 0, None
    for seat, cards in lines:
        turns += bool(cards) or seat != owner
        owner = seat if cards else owner
    return turns


def to_records(rounds: list[dict], game_id: int = 0) -> Rounds:
    """Rounds as records. A pass on the own play takes the trick. An owner who is out of cards does not pass, so the
    history lacks that take."""
    rows, history = np.zeros(len(rounds), dtype=ROUND), bytearray()
    for index, (row, round_) in enumerate(zip(rows, rounds, strict=True)):
        row["game_id"], row["round_index"] = game_id, index
        row["first"] = [parse_cards(" ".join(hand)) for hand in round_["first"]]
        row["start"] = [parse_cards(" ".join(hand)) for hand in round_["start"]]
        row["given"] = [[INDEX_OF_LABEL[card] for card in cards] for cards in round_["given"]]
        row["tichu_position"] = [round_["calls"].get(seat, -3) for seat in range(4)]
        row["score"], row["wish"], row["dragon_recipient"] = round_["score"], round_["wish"], round_["dragon"]
        row["history_from"] = len(history)
        owner = None
        for seat, cards in round_["lines"]:
            history.append((0x90 if cards else 0xA0 if seat == owner else 0x80) | seat)
            owner = seat if cards else owner
            history.extend(sorted(INDEX_OF_LABEL[card] for card in cards))
        row["history_to"] = len(history)
    return Rounds(rows, np.frombuffer(bytearray(history), dtype=np.uint8))


def sorted_lines(text: str) -> list[str]:
    """Lines with sorted words, so that texts that differ only in the order of cards are equal."""
    return [" ".join(sorted(line.split())) for line in text.splitlines()]


def digests(data: Path) -> dict[str, str]:
    """The digest of every Parquet file in a data folder."""
    files = sorted(data.rglob("*.parquet"))
    return {path.relative_to(data).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
