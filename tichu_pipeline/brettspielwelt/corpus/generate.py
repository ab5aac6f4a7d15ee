"""Generates corpora: games of built-in players as yearly zips, laid out as people keep the portal's logs.

`truth.parquet` beside the zips holds what logs do not say: each player's blunder rate, which turns were blunders, and
the planted quirks. The same arguments give the same bytes, whatever the number of workers.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.arena.selfplay import PlayedRounds, stream
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.whole_files import whole_file
from tichu_pipeline.brettspielwelt.corpus.gametext import GameText
from tichu_pipeline.brettspielwelt.corpus.population import Population, population, seat_players
from tichu_pipeline.brettspielwelt.corpus.quirks import Planter, untouched
from tichu_pipeline.brettspielwelt.corpus.yearly_zips import Calendar, yearly_zip
from tichu_pipeline.brettspielwelt.text.writer import NAMES, name_table, write

PLAYERS = 400  # unless it is said how many
TRUTH_ROWS_A_GROUP = 50_000
BLOCK = 256  # games that one worker plays and writes at a time
ABANDONED = 0.03  # share of games
CUT_IN_ROUND = 0.2  # share of abandoned games
SUBSTITUTED = 0.01  # share of games in which a seat changes hands
NAMELESS = 0.003  # share of games with an empty name
GAPS = 0.01  # share of games before which an id is missing

TRUTH_SCHEMA = pa.schema(
    [
        pa.field("game_id", pa.int64()),
        pa.field("round_index", pa.int32()),  # as a parser counts rounds; NULL for a whole file
        pa.field("players", pa.list_(pa.string(), 4)),
        pa.field("blunder_rates", pa.list_(pa.float64(), 4)),
        pa.field("blunders", pa.list_(pa.int16())),  # the turns that were blunders
        pa.field("planted", pa.string()),  # name of the quirk; NULL if none
        pa.field("rule_break", pa.int16()),  # the code that a reader must report; 0 if none
    ]
)


@dataclass(frozen=True)
class Corpus:
    """The size of a generated corpus, and how many quirks of each kind it has."""

    games: int
    rounds: int
    bytes: int
    planted: dict[str, int]


def generate(
    out: Path,
    games: int,
    months: list[str],
    seed: int,
    quirks: bool = False,
    workers: int | None = None,
    people: int | None = None,
) -> Corpus:
    """Writes OUT/YYYY.zip for each year of the months, and OUT/truth.parquet. They replace older files at the end. So
    many people play, of whom a few play most of the games."""
    rng = np.random.default_rng([seed, 0])
    all_ = population(people or PLAYERS, rng)
    gaps = np.cumsum(np.random.default_rng([seed, 3]).random(games) < GAPS)
    calendar = Calendar(months, games, gaps)
    plan = _Plan(all_, seat_players(all_, games, rng), _substitutes(all_, games, rng), calendar, seed)
    planter = Planter(games, np.random.default_rng([seed, 1])) if quirks else None
    paths = calendar.paths(out)
    rounds, planted = 0, Counter[str]()
    with ExitStack() as stack:
        truth = stack.enter_context(_truth_file(out / "truth.parquet"))
        archives = {year: stack.enter_context(yearly_zip(path)) for year, path in paths.items()}
        for game in _played(plan, workers or os.cpu_count() or 1):
            rows = _plant(game, planter)
            month = calendar.month(game.number)
            archives[month[:4]](month, game.text.game_id, game.text.to_bytes())
            truth(rows)
            rounds += len(game.truth)
            planted.update(row["planted"] for row in rows if row["planted"])
    return Corpus(games, rounds, sum(path.stat().st_size for path in paths.values()), dict(planted))


@dataclass(frozen=True)
class _Plan:
    """The seating of all games, and when they are played."""

    people: Population
    seating: np.ndarray
    substitutes: np.ndarray  # (round, seat, player) for each game; round -1 if there is none
    calendar: Calendar
    seed: int


def _substitutes(people: Population, games: int, rng: np.random.Generator) -> np.ndarray:
    """Draws the substitutes of all games."""
    substitutes = np.full((games, 3), -1, dtype=np.int32)
    chosen = np.flatnonzero(rng.random(games) < SUBSTITUTED)
    substitutes[chosen, 0] = rng.integers(1, 6, len(chosen))
    substitutes[chosen, 1] = rng.integers(0, 4, len(chosen))
    substitutes[chosen, 2] = rng.choice(len(people.names), len(chosen), p=people.activity)
    return substitutes


@dataclass(frozen=True)
class _Game:
    """A generated game before quirks are planted."""

    number: int
    text: GameText
    truth: list[dict]  # a row for each whole round


def _played(plan: _Plan, workers: int) -> Iterator[_Game]:
    """All games in order. Blocks of them are played in parallel, a few ahead of the reader."""
    begins = iter(range(0, len(plan.seating), BLOCK))
    with ThreadPoolExecutor(workers) as pool:
        waiting = deque(pool.submit(_play_block, plan, begin) for begin in islice(begins, 2 * workers))
        while waiting:
            block = waiting.popleft().result()
            waiting.extend(pool.submit(_play_block, plan, begin) for begin in islice(begins, 1))
            yield from block


def _play_block(plan: _Plan, begin: int) -> list[_Game]:
    """Plays a block of games from `begin` on, and writes their text."""
    people, seating = plan.people, plan.seating[begin : begin + BLOCK]
    agents = [HeuristicAgent(blunder=rate) for rate in people.blunder]
    rng = np.random.default_rng([plan.seed, 2, begin])
    labels = [*people.names, ""]
    table = name_table([name.encode() for name in labels])
    games = []
    for played in stream(
        agents, seating, plan.seed, substitutes=plan.substitutes[begin : begin + BLOCK], first_game=begin
    ):
        rows, shown = played.rounds.rows, played.agents.copy()
        for game in np.unique(rows["game_id"]):
            if rng.random() < NAMELESS:
                shown[rows["game_id"] == game, rng.integers(4)] = len(people.names)
        names = np.zeros(len(rows), dtype=NAMES)
        names["seat"] = table[shown]
        text, ends = write(played.rounds, names)
        lines = _split(text, ends)
        firsts = np.flatnonzero(np.diff(rows["game_id"], prepend=-1)).tolist()
        for first, last in zip(firsts, [*firsts[1:], len(rows)], strict=True):
            number = int(rows["game_id"][first])
            game_text = GameText(plan.calendar.game_id(number), lines[first:last])
            _abandon(game_text, rng)
            truth = [
                _truth_row(game_text.game_id, i - first, played, i, shown, labels, people)
                for i in range(first, first + game_text.num_whole_rounds())
            ]
            games.append(_Game(number, game_text, truth))
    return games


def _split(text: np.ndarray, ends: np.ndarray) -> list[list[str]]:
    """The lines of each round."""
    content = text.tobytes()
    starts = [0, *ends[:-1].tolist()]
    return [content[start : end - 1].decode().split("\n") for start, end in zip(starts, ends.tolist(), strict=True)]


def _abandon(game: GameText, rng: np.random.Generator) -> None:
    """Cuts off some games, after a round or in the middle of one."""
    if rng.random() >= ABANDONED:
        return
    keep = int(rng.integers(0, len(game.rounds)))
    if keep == 0 or rng.random() < CUT_IN_ROUND:
        lines = game.rounds[keep]
        game.rounds[keep:] = [lines[: int(rng.integers(3, len(lines) - 1))]]
    else:
        del game.rounds[keep:]


def _truth_row(
    game_id: int,
    round_index: int,
    played: PlayedRounds,
    i: int,
    shown: np.ndarray,
    labels: list[str],
    people: Population,
) -> dict:
    """The row of truth about round `i` of the games played."""
    return {
        "game_id": game_id,
        "round_index": round_index,
        "players": [labels[player] for player in shown[i]],
        "blunder_rates": people.blunder[played.agents[i]].tolist(),
        "blunders": np.flatnonzero(played.blunders[i]).tolist(),
        "planted": None,
        "rule_break": 0,
    }


def _plant(game: _Game, planter: Planter | None) -> list[dict]:
    """Plants quirks into the text; returns the rows of truth, since rounds may have become fragments or been added."""
    planting = planter.plant(game.text) if planter else untouched(game.text)
    rows = {
        parsed: row | {"round_index": parsed}
        for row, parsed in zip(game.truth, planting.parsed, strict=False)
        if parsed is not None
    }
    others = []
    for quirk in planting.quirks:
        facts = {"planted": quirk.name, "rule_break": quirk.rule_break}
        if quirk.is_round and quirk.round_index in rows:
            rows[quirk.round_index] |= facts
        else:
            others.append({"game_id": game.text.game_id, "round_index": quirk.round_index, **facts})
    return [*rows.values(), *others]


@contextmanager
def _truth_file(path: Path) -> Iterator[Callable[[list[dict]], None]]:
    """Yields a function that adds rows to truth.parquet, which is written in row groups."""
    waiting: list[dict] = []
    with whole_file(path) as temporary, pq.ParquetWriter(temporary, TRUTH_SCHEMA, compression="zstd") as writer:

        def flush() -> None:
            writer.write_table(pa.Table.from_pylist(waiting, schema=TRUTH_SCHEMA))
            waiting.clear()

        def add(rows: list[dict]) -> None:
            waiting.extend(rows)
            if len(waiting) >= TRUTH_ROWS_A_GROUP:
                flush()

        yield add
        flush()
