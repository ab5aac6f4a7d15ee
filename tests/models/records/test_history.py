"""The bytes of a history: what is written is what is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.makers.positions import cards_of, mask_of
from tests.oracles import reference
from tichu_models.records import history
from tichu_models.records.schema import ROUND

CARDS = st.sets(st.sampled_from(reference.DECK), min_size=1, max_size=14).map(frozenset)
ENTRIES = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(0, 3), CARDS),
        st.tuples(st.sampled_from(["pass", "take"]), st.integers(0, 3), st.just(frozenset())),
    ),
    max_size=20,
)
KINDS = {"pass": history.PASS_ENTRY, "play": history.PLAY_ENTRY, "take": history.TAKE_ENTRY}


def row(start, stop, tichu_position=(-3, -3, -3, -3)):
    """A round of which only the history is known."""
    round_ = np.zeros(1, dtype=ROUND)[0]
    round_["history_from"], round_["history_to"], round_["tichu_position"] = start, stop, tichu_position
    return round_


@settings(max_examples=100)
@given(ENTRIES)
def test_entries_survive(entries):
    """A card, a seat or a mark of a turn is lost between writing and reading."""
    log = np.zeros(1, dtype=history.LOG)[0]
    for kind, seat, cards in entries:
        history.note(log, KINDS[kind], seat, mask_of(cards))
    stored = np.zeros(history.MAX_RAW, dtype=np.uint8)
    length = history.store(log, stored, 0)
    assert [(kind, seat, frozenset(cards)) for kind, seat, cards in history.turns(stored[:length].tobytes())] == entries
    loaded = np.zeros(1, dtype=history.LOG)[0]
    history.load(loaded, stored, row(0, length))
    assert history.is_normal_form(log, loaded)
    read = [
        (history.kind_of(entry), history.seat_of(entry), cards_of(history.cards_in(entry)))
        for entry in loaded["entry"][: loaded["length"]]
    ]
    assert read == [(KINDS[kind], seat, cards) for kind, seat, cards in entries]


@pytest.mark.parametrize(("position", "place"), [(0, 0), (1, 1), (2, 3), (3, 4), (9, 4)])
def test_a_small_tichu_stands_before_its_turn(position, place):
    """A call comes a turn too early, or before the trick is taken that lies between two turns."""
    stored = np.array([0x90, 5, 0x81, 0xA0, 0x92, 9], dtype=np.uint8)
    log = np.zeros(1, dtype=history.LOG)[0]
    history.load(log, stored, row(0, len(stored), tichu_position=[-3, -1, -2, position]))
    kinds = [history.PLAY_ENTRY, history.PASS_ENTRY, history.TAKE_ENTRY, history.PLAY_ENTRY]
    kinds.insert(place, history.CALL_ENTRY)
    assert [history.kind_of(entry) for entry in log["entry"][: log["length"]]] == kinds
    assert history.seat_of(log["entry"][place]) == 3


@pytest.mark.parametrize("stored", [[7, 0x90, 5], [0x90, 60], [0xFF], [0x80, 5]])
def test_foreign_bytes_are_no_turns(stored):
    """A damaged file is taken for a legal round."""
    log = np.zeros(1, dtype=history.LOG)[0]
    history.load(log, np.array(stored, dtype=np.uint8), row(0, len(stored)))
    entries = log["entry"][: log["length"]]
    kinds = [history.kind_of(entry) for entry in entries]
    assert history.BAD_LABEL in kinds or any(
        kind == history.PASS_ENTRY and history.cards_in(entry) for kind, entry in zip(kinds, entries, strict=True)
    )


def test_the_bytes_of_the_contract():
    """Another program that reads histories by the contract reads other turns."""
    log = np.zeros(1, dtype=history.LOG)[0]
    history.note(log, history.PLAY_ENTRY, 2, mask_of(["Ph", "S2", "Hu", "RA", "Dr", "Ma"]))
    history.note(log, history.PASS_ENTRY, 3, 0)
    history.note(log, history.TAKE_ENTRY, 2, 0)
    stored = np.zeros(20, dtype=np.uint8)
    length = history.store(log, stored, 0)
    assert stored[:length].tolist() == [0x92, 0, 1, 2, 53, 54, 55, 0x83, 0xA2]


def test_a_history_that_is_too_long_is_cut():
    """A log with far too many lines writes behind the end of the buffer."""
    log = np.zeros(1, dtype=history.LOG)[0]
    history.load(log, np.full(5000, history.PASS_MARK, dtype=np.uint8), row(0, 5000))
    assert log["length"] == history.MAX_RAW
