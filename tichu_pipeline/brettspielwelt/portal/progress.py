"""Progress of a download on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

import rich.progress
from rich.console import Console

_LINE_EVERY = 30.0  # seconds between plain lines


class DownloadProgress:
    """Shows one task after the other, each with a name and a number of steps, and messages in between."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar: rich.progress.Progress | None = None
        if self.console.is_terminal:
            self._bar = rich.progress.Progress(
                rich.progress.TextColumn("{task.description}"),
                rich.progress.BarColumn(),
                rich.progress.MofNCompleteColumn(),
                rich.progress.TimeRemainingColumn(),
                console=self.console,
            )
            self._task = self._bar.add_task("", total=None)
        self._name, self._total, self._done = "", 0, 0
        self._next_line = 0.0

    def __enter__(self) -> DownloadProgress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def begin(self, name: str, total: int, done: int = 0) -> None:
        """Begins the next task, of which `done` steps were done before."""
        self._name, self._total, self._done = name, total, done
        self._next_line = time.monotonic() + _LINE_EVERY
        if self._bar:
            self._bar.reset(self._task, description=name, total=total, completed=done)

    def advance(self, steps: int = 1) -> None:
        """Counts steps of the task."""
        self._done += steps
        if self._bar:
            self._bar.advance(self._task, steps)
        elif time.monotonic() >= self._next_line:
            self.say(f"{self._name}: {self._done:,} of {self._total:,}")
            self._next_line = time.monotonic() + _LINE_EVERY

    def say(self, line: str) -> None:
        """Prints a message."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)
