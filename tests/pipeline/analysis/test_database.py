"""The database as a file: built aside, swapped in, reused, refused to a second builder; read and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_pipeline.analysis import build as building
from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.reading import DatabaseError, table, value
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.cli import app
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.gather import count_variables
from tichu_pipeline.storage.folders import DataPaths

CLI = CliRunner()


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder with a built database: games with every oddity and rule break."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    generate(made.raw, 150, ["2024-01", "2024-02", "2024-03"], seed=23, quirks=True)
    ingest(made.raw, made)
    build(made)
    return made


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process that runs the code."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_rows_equal_the_parquet(paths):
    """A month left out, or filled in twice."""
    for name in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        rows = sum(pq.read_metadata(file).num_rows for file in (paths.root / name).glob("*.parquet"))
        assert value(paths, f"SELECT count(*) FROM {name}") == rows > 0, name
    assert value(paths, "SELECT count(*) FROM players_rounds") == 4 * value(paths, "SELECT count(*) FROM rounds")
    months = table(paths, "SELECT DISTINCT format('{:04d}-{:02d}', year, month) AS m FROM rounds ORDER BY m")
    assert months["m"].to_pylist() == value(paths, "SELECT months FROM about") == ["2024-01", "2024-02", "2024-03"]


def test_every_column_is_explained(paths):
    """A column whose meaning can only be guessed."""
    missing = table(
        paths,
        "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND comment IS NULL "
        "AND database_name = 'tichu' UNION ALL SELECT table_name, '' FROM duckdb_tables() WHERE comment IS NULL",
    )
    assert missing.to_pylist() == []


def test_error_codes_are_those_of_the_program(paths):
    """A code that SQL explains as something else than the program meant, or not at all."""
    rows = {(row["code"], row["name"]) for row in table(paths, "SELECT * FROM error_codes").to_pylist()}
    assert rows == {(int(code), code.name) for code in [*RuleBreak, *GameError] if code} | {(0, "NONE")}


def test_bombs_and_hands_agree_with_the_replay(paths):
    """A macro that sees bombs where the engine sees none, or a hand after schupfen that nobody held."""
    sql = (
        "SELECT count(*) FILTER (has_bomb(hand) <> bomb), count(*) FILTER (card_count(hand) <> 14) FROM players_rounds"
    )
    assert list(table(paths, f"{sql} WHERE rule_break = 0").to_pylist()[0].values()) == [0, 0]


def test_call_rates_and_breaks_are_those_planted(paths):
    """Analysis of a corpus whose truth is known: every planted break is in the table, with its code."""
    truth = pq.read_table(paths.raw / "truth.parquet").to_pylist()
    planted: dict[int, int] = {}
    for row in truth:
        if row["rule_break"] and row["round_index"] is not None:
            planted[row["rule_break"]] = planted.get(row["rule_break"], 0) + 1
    sql = "SELECT rule_break, count(*) AS n FROM rule_breaks WHERE rule_break <> 2 GROUP BY 1"
    rows = table(paths, sql).to_pylist()
    assert {row["rule_break"]: row["n"] for row in rows} == {k: v for k, v in planted.items() if k != 2}


def test_an_unchanged_database_is_kept_and_a_changed_month_makes_a_new_one(paths, tmp_path):
    """Minutes of building for nothing, or an analysis of last month's data."""
    before = paths.database.stat().st_ino
    assert build(paths).reused
    assert paths.database.stat().st_ino == before
    copy = DataPaths(tmp_path)
    for name in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (copy.root / name).symlink_to(paths.root / name)
    first = build(copy)
    assert not first.reused
    assert first.stamp == building.database_stamp(paths)
    copy.tournaments.mkdir()
    pq.write_table(table(paths, "SELECT 'A' AS a, 7 AS margin"), copy.tournaments / "ladder.parquet")
    second = build(copy)
    assert not second.reused
    assert second.stamp == first.stamp
    assert build(copy).reused
    assert table(copy, "SELECT tournament, a, margin FROM tournaments").to_pylist() == [
        {"tournament": "ladder", "a": "A", "margin": 7}
    ]
    assert second.tables == first.tables | {"tournaments": 1}
    pq.write_table(table(paths, "SELECT 7 AS points"), copy.tournaments / "other.parquet")
    with pytest.raises(DatabaseError, match="no tournament"):
        build(copy)


def test_a_reader_neither_fails_nor_blocks_a_rebuild(paths):
    """Somebody looks at the data, and the nightly run fails; or the other way round."""
    reader = python(
        "import sys; from pathlib import Path; from tichu_pipeline.storage.folders import DataPaths\n"
        "from tichu_pipeline.analysis.reading import reader\n"
        "with reader(DataPaths(Path(sys.argv[1]))) as connection:\n"
        "    count = lambda: connection.sql('SELECT count(*), sum(num_turns) FROM rounds').fetchall()\n"
        "    first = count(); print('open', flush=True); input()\n"
        "    print(first == count(), flush=True)",
        paths.root,
    )
    assert reader.stdout.readline() == "open\n"
    before = paths.database.stat().st_ino
    assert not build(paths, force=True).reused
    assert paths.database.stat().st_ino != before
    assert value(paths, "SELECT count(*) FROM games") > 0
    output, errors = reader.communicate("\n", timeout=60)
    assert (output, reader.returncode) == ("True\n", 0), errors


