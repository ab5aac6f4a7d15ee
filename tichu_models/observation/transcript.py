"""What everybody at the table has seen of a round since the deal: for players who look further back than a view.

A transcript holds nothing of any hand. Together with the own view it tells all that a seat may know; `retrace` plays
it again from a deal, a true one or one that is only supposed, and shows every play in between as its player saw it.
Who is handed a transcript is told by `arena.extras`.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inner
from tichu_models.observation.blocks import recall
from tichu_models.observation.view import VIEW, see
from tichu_models.records.history import LOG, MAX_TURNS, PASS_ENTRY, PLAY_ENTRY, cards_in, kind_of, seat_of
from tichu_models.rules.asking import PLAY as PLAY_CARDS
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import MAHJONG
from tichu_models.rules.legal import PLAYS, is_forced
from tichu_models.rules.state import (
    CALLED_BEFORE_PLAY,
    CALLED_GRAND,
    NO_CALL,
    STATE,
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

# Cards and the exchange of a round, known or supposed.
DEAL = np.dtype([
    ("start", np.int64, 4),         # the fourteen cards of each seat, before schupfen
    ("given", np.int8, (4, 3)),     # card index given to the right opponent, the partner, the left opponent
], align=True)

# What a trace shall hold.
RETRACE_OPTIONS = np.dtype([
    ("seats", np.int64),            # bit s: the plays and passes of seat s
    ("past", np.int64),             # latest turns in their views
    ("open", np.int8),              # 1: only those that were not the only legal answer
    ("strict", np.int8),            # 1: hands that defy the wish are refused as well
], align=True)

# Plays and passes, and what their players saw.
MADE = np.dtype([("seen", VIEW), ("cards", np.int64)], align=True)
TRACE: np.dtype = np.dtype([("at", MADE, MAX_TURNS)])

RETRACING = np.dtype([("state", STATE), ("plays", PLAYS), ("trace", TRACE), ("deal", DEAL)], align=True)
# fmt: on


@inner
def retrace(deal, view, transcript, options, state, plays, trace):
    """Plays a round again up to the present, with each step checked; returns (how many of the plays asked for
    there were, code of the rule that is broken or 0). What happened before the round is as the view has it."""
    log = transcript.log
    begin_round(state, deal.start, deal.start, view.total[0], view.total[1], view.last[0], view.last[1])
    for position in (CALLED_GRAND, CALLED_BEFORE_PLAY):
        for seat in range(4):
            if transcript.called_at[seat] == position:
                call(state, seat, position)
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
            if out_of_turn or not (
                options.open
                and is_forced(state.hand[seat], state.trick, state.wish, state.dealt_bombs >> seat & 1, plays)
            ):
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
def _call_now(state, transcript):
    """Small Tichus that are called before the turn that comes next."""
    for seat in range(4):
        if transcript.called_at[seat] == state.turns and state.call[seat] == NO_CALL:
            call(state, seat, state.turns)
