"""Transcripts: what everybody has seen of a round since the deal, for players who look further back than a view.

A transcript holds nothing of any hand. With the own view it is all that a seat may know. `retrace` plays it again from
a deal, true or supposed, and gives the view of every player at every play. `arena.extras` hands transcripts to agents.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inner
from tichu_models.observation.turns import recall
from tichu_models.observation.view import VIEW, View, see
from tichu_models.records.history import LOG, MAX_TURNS, PASS_ENTRY, PLAY_ENTRY, cards_in, kind_of, seat_of
from tichu_models.rules.asking import PLAY as PLAY_CARDS
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import MAHJONG
from tichu_models.rules.legal import PLAYS, Plays, is_forced
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    NO_CALL,
    STATE,
    State,
    begin_round,
    call,
    check_pass,
    check_play,
    collect,
    exchange,
    make_wish,
    pass_turn,
    play,
)

# fmt: off
TRANSCRIPT = np.dtype([
    ("log", LOG),                   # plays, passes and takes
    ("called_at", np.int16, 4),     # turns before the small Tichu; -1 before or during schupfen, -2 grand, -3 none
    ("wish", np.int8),              # the wish that was made, 0 if none
    ("dragon_recipient", np.int8),  # who got the Dragon's trick, or -1
], align=True)

# The cards of a round and their exchange, true or supposed.
DEAL = np.dtype([
    ("start", np.int64, 4),         # the fourteen cards of each seat, before schupfen
    ("given", np.int8, (4, 3)),     # card index given to the right opponent, the partner, the left opponent
], align=True)

# What a trace is to hold.
RETRACE_OPTIONS = np.dtype([
    ("seats", np.int64),            # bit s: the plays and passes of seat s
    ("past", np.int64),             # latest turns in the views
    ("open", np.int8),              # 1: without forced plays and passes
    ("in_turn", np.int8),           # 1: without bombs that were thrown out of turn
    ("strict", np.int8),            # 1: a deal on which somebody defied the wish is refused, too
], align=True)

# A play or pass with the view of its player, and all of a round.
MADE = np.dtype([("seen", VIEW), ("cards", np.int64)], align=True)
TRACE: np.dtype = np.dtype([("at", MADE, MAX_TURNS)])

RETRACING = np.dtype([("state", STATE), ("plays", PLAYS), ("trace", TRACE), ("deal", DEAL)], align=True)
# fmt: on

Transcript: TypeAlias = Any  # a record of TRANSCRIPT
Deal: TypeAlias = Any  # a record of DEAL
RetraceOptions: TypeAlias = Any  # a record of RETRACE_OPTIONS
Trace: TypeAlias = Any  # a record of TRACE


@inner
def retrace(
    deal: Deal, view: View, transcript: Transcript, options: RetraceOptions, state: State, plays: Plays, trace: Trace
) -> tuple[int, int]:
    """Plays a round again up to the present and checks each step; returns the length of the trace, and the rule that a
    step breaks or 0. The scores before the round are those of the view."""
    log = transcript.log
    begin_round(state, deal.start, deal.start, view.total[0], view.total[1], view.last[0], view.last[1])
    for called_at in (CALLED_GRAND, CALLED_BEFORE_PLAY):
        for seat in range(4):
            if transcript.called_at[seat] == called_at:
                call(state, seat, called_at)
    if view.start_player < 0:
        return 0, 0
    exchange(state, deal.given)
    n = 0
    for at in range(log.length):
        entry = log.entry[at]
        kind, seat, cards = kind_of(entry), seat_of(entry), cards_in(entry)
        _call_now(state, transcript)
        if kind <= PLAY_ENTRY and options.seats >> seat & 1:
            out_of_turn = seat != state.turn or state.complete
            left_out = options.in_turn and out_of_turn
            if options.open and not out_of_turn:
                bombs = state.dealt_bombs >> seat & 1
                left_out = is_forced(state.hand[seat], state.trick, state.wish, bombs, plays)
            if not left_out:
                see(state, seat, PLAY_CARDS, view.key, trace.at[n].seen)
                trace.at[n].seen.turn = seat
                trace.at[n].cards = cards
                if options.past:
                    recall(log, at, options.past, trace.at[n].seen)
                n += 1
        if kind == PLAY_ENTRY:
            move, code = check_play(state, seat, cards, plays)
            if code and (options.strict or code != RuleBreak.WISH_NOT_FOLLOWED):
                return n, code
            play(state, seat, move)
            if cards & MAHJONG and not state.over:
                make_wish(state, transcript.wish)
        elif kind == PASS_ENTRY:
            code = check_pass(state, seat, plays)
            if code and (options.strict or code != RuleBreak.WISH_NOT_FOLLOWED):
                return n, code
            pass_turn(state, seat)
        else:
            collect(state, transcript.dragon_recipient)
    _call_now(state, transcript)
    return n, 0


@inner
def _call_now(state: State, transcript: Transcript) -> None:
    """Announces the small Tichus that were called before the next turn."""
    for seat in range(4):
        if transcript.called_at[seat] == state.turns and state.call[seat] == NO_CALL:
            call(state, seat, state.turns)
