"""Words of a log, one by one: labels, seats, names, numbers, headings."""

from __future__ import annotations

import numpy as np
import pytest

from tichu_models.kernels import kernel
from tichu_models.rules.cards import BIT_OF_INDEX, LABELS
from tichu_pipeline.brettspielwelt.text import tokens
from tichu_pipeline.brettspielwelt.text.tokens import (
    MAX_SCORE,
    TEXT,
    UNKNOWN,
    after_name,
    begin_text,
    card_at,
    cards_at,
    is_cut_word,
    is_word,
    next_line,
    score_at,
    seat_at,
    wish_at,
)

NO_SCORE = MAX_SCORE + 1
NUM_WORDS = len(tokens.WORDS)
# What each of the functions says of the beginning of a text.
SAID = np.dtype(
    [
        *((name, np.int64) for name in ("card", "behind_card", "seat", "after_name", "score", "behind_score", "wish")),
        *((name, np.int64) for name in ("cards", "labels", "unknown", "line_end", "line")),
        ("words", np.int64),  # bit w: word w stands here
        ("cut", np.int64),  # bit w: the text ends within it
    ]
)


@kernel
def look_at(source, length, text, said):
    """Asks all of them."""
    begin_text(text, source, 0, length)
    at = text.at
    said.card, said.behind_card = card_at(text, at)
    said.seat = seat_at(text, at)
    said.after_name = after_name(text, at)
    said.score, said.behind_score = score_at(text, at)
    said.wish = wish_at(text, at)
    said.cards, said.labels, said.unknown, said.line_end = cards_at(text, at)
    for which in range(NUM_WORDS):
        said.words |= is_word(text, at, which) << which
        said.cut |= is_cut_word(text, which) << which
    next_line(text)
    said.line = text.line


def said_of(line: bytes) -> np.void:
    """What all functions say of a text; line feeds stand behind it, as in a chunk of logs."""
    said, text = np.zeros(1, dtype=SAID), np.zeros(1, dtype=TEXT)
    look_at(np.frombuffer(line + b"\n" * 64, dtype=np.uint8), len(line), text[0], said[0])
    return said[0]


@pytest.mark.parametrize("index", range(56))
def test_every_card_is_known_by_its_label(index):
    """A card that is read as another one, or as unknown: all rounds with it would break the rules."""
    label = LABELS[index].encode()
    assert said_of(label)["card"] == BIT_OF_INDEX[index]
    assert said_of(label + b" S2")["behind_card"] == len(label)


@pytest.mark.parametrize("label", [b"XX", b"S1", b"S11", b"S100", b"Sx", b"s2", b"S22", b"Drx", b"D", b"S", b"GB2"])
def test_what_names_no_card_is_unknown(label):
    """A slip in a log that is read as a card that nobody has."""
    said = said_of(label + b" S2 ")
    assert (said["card"], said["behind_card"]) == (UNKNOWN, len(label))
    assert (said["labels"], said["unknown"]) == (2, 1)


def test_cards_of_a_line():
    """The last card of a line is lost, or blanks count as cards."""
    said = said_of(b"  S2 \tR10 Dr \r\nSA")
    assert [LABELS[i] for i in range(56) if said["cards"] >> BIT_OF_INDEX[i] & 1] == ["S2", "R10", "Dr"]
    assert (said["labels"], said["unknown"], said["line_end"]) == (3, 0, 14)
    assert said["line"] == 2


@pytest.mark.parametrize(
    ("line", "seat"), [(b"(0)anna", 0), (b"(3)bert", 3), (b"(4)x", -1), (b"(0 x", -1), (b"0)", -1)]
)
def test_seats(line, seat):
    """A line of a fifth player, or of none, that is taken for somebody's."""
    assert said_of(line)["seat"] == seat


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"anna: S2", b"anna"),
        (b"anna S2", b"anna"),
        (b"anna\tS2", b"anna"),
        (b"anna", b"anna"),
        (b"anna\r", b"anna"),
        (b"an\x01na: S2", b"an\x01na"),
        (b"a-name-of-more-than-sixteen-letters: S2", b"a-name-of-more-than-sixteen-letters"),
        (b"\xe4nna: S2", b"\xe4nna"),
    ],
)
def test_names(line, name):
    """A name that is cut off where eight or sixteen bytes end; or one that takes the colon along."""
    assert said_of(line)["after_name"] == len(name)


@pytest.mark.parametrize(
    ("line", "score", "behind"),
    [
        *((b"95 - 5", 95, 2), (b"-25 - 125", -25, 3), (b"0", 0, 1), (b"9999", 9999, 4)),
        *((b"10000", NO_SCORE, 5), (b"99999999999999999999", NO_SCORE, 20), (b"x", NO_SCORE, 0), (b"-", NO_SCORE, 1)),
    ],
)
def test_scores(line, score, behind):
    """A score of many digits that wraps around to a likely one."""
    said = said_of(line)
    assert (said["score"], said["behind_score"]) == (score, behind)


@pytest.mark.parametrize(
    ("line", "rank"),
    [(b"2", 2), (b"9 \r", 9), (b"10", 10), (b"B", 11), (b"D", 12), (b"K", 13), (b"A", 14)]
    + [(line, 0) for line in (b"1", b"11", b"12", b"22", b"Ma", b"", b"0", b"Z")],
)
def test_wishes(line, rank):
    """A wish for another rank, or one where nothing was wished."""
    assert said_of(line)["wish"] == rank


def test_words_are_told_apart_and_may_be_cut_off():
    """One heading that is taken for another; or a log that ends in a heading and counts as broken, not as cut off."""
    words = {
        b"---------------Gr.Tichukarten": tokens.GRAND_HEADER,
        b"---------------Startkarten": tokens.START_HEADER,
        b"---------------Rundenverlauf": tokens.PLAY_HEADER,
        b"Grosses Tichu:": tokens.GRAND_TICHU,
        b"Tichu:": tokens.TICHU,
        b"Ergebnis:": tokens.RESULT,
        b"passt": tokens.PASSES,
    }
    for word, which in words.items():
        assert said_of(word + b" x")["words"] == 1 << which
        cut = said_of(word[:-1])
        assert (cut["words"], cut["cut"] >> which & 1) == (0, 1)
        assert said_of(word[:-1] + b"x")["cut"] == 0
