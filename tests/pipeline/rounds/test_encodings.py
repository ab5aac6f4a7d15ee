"""The same games in UTF-8, in Latin-1 and in both: one reading."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable

import pyarrow.parquet as pq
import pytest

from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.rounds.manifest import TABLES
from tichu_pipeline.storage.folders import DataPaths, month_file

MONTH = "2024-01"
# (member, line) -> whether it is written in Latin-1
TWINS: dict[str, Callable[[int, int], bool]] = {
    "UTF-8": lambda member, line: False,
    "Latin-1": lambda member, line: True,
    "every other member": lambda member, line: member % 2 == 1,
    "every other line": lambda member, line: line % 2 == 1,
}


def encoded(line: str, latin_1: bool) -> bytes:
    """A line in Latin-1, if that has its characters, and nobody can take a word of it for UTF-8."""
    if not latin_1:
        return line.encode()
    try:
        raw = line.encode("latin-1")
    except UnicodeEncodeError:
        return line.encode()
    for word in re.split(rb"[ \t:]", raw):
        try:
            ambiguous = not word.isascii() and bool(word.decode())
        except UnicodeDecodeError:
            continue
        if ambiguous:
            return line.encode()
    return raw


def text_of(raw: bytes) -> str:
    """A generated log; some are in Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[dict]]]:
    """The rows of all tables, for each twin of one corpus with every oddity and break."""
    folder = tmp_path_factory.mktemp("twins")
    generate(folder / "raw", 200, [MONTH], seed=8, quirks=True)
    with zipfile.ZipFile(folder / "raw" / "2024.zip") as archive:
        logs = {name: text_of(archive.read(name)) for name in archive.namelist() if name.endswith(".tch")}
    found = {}
    for twin, is_latin in TWINS.items():
        path = folder / twin / "2024.zip"
        path.parent.mkdir()
        changed = 0
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, (name, text) in enumerate(logs.items()):
                raw = b"\n".join(encoded(line, is_latin(member, i)) for i, line in enumerate(text.split("\n")))
                changed += raw != text.encode()
                archive.writestr(name, raw)
        assert (changed > 50) == (twin != "UTF-8")
        paths = DataPaths(folder / twin / "data")
        ingest(path.parent, paths)
        found[twin] = {table: pq.read_table(month_file(paths.root / table, MONTH)).to_pylist() for table in TABLES}
    return found


@pytest.mark.parametrize("twin", list(TWINS)[1:])
@pytest.mark.parametrize("table", TABLES)
def test_the_encoding_changes_nothing(twins, twin, table):
    """Names in Latin-1 that become other names, or other players in mid-game; or one such name that spoils the text of
    a whole broken round."""
    assert len(twins[twin][table]) == len(twins["UTF-8"][table])
    different = [pair for pair in zip(twins[twin][table], twins["UTF-8"][table], strict=True) if pair[0] != pair[1]]
    assert not different[:3]


def test_the_corpus_has_what_is_to_be_told_apart(twins):
    """A proof over names that are all ASCII."""
    names = {name for row in twins["UTF-8"]["rounds"] for name in row["player_names"]}
    assert len([name for name in names if not name.isascii()]) > 20
    assert any(not row["text"].isascii() for row in twins["UTF-8"]["rule_breaks"])
