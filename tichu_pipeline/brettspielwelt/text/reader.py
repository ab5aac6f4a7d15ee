"""Reads logs into columns: parses and replays every game of a chunk in one pass, without the interpreter lock.

The columns are arrays of rounds (sound and broken) with the outcomes of their replay, their tricks, fragments, and
games. `parser` reads the text, `tichu_models.records` checks the rules, and `rounds.arrow` makes tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tichu_models.kernels import inner, kernel
from tichu_models.records.history import store
from tichu_models.records.replay import OUTCOME, SCRATCH, replay
from tichu_models.records.schema import ROUND, Rounds
from tichu_models.records.tricks import NUM_COUNTS, SEAT_COUNTS, SPREAD, TRICK, read_tricks
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_models.rules.scoring import NOT_OVER, game_result
from tichu_pipeline.brettspielwelt.archives.inflate import CHUNK_BYTES, CHUNK_GAMES, Chunk, mapped_zeros
from tichu_pipeline.brettspielwelt.text.parser import (
    DRAFT,
    SHORTEST_FRAGMENT,
    SHORTEST_PLAY,
    SHORTEST_ROUND,
    has_header,
    next_round,
)
from tichu_pipeline.brettspielwelt.text.scanning import byte_at
from tichu_pipeline.brettspielwelt.text.tokens import TEXT, Text, begin_text

# fmt: off
# What is known of a round besides its record and the outcome of its replay.
ORIGIN = np.dtype([
    ("begin", np.int64),            # of the round's text in the chunk's data
    ("end", np.int64),
    ("line", np.int32),             # of its header in the file, from 1
    ("break_line", np.int32),       # of the turn that breaks a rule, or of the header if no turn does
    ("names", np.int32, 4),         # indices into Games.names
    ("bad_first", np.int8, 4),      # 1: unknown
    ("bad_start", np.int8, 4),
    ("bad_given", np.int8, (4, 3)),
], align=True)

FRAGMENT = np.dtype([
    ("game_id", np.int64),
    ("round_index", np.int32),      # the number of rounds of the game before it
    ("rule_break", np.int8),        # SYNTAX or TRUNCATED
    ("line", np.int32),             # the line that cannot be read, or the header
    ("begin", np.int64),
    ("end", np.int64),
], align=True)

GAME = np.dtype([
    ("game_id", np.int64),
    ("num_rounds", np.int32),
    ("num_fragments", np.int32),
    ("num_failed", np.int32),       # rounds that break a rule, and fragments that should have a result
    ("total", np.int32, 2),
    ("error_code", np.int8),
    ("player_changed", np.int8),
], align=True)

NAME = np.dtype([("begin", np.int64), ("length", np.int32)])

# The number of rows of each column that are filled.
FILLED = np.dtype([
    ("games", np.int64),
    ("rounds", np.int64),
    ("fragments", np.int64),
    ("names", np.int64),
    ("history", np.int64),
    ("tricks", np.int64),
])
PARSE = np.dtype([
    ("text", TEXT),
    ("draft", DRAFT),
    ("replay", SCRATCH),
    ("seats", SEAT_COUNTS),
    ("filled", FILLED),
    ("previous_name", np.int64, 4),     # places in the text of the names in the game's previous round
    ("previous_length", np.int32, 4),
    ("last_name", np.int32, 4),         # and their indices into the names
], align=True)
# fmt: on
Origin: TypeAlias = Any  # a record of ORIGIN
Parse: TypeAlias = Any  # a record of PARSE


class Columns(NamedTuple):
    """The arrays that games are read into. They have room for any chunk, so that no step has to check."""

    games: np.ndarray  # GAME
    rounds: np.ndarray  # ROUND
    outcomes: np.ndarray  # OUTCOME, one a round
    origins: np.ndarray  # ORIGIN, one a round
    spreads: np.ndarray  # SPREAD, one a round; filled in for completed rounds
    fragments: np.ndarray  # FRAGMENT
    names: np.ndarray  # NAME
    history: np.ndarray  # bytes
    tricks: np.ndarray  # TRICK, of completed rounds
    counts: np.ndarray  # of plays in completed rounds; COUNTS_SHAPE, flat

    @staticmethod
    def with_room(games: int, size: int, counts: np.ndarray) -> Columns:
        """Columns for this number of games and bytes. Room that is never written to costs nothing."""
        rounds = size // SHORTEST_ROUND
        return Columns(
            mapped_zeros(games, GAME),
            mapped_zeros(rounds, ROUND),
            mapped_zeros(rounds, OUTCOME),
            mapped_zeros(rounds, ORIGIN),
            mapped_zeros(rounds, SPREAD),
            mapped_zeros(size // SHORTEST_FRAGMENT + games, FRAGMENT),
            mapped_zeros(4 * rounds, NAME),
            mapped_zeros(size, np.uint8),
            mapped_zeros(size // SHORTEST_PLAY, TRICK),
            counts,
        )


@inner
def _same_bytes(text: Text, begin: int, length: int, other: int, other_length: int) -> bool:
    if length != other_length:
        return False
    for i in range(length):
        if byte_at(text.address, begin + i) != byte_at(text.address, other + i):
            return False
    return True


@inner
def _note_names(parse: Parse, start: int, origin: Origin, names: np.ndarray) -> int:
    """Appends the four names to the column of names. A name that has not changed since the previous round is reused.

    Returns how many have changed.
    """
    draft, changed = parse.draft, 0
    previous, previous_length = parse.previous_name, parse.previous_length
    for seat in range(4):
        begin, length = draft.name_begin[seat], draft.name_length[seat]
        if previous[seat] >= 0 and _same_bytes(parse.text, begin, length, previous[seat], previous_length[seat]):
            origin.names[seat] = parse.last_name[seat]
            continue
        changed += 1
        place = parse.filled.names
        names[place].begin = start + begin
        names[place].length = length
        origin.names[seat] = place
        parse.last_name[seat] = place
        parse.filled.names = place + 1
        previous[seat] = begin
        previous_length[seat] = length
    return changed


@inner
def _replay(parse: Parse, outcome: Any, origin: Origin) -> None:
    """Replays the drafted round, and takes the breaks in its text into account."""
    draft, scratch = parse.draft, parse.replay
    replay(
        scratch.state,
        draft.row,
        draft.log,
        scratch.normal,
        outcome,
        scratch.plays,
        draft.deal_break,
        draft.late_break,
    )
    for seat in range(4):
        draft.row.tichu_position[seat] = outcome.tichu_position[seat]
        origin.bad_first[seat] = draft.bad_first[seat]
        origin.bad_start[seat] = draft.bad_start[seat]
        for to in range(3):
            origin.bad_given[seat, to] = draft.bad_given[seat, to]
    origin.line = draft.line
    origin.break_line = draft.entry_line[outcome.break_at] if outcome.break_at >= 0 else draft.line


@inner
def _note_tricks(parse: Parse, columns: Columns) -> None:
    """Appends the tricks of the round, and counts its plays."""
    filled = parse.filled
    filled.tricks = read_tricks(
        parse.draft.row,
        parse.replay.normal,
        parse.seats,
        columns.tricks,
        filled.tricks,
        columns.spreads[filled.rounds],
        columns.counts,
    )


@inner
def read_game(parse: Parse, data: np.ndarray, start: int, stop: int, game_id: int, columns: Columns) -> None:
    """Reads one game, and appends it to the columns."""
    text, draft, filled = parse.text, parse.draft, parse.filled
    first_round, first_fragment = filled.rounds, filled.fragments
    begin_text(text, data, start, stop)
    skipped = (stop - start) - text.length
    game = columns.games[filled.games]
    game.game_id = game_id
    game.num_failed = game.player_changed = 0
    game.total[0] = game.total[1] = 0
    overplayed = is_log = breaks_off = False
    for seat in range(4):
        parse.previous_name[seat] = -1
    while next_round(text, draft):
        begin, end = start + skipped + draft.begin, start + skipped + draft.end
        is_log |= has_header(text, draft)
        if draft.fragment:
            fragment = columns.fragments[filled.fragments]
            fragment.game_id = game_id
            fragment.round_index = filled.rounds - first_round
            fragment.rule_break = draft.fragment
            fragment.line = draft.syntax_line if draft.syntax_line else draft.line
            fragment.begin, fragment.end = begin, end
            filled.fragments += 1
            # If the cards are dealt anew before the first play, no result is missing.
            breaks_off = draft.fragment == RuleBreak.TRUNCATED and text.at >= text.length
            dealt_anew = draft.fragment == RuleBreak.TRUNCATED and draft.log.length == 0
            game.num_failed += not breaks_off and not dealt_anew
            continue
        origin, outcome = columns.origins[filled.rounds], columns.outcomes[filled.rounds]
        if _note_names(parse, start + skipped, origin, columns.names) and filled.rounds > first_round:
            game.player_changed = 1
        overplayed |= game_result(game.total[0], game.total[1]) != NOT_OVER
        _replay(parse, outcome, origin)
        game.num_failed += outcome.rule_break != 0
        game.total[0] += draft.row.score[0]
        game.total[1] += draft.row.score[1]
        row = draft.row
        row.game_id = game_id
        row.round_index = filled.rounds - first_round
        row.history_from = filled.history
        filled.history = store(parse.replay.normal, columns.history, filled.history)
        row.history_to = filled.history
        columns.rounds[filled.rounds] = row
        if outcome.completed:
            _note_tricks(parse, columns)
        origin.begin, origin.end = begin, end
        filled.rounds += 1
    game.num_rounds = filled.rounds - first_round
    game.num_fragments = filled.fragments - first_fragment
    if text.length == 0 or (game.num_rounds == 0 and game.num_fragments == 0):
        game.error_code = GameError.EMPTY
    elif not is_log:
        game.error_code = GameError.UNREADABLE
        filled.fragments = first_fragment
    elif game.num_failed:
        game.error_code = GameError.ROUND_FAILED
    elif overplayed:
        game.error_code = GameError.GAME_OVERPLAYED
    else:
        over = game_result(game.total[0], game.total[1]) != NOT_OVER and not breaks_off
        game.error_code = GameError.NO_ERROR if over else GameError.GAME_NOT_FINISHED
    filled.games += 1


@kernel
def _read_games(
    parse: Parse, data: np.ndarray, starts: np.ndarray, ends: np.ndarray, ids: np.ndarray, columns: Columns
) -> None:
    for i in range(len(ids)):
        read_game(parse, data, starts[i], ends[i], ids[i], columns)


@dataclass(frozen=True)
class Games:
    """A chunk of games as columns. `data` has the bytes of their logs."""

    data: npt.NDArray[np.uint8]
    games: np.ndarray  # GAME
    rounds: Rounds
    outcomes: np.ndarray  # OUTCOME, one a round
    origins: np.ndarray  # ORIGIN, one a round
    spreads: np.ndarray  # SPREAD, one a round
    fragments: np.ndarray  # FRAGMENT
    names: np.ndarray  # NAME
    tricks: np.ndarray  # TRICK


class Reader:
    """Reads chunk after chunk into the same columns, to save the cost of fresh memory.

    Each call of `read` overwrites the games of the one before; `counts` of plays add up.
    """

    def __init__(self) -> None:
        self.counts = np.zeros(NUM_COUNTS, dtype=np.int64)
        self._parse = np.zeros(1, dtype=PARSE)
        self._columns = Columns.with_room(CHUNK_GAMES, CHUNK_BYTES, self.counts)

    def read(self, chunk: Chunk) -> Games:
        """The games of a chunk."""
        size = int((chunk.ends - chunk.starts).sum())
        if len(chunk) > len(self._columns.games) or size > len(self._columns.history):
            self._columns = Columns.with_room(len(chunk), size, self.counts)
        columns = self._columns
        self._parse["filled"] = 0
        _read_games(self._parse[0], chunk.data, chunk.starts, chunk.ends, chunk.game_ids, columns)
        filled = self._parse["filled"][0]
        rounds = slice(filled["rounds"])
        return Games(
            chunk.data,
            columns.games[: filled["games"]],
            Rounds(columns.rounds[rounds], columns.history[: filled["history"]]),
            columns.outcomes[rounds],
            columns.origins[rounds],
            columns.spreads[rounds],
            columns.fragments[: filled["fragments"]],
            columns.names[: filled["names"]],
            columns.tricks[: filled["tricks"]],
        )
