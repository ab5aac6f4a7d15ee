"""How fast logs become checked rounds on disk: games a second, memory, bytes. `make bench` prints the tables.

Measured in the same run: plain inflation of the same archive, and a plain-Python parser by regular expressions. The
corpora are generated once and kept in a temporary folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from tests.benchmarks.figures import CLEARLY_MISSED
from tests.oracles.reading import read_rounds
from tests.paths import ROOT
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import parse_months
from tichu_pipeline.storage.workers import Threads

GAMES = 100_000
MONTHS = "2024-01..2024-10"  # the portal's months have about as many games
GAMES_OF_ALL_YEARS, MONTHS_OF_ALL_YEARS = 2_400_000, 227
TARGET, GOAL = 20_000, 40_000
BYTES_A_ROUND, GOAL_BYTES = 160, 110
PEAK_BYTES = 1_500_000_000
PLAIN_GAMES = 1_000

# A process of its own: its peak memory is that of ingest, and nothing else has warmed its caches.
INGEST = """
import json, resource, shutil, sys, time
from pathlib import Path
from tests.benchmarks.memory import peak_memory
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.workers import Threads
raw, data, warm = (Path(argument) for argument in sys.argv[1:4])
ingest(warm, DataPaths(data / "warm"), workers=Threads(2))
before = resource.getrusage(resource.RUSAGE_SELF)
started = time.perf_counter()
made = ingest(raw, DataPaths(data), force=True, workers=Threads(2))
seconds = time.perf_counter() - started
after = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({
    "games": sum(month.summary.games for month in made.months),
    "rounds": sum(month.rows for month in made.months),
    "seconds": seconds,
    "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    "peak": peak_memory(),
    "bytes": sum(path.stat().st_size for path in (data / "rounds").glob("*.parquet")),
    "all_bytes": sum(month.bytes for month in made.months),
}))
"""


def corpus(games: int) -> Path:
    """A corpus of so many games; the one that an earlier run has made, if it is there."""
    folder = Path(tempfile.gettempdir()) / f"tichu-bench-{os.getuid()}" / str(games)
    if not (folder / "truth.parquet").exists():  # written last
        generate(folder, games, parse_months(MONTHS), seed=5)
    return folder


def ingested(games: int, data: Path) -> dict[str, float]:
    """What ingesting so many games has cost."""
    command = [sys.executable, "-c", INGEST, str(corpus(games)), str(data), str(corpus(300))]
    result: dict[str, float] = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    return result


def logs(raw: Path) -> Iterator[bytes]:
    """All logs of a corpus, as the standard library reads them."""
    for path in sorted(raw.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist() if name.endswith(".tch"))


def plain_rates(raw: Path) -> tuple[float, float]:
    """Games a second of inflation alone, and of a plain-Python parser, without any check, on one core."""
    started = time.perf_counter()
    games = sum(1 for _ in logs(raw))
    inflation = games / (time.perf_counter() - started)
    texts = [log.decode() for log in islice(logs(raw), PLAIN_GAMES)]
    started = time.perf_counter()
    for text in texts:
        read_rounds(text)
    return inflation, len(texts) / (time.perf_counter() - started)


@pytest.mark.bench
def test_ingest_from_zip_to_parquet(tmp_path):
    """A corpus that takes an evening instead of minutes, or does not fit into memory or on disk."""
    made = ingested(GAMES, tmp_path)
    inflation, plain = plain_rates(corpus(GAMES))
    rate, by_cpu = made["games"] / made["seconds"], 2 * made["games"] / made["cpu"]
    size = made["bytes"] / made["rounds"]
    table = Table(title=f"Ingest of {GAMES:,} games, zip to Parquet, checks included, 2 threads")
    for heading in ("what", "measured", "target", "goal"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    table.add_row("games a second", f"{rate:,.0f}", f"{TARGET:,}", f"{GOAL:,}")
    table.add_row("by processor time, were both cores free", f"{by_cpu:,.0f}")
    table.add_row("processor time a game", f"{made['cpu'] / made['games'] * 1e6:,.1f} us")
    table.add_row("processor time a round", f"{made['cpu'] / made['rounds'] * 1e6:,.2f} us")
    table.add_row(f"the whole corpus ({GAMES_OF_ALL_YEARS:,} games)", f"{GAMES_OF_ALL_YEARS / rate / 60:,.1f} min")
    table.add_row("inflation alone, zipfile, 1 core", f"{inflation:,.0f}", "", f"ingest {rate / inflation:,.2f} x")
    table.add_row("plain-Python parser, 1 core", f"{plain:,.0f}", "", f"ingest {rate / plain:,.0f} x")
    table.add_row("bytes a round, table rounds", f"{size:,.1f}", f"{BYTES_A_ROUND}", f"{GOAL_BYTES}")
    table.add_row("bytes a round, all tables", f"{made['all_bytes'] / made['rounds']:,.1f}")
    table.add_row("peak memory", f"{made['peak'] / 1e6:,.0f} MB", f"{PEAK_BYTES / 1e6:,.0f} MB")
    Console().print(table)
    assert made["games"] == GAMES
    assert size <= BYTES_A_ROUND
    assert made["peak"] <= PEAK_BYTES
    assert max(rate, by_cpu) >= CLEARLY_MISSED * TARGET


@pytest.mark.proof
def test_four_times_the_games_need_no_more_memory(tmp_path):
    """Memory that grows with the corpus, or with the month: all years would not fit."""
    small, large = (ingested(games, tmp_path / str(games))["peak"] for games in (GAMES, 4 * GAMES))
    Console().print(f"peak memory: {GAMES:,} games {small / 1e6:,.0f} MB, {4 * GAMES:,} games {large / 1e6:,.0f} MB")
    assert large <= 1.1 * small


@pytest.mark.bench
def test_a_month_costs_little_beside_its_games(tmp_path):
    """Opening, renaming and comparing the files of all months must not cost more than their rounds."""
    raw, paths = tmp_path / "raw", DataPaths(tmp_path / "data")
    generate(raw, 2 * MONTHS_OF_ALL_YEARS, parse_months("2006-01..2024-11"), seed=6)
    ingest(raw, paths, workers=Threads(2))
    table = Table(title=f"{MONTHS_OF_ALL_YEARS} months of two games each")
    table.add_column("what")
    table.add_column("seconds", justify="right")
    for what, force in (("written anew", True), ("found unchanged", False)):
        started, cpu = time.perf_counter(), time.process_time()
        ingest(raw, paths, force=force, workers=Threads(2))
        table.add_row(what, f"{time.perf_counter() - started:.2f} ({time.process_time() - cpu:.2f} of processor time)")
    Console().print(table)
