"""Parses what a person types as the answer to a question: a number of the list, cards, a rank or a word.

A text that is no legal answer raises AnswerError with a message that says what is expected. Nothing is printed here.
"""

from __future__ import annotations

import numpy as np

from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH, schupf_answer
from tichu_models.rules.cards import CardError, indices, labels, parse_cards
from tichu_models.rules.combinations import cards_of, combination
from tichu_models.rules.legal import bombs, legal_plays, new_buffer
from tichu_models.rules.moves import CaseError, parse_wish
from tichu_models.rules.state import LEFT, RIGHT

YES, NO = ("y", "yes", "j", "ja"), ("", "n", "no", "nein")
PASSES = ("p", "pass", "passe")
SIDES = {"r": RIGHT, "right": RIGHT, "l": LEFT, "left": LEFT}
_BUFFER = new_buffer()


class AnswerError(ValueError):
    """A text that is no legal answer. The message says what is expected."""


def options(kind: int, view: np.void) -> list[int]:
    """The legal plays, or the bombs that beat the trick, in order of type, length and rank. A pass is 0, at the end."""
    hand, trick = int(view["hand"]), int(view["trick"])
    if kind == BOMB_THROW:
        n = int(bombs(hand, trick, _BUFFER, 0))
        plays = [int(move) for move in _BUFFER["move"][:n]] + [0]
    else:
        plays = [int(move) for move in _BUFFER["move"][: legal_plays(hand, trick, int(view["wish"]), _BUFFER)]]
    return sorted(plays, key=lambda play: (play == 0, combination(play), -int(cards_of(play))))


def read_answer(kind: int, view: np.void, text: str) -> int:
    """The choice that a text stands for."""
    text = text.strip()
    if kind in (PLAY, BOMB_THROW):
        return _cards(kind, view, text)
    if kind == SCHUPF:
        return _three_cards(view, text)
    if kind == WISH:
        try:
            return parse_wish(text.upper())
        except CaseError as error:
            raise AnswerError(str(error)) from error
    if kind == DRAGON_GIFT:
        if text.lower() not in SIDES:
            raise AnswerError("expected r for the right opponent, or l for the left one")
        return SIDES[text.lower()]
    if text.lower() in YES:
        return 1
    if text.lower() in NO:
        return 0
    raise AnswerError("expected y or n")


def _cards(kind: int, view: np.void, text: str) -> int:
    """The cards of a play or bomb; 0 for a pass."""
    legal = options(kind, view)
    may_pass = 0 in legal
    if text.lower() in PASSES or (text == "" and may_pass) or (kind == BOMB_THROW and text.lower() in NO):
        if not may_pass:
            raise AnswerError("passing is not possible now")
        return 0
    numbered = [play for play in legal if play]
    if text.isdecimal():
        if not 1 <= int(text) <= len(numbered):
            raise AnswerError(f"no play {text}: expected 1..{len(numbered)}")
        return int(cards_of(numbered[int(text) - 1]))
    cards = _parsed(text)
    if cards not in {int(cards_of(play)) for play in numbered}:
        raise AnswerError(f"{' '.join(labels(cards)) or 'nothing'} cannot be played now; expected a number or cards")
    return cards


def _three_cards(view: np.void, text: str) -> int:
    """The choice for schupf."""
    given = [_parsed(label) for label in text.split()]
    if len(given) != 3 or len(set(given)) != 3 or any(card & ~int(view["hand"]) for card in given):
        raise AnswerError("expected three cards of your hand: for the right opponent, the partner, the left opponent")
    return int(schupf_answer(*(indices(card)[0] for card in given)))


def _parsed(text: str) -> int:
    """The cards of labels in upper or lower case: `s9 RA`, `dr`."""
    known = {"DR": "Dr", "PH": "Ph", "MA": "Ma", "HU": "Hu"}
    try:
        return parse_cards(" ".join(known.get(label, label) for label in text.upper().split()))
    except CardError as error:
        raise AnswerError(str(error)) from error
