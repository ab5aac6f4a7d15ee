"""Logs to columns: parses and replays every game of a chunk, in one pass and without the interpreter's lock.

What comes out are arrays: sound and broken rounds with what the replay made of them, their tricks, fragments, and a
line for each game. How text reads is `parser`, what the rules say is `tichu_models.records`; files are `monthly_files`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tichu_models.kernels import inner, kernel
from tichu_models.records.history import store
from tichu_models.records.replay import OUTCOME, SCRATCH, replay
from tichu_models.records.schema import ROUND, Rounds
from tichu_models.records.tricks import NUM_COUNTS, SEAT_COUNTS, SPREAD, TRICK, read_tricks
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_models.rules.scoring import NOT_OVER, game_result
from tichu_pipeline.brettspielwelt.archives.inflate import CHUNK_BYTES, CHUNK_GAMES, Chunk, lent
from tichu_pipeline.brettspielwelt.text.parser import (
    DRAFT,
    SHORTEST_FRAGMENT,
    SHORTEST_PLAY,
    SHORTEST_ROUND,
    has_header,
    next_round,
)
from tichu_pipeline.brettspielwelt.text.scanning import byte_at
from tichu_pipeline.brettspielwelt.text.tokens import TEXT, begin_text

# fmt: off
# What is known of a round beside its record and the replay's outcome.
ORIGIN = np.dtype([
    ("begin", np.int64),            # the round's text in the chunk's data
    ("end", np.int64),
    ("line", np.int32),             # of its header in the file, from 1
    ("break_line", np.int32),       # of what breaks it: the turn, or the header where no turn is at fault
    ("names", np.int32, 4),         # places in Games.names
    ("bad_first", np.int8, 4),      # 1: not to be known
    ("bad_start", np.int8, 4),
    ("bad_given", np.int8, (4, 3)),
], align=True)

FRAGMENT = np.dtype([
    ("game_id", np.int64),
    ("round_index", np.int32),      # how many rounds of the game were read before it
    ("rule_break", np.int8),        # SYNTAX or TRUNCATED
    ("line", np.int32),             # the line that cannot be read, or the header
    ("begin", np.int64),
    ("end", np.int64),
], align=True)

GAME = np.dtype([
    ("game_id", np.int64),
    ("num_rounds", np.int32),
    ("num_fragments", np.int32),
    ("num_failed", np.int32),       # rounds that break a rule, and fragments in whose place a result is missing
    ("total", np.int32, 2),
    ("error_code", np.int8),
    ("player_changed", np.int8),
], align=True)

NAME = np.dtype([("begin", np.int64), ("length", np.int32)])

# How much of each output is filled.
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
    ("previous_name", np.int64, 4),     # where in the text the names of the game's last round stand
    ("previous_length", np.int32, 4),
    ("last_name", np.int32, 4),         # and their places in the list of names
], align=True)
# fmt: on


class Columns(NamedTuple):
    """Where games are read to. There is room for whatever a chunk may hold: no step has to look."""

    games: np.ndarray  # GAME
    rounds: np.ndarray  # ROUND
    outcomes: np.ndarray  # OUTCOME, one a round
    origins: np.ndarray  # ORIGIN, one a round
    spreads: np.ndarray  # SPREAD, one a round; of a round that was played to its end
    fragments: np.ndarray  # FRAGMENT
    names: np.ndarray  # NAME
    history: np.ndarray  # bytes
    tricks: np.ndarray  # TRICK, of rounds that were played to their end
    counts: np.ndarray  # plays of such rounds; COUNTS_SHAPE, flat

    @staticmethod
    def with_room(games: int, size: int, counts: np.ndarray) -> Columns:
        """For so many games in so many bytes. What is never written to costs nothing."""
        rounds = size // SHORTEST_ROUND
        return Columns(
            lent(games, GAME),
            lent(rounds, ROUND),
            lent(rounds, OUTCOME),
            lent(rounds, ORIGIN),
            lent(rounds, SPREAD),
            lent(size // SHORTEST_FRAGMENT + games, FRAGMENT),
            lent(4 * rounds, NAME),
            lent(size, np.uint8),
            lent(size // SHORTEST_PLAY, TRICK),
            counts,
        )


@inner
def _same_bytes(text, begin, length, other, other_length):
    if length != other_length:
        return False
    for i in range(length):
        if byte_at(text.address, begin + i) != byte_at(text.address, other + i):
            return False
    return True


@inner
def _note_names(parse, start, origin, names):
    """Gives each seat's name its place in the list of names; a game's unchanged name keeps its place.

    Returns how many of the four have changed.
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
def _judge(parse, outcome, origin):
    """Replays the drafted round, together with what its text already says against it."""
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
def _note_tricks(parse, columns):
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
def read_game(parse, data, start, stop, game_id, columns):
    """Reads one game into the columns, behind what they hold."""
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
            # Cards that were dealt anew before anybody played have no result that could be missing.
            breaks_off = draft.fragment == RuleBreak.TRUNCATED and text.at >= text.length
            dealt_anew = draft.fragment == RuleBreak.TRUNCATED and draft.log.length == 0
            game.num_failed += not breaks_off and not dealt_anew
            continue
        origin, outcome = columns.origins[filled.rounds], columns.outcomes[filled.rounds]
        if _note_names(parse, start + skipped, origin, columns.names) and filled.rounds > first_round:
            game.player_changed = 1
        overplayed |= game_result(game.total[0], game.total[1]) != NOT_OVER
        _judge(parse, outcome, origin)
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
def _read_games(parse, data, starts, ends, ids, columns):
    for i in range(len(ids)):
        read_game(parse, data, starts[i], ends[i], ids[i], columns)


@dataclass(frozen=True)
class Games:
    """A chunk of games as columns. Places in `data` are those of the chunk's bytes."""

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
    """Reads chunk after chunk into columns that it keeps, so that fresh memory is not paid for again and again.

    What `read` gives is overwritten by the next call; `counts` of plays add up.
    """

    def __init__(self) -> None:
        self.counts = np.zeros(NUM_COUNTS, dtype=np.int64)
        self._parse = np.zeros(1, dtype=PARSE)
        self._columns = Columns.with_room(CHUNK_GAMES, CHUNK_BYTES, self.counts)

    def read(self, chunk: Chunk) -> Games:
        """All games of a chunk."""
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
