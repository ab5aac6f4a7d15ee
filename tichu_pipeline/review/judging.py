"""The stage `reviews`: what decisions of declared players in declared months cost, a Parquet file a month.

A month is looked at again only if its rounds, the request or the referee have changed, so that a year can be judged in
parts; of such a month those games are judged that are new (`kept`). A row is a judged decision; which rounds were
judged without finding an open one is not told.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.agents.registry import agent_from
from tichu_models.records.schema import Rounds, joined
from tichu_models.records.scores import scores_before
from tichu_models.records.stored import COLUMNS, to_records
from tichu_models.review.judge import Judge
from tichu_models.review.report import LoggedGame, one_by_one
from tichu_models.review.settings import JudgeSettings
from tichu_models.review.tasks import Referees, RoundTask, judge_task
from tichu_models.whole_files import whole_file
from tichu_pipeline.review.kept import game_digest, kept_rows, metadata_of, unfinished_file
from tichu_pipeline.review.stored import REQUEST, ReviewsRequest, asked_of, referee_digest, stamp_of
from tichu_pipeline.storage.folders import DataPaths, month_file, months_in
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import parquet_stamp, stored_stamp
from tichu_pipeline.storage.workers import Processes, Workers

SECONDS_BETWEEN_SAVES = 60.0  # of a month's games that have been judged

Record = dict[str, Any]

SCHEMA = pa.schema(
    [
        ("game_id", pa.int64()),
        ("round_index", pa.int32()),
        ("turn", pa.int16()),  # NULL before the play
        ("seat", pa.int8()),
        ("player", pa.string()),
        ("partner", pa.string()),
        ("kind", pa.string()),  # as in `features`
        ("answer", pa.string()),  # JSON, as in `tichu review --json`; so is `best`
        ("best", pa.string()),
        ("loss", pa.float32()),  # points of the own team's result; 0 where no difference is seen
        ("low", pa.float32()),
        ("high", pa.float32()),
        ("certain", pa.bool_()),
        ("options", pa.int8()),  # answers that were tried
        ("policy", pa.float32()),  # how likely the referee finds the given answer
    ]
)


class ChosenGame(NamedTuple):
    """A game that is judged, and whose decisions; none: everybody's."""

    game: LoggedGame
    players: tuple[str, ...]


def review_months(
    paths: DataPaths,
    request: ReviewsRequest,
    workers: Workers | None = None,
    done: Callable[[str], None] = lambda month: None,
) -> Made:
    """Judges the months that are not judged yet. `done` is called with each month. Raises AgentError or RefereeError if
    the agent cannot judge."""
    started, stored = time.perf_counter(), months_in(paths.rounds)
    months = [month for month in stored if not request.months or month in request.months]
    Judge(agent_from(request.agent, paths.runs), JudgeSettings())
    stamps, made = [stamp_of(paths, request, month) for month in months], []
    with workers or Processes(os.cpu_count() or 1) as pool:
        for month, stamp in zip(months, stamps, strict=True):
            path = month_file(paths.reviews, month)
            if stored_stamp(path) != stamp:
                _judge(path, paths, request, month, stamp, pool)
                made.append(month)
            done(month)
    written = [month_file(paths.reviews, month) for month in months]
    return Made(
        path=paths.reviews,
        stamp=hashlib.sha256("".join(stamps).encode()).hexdigest(),
        rows=sum(pq.read_metadata(path).num_rows for path in written),
        bytes=sum(path.stat().st_size for path in written),
        seconds=time.perf_counter() - started,
        reused=not made,
    )


