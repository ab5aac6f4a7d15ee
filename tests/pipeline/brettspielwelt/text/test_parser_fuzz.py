"""Damaged logs: whatever the bytes, the reader ends soon, and rounds that were not touched are read as before.

Two ways to damage a log: bytes changed at one place, and (Hypothesis) lines removed, doubled, exchanged, made huge,
filled with NUL bytes, cut within a character, and so on. The logs are the sound game, generated ones with every oddity
and break, and real ones if there are any.
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.paths import SOUND_GAME, real_log_paths
from tichu_pipeline.brettspielwelt.archives.inflate import chunk_of
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.brettspielwelt.text.reader import Columns, Games, Reader
from tichu_pipeline.rounds.arrow import game_table, round_table, rule_break_table, trick_table

SOUND = SOUND_GAME.read_bytes()
HEADER = b"---------------Gr.Tichukarten"
MOST_SECONDS = 1.0  # of a processor for one log; a usual one takes a thousandth
READER = Reader()


def parse(log: bytes) -> Games:
    """One game."""
    return READER.read(chunk_of(log, 1))


def read(log: bytes) -> Games:
    """One game, soon."""
    started = time.process_time()
    games = parse(log)
    assert time.process_time() - started < MOST_SECONDS
    return games


def clean_rounds(games: Games) -> dict[int, tuple]:
    """Where each sound round begins, and all that was read of it but its number."""
    rows, found = games.rounds.rows, {}
    for i in np.flatnonzero(games.outcomes["rule_break"] == 0).tolist():
        row = rows[i]
        facts = (row[name].tobytes() for name in ("first", "start", "given", "tichu_position", "score", "wish"))
        found[int(games.origins["begin"][i])] = (*facts, int(row["dragon_recipient"]), games.rounds.history_of(i))
    return found


@dataclass(frozen=True)
class Log:
    """A log in parts, each from a header to the next one; what stands before the first header is a part too."""

    content: bytes

    @cached_property
    def parts(self) -> list[bytes]:
        begins = [0]
        while (at := self.content.find(b"\n" + HEADER, begins[-1])) >= 0:
            begins.append(at + 1)
        return [self.content[a:b] for a, b in zip(begins, [*begins[1:], len(self.content)], strict=True)]

    @cached_property
    def clean(self) -> list[tuple | None]:
        """What is read of each part; None where there is no sound round."""
        found, begins = clean_rounds(read(self.content)), np.cumsum([0, *map(len, self.parts)])
        return [found.get(begin) for begin in begins[:-1].tolist()]


@cache
def logs(config: pytest.Config) -> list[Log]:
    """The logs that are damaged here."""
    parse(SOUND)  # the first call may have to compile
    with TemporaryDirectory() as folder:
        generate(Path(folder), 60, ["2024-01"], seed=21, quirks=True)
        with zipfile.ZipFile(Path(folder) / "2024.zip") as archive:
            made = [archive.read(name) for name in archive.namelist() if name.endswith(".tch")]
    real = [path.read_bytes() for path in real_log_paths(config)]
    return [log for log in map(Log, [SOUND, *made, *real]) if any(log.clean)]


def check(damaged: bytes, log: Log, touched: set[int]) -> None:
    """Everything outside the touched parts is read as before, nothing is made up, and tables can be made of it."""
    games = read(damaged)
    found = set(clean_rounds(games).values())
    for number, facts in enumerate(log.clean):
        assert facts is None or number in touched or facts in found, number
    assert len(games.rounds) <= damaged.count(b"Ergebnis")
    assert len(games.fragments) <= damaged.count(HEADER) + damaged.count(b"Ergebnis") + 1
    assert len(round_table(games, "2024-01")) == len(games.rounds)
    assert len(trick_table(games)) == games.outcomes["num_tricks"][games.outcomes["completed"] == 1].sum()
    rule_break_table(games, str, "2024-01")
    game_table(games, lambda ids: pa.array(map(str, ids.tolist())), "2024-01")


# Bytes


def with_bytes_changed(content: bytes, rng: np.random.Generator) -> tuple[bytes, int, int]:
    """The log with one place changed, and the bytes of the original that were touched."""
    at = int(rng.integers(len(content)))
    end = min(len(content), at + int(rng.integers(1, 40)))
    kind = rng.integers(5)
    if kind == 0:
        new = rng.integers(0, 256, end - at, dtype=np.uint8).tobytes()
    elif kind == 1:
        new = b""
    elif kind == 2:
        new = content[at:end] * 3
    elif kind == 3:
        new = bytes([int(rng.choice([0, 9, 10, 13, 32, 40, 41, 45, 58, 255]))])
        end = at + 1
    else:
        begin = int(rng.integers(len(content)))
        new = content[begin : begin + 60]
    return content[:at] + new + content[end:], at, end


def fuzz_bytes(chosen: list[Log], mutations: int, seed: int) -> None:
    """Reads so many damaged logs."""
    rng = np.random.default_rng(seed)
    for i in range(mutations):
        log = chosen[i % len(chosen)]
        damaged, at, end = with_bytes_changed(log.content, rng)
        ends = np.cumsum(list(map(len, log.parts)))
        # A part that begins at `end` may have lost the line feed before it.
        touched = set(range(int(np.searchsorted(ends, at, side="right")), int(np.searchsorted(ends, end, "right")) + 1))
        check(damaged, log, touched)


def test_damaged_bytes_cost_only_the_rounds_they_hit(pytestconfig):
    """A crash, a hang, or a game lost for one byte."""
    fuzz_bytes(logs(pytestconfig), 1_500, seed=1)


@pytest.mark.fuzz
def test_damaged_bytes_cost_only_the_rounds_they_hit_eighty_thousand_times(pytestconfig):
    """As above, for `make fuzz`."""
    fuzz_bytes(logs(pytestconfig), 80_000, seed=2)


# Lines

LINES = st.one_of(
    st.sampled_from(
        [
            HEADER + b"------------------",
            b"---------------Startkarten------------------",
            b"---------------Rundenverlauf------------------",
            b"Schupfen:",
            b"Ergebnis: 100 - 0",
            b"Ergebnis: 99999999999999999999 - -0",
            b"Ergebnis: ",
            b"Tichu: (0)",
            b"Grosses Tichu: (3)x",
            b"Wunsch:10",
            b"Wunsch:",
            b"Drache an: (4)",
            b"(0)",
            b"(1) passt",
            b"(2): Ph",
            b"(2)\xc2\xa0\xff gibt: : - : - : -",
            b"BOMBE: (0) (1)",
            b"\xef\xbb\xbf",
            b"\0" * 50,
            b"(0)a" + b" S9" * 2_000,
            b"(0)" + b"\xe4" * 20_000 + b" passt.",
            b"\t" * 5_000 + b"\r",
            b"(0)anna passt.\n" * 2_000,
            b"Tichu: (0)anna\n" * 2_000,
        ]
    ),
    st.binary(max_size=60),
)


@st.composite
def damage(draw: st.DrawFn, lines: list[bytes]) -> list[bytes]:
    """The lines of a part after a few edits."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(lines) - 1, 0)))
        line = lines[at] if lines else b""
        cut = draw(st.integers(0, len(line)))
        before, after, instead = lines[:at], lines[at + 1 :], []
        match draw(st.integers(0, 8)):
            case 0:  # lines removed
                after = lines[at + 1 + draw(st.integers(0, 5)) :]
            case 1:  # repeated
                instead = [line] * draw(st.sampled_from([2, 3, 600]))
            case 2:  # moved elsewhere
                to = draw(st.integers(0, len(after)))
                after = [*after[:to], line, *after[to:]]
            case 3:  # something put in between
                instead = [draw(LINES), line]
            case 4:  # a few bytes changed
                instead = [line[:cut] + draw(st.binary(max_size=4)) + line[cut + 1 :]]
            case 5:  # cut, within a character if there is one of several bytes
                wide = [i for i, byte in enumerate(line) if byte >= 0x80]
                after, instead = [], [line[: wide[0] + 1] if wide else line[:cut]]
            case 6:  # NUL bytes
                instead = [line[:cut] + b"\0" * 3 + line[cut:]]
            case 7:  # very long
                instead = [line[:cut] * draw(st.sampled_from([2, 50]))]
            case _:  # the rest removed
                after = []
        lines = [*before, *instead, *after]
    return lines


