"""A tournament as a Parquet file, `tournaments/<name>.parquet`: a row for each round, with the request in the metadata.

Reading a file gives the same `PlayedTournament` that was written. `tichu_models.arena.results` describes the rows.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.arena.referee import REASONS, Forfeit
from tichu_models.arena.results import RESULT
from tichu_models.arena.tournament import PlayedTournament, TournamentRequest
from tichu_models.statistics import SequentialTest
from tichu_models.whole_files import whole_file
from tichu_pipeline.storage.stamps import parquet_metadata, parquet_stamp

TOURNAMENT = b"tichu.tournament"  # in the metadata of the file
TEAMS = np.array([20, 31], dtype=np.int8)

AS_IN_RESULTS = ("pairing", "deal", "round_index", "num_turns", "num_tricks", "control")
SCHEMA = pa.schema(
    [
        ("table_id", pa.int64()),  # for `tichu tournament --replay`; the log has the same number
        ("pairing", pa.int16()),
        ("a", pa.string()),
        ("b", pa.string()),
        ("deal", pa.int32()),
        ("team_a", pa.int8()),  # 20 or 31
        ("round_index", pa.int32()),
        ("agents", pa.list_(pa.string(), 4)),  # at seats 0..3
        ("score_20", pa.int16()),
        ("score_31", pa.int16()),
        ("margin", pa.int16()),  # points of a minus those of b
        ("tichu_positions", pa.list_(pa.int16(), 4)),
        ("bombs", pa.list_(pa.int8(), 4)),  # thrown
        ("num_tricks", pa.int16()),
        ("num_turns", pa.int16()),
        ("winner_index", pa.int8()),
        ("loser_index", pa.int8()),
        ("is_double_victory", pa.bool_()),
        ("forfeit", pa.string()),  # NULL if there is none
        ("forfeit_seat", pa.int8()),
        ("control", pa.float32()),
        ("seed", pa.int64()),
        ("whole_games", pa.bool_()),
    ]
)


class TournamentFileError(Exception):
    """A file that is not a tournament."""


def write(path: Path, played: PlayedTournament, stamp: str) -> None:
    """Writes a tournament. The file appears when it is complete."""
    metadata = parquet_stamp(stamp) | {TOURNAMENT: json.dumps(_facts(played)).encode()}
    with whole_file(path) as temporary:
        pq.write_table(to_table(played).replace_schema_metadata(metadata), temporary, compression="zstd")


def to_table(played: PlayedTournament) -> pa.Table:
    """The rounds of a tournament as an Arrow table."""
    request, rows = played.request, played.results
    names = np.array([request.names(pairing) for pairing in range(len(request.pairings))], dtype=object)[
        rows["pairing"]
    ]
    team_of_seat = np.arange(4) % 2
    agents = np.where(team_of_seat == rows["team_a"][:, None], names[:, [0]], names[:, [1]])
    sign = np.where(rows["team_a"] == 0, 1, -1)
    forfeited = rows["forfeit"] > 0
    columns: dict[str, Any] = {
        "table_id": rows["table"],
        "a": names[:, 0],
        "b": names[:, 1],
        "team_a": TEAMS[rows["team_a"]],
        "agents": _by_seat(agents, pa.string()),
        "score_20": rows["score"][:, 0],
        "score_31": rows["score"][:, 1],
        "margin": (rows["score"][:, 0] - rows["score"][:, 1]) * sign,
        "tichu_positions": _by_seat(rows["tichu_position"], pa.int16()),
        "bombs": _by_seat(rows["bombs"], pa.int8()),
        "winner_index": pa.array(rows["winner"], mask=forfeited),
        "loser_index": pa.array(rows["loser"], mask=forfeited),
        "is_double_victory": pa.array(rows["double"].astype(bool), mask=forfeited),
        "forfeit": np.array([None, *REASONS], dtype=object)[rows["forfeit"]],
        "forfeit_seat": pa.array(rows["forfeit_seat"], mask=~forfeited),
        "seed": np.full(len(rows), request.seed),
        "whole_games": np.full(len(rows), request.whole_games),
        **{name: rows[name] for name in AS_IN_RESULTS},
    }
    return pa.table([pa.array(columns[field.name], type=field.type) for field in SCHEMA], schema=SCHEMA)


def _by_seat(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array (rounds, 4) as a column of lists of four."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(values).reshape(-1), type=kind), 4)


def read(path: Path) -> PlayedTournament:
    """Reads a stored tournament."""
    try:
        table = pq.read_table(path)
        facts = json.loads(table.schema.metadata[TOURNAMENT])
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise TournamentFileError(
            f"{path}: no tournament ({error}); expected one that tichu tournament wrote"
        ) from error
    request = dict(facts["order"])
    test = request.pop("test")
    request |= {"agents": tuple(request["agents"]), "test": SequentialTest(**test) if test else None}
    return PlayedTournament(
        TournamentRequest(**request),
        _rows(table),
        [Forfeit(**forfeit) for forfeit in facts["forfeits"]],
        {name: np.array(times, dtype=np.int64) for name, times in facts["times"].items()},
        frozenset(facts["timed"]),
        tuple((run, why) for run, why in facts.get("left_out", ())),
        facts.get("answered_by", {}),
    )


def _rows(table: pa.Table) -> np.ndarray:
    """The rounds of a table as records."""
    rows = np.zeros(len(table), dtype=RESULT)
    plain = {"table": "table_id", "winner": "winner_index", "loser": "loser_index", "forfeit_seat": "forfeit_seat"}
    for field, column in (plain | {name: name for name in AS_IN_RESULTS}).items():
        rows[field] = table[column].fill_null(-1).to_numpy()
    for field, column in (("tichu_position", "tichu_positions"), ("bombs", "bombs")):
        rows[field] = table[column].combine_chunks().flatten().to_numpy().reshape(-1, 4)
    rows["team_a"] = table["team_a"].to_numpy() == TEAMS[1]
    rows["score"] = np.stack([table["score_20"].to_numpy(), table["score_31"].to_numpy()], axis=1)
    rows["double"] = table["is_double_victory"].cast(pa.int8()).fill_null(0).to_numpy()
    codes = {reason: code for code, reason in enumerate(REASONS, start=1)}
    rows["forfeit"] = [codes.get(reason, 0) for reason in table["forfeit"].to_pylist()]
    return rows


def stored_left_out(path: Path) -> list[list[str]]:
    """The runs that a stored tournament left out, with the reasons."""
    return list(json.loads(parquet_metadata(path).get(TOURNAMENT, b"{}")).get("left_out", []))


def _facts(played: PlayedTournament) -> dict[str, Any]:
    """What is stored in the metadata of the file."""
    return {
        "order": asdict(played.request),
        "forfeits": [asdict(forfeit) for forfeit in played.forfeits],
        "times": {name: times.tolist() for name, times in played.times.items()},
        "timed": sorted(played.timed),
        "left_out": played.left_out,
        "answered_by": played.answered_by,
    }
