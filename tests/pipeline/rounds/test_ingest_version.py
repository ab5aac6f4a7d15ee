"""Says when the VERSION of `rounds` must be raised: stored months of unchanged logs are read again only if it is.

tests/golden/rounds.json holds, for one version, digests of the tables that a fixed set of logs becomes.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pyarrow.parquet as pq

from tests import paths
from tests.makers import golden
from tichu_pipeline.rounds import changes
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.rounds.manifest import TABLES
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.monthly_files import SUMMARY

SOUND = paths.SOUND_GAME.read_text()
HEADER = "---------------Gr.Tichukarten------------------\n"


def logs() -> dict[str, bytes]:
    """The sound game, and others with what may be odd or wrong."""
    first, second, *rest = [HEADER + part for part in SOUND.split(HEADER)[1:]]
    restarted = "".join([first, second[: second.index("Schupfen:")], second, *rest])
    broken = first.replace(": Ma \n", ": XX \n") + second.replace("Ergebnis: ", "Ergebnis: 1") + "".join(rest)[:-12]
    behind = first.replace("(1)bert: S6", "(1)bert: XX").replace("(1)bert: R9 S9", "Tichu: (3)anna\n(1)bert: R9 S9")
    behind += second.replace("Ergebnis: ", "(3)anna: XX\nErgebnis: ").replace("anna", "an\x01na") + "foo bar\n"
    return {
        "1.tch": SOUND.encode(),
        "2.tch": SOUND.replace("anna", "än\u00a0na\u00a0").replace("\n", "\r\n").encode("latin-1"),
        "3.tch": restarted.encode(),
        "4.tch": broken.encode(),
        "5.tch": b"",
        "6.tch": b"<html></html>",
        "7.tch": behind.encode(),
    }


def digests(folder: Path) -> dict[str, str]:
    """A digest of each table's columns, kinds and rows, and of the month's summary. How Parquet packs them is left
    out: that may change with its library."""
    with zipfile.ZipFile(folder / "202401.zip", "w") as archive:
        for name, content in logs().items():
            archive.writestr(name, content)
    paths = DataPaths(folder / "data")
    ingest(folder / "202401.zip", paths)
    found = {}
    for name in TABLES:
        table = pq.read_table(month_file(paths.root / name, "2024-01"))
        content = json.dumps([str(table.schema.remove_metadata()), table.to_pylist()], default=bytes.hex)
        found[name] = hashlib.sha256(content.encode()).hexdigest()[:16]
    summary = pq.read_metadata(month_file(paths.rounds, "2024-01")).metadata[SUMMARY]
    return found | {"summary": hashlib.sha256(summary).hexdigest()[:16]}


def test_the_version_tells_of_every_change(tmp_path):
    """Half of a corpus read by old code and half by new, because the months' stamps did not change with the code."""
    golden.check("rounds", changes, digests(tmp_path))