@st.composite
def damaged_logs(draw: st.DrawFn, count: int) -> tuple[int, bytes, set[int]]:
    """Which log, its bytes when damaged, and the parts that were touched; line ends are mixed beside that."""
    which = draw(st.integers(0, count - 1))
    log = CHOSEN[which]
    touched = draw(st.sets(st.integers(0, len(log.parts) - 1), min_size=1, max_size=2))
    parts = []
    for number, part in enumerate(log.parts):
        lines = part.split(b"\n")
        ending = lines.pop()  # empty, but for a last line without its end
        if number in touched:
            lines = draw(damage(lines))
            ending = b""
        feed = draw(st.sampled_from([b"\n", b"\n", b"\r\n", b" \n", b"\n\n"]))
        parts.append(b"".join(line + feed for line in lines) + ending)
    return which, b"".join(parts), touched


CHOSEN: list[Log] = []


@pytest.fixture
def _chosen(pytestconfig: pytest.Config) -> Iterator[None]:
    """Hypothesis' strategies know no fixtures."""
    CHOSEN[:] = logs(pytestconfig)
    yield
    CHOSEN.clear()


def fuzz_lines(data: st.DataObject) -> None:
    """Reads one damaged log."""
    which, damaged, touched = data.draw(damaged_logs(len(CHOSEN)))
    assume(len(damaged) <= SIZE_LIMIT)  # a longer one is refused before it comes to the reader
    check(damaged, CHOSEN[which], touched)


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@pytest.mark.usefixtures("_chosen")
@settings(max_examples=150, suppress_health_check=CHECKS)
@given(st.data())
def test_damaged_lines_cost_only_their_rounds(data):
    """A round that swallows the next one, a crash, or a hang."""
    fuzz_lines(data)


@pytest.mark.fuzz
@pytest.mark.usefixtures("_chosen")
@settings(max_examples=20_000, suppress_health_check=CHECKS)
@given(st.data())
def test_damaged_lines_cost_only_their_rounds_twenty_thousand_times(data):
    """As above, for `make fuzz`."""
    fuzz_lines(data)


@pytest.mark.parametrize("piece", [HEADER, HEADER + b"\n", b"Ergebnis\n", b"(0):Hu\n", SOUND, SOUND + b"Ergebnis\n"])
@pytest.mark.parametrize("begins", [b"", HEADER + b"\n", SOUND])
def test_a_log_never_holds_more_than_its_bytes_allow(begins, piece):
    """Columns have the room that the bytes ask for at most, and nothing looks again: one row more is foreign memory."""
    log = begins + piece * (200_000 // len(piece))
    room = Columns.with_room(1, len(log), READER.counts)
    games = parse(log)
    assert len(games.rounds) <= len(room.rounds)
    assert len(games.fragments) <= len(room.fragments)
    assert len(games.names) <= len(room.names)
    assert len(games.tricks) <= len(room.tricks)
    assert len(games.rounds.history) <= len(room.history)
