"""Logs made to exhaust the reader, and disks that are full: each costs itself, within bounded time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile

from tests.paths import ROOT
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT

SOUND = (ROOT / "tests" / "golden" / "sound_game.tch").read_bytes()
HEADER = b"---------------Gr.Tichukarten------------------\n"
ROUND = SOUND[: SOUND.index(HEADER, 9)]
DEAL = SOUND[: SOUND.index(b"Schupfen:")]
BEFORE_PLAY = SOUND[: SOUND.index(b"(", SOUND.index(b"Rundenverlauf"))]
MOST_MEGABYTES = 400  # more than a sound month takes
MOST_SECONDS = 60  # of a processor; a few are usual

LARGEST = {
    "headers": (b"", HEADER[:29] + b"\n"),
    "headers and a line": (b"", HEADER + b"x\n"),
    "cards": (HEADER + b"(0)anna", b" S9"),
    "a name": (HEADER + b"(0)", b"\xe4"),
    "bytes of 0": (b"", b"\0"),
    "spaces": (b"", b" "),
    "blank lines": (b"", b"\r\n"),
    "calls": (DEAL, b"Tichu: (0)anna\n"),
    "passes": (BEFORE_PLAY, b"(0)anna passt.\n"),
    "plays": (BEFORE_PLAY, b"(0)anna: S9 B9\n"),
    "wishes": (BEFORE_PLAY, b"Wunsch:2\n"),
    "rounds": (b"", ROUND),
    "broken rounds": (b"", ROUND.replace(b"Ergebnis: ", b"Ergebnis: 1")),
    "long names": (b"", ROUND.replace(b"anna", b"anna" * 1_000)),
}

CHILD = """
import json, resource, sys, time
from pathlib import Path
from tests.benchmarks.memory import peak_memory
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.rounds.ingest import ingest
raw, data = Path(sys.argv[1]), Path(sys.argv[2])
ingest(raw / "sound", DataPaths(data / "sound"))
before = peak_memory()
limit = int(time.process_time()) + int(sys.argv[3])  # the first call may have had to compile
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
(month,) = [month.summary for month in ingest(raw / "hostile", DataPaths(data / "hostile")).months]
more = (peak_memory() - before) >> 20
print(json.dumps({"more": more, "games": month.games, "not_logs": month.not_logs, "empty": month.empty}))
"""


def test_logs_made_to_exhaust_the_reader(tmp_path):
    """A log of four megabytes, whose lines repeat for ever, that takes the memory or the day of everybody else's."""
    for folder, logs in (
        ("sound", {}),
        (
            "hostile",
            {name: start + unit * ((SIZE_LIMIT - len(start)) // len(unit)) for name, (start, unit) in LARGEST.items()},
        ),
    ):
        (tmp_path / folder).mkdir()
        with zipfile.ZipFile(tmp_path / folder / "202401.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number, log in enumerate([SOUND, *logs.values(), SOUND], start=1):
                archive.writestr(f"{number}.tch", log)
    command = [sys.executable, "-c", CHILD, str(tmp_path), str(tmp_path / "data"), str(MOST_SECONDS)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    made = json.loads(run.stdout)
    assert made["more"] < MOST_MEGABYTES
    assert made["games"] + len(made["not_logs"]) + made["empty"] == len(LARGEST) + 2
    assert (len(made["not_logs"]), made["empty"]) == (1, 2)


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.rounds.ingest import ingest
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))  # as if the disk were full: writing beyond fails
try:
    ingest(Path(sys.argv[1]), DataPaths(Path(sys.argv[2])), force=True)
except OSError as error:
    print(type(error).__name__)
"""


def test_a_full_disk_leaves_what_was_there(tmp_path):
    """Half a month in the place of a whole one, or temporary files that fill the disk for good."""
    from tichu_pipeline.rounds.ingest import ingest
    from tichu_pipeline.storage.folders import DataPaths

    with zipfile.ZipFile(tmp_path / "202401.zip", "w") as archive:
        for number in range(1, 40):
            archive.writestr(f"{number}.tch", SOUND)
    paths = DataPaths(tmp_path / "data")
    ingest(tmp_path / "202401.zip", paths)
    before = {path: path.read_bytes() for path in sorted(paths.root.rglob("*")) if path.is_file()}
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "202401.zip"), str(paths.root)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (run.stdout.strip(), run.returncode) == ("OSError", 0), run.stderr
    assert {path: path.read_bytes() for path in sorted(paths.root.rglob("*")) if path.is_file()} == before
