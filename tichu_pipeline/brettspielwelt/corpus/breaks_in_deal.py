"""Rule breaks before the first play, and text that does not parse.

The deal is checked in this order: all labels, then counts, then duplicates, then membership. Each edit keeps what is
checked before its own break sound, whether a reader counts labels or bits of a mask.
"""

from __future__ import annotations

import numpy as np

from tichu_models.rules.breaks import RuleBreak
from tichu_pipeline.brettspielwelt.corpus.gametext import SEATS
from tichu_pipeline.brettspielwelt.corpus.planting import REAL_ROUNDS, RoundKind, pick
from tichu_pipeline.brettspielwelt.corpus.roundtext import FIRST_CARDS, START_CARDS, RoundText

Lines = list[str] | None

NO_LABELS = ("X7", "S1", "B11", "GX", "R0", "Jo")
GARBAGE = ("Verbindung unterbrochen", "<br>", "(2)", "#?!", "0x00000000 0x00000000", "{}")
NO_SEAT = 7


def _with_hand(round_: RoundText, line: int, cards: list[str]) -> list[str]:
    """The lines with other cards in a line of a card list."""
    speaker = round_.lines[line].split(" ", 1)[0]
    return round_.replaced(line, f"{speaker} {' '.join(cards)} ")


def _with_given(round_: RoundText, seat: int, to: int, card: str) -> list[str]:
    """The lines with another card given by a seat."""
    line = round_.schupfen + 1 + seat
    gifts = round_.lines[line].split(" - ")
    gifts[to] = gifts[to].rsplit(" ", 1)[0] + f" {card}"
    return round_.replaced(line, " - ".join(gifts))


def _held_by_others(round_: RoundText, seat: int) -> list[str]:
    """The start cards of the three other seats."""
    return [card for other in SEATS if other != seat for card in round_.start[other]]


def garbage_line(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts a line of garbage into the play."""
    line = int(rng.integers(round_.play_header + 1, round_.result + 1))
    return round_.inserted(line, str(pick(rng, GARBAGE)))


def damaged_header(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Overwrites one of the headers."""
    line = (START_CARDS[0] - 1, round_.schupfen, round_.play_header)[int(rng.integers(3))]
    return round_.replaced(line, str(pick(rng, ("-------", "---------------????????------------------"))))


def damaged_play(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Removes the colon of a play, or names a seat that does not exist."""
    turn = pick(rng, round_.plays)
    if turn is None:
        return None
    line = round_.play_line(turn.seat, turn.cards)
    if rng.integers(2):
        return round_.replaced(turn.line, line.replace(":", "", 1))
    return round_.replaced(turn.line, line.replace(f"({turn.seat})", f"({NO_SEAT})", 1))


def no_card(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Replaces a label in the deal by one that names no card."""
    seat, card = int(rng.integers(4)), str(pick(rng, NO_LABELS))
    where = int(rng.integers(3))
    if where == 2:
        return _with_given(round_, seat, int(rng.integers(3)), card)
    lines, hands = ((FIRST_CARDS, round_.first), (START_CARDS, round_.start))[where]
    line, hand = lines[seat], hands[seat]
    at = int(rng.integers(len(hand)))
    return _with_hand(round_, line, [*hand[:at], card, *hand[at + 1 :]])


def no_card_in_play(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Replaces a label in a play by one that names no card."""
    turn = pick(rng, round_.plays)
    if turn is None:
        return None
    at = int(rng.integers(len(turn.cards)))
    cards = [*turn.cards[:at], str(pick(rng, NO_LABELS)), *turn.cards[at + 1 :]]
    return round_.replaced(turn.line, round_.play_line(turn.seat, cards))


def wrong_count(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Removes a card from a card list, or adds one."""
    seat = int(rng.integers(4))
    first, start = round_.first[seat], round_.start[seat]
    # An added card is never one of the same line, since bits of a mask would not count it.
    if rng.integers(2):
        line, hand, more = FIRST_CARDS[seat], first, [card for card in start if card not in first]
    else:
        line, hand, more = START_CARDS[seat], start, _held_by_others(round_, seat)
    at = int(rng.integers(len(hand)))
    if rng.integers(2):
        return _with_hand(round_, line, [*hand[:at], *hand[at + 1 :]])
    return _with_hand(round_, line, [*hand[:at], str(pick(rng, more)), *hand[at:]])


def doubled_card(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Replaces a start card by one that another seat holds."""
    seat = int(rng.integers(4))
    start = round_.start[seat]
    # The replaced card is neither among the first eight nor given away, so that it is missing nowhere else.
    spare = [card for card in start if card not in round_.first[seat] and card not in round_.given[seat]]
    gone, double = pick(rng, spare), pick(rng, _held_by_others(round_, seat))
    if gone is None or double is None:
        return None
    return _with_hand(round_, START_CARDS[seat], [double if card == gone else card for card in start])


def foreign_first_card(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Replaces one of the first eight cards by one that another seat holds."""
    seat = int(rng.integers(4))
    first = round_.first[seat]
    shown = {card for hand in round_.first for card in hand}
    foreign = pick(rng, [card for card in _held_by_others(round_, seat) if card not in shown])
    if foreign is None:
        return None
    at = int(rng.integers(len(first)))
    return _with_hand(round_, FIRST_CARDS[seat], [*first[:at], foreign, *first[at + 1 :]])


def foreign_gift(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Lets a seat give away a card that another seat holds."""
    seat = int(rng.integers(4))
    gifts = {card for given in round_.given for card in given}
    foreign = pick(rng, [card for card in _held_by_others(round_, seat) if card not in gifts])
    return _with_given(round_, seat, int(rng.integers(3)), foreign) if foreign else None


BREAKS_IN_DEAL = (
    RoundKind("SYNTAX: garbage", garbage_line, RuleBreak.SYNTAX),
    RoundKind("SYNTAX: header", damaged_header, RuleBreak.SYNTAX),
    RoundKind("SYNTAX: play", damaged_play, RuleBreak.SYNTAX),
    RoundKind("INVALID_CARD_LABEL: deal", no_card, RuleBreak.INVALID_CARD_LABEL),
    RoundKind("INVALID_CARD_LABEL: play", no_card_in_play, RuleBreak.INVALID_CARD_LABEL),
    RoundKind("INVALID_CARD_COUNT", wrong_count, RuleBreak.INVALID_CARD_COUNT),
    RoundKind("DUPLICATE_CARD", doubled_card, RuleBreak.DUPLICATE_CARD, 10 / REAL_ROUNDS),
    RoundKind("CARD_NOT_IN_HAND: first cards", foreign_first_card, RuleBreak.CARD_NOT_IN_HAND),
    RoundKind("CARD_NOT_IN_HAND: schupfen", foreign_gift, RuleBreak.CARD_NOT_IN_HAND),
)