def games_of_month(paths: DataPaths, request: ReviewsRequest, month: str) -> list[ChosenGame]:
    """The games of a month that are judged: of those in which one of the players sits, some that are spread evenly, and
    likewise some of all games, in which everybody is judged."""
    table = pq.read_table(month_file(paths.rounds, month), columns=[*COLUMNS, "player_names", "rule_break"])
    names, rounds = table["player_names"].to_pylist(), to_records(table)
    sound = table["rule_break"].to_numpy() == 0
    wanted = set(request.players)
    has_player = np.array([not wanted or not wanted.isdisjoint(each) for each in names], dtype=bool)
    of_players = _spread(rounds.rows["game_id"][sound & has_player], request.games)
    of_all = _spread(rounds.rows["game_id"][sound], request.corpus if wanted else 0)
    chosen = []
    for game_id in sorted({*of_players, *of_all}):
        of_game = np.flatnonzero(rounds.rows["game_id"] == game_id)
        of_game = of_game[np.argsort(rounds.rows["round_index"][of_game])]
        kept = sound[of_game]
        before, of_game = scores_before(rounds.rows[of_game])[kept], of_game[kept]
        own = joined([_alone(rounds, i) for i in of_game])
        game = LoggedGame(game_id, month, game_id, own.rows, before, own.history, [names[i] for i in of_game], [])
        chosen.append(ChosenGame(game, () if game_id in of_all else request.players))
    return chosen


def _alone(rounds: Rounds, i: int) -> Rounds:
    """A round with its own history alone: a task must not carry those of a whole month."""
    row, history = rounds.rows[i : i + 1].copy(), np.frombuffer(rounds.history_of(i), dtype=np.uint8)
    row["history_from"], row["history_to"] = 0, len(history)
    return Rounds(row, history)


def _spread(games: np.ndarray, most: int) -> list[int]:
    """At most so many of the games, spread evenly."""
    ids = np.unique(games)
    return ids[np.linspace(0, len(ids) - 1, min(most, len(ids))).astype(np.int64)].tolist()


def _judge(path: Path, paths: DataPaths, request: ReviewsRequest, month: str, stamp: str, pool: Workers) -> None:
    """Writes a month's file. What has been judged is saved now and then, so that little is lost if this is killed."""
    chosen, referee = games_of_month(paths, request, month), referee_digest(paths, request)
    digests = {game.key: game_digest(game, players, referee) for game, players in chosen}
    judged, unfinished, saved = kept_rows(paths, month, digests), unfinished_file(paths, month), time.monotonic()
    referees = Referees(request.agent, paths.runs, JudgeSettings(seed=request.seed))
    tasks = [
        RoundTask(part, referees, player)
        for game, players in chosen
        if game.key not in judged
        for part in one_by_one(game)
        for player in _players_in(part, players)
    ]
    metadata = parquet_stamp(stamp) | {REQUEST: json.dumps(asked_of(request)).encode()}
    found = zip(tasks, pool.map(judge_task, tasks), strict=True)
    for game_id, of_game in groupby(found, key=lambda each: each[0].game.key):
        judged[game_id] = [_row(decision, task.game.names[0]) for task, part in of_game for decision in part.decisions]
        if time.monotonic() - saved >= SECONDS_BETWEEN_SAVES:
            _write(unfinished, judged, metadata_of(judged, digests))
            saved = time.monotonic()
    ordered = {game_id: judged[game_id] for game_id in digests}
    _write(path, ordered, metadata | metadata_of(ordered, digests))
    unfinished.unlink(missing_ok=True)


def _players_in(part: LoggedGame, players: Iterable[str]) -> list[str | None]:
    """Whose decisions of a round are judged, each a task of its own; None: everybody's in one."""
    wanted = set(players)
    if not wanted:
        return [None]
    return [name for name in dict.fromkeys(part.names[0]) if name in wanted]


def _row(decision: Record, names: list[str]) -> Record:
    """A judged decision as a row."""
    low, high = (each if math.isfinite(each) else None for each in decision["interval"])
    (given,) = [option for option in decision["options"] if option["answer"] == decision["answer"]]
    return {
        **{name: decision[name] for name in ("game_id", "round_index", "turn", "seat", "player", "kind")},
        **{name: decision[name] for name in ("loss", "certain")},
        "partner": names[(decision["seat"] + 2) & 3],
        "answer": json.dumps(decision["answer"]),
        "best": json.dumps(decision["best"]),
        "low": low,
        "high": high,
        "options": len(decision["options"]),
        "policy": given["policy"],
    }


def _write(path: Path, judged: dict[int, list[Record]], metadata: dict[bytes, bytes]) -> None:
    """Writes the rows of judged games."""
    rows = [row for of_game in judged.values() for row in of_game]
    with whole_file(path) as made:
        pq.write_table(pa.Table.from_pylist(rows, SCHEMA.with_metadata(metadata)), made, compression="zstd")
