"""What card sets are: the figures, their order, all readings, and what beats what."""

from __future__ import annotations

from itertools import combinations as choose

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.makers.positions import cards_of, mask_of, play_of, trick_of
from tests.oracles import reference
from tichu_models.rules import combinations as c
from tichu_models.rules import legal
from tichu_models.rules.cards import parse_cards

LABEL = {rank: label for label, rank in reference.RANKS.items()}


def same_rank(rank: int, size: int) -> list[str]:
    """The first cards of a rank."""
    return [colour + LABEL[rank] for colour in "SBGR"[:size]]


def row(high: int, length: int, colours: str) -> list[str]:
    """One card of each rank up to `high`, colours in turn; rank 1 is the Mahjong."""
    ranks = range(high - length + 1, high + 1)
    return ["Ma" if rank == 1 else colours[rank % len(colours)] + LABEL[rank] for rank in ranks]


def appendix_a1() -> list[tuple[tuple[str, int, int], list[str]]]:
    """The 226 figures as appendix A1 lists them, with cards that show each."""
    special = {0: ["Hu"], 1: ["Ma"], 15: ["Dr"], 16: ["Ph"]}
    figures = [(("SINGLE", 1, rank), special.get(rank) or same_rank(rank, 1)) for rank in range(17)]
    figures += [(("PAIR", 2, rank), same_rank(rank, 2)) for rank in range(2, 15)]
    figures += [(("TRIPLE", 3, rank), same_rank(rank, 3)) for rank in range(2, 15)]
    for pairs in range(2, 8):
        for high in range(pairs + 1, 15):
            figures.append((("STAIR", 2 * pairs, high), row(high, pairs, "S") + row(high, pairs, "R")))
    figures += [(("FULLHOUSE", 5, r), same_rank(r, 3) + same_rank(2 if r > 2 else 3, 2)) for r in range(2, 15)]
    figures += [(("STREET", n, high), row(high, n, "SB")) for n in range(5, 15) for high in range(n, 15)]
    figures += [(("BOMB", 4, rank), same_rank(rank, 4)) for rank in range(2, 15)]
    figures += [(("BOMB", n, high), row(high, n, "G")) for n in range(5, 14) for high in range(n + 1, 15)]
    return figures


def named(play: int) -> tuple[str, int, int]:
    """Type by name, length, rank of a packed play."""
    kind, length, rank = c.combination(play)
    return c.TYPE_NAMES[kind], length, rank


def test_the_226_figures_in_the_order_of_a1():
    """A figure is missing, or a learned index means another figure."""
    figures = appendix_a1()
    assert len(figures) == len(c.FIGURES) == len(set(c.FIGURES)) == 226
    assert [(c.TYPE_NAMES[f.type], f.length, f.rank) for f in c.FIGURES] == [figure for figure, _ in figures]
    sizes = [sum(f.type == kind for f in c.FIGURES) for kind in range(8)]
    assert sizes == [0, 17, 13, 13, 57, 13, 55, 58]


def test_every_figure_is_recognised():
    """Cards of a figure classify as something else; only the single Phoenix has no rank of its own."""
    for figure, cards in appendix_a1():
        expected = ("SINGLE", 1, 1) if cards == ["Ph"] else figure
        assert named(play_of(" ".join(cards))) == expected


