"""Legal plays: against brute force over all subsets of a hand, and rule by rule."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.makers.positions import (
    MOST_PLAYS,
    PLAYS,
    RICHEST_HAND,
    cards_of,
    legal_moves,
    mask_of,
    play_of,
    trick_of,
)
from tests.oracles import reference
from tichu_models.kernels import kernel
from tichu_models.rules import cards, legal
from tichu_models.rules import combinations as c

HAND_SIZE = 14


def reading_of(play: int) -> reference.Reading:
    """A packed play as the reference writes it."""
    kind, length, rank = c.combination(play)
    half = 0.5 if cards_of(c.cards_of(play)) == {"Ph"} and rank < 15 else 0
    return reference.Reading(c.TYPE_NAMES[kind], length, rank + half)


def engine_plays(hand: frozenset[str], trick: int, wish: int) -> dict[frozenset[str], reference.Reading]:
    """The engine's answers as the reference writes them."""
    n = legal.legal_plays(mask_of(hand), trick, wish, PLAYS)
    moves = [int(move) for move in PLAYS["move"][:n]]
    assert len({c.cards_of(move) for move in moves}) == n
    assert 0 not in moves[:-1], "the pass stands last"
    return {cards_of(c.cards_of(move)): reading_of(move) for move in moves}


@st.composite
def dense_hands(draw, largest: int = 8) -> frozenset[str]:
    """Cards of a few neighbouring ranks and the special cards, so that combinations and bombs are common."""
    low = draw(st.integers(2, 14))
    width = draw(st.integers(1, 7))
    colours = "SBGR"[: draw(st.integers(1, 4))]
    labels = [label for label, rank in reference.RANKS.items() if low <= rank < low + width]
    deck = [colour + label for label in labels for colour in colours]
    deck += draw(st.sampled_from([["Ph"], ["Ph", "Ma"], [], ["Ph", "Ma", "Hu", "Dr"]]))
    assume(deck)
    return frozenset(draw(st.lists(st.sampled_from(deck), min_size=1, max_size=largest, unique=True)))


@st.composite
def tricks(draw) -> int:
    """Any play that may lie on the table; a single Phoenix on what it was laid on."""
    figure = draw(st.sampled_from(c.FIGURES[1:]))
    if draw(st.booleans()):  # low and common, so that hands can beat it
        figure = draw(st.sampled_from([f for f in c.FIGURES[1:] if f.length <= 6 and f.rank <= 9]))
    if figure == (c.SINGLE, 1, 16):
        return trick_of(draw(st.sampled_from(["Ma", "S2", "S9", "SA"])), "Ph")
    return c.pack(_some_cards(figure), figure.type, figure.rank)


def _some_cards(figure: c.Combination) -> int:
    """Any cards of the figure's length, but no Phoenix: what beats a trick depends on its type and rank."""
    if figure.type == c.SINGLE and figure.rank in (1, 15):
        return cards.MAHJONG if figure.rank == 1 else cards.DRAGON
    return sum(1 << bit for bit in range(4, 4 + figure.length))


@settings(max_examples=250)
@given(dense_hands(), st.integers(0, 14).filter(lambda wish: wish != 1))
def test_leads(hand, wish):
    """A lead is missing, doubled, read wrongly, or against the wish."""
    assert engine_plays(hand, 0, wish) == reference.plays(hand, None, wish)


@settings(max_examples=400)
@given(dense_hands(), tricks(), st.one_of(st.just(0), st.integers(2, 14)))
def test_plays_on_a_trick(hand, trick, wish):
    """A play on a trick is missing, too low, or against the wish; a pass is allowed or forbidden wrongly."""
    assume(not ("Ph" in hand and trick & cards.PHOENIX))  # there is one Phoenix
    assert engine_plays(hand, trick, wish) == reference.plays(hand, reading_of(trick), wish)


@settings(max_examples=150)
@given(st.sets(st.sampled_from(reference.DECK), min_size=1, max_size=8).map(frozenset), st.data())
def test_random_hands(hand, data):
    """A hand without any order in it is answered wrongly, as a lead or on a single."""
    wish = data.draw(st.sampled_from([0, *range(2, 15)]))
    trick = trick_of(*data.draw(st.sampled_from([("S2",), ("S9",), ("SK",), ("Dr",), ("Ma",), ("B7", "Ph")])))
    assume(not (hand & {"Ph"} and cards_of(c.cards_of(trick)) == {"Ph"}))
    assert engine_plays(hand, 0, wish) == reference.plays(hand, None, wish)
    assert engine_plays(hand, trick, wish) == reference.plays(hand, reading_of(trick), wish)


@settings(max_examples=200)
@given(dense_hands(), tricks())
def test_bombs_out_of_turn(hand, trick):
    """A bomb out of turn is missing, or one is offered that does not beat the trick."""
    n = legal.bombs(mask_of(hand), trick, PLAYS, 0)
    found = {cards_of(c.cards_of(int(move))) for move in PLAYS["move"][:n]}
    possible = reference.plays(hand, reading_of(trick))
    assert found == {laid for laid, reading in possible.items() if reading.type == "BOMB"}
    assert legal.has_beating_bomb(mask_of(hand), trick, PLAYS) == bool(found)
    assert legal.has_bomb(mask_of(hand)) == reference.has_bomb(hand)


