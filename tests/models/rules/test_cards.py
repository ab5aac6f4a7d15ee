"""Cards and sets of cards: order, labels, points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.makers.positions import cards_of, mask_of
from tests.oracles import reference
from tichu_models.rules import cards

HANDS = st.sets(st.sampled_from(reference.DECK), max_size=20).map(frozenset)


def test_order_of_the_vectors():
    """A feature or label column means another card than its name says."""
    assert list(cards.LABELS) == reference.DECK
    assert cards.LABELS[:6] == ("Hu", "Ma", "S2", "B2", "G2", "R2")
    assert cards.LABELS[50:] == ("SA", "BA", "GA", "RA", "Dr", "Ph")


def test_index_and_bit_name_the_same_card():
    """The translation between vectors and masks loses or swaps a card."""
    assert sorted(cards.BIT_OF_INDEX.tolist()) == list(range(56))
    for index, label in enumerate(cards.LABELS):
        mask = cards.parse_cards(label)
        assert mask == 1 << int(cards.BIT_OF_INDEX[index]) == int(cards.CARD_OF_INDEX[index])
        assert cards.indices(mask) == [index]
        assert int(cards.INDEX_OF_BIT[cards.BIT_OF_INDEX[index]]) == index
    assert cards.parse_cards(" ".join(cards.LABELS)) == cards.DECK


def test_values():
    """Schupf columns count cards by another value than the logs' names give."""
    values = dict(zip(cards.LABELS, cards.VALUE_OF_INDEX.tolist(), strict=True))
    assert (values["Hu"], values["Ma"], values["Dr"], values["Ph"]) == (0, 1, 15, 16)
    assert all(values[card] == reference.rank(card) for card in reference.COLOURED)


def test_special_bits():
    """A kernel tests another special card than it names."""
    named = {"Ma": cards.MAHJONG, "Hu": cards.DOG, "Ph": cards.PHOENIX, "Dr": cards.DRAGON}
    assert {label: cards.parse_cards(label) for label in named} == named


def test_z_is_read_for_ten():
    """Old logs that write SZ for S10 do not parse."""
    assert cards.parse_cards("SZ BZ GZ RZ") == cards.parse_cards("S10 B10 G10 R10")
    assert cards.labels(cards.parse_cards("SZ")) == ["S10"]


@pytest.mark.parametrize(
    ("text", "message"), [("S1", "S1"), ("s9", "s9"), ("X", "X"), ("S9 B9 S9", "S9"), ("SZ S10", "S10")]
)
def test_bad_labels_are_errors(text, message):
    """A misspelt or doubled card is silently dropped from a hand."""
    with pytest.raises(cards.CardError, match=message):
        cards.parse_cards(text)


def test_labels_are_sorted_like_a_hand():
    """Hands are printed in an order nobody sorts them in."""
    mask = cards.parse_cards("Hu S2 Ph RA Ma Dr B10")
    assert cards.labels(mask) == ["Dr", "Ph", "RA", "B10", "S2", "Ma", "Hu"]


def test_points_of_a_deal():
    """The cards of a round are not worth 100 together."""
    assert cards.points(cards.DECK) == 100
    worth = {label: int(cards.points(cards.parse_cards(label))) for label in cards.LABELS}
    assert {label for label, p in worth.items() if p} == {
        *(colour + rank for colour in "SBGR" for rank in ("5", "10", "K")),
        "Dr",
        "Ph",
    }


@given(HANDS)
def test_masks_agree_with_label_sets(hand):
    """A bit trick on masks counts or finds other cards than lie there."""
    mask = mask_of(hand)
    assert cards_of(mask) == hand
    assert cards.mask_of(cards.indices(mask)) == mask
    assert cards.count(mask) == len(hand)
    assert cards.points(mask) == reference.points(hand)
    coloured = hand & set(reference.COLOURED)
    counts = int(cards.rank_counts(mask))
    for rank in range(2, 15):
        of_rank = {card for card in coloured if reference.rank(card) == rank}
        assert cards_of(cards.of_rank(mask, rank)) == of_rank
        assert counts >> 4 * (rank - 1) & 15 == len(of_rank)
    present = {reference.rank(card) for card in hand & {*reference.COLOURED, "Ma"}}
    bits = int(cards.ranks_present(mask))
    assert {cards.rank_of_bit(bit) for bit in range(56) if bits >> bit & 1} == present
    if hand:
        assert cards.lowest_bit(mask) == min(bit for bit in range(56) if mask >> bit & 1)