def test_the_31_labels_of_type_and_length():
    """The one-hot vector of the trick's combination is shifted."""
    assert len(c.TYPE_AND_LENGTH) == 31
    names = [
        c.TYPE_NAMES[kind].lower() + (str(length) if kind in (c.STAIR, c.STREET, c.BOMB) else "")
        for kind, length in c.TYPE_AND_LENGTH
    ]
    assert names == [
        *("pass", "single", "pair", "triple"),
        *(f"stair{n}" for n in (4, 6, 8, 10, 12, 14)),
        "fullhouse",
        *(f"street{n}" for n in range(5, 15)),
        *(f"bomb{n}" for n in range(4, 14)),
    ]
    assert {(figure.type, figure.length) for figure in c.FIGURES} == set(c.TYPE_AND_LENGTH[1:])


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("S5 Ph", ("PAIR", 2, 5)),
        ("S5 B5 Ph", ("TRIPLE", 3, 5)),
        ("S5 B5 G5 Ph", None),
        ("S5 B5 G5 R5 Ph", None),
        ("S5 B5 G5 R5 S6", None),
        ("S5 B5 G5 S6 Ph", ("FULLHOUSE", 5, 5)),
        ("S5 B5 S9 B9 Ph", ("FULLHOUSE", 5, 9)),
        ("SK BK SA Ph", ("STAIR", 4, 14)),
        ("S5 B5 S7 B7 Ph S6", ("STAIR", 6, 7)),
        ("S5 B5 S7 B7", None),
        ("S5 S6 S7 S8 Ph", ("STREET", 5, 9)),
        ("S5 S6 S7 S8 S9 Ph", ("STREET", 6, 10)),
        ("S10 BB SD SK Ph", ("STREET", 5, 14)),
        ("BB SD SK SA Ph", ("STREET", 5, 14)),
        ("Ma S2 S3 S4 Ph", ("STREET", 5, 5)),
        ("Ma S2 S3 S4 S5", ("STREET", 5, 5)),
        ("Ma S3 S4 S5 Ph", ("STREET", 5, 5)),
        ("Ma S2 B3 S4 S5 B6 S7 S8 S9 S10 SB SD SK Ph", ("STREET", 14, 14)),
        ("S2 B3 S4 S5 B6 S7 S8 S9 S10 SB SD SK SA Ph", None),
        ("Ma S2 B3 S4 S5 B6 S7 S8 S9 S10 SB SD SK SA Ph", None),
        ("S2 S4 S6 S7 Ph", None),
        ("Ma Ph", None),
        ("Dr Ph", None),
        ("Hu Ma", None),
        ("Dr SA BA", None),
        ("SK SA Ma S2 S3", None),
    ],
)
def test_what_cards_are(cards, expected):
    """A special card makes a combination that the rules do not know, or spoils one that they do."""
    play = play_of(cards)
    assert (named(play) if play else None) == expected


@pytest.mark.parametrize(
    ("cards", "trick", "ranks"),
    [
        ("S5 B5 S9 B9 Ph", "", [9, 5]),
        ("S5 B5 S9 B9 Ph", "S7 B7 G7 S2 B2", [9]),
        ("S5 B5 G5 S9 Ph", "", [5]),
        ("S5 S6 S7 S8 Ph", "", [9, 8]),
        ("S5 S6 S7 S8 Ph", "B4 S5 B6 B7 B8", [9]),
        ("S5 S6 S7 S9 Ph", "", [9]),
        ("SB BD SK SA Ph", "", [14]),
        ("S2 S3 S4 S5 Ph", "", [6]),
        ("Ma S2 S3 S4 Ph", "", [5]),
        ("Ph", "S9", [9]),
        ("Ph", "", [1]),
    ],
)
def test_all_readings(cards, trick, ranks):
    """A reading of an ambiguous Phoenix is missing or offered on a trick that it does not beat."""
    assert [
        c.rank_of(reading) for reading in legal.all_readings(play_of(cards), trick_of(trick) if trick else 0)
    ] == ranks


def as_reading(play: int) -> reference.Reading:
    """A packed play in the reference's terms; the engine leaves out the Phoenix's half."""
    kind, length, rank = named(play)
    half = 0.5 if c.cards_of(play) == parse_cards("Ph") and rank < 15 else 0
    return reference.Reading(kind, length, rank + half)


def same_as_reference(cards: frozenset[str]) -> None:
    """Compares all readings of a card set."""
    play = int(c.classify(mask_of(cards)))
    found = [as_reading(reading) for reading in legal.all_readings(play)] if play else []
    assert found == sorted(reference.readings(cards), key=lambda reading: -reading.rank)


