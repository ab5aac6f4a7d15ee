"""From archives to Parquet: every planted break found and nothing else, only what changed read again, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tests.oracles.reading import digests, sorted_lines
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.rounds.manifest import TABLES, manifest
from tichu_pipeline.rounds.stored_rounds import find_game, text_of
from tichu_pipeline.rounds.tables import SCHEMAS
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.months import parse_months

MONTHS = parse_months("2024-01..2024-04")


def rows(paths: DataPaths, table: str, columns: list[str] | None = None) -> list[dict]:
    """All rows of a table."""
    return ds.dataset(str(paths.root / table), exclude_invalid_files=True).to_table(columns=columns).to_pylist()


def compare_with_truth(raw: Path, paths: DataPaths) -> Counter[tuple[str, int, int]]:
    """(planted, code expected, code found) of all rounds and fragments, and how often."""
    truth = pq.read_table(raw / "truth.parquet").to_pylist()
    found = {
        (row["game_id"], row["round_index"]): row["rule_break"]
        for row in rows(paths, "rounds", ["game_id", "round_index", "rule_break"])
    }
    fragments = Counter(
        (row["game_id"], row["round_index"], row["rule_break"])
        for row in rows(paths, "rule_breaks")
        if row["is_fragment"]
    )
    result: Counter[tuple[str, int, int]] = Counter()
    for row in truth:
        place, code = (row["game_id"], row["round_index"]), row["rule_break"]
        if row["round_index"] is None:
            continue
        if code in (RuleBreak.SYNTAX, RuleBreak.TRUNCATED):
            there = fragments[(*place, code)] > 0
            fragments[(*place, code)] -= there
            result[row["planted"], code, code if there else -1] += 1
        else:
            result[row["planted"] or "", code, found.pop(place, -1)] += 1
    result["a round that was not written", -1, 0] += len(found)
    result["a fragment that was not planted", -1, 1] += sum(fragments.values())
    return result


def check_against_truth(tmp_path: Path, games: int) -> None:
    """Precision and recall of 1.0 for every code, and a table of it."""
    raw, paths = tmp_path / "raw", DataPaths(tmp_path / "data")
    made = generate(raw, games, MONTHS, seed=11, quirks=True)
    ingest(raw, paths)
    result = compare_with_truth(raw, paths)
    wrong = {key: count for key, count in result.items() if key[1] != key[2] and count}
    by_code = Counter[int]()
    for (_, code, found), count in result.items():
        by_code[code] += count * (code == found)
    for code, count in sorted(by_code.items()):
        if code > 0:
            print(f"{RuleBreak(code).name:28} planted and found {count:6,}, precision 1.0, recall 1.0")
    assert not wrong
    planted_codes = {code for code in by_code if code > 0 and by_code[code]}
    assert planted_codes == {int(code) for code in RuleBreak if code}
    truth = defaultdict(list)
    for row in pq.read_table(raw / "truth.parquet").to_pylist():
        truth[row["game_id"]].append(row)
    check_games(truth, paths)
    check_names(truth, paths)
    read = [month.summary for month in ingest(raw, paths).months]
    assert sum(month.empty for month in read) == made.planted["empty file"]
    assert sum(month.unreadable for month in read) == made.planted["error page"]


def check_games(truth: dict[int, list[dict]], paths: DataPaths) -> None:
    """The code of every game follows from what was planted in it, and from its scores."""
    found = rows(paths, "games")
    for game in found:
        quirks = [row for row in truth[game["game_id"]] if row["planted"]]
        cut = [row["planted"] for row in quirks if row["rule_break"] == RuleBreak.TRUNCATED]
        if any(row["rule_break"] not in (0, RuleBreak.TRUNCATED) for row in quirks):
            expected = GameError.ROUND_FAILED
        elif any(row["planted"] == "overplayed" for row in quirks):
            expected = GameError.GAME_OVERPLAYED
        elif set(cut) > {"restarted"} or (cut and "restarted" not in cut):
            expected = GameError.GAME_NOT_FINISHED
        else:
            over = max(game["total_score_20"], game["total_score_31"]) >= 1000
            expected = GameError.NO_ERROR if over else GameError.GAME_NOT_FINISHED
        assert game["error_code"] == expected, (game, quirks)
    assert len({game["error_code"] for game in found}) == 4


RENAMING = {
    "Latin-1",
    "no-break space in a name",
    "no-break space after a name",
    "empty name",
    "substitution",
    "names differ between lists",
}


def check_names(truth: dict[int, list[dict]], paths: DataPaths) -> None:
    """Every player's name is as in the truth, wherever no name was changed by what was planted."""
    found = rows(paths, "rounds", ["game_id", "round_index", "player_names"])
    names = {(row["game_id"], row["round_index"]): row["player_names"] for row in found}
    compared = 0
    for game_id, played in truth.items():
        if RENAMING.isdisjoint(row["planted"] for row in played):
            for row in played:
                if row["players"] and (game_id, row["round_index"]) in names:
                    assert names[game_id, row["round_index"]] == row["players"], row
                    compared += 1
    assert compared > len(names) / 2


