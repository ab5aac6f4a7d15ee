"""The answer of `tichu moves`: the legal plays of one position, from text to plain data."""

from __future__ import annotations

from typing import Any

from tichu_models.rules.cards import ACE, DOG, RANK_LABELS, CardError, labels, parse_cards
from tichu_models.rules.combinations import TYPE_NAMES, beats, cards_of, classify, combination, lower_reading, on_trick
from tichu_models.rules.legal import legal_plays, new_buffer
from tichu_models.rules.state import HAND_SIZE

_BUFFER = new_buffer()


class CaseError(ValueError):
    """A position that the rules do not allow."""


def legal_moves(hand: str, trick: str = "", wish: str = "") -> dict[str, Any]:
    """The legal plays of the player on turn: `{"plays": [{"cards", "type", "length", "rank"}, ..], "pass": ..}`."""
    try:
        cards = parse_cards(hand)
        top, played = _parse_trick(trick)
    except CardError as error:
        raise CaseError(str(error)) from error
    if cards & played:
        raise CaseError(
            f"{' '.join(labels(cards & played))} on the hand and in the trick: a card occurs once in the deck"
        )
    if not cards:
        raise CaseError("no card on the hand: expected labels such as 'S9 B9 Ph'")
    if cards.bit_count() > HAND_SIZE:  # MAX_PLAYS has room for the plays of a hand, not of any set of cards
        raise CaseError(f"{cards.bit_count()} cards on the hand: expected {HAND_SIZE} at most")
    n = legal_plays(cards, top, parse_wish(wish), _BUFFER)
    legal = [int(play) for play in _BUFFER["move"][:n]]
    plays = sorted((play for play in legal if play), key=lambda play: (combination(play), cards_of(play)))
    return {"plays": [_described(play) for play in plays], "pass": 0 in legal}


def _described(play: int) -> dict[str, Any]:
    kind, length, rank = combination(play)
    return {"cards": labels(int(cards_of(play))), "type": TYPE_NAMES[kind], "length": length, "rank": rank}


def _parse_trick(text: str) -> tuple[int, int]:
    """The play on top of a trick, and all cards of the trick. Each play must beat the one before."""
    top = played = 0
    for part in filter(None, (part.strip() for part in text.split("/"))):
        cards = parse_cards(part)
        if cards & played:
            raise CaseError(
                f"{' '.join(labels(cards & played))} stands twice in the trick: a card occurs once in the deck"
            )
        play = int(on_trick(classify(cards), top))
        if play == 0:
            raise CaseError(
                f"'{part}' is no combination: expected a single, pair, triple, stair, full house, street or bomb"
            )
        if not beats(play, top):
            low = int(lower_reading(top)) if top else 0
            if not (low and beats(play, low)):
                raise CaseError(
                    f"'{part}' does not beat '{' '.join(labels(int(cards_of(top))))}': expected the plays in order"
                )
        top, played = play, played | cards
    if top and cards_of(top) == DOG:
        raise CaseError("the Dog is no trick: after it the table is empty")
    return top, played


def parse_wish(text: str) -> int:
    """The rank of a wish, from a number or from B, D, K, A; 0 for none."""
    text = text.strip()
    if text in ("", "0"):
        return 0
    if text in RANK_LABELS:
        return RANK_LABELS[text]
    if text.isdecimal() and 2 <= int(text) <= ACE:
        return int(text)
    raise CaseError(f"wish '{text}': expected 2..14, B, D, K, A, or 0 for none")


def parse_case(line: str) -> tuple[str, str, str]:
    """Hand, trick and wish of a line `hand | trick | wish`; trick and wish may be missing."""
    parts = [part.strip() for part in line.split("|")]
    if len(parts) > 3:
        raise CaseError(f"'{line.strip()}': expected `hand | trick | wish`")
    hand, trick, wish = [*parts, "", ""][:3]
    return hand, trick, wish