@st.composite
def near_combinations(draw) -> frozenset[str]:
    """A figure of any length, with up to two cards taken away, added or replaced by the Phoenix."""
    _, cards = draw(st.sampled_from(appendix_a1()))
    cards = set(cards)
    if draw(st.booleans()):
        cards = {
            draw(st.sampled_from("SBGR")) + card[1:] if card in reference.COLOURED else card for card in sorted(cards)
        }
    for _ in range(draw(st.integers(0, 2))):
        change = draw(st.sampled_from(["less", "more", "Ph", "Ma"]))
        if change in ("less", "Ph") and len(cards) > 1:
            cards.discard(draw(st.sampled_from(sorted(cards))))
        cards |= {draw(st.sampled_from(reference.COLOURED))} if change == "more" else {change} & {"Ph", "Ma"}
    assume(cards)
    return frozenset(cards)


SMALL_SETS = st.sets(st.sampled_from(reference.DECK), min_size=1, max_size=8).map(frozenset)
# Few ranks and colours, so that random sets are combinations often.
DENSE = ["Ma", "Hu", "Dr", "Ph", *(colour + rank for colour in "SBG" for rank in ("2", "3", "4", "K", "A"))]
DENSE_SETS = st.sets(st.sampled_from(DENSE), min_size=1, max_size=8).map(frozenset)


@settings(max_examples=1500)
@given(near_combinations())
def test_readings_of_structured_sets(cards):
    """A long or nearly complete figure is read wrongly."""
    same_as_reference(cards)


@settings(max_examples=500)
@given(st.one_of(SMALL_SETS, DENSE_SETS))
def test_readings_of_random_sets(cards):
    """A card set that nobody thought of is taken for a combination, or is not taken for what it is."""
    same_as_reference(cards)


def test_readings_of_all_sets_of_few_ranks():
    """A case of the Phoenix between its neighbours is forgotten, next to the Mahjong or to the ace."""
    for deck in (
        ["Ma", "Ph", *(colour + rank for rank in "2345" for colour in "SB")],
        ["Ph", "Dr", *row(14, 6, "S"), *row(14, 5, "R")],
    ):
        for size in range(1, 6):
            for cards in choose(deck, size):
                same_as_reference(frozenset(cards))


ORDERED = [cards for _, cards in appendix_a1()]


@settings(max_examples=1000)
@given(st.sampled_from(ORDERED), st.sampled_from(ORDERED))
@example(["Ph"], ["Dr"])
@example(["Ph"], ["Ma"])
@example(["Dr"], ["Ph"])
def test_beats_agrees_with_reference(over, under):
    """A play of another type, length or lower rank may be laid, or a bomb may not."""
    assume(under != ["Hu"] and not over == under == ["Ph"])
    trick = play_of(" ".join(under))
    on_it = int(c.on_trick(play_of(" ".join(over)), trick))
    reading = reference.on(frozenset(over), as_reading(trick))
    assert c.beats(on_it, trick) == reference.beats(reading, as_reading(trick))


def test_phoenix_takes_the_rank_it_follows():
    """A single laid on a Phoenix is measured by another rank than the card below it."""
    assert trick_of("S9", "Ph") >> c.RANK_SHIFT == 9
    assert c.beats(play_of("B10"), trick_of("S9", "Ph"))
    assert not c.beats(play_of("B9"), trick_of("S9", "Ph"))
    assert c.beats(play_of("Dr"), trick_of("SA", "Ph"))
    assert not c.beats(play_of("Ph"), trick_of("Dr"))
    assert c.beats(play_of("Ph"), trick_of("Ma"))
    assert c.beats(play_of("S2"), trick_of("Ph"))
    assert not c.beats(play_of("Ma"), trick_of("Ph"))


def test_longer_bombs_beat_shorter_ones():
    """A low street bomb does not beat four aces."""
    aces, low, high, long = (
        play_of(text) for text in ("SA BA GA RA", "S2 S3 S4 S5 S6", "B3 B4 B5 B6 B7", "G2 G3 G4 G5 G6 G7")
    )
    assert c.beats(low, aces)
    assert c.beats(high, low)
    assert not c.beats(low, high)
    assert c.beats(long, high)
    assert not c.beats(aces, long)
    assert c.beats(play_of("S2 B2 G2 R2"), play_of("Dr"))


def test_packed_plays_carry_their_cards():
    """Type or rank bits spill into the cards of a play."""
    for _, cards in appendix_a1():
        assert cards_of(c.cards_of(play_of(" ".join(cards)))) == frozenset(cards)
