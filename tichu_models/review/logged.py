"""The decisions of logged rounds with what is needed to ask them again: what the seat knew, and what was asked.

A record holds nothing that its seat did not know: no other hand, no answer that was not seen yet. Random numbers of a
decision depend on the round's key and on its place in the round, not on what hidden cards make others be asked.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import inlined, kernel
from tichu_models.observation.logged_answers import with_thrown_bombs
from tichu_models.observation.transcript import TRANSCRIPT
from tichu_models.observation.view import VIEW, see
from tichu_models.observation.walk import MAX_DECISIONS, WALK, WHO_ACTS, LoggedDecision, Target, Walk, walk
from tichu_models.records.history import CALL_ENTRY, kind_of
from tichu_models.records.schema import Round
from tichu_models.records.scores import ScoreBefore
from tichu_models.rules.asking import ALL_KINDS
from tichu_models.rules.state import NO_WISH

# fmt: off
LOGGED = np.dtype([
    ("seen", VIEW),                 # the view; `seen.kind` says what was asked, `seen.seat` whom
    ("transcript", TRANSCRIPT),     # of the round so far
    ("answer", np.int64),           # the one that was given; of plays and bombs the cards
    ("place", np.int32),            # of the round among those of its game that are judged
    ("turn", np.int16),             # plays and passes before it; -1 before the play
    ("phase", np.int8),             # of the position in which it was asked
    ("asked", np.int8),             # seats that the phase had finished with
    ("forced", np.int8),            # 1: only one answer was legal
    ("out_of_turn", np.int8),       # 1: a bomb before the own turn
], align=True)
# fmt: on

# A record like all scratch of kernels: arrays are reference-counted at every call down a call tree.
LOGGED_BUFFER: np.dtype = np.dtype([("at", LOGGED, MAX_DECISIONS)])

LoggedBuffer: TypeAlias = Any  # a record of LOGGED_BUFFER

KINDS_PLACE, SEATS_PLACE, PHASES_PLACE = 8, 4, 16  # how many there may be, in the number of a decision


@inlined
def _note(scratch: Walk, logged: LoggedDecision, target: Target, n: int) -> None:
    """Keeps a decision with its view and the transcript before it."""
    key, wish, buffer = target
    decision, position = buffer.at[n], scratch.position
    number = ((logged.turn + 1) * KINDS_PLACE + logged.kind) * SEATS_PLACE + logged.observer
    number = number * PHASES_PLACE + position.phase
    see(position.state, logged.observer, logged.kind, draw(key, number), decision.seen)
    transcript, length = decision.transcript, 0
    for at in range(logged.entries):
        if kind_of(scratch.log.entry[at]) != CALL_ENTRY:
            transcript.log.entry[length] = scratch.log.entry[at]
            length += 1
    transcript.log.length = length
    for seat in range(4):
        transcript.called_at[seat] = position.state.called_at[seat]
    transcript.wish = wish if position.state.wish != NO_WISH else 0
    transcript.dragon_recipient = position.state.dragon_recipient
    decision.answer = logged.label
    decision.turn = logged.turn
    decision.phase = position.phase
    decision.asked = position.asked
    decision.forced = logged.forced
    decision.out_of_turn = logged.out_of_turn


@kernel
def _find(
    row: Round, before: ScoreBefore, history: np.ndarray, key: np.uint64, scratch: Walk, buffer: LoggedBuffer
) -> int:
    """Fills the buffer with the decisions of a round; returns how many there are."""
    target = key, row.wish, buffer
    return walk(row, before, history, scratch, ALL_KINDS, WHO_ACTS, _note, target)


class Finder:
    """Finds the decisions of rounds. Threads must not share it: it has buffers."""

    def __init__(self) -> None:
        self._scratch, self._buffer = np.zeros(1, dtype=WALK)[0], np.zeros(1, dtype=LOGGED_BUFFER)[0]

    def decisions(self, rows: np.ndarray, before: np.ndarray, history: np.ndarray, key: int) -> np.ndarray:
        """The decisions of sound rounds of a game in order, as LOGGED, without forced ones. `key` is that of the game's
        random numbers. A bomb out of turn is the answer to the question for it, and no play besides."""
        found = self.every_decision(rows, before, history, key)
        return found[(found["forced"] == 0) & (found["out_of_turn"] == 0)]

    def every_decision(self, rows: np.ndarray, before: np.ndarray, history: np.ndarray, key: int) -> np.ndarray:
        """As `decisions`, with forced ones; a bomb out of turn is also a play."""
        parts = [np.zeros(0, dtype=LOGGED)]
        for place, (row, scores) in enumerate(zip(rows, before, strict=True)):
            round_key = np.uint64(draw(np.uint64(key), int(row["round_index"])))
            n = _find(row, scores, history, round_key, self._scratch, self._buffer)
            found = self._buffer["at"][:n].copy()
            seen = found["seen"]
            found["answer"] = with_thrown_bombs(seen["kind"], seen["seat"], found["out_of_turn"], found["answer"])
            found["place"] = place
            parts.append(found)
        return np.concatenate(parts)
