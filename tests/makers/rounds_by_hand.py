"""Records of rounds that tests write or edit turn by turn, as in a log or a damaged file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tests.makers.positions import cards_of, played
from tichu_models.records import history
from tichu_models.records.replay import check
from tichu_models.records.schema import NO_RECIPIENT, Rounds
from tichu_models.rules.cards import CARD_OF_INDEX, INDEX_OF_LABEL, LABELS
from tichu_models.rules.state import NOT_CALLED

MARKS = {"pass": history.PASS_MARK, "play": history.PLAY_MARK, "take": history.TAKE_MARK}

Entry = tuple[str, int, list[str]]


@dataclass(frozen=True)
class Sheet:
    """A round: its record, and its history as entries ("play" | "pass" | "take", seat, labels)."""

    row: np.ndarray
    entries: tuple[Entry, ...]

    def with_row(self, **fields: object) -> Sheet:
        """The same round with other values in its record."""
        row = self.row.copy()
        for name, value in fields.items():
            row[name] = value
        return replace(self, row=row)

    def with_seat(self, field: str, seat: object, value: object) -> Sheet:
        """The same round with another value for one seat (or team, or place) of a field."""
        row = self.row.copy()
        row[field][(0, *seat) if isinstance(seat, tuple) else (0, seat)] = value
        return replace(self, row=row)

    def edited(self, at: int, *entries: Entry, drop: int = 0) -> Sheet:
        """The same round with entries inserted at a place, in place of `drop` others."""
        return replace(self, entries=(*self.entries[:at], *entries, *self.entries[at + drop :]))

    def rounds(self) -> Rounds:
        """The round as the replay reads it."""
        data = bytearray()
        for kind, seat, cards in self.entries:
            data.append(MARKS[kind] | seat)
            data.extend(sorted(INDEX_OF_LABEL[card] for card in cards))
        row = self.row.copy()
        row["history_from"], row["history_to"] = 0, len(data)
        return Rounds(row, np.frombuffer(bytearray(data), dtype=np.uint8))

    def outcome(self) -> np.void:
        """The outcome of the replay."""
        return check(self.rounds())[0][0]

    def code(self) -> int:
        """The code of the round's rule break, 0 if it is sound."""
        return int(self.outcome()["rule_break"])

    def normal(self) -> list[Entry]:
        """The history as the replay normalises it."""
        return list(history.turns(check(self.rounds())[1].history_of(0)))


def sheets(rounds: Rounds) -> list[Sheet]:
    """A sheet for each round."""
    return [
        Sheet(rounds.rows[i : i + 1].copy(), tuple(history.turns(rounds.history_of(i)))) for i in range(len(rounds))
    ]


def hands_after_schupfen(row: np.ndarray) -> list[set[str]]:
    """The hands when the play begins."""
    hands = [set(cards_of(mask)) for mask in row["start"][0]]
    for seat in range(4):
        for to in range(3):
            label = LABELS[row["given"][0, seat, to]]
            hands[seat].remove(label)
            hands[(seat + 1 + to) % 4].add(label)
    return hands


def as_a_log(sheet: Sheet) -> Sheet:
    """The round as in a log: without takes, but with a pass of each player who takes a trick and still has cards.

    The round must have no Tichu during the play: its place counts turns, and collecting passes are no turns.
    """
    assert (sheet.row["tichu_position"] < 0).all()
    hands = hands_after_schupfen(sheet.row)
    entries: list[Entry] = []
    for at, (kind, seat, cards) in enumerate(sheet.entries):
        hands[seat] -= set(cards)
        if kind != "take":
            entries.append((kind, seat, cards))
        elif hands[seat] and at < len(sheet.entries) - 1:
            entries.append(("pass", seat, []))
    return replace(sheet, entries=tuple(entries))


def ambiguous(lead: str, follow: str, follower: int = 1) -> Sheet:
    """A round in which seat 0 leads an ambiguous play and seat 1 follows. It ends there."""
    hands = [set(("Ma " + lead).split()), set(), set(), set()]
    hands[follower] |= set(follow.split())
    rest = [card for card in LABELS if not any(card in hand for hand in hands)]
    for hand in hands:
        while len(hand) < 14:
            hand.add(rest.pop())
    # Everybody gets three cards by schupfen that the two plays do not need.
    spare = [sorted(hand - set(f"Ma {lead} {follow}".split()))[:3] for hand in hands]
    start = [hand - set(cards) for hand, cards in zip(hands, spare, strict=True)]
    for seat in range(4):
        for to in range(3):
            start[(seat - 1 - to) % 4].add(spare[seat][to])
    row = played(1, 3, max_rounds=1).rounds.rows[:1].copy()
    for seat in range(4):
        own = sorted(INDEX_OF_LABEL[card] for card in start[seat])
        row["start"][0, seat] = sum(int(CARD_OF_INDEX[index]) for index in own)
        row["first"][0, seat] = sum(int(CARD_OF_INDEX[index]) for index in own[:8])
        row["given"][0, seat] = [INDEX_OF_LABEL[spare[(seat + 1 + to) % 4][to]] for to in range(3)]
    row["wish"], row["dragon_recipient"], row["tichu_position"] = 0, NO_RECIPIENT, NOT_CALLED
    return Sheet(row, (("play", 0, lead.split()), ("play", 1, follow.split())))
