"""The bytes of a history: what is written is what is read."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models import reference
from tests.models.positions import cards_of, mask_of
from tichu_models.records import history

CARDS = st.sets(st.sampled_from(reference.DECK), min_size=1, max_size=14).map(frozenset)
ENTRIES = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(0, 3), CARDS),
        st.tuples(st.sampled_from(["pass", "take"]), st.integers(0, 3), st.just(frozenset())),
    ),
    max_size=20,
)
MARKS = {"pass": history.PASS_MARK, "take": history.TAKE_MARK}


@settings(max_examples=100)
@given(ENTRIES)
def test_entries_survive(entries):
    """A card, a seat or a mark of a turn is lost between writing and reading."""
    log = np.zeros(1, dtype=history.LOG)[0]
    for kind, seat, cards in entries:
        if kind == "play":
            history.add_play(log, seat, mask_of(cards))
        else:
            history.add_mark(log, MARKS[kind], seat)
    stored = np.zeros(history.MAX_RAW, dtype=np.uint8)
    length = history.store(log, stored, 0)
    assert [(kind, seat, frozenset(cards)) for kind, seat, cards in history.turns(stored[:length].tobytes())] == entries
    loaded = np.zeros(1, dtype=history.LOG)[0]
    history.load(loaded, stored, 0, length)
    at = 0
    for kind, seat, cards in entries:
        assert loaded["entry"][at] & history.SEAT_BITS == seat
        if kind == "play":
            mask, at = history.read_cards(loaded, at + 1)
            assert cards_of(mask) == cards
        else:
            at += 1
    assert at == length


def test_the_bytes_of_the_contract():
    """Another program that reads histories by the contract reads other turns."""
    log = np.zeros(1, dtype=history.LOG)[0]
    history.add_play(log, 2, mask_of(["Ph", "S2", "Hu", "RA", "Dr", "Ma"]))
    history.add_mark(log, history.PASS_MARK, 3)
    history.add_mark(log, history.TAKE_MARK, 2)
    assert log["entry"][: log["length"]].tolist() == [0x92, 0, 1, 2, 53, 54, 55, 0x83, 0xA2]


def test_a_history_that_is_too_long_is_cut():
    """A log with far too many lines writes behind the end of the buffer."""
    log = np.zeros(1, dtype=history.LOG)[0]
    history.load(log, np.full(5000, history.PASS_MARK, dtype=np.uint8), 0, 5000)
    assert log["length"] == history.MAX_RAW
