"""Logs to columns: parses and replays every game of a chunk, in one pass and without the interpreter's lock.

What comes out are arrays: sound and broken rounds with what the replay made of them, fragments, and a line for each
game. How text reads is `parser`, what the rules say is `tichu_models.records`; files are `months`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tichu_models.kernels import inner, kernel
from tichu_models.records.history import store
from tichu_models.records.replay import OUTCOME, SCRATCH, replay
from tichu_models.records.schema import ROUND, Rounds
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_models.rules.scoring import NOT_OVER, game_result
from tichu_pipeline.brettspielwelt.inflate import Chunk
from tichu_pipeline.brettspielwelt.parser import DRAFT, TEXT, begin_text, has_header, next_round

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
])
PARSE = np.dtype([
    ("text", TEXT),
    ("draft", DRAFT),
    ("replay", SCRATCH),
    ("filled", FILLED),
    ("previous_name", np.int64, 4),     # where in the text the names of the game's last round stand
    ("previous_length", np.int32, 4),
    ("last_name", np.int32, 4),         # and their places in the list of names
], align=True)
# fmt: on

USUAL_HISTORY = 160
MOST_HISTORY = 1100  # bytes that a round's normal history cannot exceed


@inner
def _same_bytes(text, begin, length, other, other_length):
    if length != other_length:
        return False
    for i in range(length):
        if text.bytes[begin + i] != text.bytes[other + i]:
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
def read_game(parse, data, start, stop, game_id, games, rounds, outcomes, origins, fragments, names, history):
    """Reads one game into the outputs behind what they hold. False if they have no room; then nothing has changed."""
    text, draft, filled = parse.text, parse.draft, parse.filled
    first_round, first_fragment, first_name, first_byte = (
        filled.rounds,
        filled.fragments,
        filled.names,
        filled.history,
    )
    begin_text(text, data, start, stop)
    skipped = (stop - start) - text.length
    game = games[filled.games]
    game.game_id = game_id
    game.num_failed = game.player_changed = 0
    game.total[0] = game.total[1] = 0
    overplayed = is_log = breaks_off = False
    for seat in range(4):
        parse.previous_name[seat] = -1
    while next_round(text, draft):
        if (
            filled.rounds == len(rounds)
            or filled.fragments == len(fragments)
            or filled.names + 4 > len(names)
            or filled.history + MOST_HISTORY > len(history)
        ):
            filled.rounds, filled.fragments, filled.names, filled.history = (
                first_round,
                first_fragment,
                first_name,
                first_byte,
            )
            return False
        begin, end = start + skipped + draft.begin, start + skipped + draft.end
        is_log |= has_header(text, draft)
        if draft.fragment:
            fragment = fragments[filled.fragments]
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
        origin, outcome = origins[filled.rounds], outcomes[filled.rounds]
        if _note_names(parse, start + skipped, origin, names) and filled.rounds > first_round:
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
        filled.history = store(parse.replay.normal, history, filled.history)
        row.history_to = filled.history
        rounds[filled.rounds] = row
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
    return True


@kernel
def _read_games(parse, data, starts, ends, ids, games, rounds, outcomes, origins, fragments, names, history):
    """Reads games while there is room. Returns the number of the first that is left."""
    for i in range(len(ids)):
        if not read_game(
            parse,
            data,
            starts[i],
            ends[i],
            ids[i],
            games,
            rounds,
            outcomes,
            origins,
            fragments,
            names,
            history,
        ):
            return i
    return len(ids)


@dataclass(frozen=True)
class Games:
    """A chunk of games as columns. Places in `data` are those of the chunk's bytes."""

    data: npt.NDArray[np.uint8]
    games: np.ndarray  # GAME
    rounds: Rounds
    outcomes: np.ndarray  # OUTCOME, one a round
    origins: np.ndarray  # ORIGIN, one a round
    fragments: np.ndarray  # FRAGMENT
    names: np.ndarray  # NAME


class Reader:
    """Reads chunk after chunk into arrays that it keeps, so that fresh memory is not paid for again and again.

    What `read` gives is overwritten by the next call.
    """

    def __init__(self) -> None:
        self._parse = np.zeros(1, dtype=PARSE)
        self._make_room(1 << 14)

    def _make_room(self, rounds: int) -> None:
        self._rounds = np.zeros(rounds, dtype=ROUND)
        self._outcomes = np.zeros(rounds, dtype=OUTCOME)
        self._origins = np.zeros(rounds, dtype=ORIGIN)
        self._fragments = np.zeros(rounds, dtype=FRAGMENT)
        self._names = np.zeros(4 * rounds, dtype=NAME)
        self._history = np.empty(USUAL_HISTORY * rounds + MOST_HISTORY, dtype=np.uint8)

    def read(self, chunk: Chunk) -> Games:
        """All games of a chunk."""
        games = np.zeros(len(chunk), dtype=GAME)
        while True:
            self._parse["filled"] = 0
            done = _read_games(
                self._parse[0], chunk.data, chunk.starts, chunk.ends, chunk.game_ids, games,
                self._rounds, self._outcomes, self._origins, self._fragments, self._names, self._history,
            )  # fmt: skip
            if done == len(chunk):
                break
            self._make_room(2 * len(self._rounds))
        filled = self._parse["filled"][0]
        rounds = Rounds(self._rounds[: filled["rounds"]], self._history[: filled["history"]])
        return Games(
            chunk.data,
            games,
            rounds,
            self._outcomes[: filled["rounds"]],
            self._origins[: filled["rounds"]],
            self._fragments[: filled["fragments"]],
            self._names[: filled["names"]],
        )
