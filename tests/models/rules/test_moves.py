"""Positions given as text: what cannot be on a hand is refused before a kernel sees it."""

from __future__ import annotations

import pytest

from tests.makers.positions import MOST_PLAYS, RICHEST_HAND
from tichu_models.rules import moves


def test_the_richest_hand_is_answered_whole():
    """The largest answer is cut short."""
    answer = moves.legal_moves(RICHEST_HAND)
    assert len(answer["plays"]) == MOST_PLAYS
    assert answer["pass"] is False


@pytest.mark.parametrize("more", ["RA", "RA GB RB S10 B10 G10 R10 S9 B9 G9 R9 S8 B8 G8 R8"])
def test_more_cards_than_a_hand_holds(more):
    """Cards without limit have millions of plays, which are written behind the end of the buffer."""
    with pytest.raises(moves.CaseError, match="cards on the hand"):
        moves.legal_moves(f"{RICHEST_HAND} {more}")