def test_a_file_that_cannot_be_written_may_be_tried_again(paths):
    """A night's run that gives up at the first trouble of a disk; or a traceback of DuckDB in the place of a line."""
    before = paths.database.stat().st_ino
    child = python(
        "import resource, signal, sys; from pathlib import Path\n"
        "from tichu_pipeline.analysis.build import build; from tichu_pipeline.analysis.reading import DatabaseError\n"
        "from tichu_pipeline.storage.folders import DataPaths\n"
        "from tichu_pipeline.storage.os_errors import TransientError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try: build(DataPaths(Path(sys.argv[1])), force=True)\n"
        "except TransientError as error: print(isinstance(error, DatabaseError), error)",
        paths.root,
    )
    output, errors = child.communicate(timeout=120)
    assert output.startswith(f"True {paths.database}: "), errors
    assert "File too large" in output
    assert paths.database.stat().st_ino == before
    assert build(paths).reused


def test_a_second_builder_is_refused(paths):
    """Two builds at once would write into each other's files, or wait for ever."""
    holder = python(
        "import sys; from filelock import FileLock\n"
        "with FileLock(sys.argv[1]):\n    print('held', flush=True); input()",
        paths.tmp / "analysis.lock",
    )
    assert holder.stdout.readline() == "held\n"
    result = CLI.invoke(app, ["analyse", "--data", str(paths.root), "--force"])
    assert result.exit_code == 1
    assert "another process is building it" in result.output
    holder.communicate("\n", timeout=60)
    assert build(paths).reused


def test_a_failed_build_leaves_the_old_database(paths, monkeypatch):
    """A build that dies half way would take the last good database with it."""

    def fails(*_):
        raise duckdb.OutOfMemoryException("no")

    monkeypatch.setattr(building, "fill", fails)
    with pytest.raises(DatabaseError, match="give DuckDB more memory"):
        build(paths, force=True)
    assert value(paths, "SELECT count(*) FROM rounds") > 0
    assert [path.name for path in paths.tmp.glob("analysis-*")] == []


def test_a_foreign_write_ahead_log_goes_with_the_old_file(paths):
    """Left beside the new database, it would keep every reader from opening it."""
    wal = paths.database.with_name("tichu.duckdb.wal")
    wal.write_bytes(b"foreign")
    build(paths, force=True)
    assert not wal.exists()
    assert value(paths, "SELECT count(*) FROM rounds") > 0


def everything(paths: DataPaths) -> dict[Path, tuple[int, int]]:
    """All files of the data folder, with what changes when one is written."""
    files = [path for path in paths.root.rglob("*") if path.is_file() and "tmp" not in path.parts]
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


@pytest.mark.parametrize("sql", ["DESCRIBE rounds", "SHOW TABLES", "SUMMARIZE games", "FROM games", "VALUES (1)"])
def test_a_reader_can_look_around(paths, sql):
    """A guard that keeps people from what only reads."""
    assert table(paths, sql).num_rows > 0


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE mine (a INTEGER)",
        "DELETE FROM rounds",
        "COPY rounds TO '{root}/out.csv'",
        "FROM read_parquet('{root}/rounds/*.parquet')",
        "FROM '{root}/rounds/2024-01.parquet'",
        "FROM read_text('/etc/hostname')",
        "ATTACH '{root}/other.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "EXPORT DATABASE '{root}/exported'",
        "FROM read_csv('/etc/passwd')",
        "FROM read_json('{root}/scaling.json')",
        "COPY rounds TO '{root}/tichu.duckdb'",
        "COPY rounds TO '{root}/tichu.duckdb.wal'",
        "EXPLAIN ANALYZE COPY rounds TO '{root}/tichu.duckdb.wal'",
        "FROM glob('/etc/*')",
        "COPY rounds FROM '/etc/passwd'",
        "COPY (SELECT 1) TO '/dev/stdout'",
        "LOAD httpfs",
        "PRAGMA enable_external_access = true",
        "PRAGMA temp_directory = '/tmp'",
        "SET threads = 1",
        "RESET lock_configuration",
        "DETACH tichu",
        "SELECT 1; COPY rounds TO '{root}/out.csv'",
        "CREATE OR REPLACE MACRO turns(a, b) AS TABLE SELECT 1",
    ],
)
def test_a_reader_can_only_read(paths, sql):
    """SQL that somebody pastes changes the data, or reads and writes files of this machine."""
    before = everything(paths)
    with pytest.raises(DatabaseError):
        table(paths, sql.format(root=paths.root))
    assert everything(paths) == before