def test_every_planted_break_is_found_and_nothing_else(tmp_path):
    """A break read as another one, a sound round called broken, or an oddity that costs more than its round."""
    check_against_truth(tmp_path, 1_000)


@pytest.mark.proof
def test_every_planted_break_is_found_in_a_large_corpus(tmp_path):
    """As above; the rare kinds meet games that the small corpus does not have."""
    check_against_truth(tmp_path, 20_000)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    """A small sound corpus."""
    raw = tmp_path_factory.mktemp("corpus")
    generate(raw, 120, MONTHS, seed=3)
    return raw


def test_sound_games_are_given_back(corpus, tmp_path):
    """Rounds, calls, wishes or gifts lost on the way through the columns: export must give the log's text."""
    paths = DataPaths(tmp_path)
    ingest(corpus, paths)
    with zipfile.ZipFile(corpus / "2024.zip") as archive:
        logs = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".tch")}
    for name, text in list(logs.items())[:40]:
        exported = text_of(find_game(paths, int(Path(name).stem)))
        assert sorted_lines(exported) == sorted_lines(text), name


def test_duckdb_and_polars_read_what_arrow_wrote(corpus, tmp_path):
    """Encodings that are quick to write, but that other readers refuse or read as other values."""
    paths = DataPaths(tmp_path)
    ingest(corpus, paths)
    for table in TABLES:
        file = month_file(paths.root / table, MONTHS[0])
        expected = pq.read_table(file)
        assert expected.schema.equals(SCHEMAS[table])
        assert pl.read_parquet(file).equals(pl.from_arrow(expected)), table
        assert duckdb.sql(f"FROM '{file}'").arrow().read_all().to_pylist() == expected.to_pylist(), table


def test_an_unchanged_month_is_skipped_and_a_new_log_rereads_only_its_own(corpus, tmp_path):
    """Hours of reading for one new game, or a changed log that is never read."""
    raw, paths = tmp_path / "raw", DataPaths(tmp_path / "data")
    raw.mkdir()
    (raw / "2024.zip").write_bytes((corpus / "2024.zip").read_bytes())
    first = ingest(raw, paths)
    assert [month.reused for month in first.months] == [False] * 4
    before = digests(paths.root)
    assert [month.reused for month in ingest(raw, paths).months] == [True] * 4
    assert digests(paths.root) == before
    with zipfile.ZipFile(corpus / "2024.zip") as archive:
        some = next(name for name in archive.namelist() if name.startswith("202402/") and name.endswith(".tch"))
        log = archive.read(some)
    with zipfile.ZipFile(raw / "2024.zip", "a") as archive:
        archive.writestr("202402/999999.tch", log)
    again = ingest(raw, paths)
    assert [month.summary.month for month in again.months if not month.reused] == ["2024-02"]
    assert again.months[1].summary.games == first.months[1].summary.games + 1
    changed = {name for name, digest in digests(paths.root).items() if before[name] != digest}
    assert changed == {f"{table}/2024-02.parquet" for table in TABLES}


def test_a_month_without_logs_is_kept_and_named(corpus, tmp_path):
    """Rounds thrown away because an archive was moved, or silently stale."""
    raw, paths = tmp_path / "raw", DataPaths(tmp_path / "data")
    raw.mkdir()
    (raw / "2024.zip").write_bytes((corpus / "2024.zip").read_bytes())
    ingest(raw, paths)
    (raw / "2024.zip").unlink()
    made = ingest(raw, paths)
    assert (made.months, made.orphans) == ([], MONTHS)
    assert manifest(paths).months == MONTHS


def test_a_killed_run_leaves_nothing_half_done(corpus, tmp_path):
    """A month that counts as done with files of two different runs, or a leftover that is read as data."""
    whole, killed = DataPaths(tmp_path / "whole"), DataPaths(tmp_path / "killed")
    ingest(corpus, whole)
    code = (
        "import sys; from pathlib import Path; from tichu_pipeline.rounds.ingest import ingest;"
        "from tichu_pipeline.storage.folders import DataPaths;"
        "ingest(Path(sys.argv[1]), DataPaths(Path(sys.argv[2])), force=True)"
    )
    for pause in (0.0, 0.05, 0.1):
        process = subprocess.Popen([sys.executable, "-c", code, str(corpus), str(killed.root)])
        deadline = time.monotonic() + 60
        while not any(killed.root.glob("*/.*.tmp")) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(pause)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    ingest(corpus, killed)
    assert digests(killed.root) == digests(whole.root)
    assert not list(killed.root.glob("*/.*.tmp"))
    assert month_file(killed.rounds, MONTHS[0]).exists()