@settings(max_examples=300)
@given(dense_hands(), tricks(), st.integers(2, 14), st.booleans())
def test_a_play_defies_the_wish_exactly_if_it_is_not_offered(hand, trick, wish, leads):
    """The replay accepts a play that the list of legal plays leaves out, or the other way round."""
    trick = 0 if leads else trick
    n = legal.unwished_plays(mask_of(hand), trick, PLAYS)
    moves = [int(move) for move in PLAYS["move"][:n]] + ([] if leads else [0])
    allowed = engine_plays(hand, trick, wish)
    for move in moves:
        defies = legal.defies_wish(mask_of(hand), trick, wish, move, PLAYS)
        assert defies == (cards_of(c.cards_of(move)) not in allowed)


@pytest.mark.proof
@settings(max_examples=40)
@given(dense_hands(largest=HAND_SIZE).filter(lambda hand: len(hand) > 8), tricks(), st.integers(0, 14))
def test_whole_hands(hand, trick, wish):
    """A case arises only with long runs or many cards of a rank."""
    wish = 0 if wish == 1 else wish
    assert engine_plays(hand, 0, wish) == reference.plays(hand, None, wish)
    assert engine_plays(hand, trick, wish) == reference.plays(hand, reading_of(trick), wish)


def sets(*texts: str) -> set[frozenset[str]]:
    """Card sets from their labels; an empty text is a pass."""
    return {frozenset(text.split()) for text in texts}


# hand, plays of the trick, wish, the legal answers
EXAMPLES = {
    "passing is never legal on a lead": ("S2", [], 0, ["S2"]),
    "one may always pass without a wish": ("SA", ["S2"], 0, ["SA", ""]),
    "nothing of the same rank beats a single": ("B9 S10", ["S9"], 0, ["S10", ""]),
    "the Dog is only led": ("Hu S3", ["S2"], 0, ["S3", ""]),
    "the Dog may be led": ("Hu S3", [], 0, ["Hu", "S3"]),
    "the Mahjong is the lowest single": ("Ma S3", ["S2"], 0, ["S3", ""]),
    "the Mahjong's holder need not play it": ("Ma S3", [], 0, ["Ma", "S3"]),
    "the Mahjong starts a street": ("Ma S2 B3 S4 S5", ["S2 B3 S4 S5 B6"], 0, [""]),
    "the Dragon beats the Phoenix": ("Dr", ["SA", "Ph"], 0, ["Dr", ""]),
    "the Phoenix does not beat the Dragon": ("Ph", ["Dr"], 0, [""]),
    "the Phoenix beats the ace": ("Ph", ["SA"], 0, ["Ph", ""]),
    "the Phoenix is no Mahjong": ("Ph S2 S3 S4", [], 0, ["Ph", "S2", "S3", "S4", "Ph S2", "Ph S3", "Ph S4"]),
    "the Dragon makes no pair": ("Ph Dr", ["S2 B2"], 0, [""]),
    "four of a kind with the Phoenix are no bomb": ("S5 B5 G5 Ph", ["SA BA"], 0, [""]),
    "a street of one colour with the Phoenix is no bomb": ("S5 S6 S7 S8 Ph", ["Dr"], 0, [""]),
    "a street of one colour with the Mahjong is no bomb": ("Ma S2 S3 S4 S5", ["Dr"], 0, [""]),
    "a bomb beats everything": ("S5 B5 G5 R5", ["Dr"], 0, ["S5 B5 G5 R5", ""]),
    "a longer bomb beats a higher one": ("S2 S3 S4 S5 S6", ["SA BA GA RA"], 0, ["S2 S3 S4 S5 S6", ""]),
    "a street of one colour is no street": ("S2 S3 S4 S5 S6", ["B2 S3 B4 B5 B6"], 0, ["S2 S3 S4 S5 S6", ""]),
    "stairs keep their length": (
        "S8 B8 S9 B9 S10 B10",
        ["S2 B2 S3 B3"],
        0,
        ["S8 B8 S9 B9", "S9 B9 S10 B10", ""],
    ),
    "a full house counts by its triple": ("S3 B3 G3 SA BA", ["S4 B4 G4 S2 B2"], 0, [""]),
    "three of a kind and the Phoenix are no full house": (
        "S3 B3 G3 R3 Ph",
        ["S2 B2 G2 SA BA"],
        0,
        ["S3 B3 G3 R3", ""],
    ),
    "of two pairs the Phoenix makes the higher one three": (
        "S3 B3 S9 B9 Ph",
        ["S8 B8 G8 S2 B2"],
        0,
        ["S3 B3 S9 B9 Ph", ""],
    ),
    "the wish must be played": ("S9 SA", ["S2"], 9, ["S9"]),
    "the wish must be led": ("S9 SA", [], 9, ["S9"]),
    "the wish is free if it does not beat the trick": ("S9 SA", ["S10"], 9, ["SA", ""]),
    "the wish is free without the card": ("S8 SA", ["S2"], 9, ["S8", "SA", ""]),
    "the wish binds in a longer play too": ("S9 B9 SA BA", ["S2 B2"], 9, ["S9 B9"]),
    "the Phoenix completes the wish": ("S9 Ph SA", ["S2 B2"], 9, ["S9 Ph"]),
    "the Phoenix alone is not the wished card": ("Ph S8", ["S2"], 9, ["Ph", "S8", ""]),
    "the wish binds in a street": (
        "S5 S6 B7 S8 S9 S10",
        ["S2 B3 S4 S5 S6"],
        5,
        ["S5 S6 B7 S8 S9"],
    ),
    "any bomb answers the wish": ("S9 S5 B5 G5 R5", ["S2"], 9, ["S9", "S5 B5 G5 R5"]),
    "any bomb answers the wish on a lead": ("S9 S5 B5 G5 R5", [], 9, ["S9", "S5 B5 G5 R5"]),
    "a bomb that holds the wish must be thrown": ("S5 B5 G5 R5 SA", ["SK"], 5, ["S5 B5 G5 R5"]),
    "a bomb too low answers no wish": ("S5 B5 G5 R5", ["S6 B6 G6 R6"], 5, [""]),
}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_rule(rule):
    """The rule that names the example is broken."""
    hand, laid, wish, expected = EXAMPLES[rule]
    assert set(legal_moves(hand, trick_of(*laid) if laid else 0, wish)) == sets(*expected)


