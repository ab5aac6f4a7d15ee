"""Turns a chunk of games into Arrow tables, one for each table of `tables`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tichu_models.kernels import kernel
from tichu_models.records.tricks import COUNTS_SHAPE
from tichu_models.rules.breaks import GameError
from tichu_models.rules.combinations import TYPE_AND_LENGTH
from tichu_models.rules.scoring import DRAW, NOT_OVER, TEAM_20, TEAM_31, game_result
from tichu_pipeline.brettspielwelt.text.reader import Games
from tichu_pipeline.rounds.tables import (
    COMBINATION_STATS,
    GAMES_SCHEMA,
    NO_BREAK_SPACE,
    ROUNDS_SCHEMA,
    RULE_BREAKS,
    TRICKS,
)

WINNER_OF_RESULT = np.zeros(4, dtype=np.int8)  # by game_result; NOT_OVER, -1, is the last element
WINNER_OF_RESULT[[TEAM_20, TEAM_31, DRAW, NOT_OVER]] = 20, 31, 0, -1


def decoded(raw: bytes) -> str:
    """Text from bytes of a log, as UTF-8 or else as Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@lru_cache(maxsize=1 << 16)
def player_name(raw: bytes) -> str:
    """A player's name. A no-break space inside becomes a space; at the end it is dropped."""
    return decoded(raw).rstrip(NO_BREAK_SPACE).replace(NO_BREAK_SPACE, " ")


@kernel
def _copy_ascii(data: np.ndarray, names: np.ndarray, text: np.ndarray, ends: np.ndarray, others: np.ndarray) -> None:
    """Copies names one after the other into `text`. Names that are not plain ASCII are left empty and marked in
    `others`."""
    to = 0
    for i in range(len(names)):
        end, seen = to, 0
        for at in range(names[i].begin, names[i].begin + names[i].length):
            text[end] = data[at]
            seen |= data[at]
            end += 1
        others[i] = seen >= 0x80
        to = to if others[i] else end
        ends[i] = to


def names_of(games: Games) -> pa.Array:
    """The names in a chunk, in the order of Games.names."""
    names = games.names
    text = np.empty(int(names["length"].sum()), dtype=np.uint8)
    offsets, others = np.zeros(len(names) + 1, dtype=np.int32), np.empty(len(names), dtype=np.bool_)
    _copy_ascii(games.data, names, text, offsets[1:], others)
    plain = pa.StringArray.from_buffers(len(names), pa.py_buffer(offsets), pa.py_buffer(text))
    decoded_names = [
        player_name(games.data[begin : begin + length].tobytes()) for begin, length in names[others].tolist()
    ]
    return pc.replace_with_mask(plain, pa.array(others), pa.array(decoded_names, type=pa.string()))


def _name(games: Games, place: int) -> str:
    """The name at an index into Games.names."""
    begin, length = games.names[place]
    return player_name(games.data[begin : begin + length].tobytes())


def players_changed(games: Games) -> np.ndarray:
    """Which games have another name in a seat from some round on. The reader compares bytes; here the same name in
    another encoding, or with a no-break space at its end, is no change."""
    changed = games.games["player_changed"].astype(bool)
    ends = np.cumsum(games.games["num_rounds"])
    for i in np.flatnonzero(changed).tolist():
        rounds = slice(ends[i] - games.games["num_rounds"][i], ends[i])
        seats = games.origins["names"][rounds].T.tolist()
        changed[i] = any(len({_name(games, place) for place in set(seat)}) > 1 for seat in seats)
    return changed


def text_of(games: Games, begin: int, end: int) -> str:
    """The text of a round or fragment. It is decoded line by line: a name in Latin-1 must not spoil others in UTF-8."""
    return "\n".join(map(decoded, games.data[begin:end].tobytes().split(b"\n"))).rstrip()


def _column(values: np.ndarray, unknown: np.ndarray | None = None) -> pa.Array:
    """Values as a column, NULL where they are unknown."""
    mask = unknown if unknown is not None and unknown.any() else None
    # The next chunk overwrites the reader's arrays. Arrow copies strided arrays; the others are copied here.
    return pa.array(values.copy() if values.flags.c_contiguous else values, mask=mask)


def _lists(values: np.ndarray, unknown: np.ndarray | None = None) -> pa.Array:
    """Rows of a matrix as lists. `unknown` marks the elements that are NULL, or the rows whose elements all are."""
    if unknown is not None and unknown.any():
        unknown = np.broadcast_to(unknown.reshape(len(values), -1), values.shape).reshape(-1).astype(bool)
    else:
        unknown = None
    return pa.FixedSizeListArray.from_arrays(_column(values.reshape(-1), unknown), values.shape[1])


def _when(month: str, n: int) -> list[pa.Array]:
    """The columns year and month."""
    year, number = (int(part) for part in month.split("-"))
    return [pa.array(np.full(n, year, dtype=np.int16)), pa.array(np.full(n, number, dtype=np.int8))]