def test_commands_only_read(paths):
    """A way into the database that the commands have and its reader does not."""
    before = everything(paths)
    data = ["--data", str(paths.root)]
    told = [
        CLI.invoke(app, ["sql", f"COPY rounds TO '{paths.root}/out.csv'", *data]),
        CLI.invoke(app, ["sql", "FROM read_csv('/etc/passwd')", *data]),
        CLI.invoke(app, ["sql", *data], input="SET enable_external_access = true;\nFROM read_csv('/etc/passwd');"),
        CLI.invoke(app, ["query", "01; COPY rounds TO 'out.csv'", *data]),  # a query is named, never given
        CLI.invoke(app, ["query", "../../../../etc/passwd", *data]),
    ]
    assert not any("root:" in result.output for result in told)
    assert [result.exit_code for result in told if "Traceback" in result.output] == []
    assert [result.exit_code for result in (*told[:2], *told[3:])] == [1] * 4
    assert everything(paths) == before


def test_formats(paths, tmp_path):
    """A format that loses rows, names or kinds of values on the way to another program."""
    sql = (
        "SELECT game_id, player_names, sum(num_turns) AS turns, avg(score_diff) AS mean FROM rounds "
        "WHERE rule_break = 0 GROUP BY 1, 2 ORDER BY 1, 2"
    )
    expected = table(paths, sql)

    def run(output_format: str) -> bytes:
        result = CLI.invoke(app, ["sql", sql, "--data", str(paths.root), "--format", output_format])
        assert result.exit_code == 0, result.output
        return result.stdout_bytes

    rows = json.loads(run("json"))
    assert [row["turns"] for row in rows] == [int(n) for n in expected["turns"].to_pylist()]
    assert [row["player_names"] for row in rows] == expected["player_names"].to_pylist()
    lines = run("csv").decode().splitlines()
    assert (lines[0], len(lines)) == ("game_id,player_names,turns,mean", len(expected) + 1)
    (tmp_path / "result.parquet").write_bytes(run("parquet"))
    assert pq.read_table(tmp_path / "result.parquet").equals(expected)
    assert "turns" in run("table").decode()


def test_commands(paths, tmp_path):
    """A command that hides what it can do, or fails without saying what to do."""
    listed = CLI.invoke(app, ["queries"]).output.splitlines()
    assert len(listed) == 40
    assert listed[7] == "08_double_victories  How many rounds end with a double victory?"
    whole = CLI.invoke(app, ["query", "08_double_victories", "--data", str(paths.root), "--format", "json"])
    assert json.loads(whole.output) == json.loads(
        CLI.invoke(app, ["query", "08", "--data", str(paths.root), "--format", "json"]).output
    )
    unknown = CLI.invoke(app, ["query", "99_nothing", "--data", str(paths.root)])
    assert (unknown.exit_code, "tichu queries" in unknown.output) == (1, True)
    empty = CLI.invoke(app, ["sql", "SELECT 1", "--data", str(tmp_path)])
    assert (empty.exit_code, "tichu analyse" in empty.output) == (1, True)
    nothing = CLI.invoke(app, ["analyse", "--data", str(tmp_path)])
    assert (nothing.exit_code, "tichu ingest" in nothing.output) == (1, True)
    wrong = CLI.invoke(app, ["sql", "SELECT nope FROM rounds", "--data", str(paths.root)])
    assert (wrong.exit_code, "nope" in wrong.output) == (1, True)
    shell = CLI.invoke(
        app,
        ["sql", "--data", str(paths.root), "--format", "csv"],
        input="SELECT 1 AS a;\nSELECT\n  2 AS b;\nSELECT 3 AS c",
    )
    assert (shell.exit_code, shell.output) == (0, "a\n1\nb\n2\nc\n3\n")


def test_months_of_two_runs_are_refused(paths, tmp_path):
    """Rounds of one reading beside tricks of another, and sums that fit nowhere."""
    broken = DataPaths(tmp_path)
    for name in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (broken.root / name).mkdir()
        for file in (paths.root / name).glob("*.parquet"):
            (broken.root / name / file.name).symlink_to(file)
    (broken.tricks / "2024-02.parquet").unlink()
    with pytest.raises(DatabaseError, match=r"2024-02\.parquet.*tichu ingest"):
        build(broken)
    assert not Path(broken.database).exists()


def test_a_month_of_empty_logs(tmp_path):
    """A month in which nobody finished a round stops the whole database, or the constants of all others."""
    paths = DataPaths(tmp_path)
    generate(paths.raw, 12, ["2024-01"], seed=2)
    with zipfile.ZipFile(paths.raw / "2024.zip", "a") as archive:
        archive.writestr("202402/999999.tch", "")
    ingest(paths.raw, paths)
    assert build(paths).months == ["2024-01", "2024-02"]
    assert value(paths, "SELECT count(DISTINCT month) FROM rounds") == 1
    assert count_variables(paths, ["2024-02"]).rounds == 0
    assert count_variables(paths, ["2024-01", "2024-02"]).rounds == count_variables(paths, ["2024-01"]).rounds > 0