@pytest.mark.parametrize(
    ("hand", "reading"),
    [
        ("S5 S6 S7 S8 Ph", (c.STREET, 5, 9)),
        ("S3 B3 S9 B9 Ph", (c.FULLHOUSE, 5, 9)),
        ("SB SD SK SA Ph", (c.STREET, 5, 14)),
    ],
)
def test_phoenix_readings_are_folded_into_the_highest(hand, reading):
    """A card set is offered twice, or as its lower reading."""
    assert legal_moves(hand)[cards_of(cards.parse_cards(hand))] == reading


def test_the_pass_stands_last():
    """Players who look for the pass at the end of the list take a play for it."""
    n = legal.legal_plays(cards.parse_cards("S5 S6 Ph"), play_of("S2"), 0, PLAYS)
    assert n == 4
    assert PLAYS["move"][n - 1] == 0


def test_room_for_the_plays_of_any_hand():
    """A rich hand writes behind the end of the buffer.

    Which plays a lead has depends on the number of cards of each rank only: a street of one colour is a bomb
    instead. On a trick there are fewer. Here: all counts within the six highest ranks, beside the Phoenix.
    """
    numbers = {}
    for sizes in product(range(5), repeat=6):
        if sum(sizes) == HAND_SIZE - 1:
            hand = cards.PHOENIX | sum((1 << size) - 1 << 4 * rank for rank, size in enumerate(sizes, 8))
            numbers[hand] = int(legal.legal_plays(hand, 0, 0, PLAYS))
    assert len(numbers) > 1000
    assert legal.legal_plays(cards.parse_cards(RICHEST_HAND), 0, 0, PLAYS) == MOST_PLAYS
    assert max(numbers.values()) == MOST_PLAYS < legal.MAX_PLAYS


@kernel
def most_leads(size, specials, plays):
    """The most plays of any hand with `size` coloured cards, over all counts of cards per rank."""
    held, left, hand = np.full(15, -1), np.zeros(15, dtype=np.int64), np.zeros(15, dtype=np.int64)
    rank, left[2], most = 2, size, 0
    hand[2] = specials
    while rank > 1:
        held[rank] += 1
        if held[rank] > min(4, left[rank]):
            held[rank] = -1
            rank -= 1
            continue
        grown = hand[rank] | ((1 << held[rank]) - 1) << (4 * (rank - 1))
        if rank == 14:
            if held[rank] == left[rank]:
                most = max(most, legal.legal_plays(grown, 0, 0, plays))
            continue
        hand[rank + 1] = grown
        left[rank + 1] = left[rank] - held[rank]
        rank += 1
    return most


@pytest.mark.proof
def test_no_hand_has_more_plays():
    """The hill climber missed a hand that writes behind the end of the buffer."""
    roomy = np.zeros(1, dtype=np.dtype([("move", np.int64, 1 << 16)]))[0]
    most = {specials: most_leads(HAND_SIZE - cards.count(specials), specials, roomy) for specials in range(16)}
    assert max(most.values()) == MOST_PLAYS


@settings(max_examples=30)
@given(dense_hands(largest=HAND_SIZE))
def test_every_legal_play_beats_the_trick_it_was_listed_for(hand):
    """`legal_plays`, `classify` and `beats` disagree, so that the table refuses what was offered."""
    for trick in (0, play_of("S2"), play_of("S2 B2"), play_of("S2 B2 S3 B3"), play_of("Ma S2 S3 B4 B5")):
        n = legal.legal_plays(mask_of(hand), trick, 0, PLAYS)
        for move in [int(move) for move in PLAYS["move"][:n]]:
            if move:
                assert c.on_trick(c.classify(c.cards_of(move)), trick) == move
                assert c.beats(move, trick)