def round_table(games: Games, month: str) -> pa.Table:
    """Rows of the table rounds."""
    rows, outcomes, origins, spreads = games.rounds.rows, games.outcomes, games.origins, games.spreads
    n = len(rows)
    broken = outcomes["completed"] == 0
    names = names_of(games).take(pa.array(origins["names"].reshape(-1)))
    given = _column(rows["given"].reshape(-1), origins["bad_given"].reshape(-1).astype(bool))
    offsets = np.append(rows["history_from"], len(games.rounds.history)).astype(np.int32)
    turns = np.maximum(outcomes["num_turns"], 1)
    columns = [
        _column(rows["game_id"]),
        _column(rows["round_index"]),
        pa.FixedSizeListArray.from_arrays(names, 4),
        _lists(rows["first"], origins["bad_first"]),
        _lists(rows["start"], origins["bad_start"]),
        pa.FixedSizeListArray.from_arrays(pa.FixedSizeListArray.from_arrays(given, 3), 4),
        _lists(rows["tichu_position"]),
        _lists(outcomes["bomb_owners"].astype(bool), outcomes["dealt"] == 0),
        _column(rows["wish"]),
        _column(rows["dragon_recipient"]),
        _lists(rows["score"]),
        pa.BinaryArray.from_buffers(
            pa.binary(), n, [None, pa.py_buffer(offsets), pa.py_buffer(games.rounds.history.copy())]
        ),
        _column(outcomes["num_tricks"], broken),
        _column(outcomes["num_turns"], broken),
        _lists(outcomes["points"], broken),
        _column(spreads["min_points"], broken),
        _column(spreads["max_points"], broken),
        _column((spreads["sum_points"] / (4 * turns)).astype(np.float32), broken),
        _lists(outcomes["score"], broken),
        _column(outcomes["winner_index"], broken),
        _column(outcomes["loser_index"], broken),
        _column(outcomes["is_double_victory"].astype(bool), broken),
        _column(outcomes["phoenix_low"].astype(bool), broken),
        _column(outcomes["rule_break"]),
        _column(origins["line"]),
        *_when(month, n),
    ]
    return pa.Table.from_arrays(columns, schema=ROUNDS_SCHEMA)


@kernel
def _name_winners(totals: np.ndarray, winners: np.ndarray) -> None:
    """Fills in the winners by these totals, coded as in the table games; -1 for none."""
    for i in range(len(totals)):
        winners[i] = WINNER_OF_RESULT[game_result(totals[i, 0], totals[i, 1])]


def game_table(games: Games, files_of: Callable[[np.ndarray], pa.Array], month: str) -> pa.Table:
    """Rows of the table games: every log, except those that are empty or hold no round."""
    rows = games.games[games.games["error_code"] < GameError.EMPTY]
    winners = np.empty(len(rows), dtype=np.int8)
    _name_winners(rows["total"], winners)
    columns = [
        _column(rows["game_id"]),
        _column(rows["num_rounds"]),
        _column(rows["total"][:, 0]),
        _column(rows["total"][:, 1]),
        _column(winners, winners < 0),
        _column(players_changed(games)[games.games["error_code"] < GameError.EMPTY]),
        _column(rows["error_code"]),
        files_of(rows["game_id"]),
        *_when(month, len(rows)),
    ]
    return pa.Table.from_arrays(columns, schema=GAMES_SCHEMA)


def rule_break_table(games: Games, file_of: Callable[[int], str], month: str) -> pa.Table:
    """Rows of the table rule_breaks: broken rounds and fragments with their text."""
    rows, outcomes, origins = games.rounds.rows, games.outcomes, games.origins
    broken = np.flatnonzero(outcomes["rule_break"])
    entries = [
        (
            rows["game_id"][i],
            rows["round_index"][i],
            False,
            outcomes["rule_break"][i],
            *(origins[name][i] for name in ("break_line", "begin", "end")),
        )
        for i in broken
    ]
    entries += [
        (f["game_id"], f["round_index"], True, f["rule_break"], f["line"], f["begin"], f["end"])
        for f in games.fragments
    ]
    entries.sort(key=lambda entry: (entry[0], entry[1], not entry[2]))
    year, number = (int(part) for part in month.split("-"))
    return pa.Table.from_pylist(
        [
            {
                "game_id": int(game_id),
                "round_index": int(index),
                "is_fragment": fragment,
                "rule_break": int(code),
                "file": file_of(int(game_id)),
                "line": int(line),
                "text": text_of(games, int(begin), int(end)),
                "year": year,
                "month": number,
            }
            for game_id, index, fragment, code, line, begin, end in entries
        ],
        schema=RULE_BREAKS,
    )


def trick_table(games: Games) -> pa.Table:
    """Rows of the table tricks."""
    return pa.Table.from_arrays([_column(games.tricks[name]) for name in TRICKS.names], schema=TRICKS)


def stats_table(counts: np.ndarray, month: str) -> pa.Table:
    """Rows of the table combination_stats, from the counts of a whole month."""
    places = np.flatnonzero(counts)
    label, *others = np.unravel_index(places, COUNTS_SHAPE)
    rank, call, opponents_call, cards_before, beaten = (axis.astype(np.int8) for axis in others)
    type_and_length = np.array(TYPE_AND_LENGTH, dtype=np.int8)[label]
    columns = [
        *(_column(type_and_length[:, 0]), _column(type_and_length[:, 1])),
        *(_column(axis) for axis in (rank, call, opponents_call, cards_before)),
        _column(beaten.astype(bool)),
        _column(counts[places]),
        *_when(month, len(places)),
    ]
    return pa.Table.from_arrays(columns, schema=COMBINATION_STATS)
