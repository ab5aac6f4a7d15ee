"""Shows the stages of a run while they run: as a live table in a terminal, else as lines that come at once.

The stages are those of `stage_list`. Everything shown was measured or logged; only the seconds run by themselves.
"""

from __future__ import annotations

import threading
from typing import Protocol, Self

from rich.console import Console
from rich.filesize import decimal
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tichu_pipeline.tools.stage_list import COMPILING, DONE, FAILED, REUSED, RUNNING, WAITING, Stage, StageList

SECONDS_BETWEEN_LINES = 10.0  # about a stage that logs nothing new
REFRESHES_A_SECOND = 4
LINES_AROUND = 7  # of a table: title, heading, total, rules
COLOURS = {
    WAITING: "dim", COMPILING: "yellow", RUNNING: "bold", REUSED: "green", DONE: "green", FAILED: "red",
}  # fmt: skip


class Display(Protocol):
    """Shows a list of stages within a `with` block."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def display(console: Console, stages: StageList) -> Display:
    """A live table in a terminal, plain lines elsewhere."""
    return LiveTable(console, stages) if console.is_interactive else PlainLines(console, stages)


class LiveTable:
    """A table with a row for each stage, redrawn several times a second and removed at the end. A low terminal shows
    the rows around those that run."""

    def __init__(self, console: Console, stages: StageList) -> None:
        self.console, self.stages = console, stages
        self.live = Live(
            console=console,
            get_renderable=self.table,
            refresh_per_second=REFRESHES_A_SECOND,
            transient=True,
            vertical_overflow="crop",
        )

    def __enter__(self) -> Self:
        self.live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def table(self) -> Table:
        """The table as it is now."""
        table = Table("stage", "state", show_footer=True, expand=True)
        table.add_column("progress", ratio=1, no_wrap=True)
        for heading in ("rows", "bytes", "seconds"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.columns[0].footer = "so far"
        table.columns[-1].footer = f"{self.stages.elapsed:.0f}"
        shown, before, after = self._window()
        table.columns[2].footer = ", ".join(
            f"{count} {what}" for count, what in ((before, "more above"), (after, "more below")) if count
        )
        for stage in shown:
            state = self.stages.shown_state(stage)
            seconds = self.stages.seconds_of(stage)
            numbers = cells(stage)[:2]
            table.add_row(
                stage.name,
                Text(state, COLOURS[state]),
                Text(self.stages.shown_progress(stage)),
                *(numbers if state in (REUSED, DONE) else ("", "")),
                "" if seconds is None else f"{seconds:.1f}",
                style="dim" if state == WAITING else "",
            )
        return table

    def _window(self) -> tuple[list[Stage], int, int]:
        """The rows that fit into the terminal, and how many are left out above and below."""
        rows = list(self.stages.stages.values())
        room = max(self.console.height - LINES_AROUND, 1)
        at = next((k for k, row in enumerate(rows) if row.state in (RUNNING, WAITING)), len(rows))
        begin = min(max(at - room // 2, 0), max(len(rows) - room, 0))
        return rows[begin : begin + room], begin, max(len(rows) - begin - room, 0)


class PlainLines:
    """A line when a stage begins, one when it ends, and one every few seconds about its progress."""

    def __init__(self, console: Console, stages: StageList, every: float = SECONDS_BETWEEN_LINES) -> None:
        self.console, self.stages, self.every = console, stages, every
        self._spoke, self._stop = threading.Event(), threading.Event()
        self._beat = threading.Thread(target=self._beats, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self.stages.changed = self._changed
        self._beat.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._spoke.set()
        self._beat.join()

    def _say(self, text: str) -> None:
        self.console.print(f"{self.stages.elapsed:6.1f} s  {text}", markup=False, highlight=False, soft_wrap=True)
        self.console.file.flush()

    def _changed(self, stage: Stage) -> None:
        self._spoke.set()
        if stage.state == RUNNING:
            self._say(f"{stage.name}: begins")
            return
        rows, size, _ = cells(stage)
        facts = [f"{rows} rows" if rows else "", size, stage.progress]
        made = "".join(f", {fact}" for fact in facts if fact)
        self._say(f"{stage.name}: {stage.state} after {stage.seconds or 0:.1f} s{made}")

    def _beats(self) -> None:
        while not self._stop.is_set():
            if self._spoke.wait(self.every):
                self._spoke.clear()  # not before the wait: it would undo the signal to stop
                continue
            for stage in self.stages.running:
                progress = self.stages.shown_progress(stage)
                state, seconds = self.stages.shown_state(stage), self.stages.seconds_of(stage) or 0
                self._say(f"{stage.name}: {state} for {seconds:.0f} s" + (f", {progress}" if progress else ""))


def show(console: Console, stages: list[Stage], total: Stage) -> None:
    """Prints what the stages have made."""
    table = Table("stage", title="What was made", show_footer=True)
    table.columns[0].footer = total.name
    for heading, footer in zip(("rows", "bytes", "seconds"), cells(total), strict=True):
        table.add_column(heading, footer, justify="right")
    for stage in stages:
        table.add_row(stage.name, *cells(stage))
    console.print(table)


def cells(stage: Stage) -> tuple[str, str, str]:
    """Rows, bytes and seconds of a stage as texts, empty where it reports none."""
    return (
        "" if stage.rows is None else f"{stage.rows:,}",
        "" if stage.bytes is None else decimal(stage.bytes),
        "reused" if stage.reused else "" if stage.seconds is None else f"{stage.seconds:.2f}",
    )
