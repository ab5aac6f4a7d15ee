"""Replay of records: the normal form, every code of a rule break, the Phoenix that was meant low."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from tests.makers.positions import PLAYS, played
from tests.makers.rounds_by_hand import Sheet, ambiguous, as_a_log, hands_after_schupfen, sheets
from tichu_models.records import replay
from tichu_models.records.history import LOG, load, turns
from tichu_models.records.schema import NO_RECIPIENT
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import CARD_OF_INDEX
from tichu_models.rules.state import NOT_CALLED, STATE, begin_round


@cache
def sound() -> list[Sheet]:
    """Rounds by all built-in players: calm ones and wild ones."""
    return [sheet for seating in ("HHHH", "RRRR", "BRHB") for sheet in sheets(played(12, 3, seating).rounds)]


def first(which: Callable[[Sheet], object]) -> Sheet:
    """The first sound round of which something is true."""
    return next(sheet for sheet in sound() if which(sheet))


def without_calls_in_play() -> list[Sheet]:
    """Sound rounds of which `as_a_log` can make a log."""
    return [sheet for sheet in sound() if (sheet.row["tichu_position"] < 0).all()]


def plays_of(sheet: Sheet) -> list[int]:
    """Where the plays of a history stand."""
    return [at for at, (kind, _, _) in enumerate(sheet.entries) if kind == "play"]


def test_sound_rounds_are_sound():
    """Every edit below would break a round that is broken already."""
    assert len(sound()) > 200
    assert {sheet.code() for sheet in sound()} == {RuleBreak.NONE}


def test_marks_and_collecting_passes_give_one_normal_form():
    """The same round read from a log and from a file counts as two different rounds."""
    for sheet in without_calls_in_play():
        log = as_a_log(sheet)
        assert "take" not in {kind for kind, _, _ in log.entries}
        assert log.normal() == sheet.normal() == list(sheet.entries)
        direct, raw = sheet.outcome(), log.outcome()
        assert direct.tobytes() == raw.tobytes()


def test_every_take_mark_follows_its_trick():
    """A trick is booked to another seat than laid its top, or later than after its last pass."""
    for sheet in sound():
        owner, open_trick = -1, False
        for kind, seat, cards in sheet.entries:
            if kind == "play" and cards != ["Hu"]:
                owner, open_trick = seat, True
            elif kind == "take":
                assert open_trick
                assert seat == owner
                open_trick = False
        assert not open_trick


def test_passes_behind_the_end_are_ignored():
    """A round is broken, or counts more turns, because somebody passed after its end."""
    sheet = without_calls_in_play()[0]
    log = as_a_log(sheet)
    more = log.edited(len(log.entries), ("pass", 1, []), ("pass", 2, []))
    assert more.code() == RuleBreak.NONE
    assert more.normal() == sheet.normal()
    assert more.outcome()["num_turns"] == sheet.outcome()["num_turns"]


# How to break a sound round, by the code that must come out.


def _no_label() -> Sheet:
    return sound()[0].with_seat("given", (2, 1), -1)


def _seven_first_cards() -> Sheet:
    sheet = sound()[0]
    mask = int(sheet.row["first"][0, 1])
    return sheet.with_seat("first", 1, mask & (mask - 1))


def _one_card_twice() -> Sheet:
    sheet = sound()[0]
    start = sheet.row["start"][0].copy()
    lost, doubled = start[1] & -start[1], start[2] & -start[2]
    start[1] = start[1] & ~lost | doubled
    return sheet.with_row(start=start)


def _a_card_given_twice() -> Sheet:
    sheet = sound()[0]
    return sheet.with_seat("given", (0, 1), sheet.row["given"][0, 0, 0])


def _a_foreign_card_given() -> Sheet:
    sheet = sound()[0]
    foreign = next(i for i in range(56) if sheet.row["start"][0, 1] & CARD_OF_INDEX[i])
    return sheet.with_seat("given", (0, 1), foreign)


def _first_eight_not_among_fourteen() -> Sheet:
    sheet = sound()[0]
    return sheet.with_row(first=sheet.row["first"][0][[1, 0, 2, 3]])


def _a_foreign_card_played() -> Sheet:
    sheet = sound()[0]
    seat = sheet.entries[0][1]
    foreign = min(hands_after_schupfen(sheet.row)[(seat + 1) % 4])
    return sheet.edited(0, ("play", seat, [foreign]), drop=1)


def _a_card_played_again() -> Sheet:
    sheet = sound()[0]
    at = plays_of(sheet)[1]
    _, seat, _ = sheet.entries[at]
    return sheet.edited(at, ("play", seat, sheet.entries[0][2]), drop=1)


def _a_pass_on_the_lead() -> Sheet:
    sheet = sound()[0]
    return sheet.edited(0, ("pass", sheet.entries[0][1], []))


def _another_wish() -> Sheet:
    candidates = (sheet.with_row(wish=wish) for sheet in sound() for wish in range(2, 15) if sheet.row["wish"][0])
    return next(sheet for sheet in candidates if sheet.code() == RuleBreak.WISH_NOT_FOLLOWED)


def _two_cards_that_do_not_fit() -> Sheet:
    sheet = sound()[0]
    seat = sheet.entries[0][1]
    hand = hands_after_schupfen(sheet.row)[seat]
    one = next(card for card in sorted(hand) if card[0] in "SBGR")
    other = next(card for card in sorted(hand) if card[0] in "SBGR" and card[1:] != one[1:])
    return sheet.edited(0, ("play", seat, [one, other]), drop=1)


def _another_seat_leads() -> Sheet:
    sheet = sound()[0]
    seat = (sheet.entries[0][1] + 1) % 4
    hand = hands_after_schupfen(sheet.row)[seat]
    return sheet.edited(0, ("play", seat, [min(hand)]))


def _the_wrong_seat_passes() -> Sheet:
    sheet = first(lambda sheet: sheet.entries[0][2] != ["Hu"])
    return sheet.edited(1, ("pass", (sheet.entries[0][1] + 2) % 4, []))


def _cut_off() -> Sheet:
    sheet = sound()[0]
    return sheet.edited(len(sheet.entries) // 2, drop=len(sheet.entries))


def _played_on() -> Sheet:
    sheet = first(lambda sheet: not sheet.outcome()["is_double_victory"])
    seat = int(sheet.outcome()["loser_index"])
    return sheet.edited(len(sheet.entries), ("play", seat, ["S2"]))


def _dragon_given(sheet: Sheet) -> bool:
    return sheet.row["dragon_recipient"][0] != NO_RECIPIENT


def _the_dragon_kept() -> Sheet:
    return first(_dragon_given).with_row(dragon_recipient=NO_RECIPIENT)


def _the_dragon_to_the_partner() -> Sheet:
    sheet = first(_dragon_given)
    return sheet.with_row(dragon_recipient=(sheet.row["dragon_recipient"][0] + 1) % 4)


def _a_gift_without_the_dragon() -> Sheet:
    return first(lambda sheet: not _dragon_given(sheet)).with_row(dragon_recipient=1)


def _a_wish_without_the_mahjong() -> Sheet:
    unplayed = first(lambda sheet: not any("Ma" in cards for _, _, cards in sheet.entries))
    return unplayed.with_row(wish=7)


def _a_call_long_after_the_first_play() -> Sheet:
    sheet = first(lambda sheet: (sheet.row["tichu_position"] == NOT_CALLED).all())
    return sheet.with_seat("tichu_position", sheet.entries[0][1], 3)


def _a_call_behind_the_end() -> Sheet:
    sheet = first(lambda sheet: (sheet.row["tichu_position"] == NOT_CALLED).all())
    return sheet.with_seat("tichu_position", 0, 400)


def _a_score_of_odd_points() -> Sheet:
    sheet = sound()[0]
    return sheet.with_row(score=sheet.row["score"][0] + [1, -1])


def _a_score_of_too_many_points() -> Sheet:
    sheet = sound()[0]
    return sheet.with_row(score=sheet.row["score"][0] + [50, 0])


def _another_possible_score() -> Sheet:
    sheet = first(lambda sheet: not sheet.outcome()["is_double_victory"])
    return sheet.with_row(score=sheet.row["score"][0] + [5, -5])


EDITS = [
    (RuleBreak.INVALID_CARD_LABEL, _no_label),
    (RuleBreak.INVALID_CARD_COUNT, _seven_first_cards),
    (RuleBreak.DUPLICATE_CARD, _one_card_twice),
    (RuleBreak.DUPLICATE_CARD, _a_card_given_twice),
    (RuleBreak.CARD_NOT_IN_HAND, _a_foreign_card_given),
    (RuleBreak.CARD_NOT_IN_HAND, _first_eight_not_among_fourteen),
    (RuleBreak.CARD_NOT_IN_HAND, _a_foreign_card_played),
    (RuleBreak.CARD_ALREADY_PLAYED, _a_card_played_again),
    (RuleBreak.PASS_NOT_POSSIBLE, _a_pass_on_the_lead),
    (RuleBreak.WISH_NOT_FOLLOWED, _another_wish),
    (RuleBreak.COMBINATION_NOT_PLAYABLE, _two_cards_that_do_not_fit),
    (RuleBreak.PLAYER_NOT_ON_TURN, _another_seat_leads),
    (RuleBreak.PLAYER_NOT_ON_TURN, _the_wrong_seat_passes),
    (RuleBreak.HISTORY_TOO_SHORT, _cut_off),
    (RuleBreak.HISTORY_TOO_LONG, _played_on),
    (RuleBreak.DRAGON_NOT_GIVEN, _the_dragon_kept),
    (RuleBreak.DRAGON_GIVEN_TO_OWN_TEAM, _the_dragon_to_the_partner),
    (RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT, _a_gift_without_the_dragon),
    (RuleBreak.WISH_WITHOUT_MAHJONG, _a_wish_without_the_mahjong),
    (RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE, _a_call_long_after_the_first_play),
    (RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE, _a_call_behind_the_end),
    (RuleBreak.SCORE_NOT_POSSIBLE, _a_score_of_odd_points),
    (RuleBreak.SCORE_NOT_POSSIBLE, _a_score_of_too_many_points),
    (RuleBreak.SCORE_MISMATCH, _another_possible_score),
]


@pytest.mark.parametrize(("code", "edit"), EDITS, ids=[f"{code.name}{edit.__name__}" for code, edit in EDITS])
def test_one_edit_one_code(code, edit):
    """A broken round passes for sound, or is booked under another mistake."""
    assert edit().code() == code


def test_every_code_of_a_round_is_reached():
    """A code is added or dropped, and nobody tests that it comes out."""
    of_the_text = {RuleBreak.NONE, RuleBreak.SYNTAX, RuleBreak.TRUNCATED}
    assert {code for code, _ in EDITS} == set(RuleBreak) - of_the_text


def test_a_broken_round_stops_at_the_break():
    """Points or turns after a break are counted as if the round were sound."""
    outcome = _cut_off().outcome()
    assert outcome["score"].tolist() == [0, 0]
    outcome = _two_cards_that_do_not_fit().outcome()
    assert (outcome["num_turns"], outcome["num_tricks"], outcome["winner_index"]) == (0, 0, -1)


def test_a_take_before_the_trick_is_complete():
    """A damaged history gives a trick away while others may still play, and counts as sound."""
    sheet = sound()[0]
    at = next(at for at, (kind, _, _) in enumerate(sheet.entries) if kind == "pass")
    assert sheet.edited(at, ("take", sheet.entries[0][1], [])).code() != RuleBreak.NONE


def test_a_take_by_another_seat():
    """A damaged history whose marks name another taker moves points to him."""
    sheet = first(lambda sheet: not _dragon_given(sheet))
    at = next(at for at, (kind, _, _) in enumerate(sheet.entries) if kind == "take")
    seat = sheet.entries[at][1]
    damaged = sheet.edited(at, ("take", (seat + 1) % 4, []), drop=1)
    assert damaged.normal() == sheet.normal()
    assert damaged.outcome().tobytes() == sheet.outcome().tobytes()


# Announcements


def test_a_small_call_up_to_right_behind_the_first_play():
    """A call that the portal accepts is refused, or counts for nothing."""
    sheet = first(lambda sheet: (sheet.row["tichu_position"] == NOT_CALLED).all())
    seat = sheet.entries[0][1]
    won = sheet.outcome()["winner_index"] == seat
    score = sheet.row["score"][0].copy()
    score[seat % 2] += 100 if won else -100
    for position in (-1, 0, 1):
        called = sheet.with_seat("tichu_position", seat, position).with_row(score=score)
        assert called.code() == RuleBreak.NONE
    assert sheet.with_seat("tichu_position", seat, 2).code() == RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE


def test_a_grand_call_counts_double():
    """A grand Tichu is scored as a small one."""
    sheet = first(lambda sheet: (sheet.row["tichu_position"] == NOT_CALLED).all())
    score = sheet.row["score"][0].copy()
    for seat in range(4):
        score[seat % 2] += 200 if sheet.outcome()["winner_index"] == seat else -200
    called = sheet.with_row(tichu_position=[-2, -2, -2, -2], score=score)
    assert called.code() == RuleBreak.NONE
    assert called.outcome()["score"].tolist() == score.tolist()


# The ambiguous Phoenix


@pytest.mark.parametrize(
    ("lead", "follow", "code", "low"),
    [
        ("S5 B6 S7 S8 Ph", "G5 G6 B7 B8 B9", RuleBreak.HISTORY_TOO_SHORT, 1),
        ("S5 B6 S7 S8 Ph", "G6 G7 B8 B9 B10", RuleBreak.HISTORY_TOO_SHORT, 0),
        ("S5 B6 S7 S8 Ph", "G4 G5 G6 G7 B8", RuleBreak.COMBINATION_NOT_PLAYABLE, 0),
        ("S5 B5 S9 B9 Ph", "S7 B7 G7 S2 B2", RuleBreak.HISTORY_TOO_SHORT, 1),
        ("S5 B5 S9 B9 Ph", "S10 B10 G10 S2 B2", RuleBreak.HISTORY_TOO_SHORT, 0),
        ("S5 B5 S9 B9 Ph", "S4 B4 G4 S2 B2", RuleBreak.COMBINATION_NOT_PLAYABLE, 0),
        ("S5 B5 S9 B9 Ph", "S7 B7 G7 R7", RuleBreak.HISTORY_TOO_SHORT, 0),
    ],
)
def test_an_ambiguous_phoenix_is_low_if_the_next_play_proves_it(lead, follow, code, low):
    """A legal play is refused because the Phoenix was read high, or a reading is called low without need."""
    outcome = ambiguous(lead, follow).outcome()
    assert (outcome["rule_break"], outcome["phoenix_low"]) == (code, low)
    assert outcome["num_turns"] == (1 if code == RuleBreak.COMBINATION_NOT_PLAYABLE else 2)


@pytest.mark.parametrize("collected", [("take", 0, []), ("pass", 0, [])])
def test_the_lead_of_the_next_trick_proves_nothing(collected):
    """A street with the Phoenix counts as lower than it was, because its player leads a street that he could not lay
    upon it."""
    follow = ["G5", "G6", "B7", "B8", "B9"]
    sheet = ambiguous("S5 B6 S7 S8 Ph", " ".join(follow), follower=0)
    passes = [("pass", seat, []) for seat in (1, 2, 3)]
    outcome = sheet.edited(1, *passes, collected, ("play", 0, follow), drop=1).outcome()
    assert (outcome["rule_break"], outcome["phoenix_low"]) == (RuleBreak.HISTORY_TOO_SHORT, 0)
    assert outcome["num_tricks"] == 1
    assert outcome["num_turns"] == 5


def test_step_by_step_equals_replay():
    """Features and search, which step through a round, see other positions than the replay checks."""
    for sheet in without_calls_in_play()[::7]:
        rounds = as_a_log(sheet).rounds()
        state, log = np.zeros(1, dtype=STATE)[0], np.zeros(1, dtype=LOG)[0]
        row = rounds.rows[0]
        load(log, rounds.history, row)
        begin_round(state, row["first"], row["start"], 0, 0, 0, 0)
        replay.begin(state, row)
        for at in range(log["length"]):
            assert replay.step(state, row, log, at, PLAYS) == 0
        outcome = sheet.outcome()
        assert state["over"] == 1
        assert state["turns"] == outcome["num_turns"]
        assert (state["winner"], state["loser"]) == (outcome["winner_index"], outcome["loser_index"])
        if state["owner"] >= 0:
            assert replay.take(state, row) == 0
        assert state["points"].tolist() == outcome["points"].tolist()


def test_check_keeps_the_order_of_many_rounds():
    """A broken round in the middle shifts the histories of those behind it."""
    several = [*sound()[:3], _cut_off(), *sound()[4:7]]
    single = [sheet.rounds() for sheet in several]
    rows = np.concatenate([rounds.rows for rounds in single])
    ends = np.cumsum([len(rounds.history) for rounds in single])
    rows["history_to"] = ends
    rows["history_from"] = ends - [len(rounds.history) for rounds in single]
    history = np.concatenate([rounds.history for rounds in single])
    outcomes, normal = replay.check(replay.Rounds(rows, history))
    assert (outcomes["rule_break"] != 0).tolist() == [False] * 3 + [True] + [False] * 3
    for i, sheet in enumerate(several):
        assert list(turns(normal.history_of(i))) == sheet.normal()
