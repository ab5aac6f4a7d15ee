"""The journal of a run that learns by playing: evaluations and iterations as CSV files, and both as events for
TensorBoard, if that is wished for: it has to load torch.

Rows after the state that a run is resumed from are dropped.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tichu_models.runs.files import ITERATIONS, METRICS, CheckpointError
from tichu_models.whole_files import whole_file

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

FIRST = "iteration"  # the first column of both files


class Journal:
    """Writes figures as they come."""

    def __init__(self, folder: Path, iteration: int, events: bool = True) -> None:
        self.folder = folder
        for name in (METRICS, ITERATIONS):
            _forget_after(folder / name, iteration)
        self._events = _writer(folder, iteration) if events else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._events:
            self._events.close()

    def evaluated(self, iteration: int, figures: Mapping[str, float | str]) -> None:
        """A row of an evaluation against one opponent."""
        _append(self.folder / METRICS, {FIRST: iteration, **figures})
        numbers = {name: value for name, value in figures.items() if not isinstance(value, str)}
        self._add(f"against_{figures['opponent']}", numbers, iteration)

    def iterated(self, iteration: int, figures: Mapping[str, float]) -> None:
        """A row of an iteration. Its columns never change within a run."""
        _append(self.folder / ITERATIONS, {FIRST: iteration, **figures})
        self._add("learning", figures, iteration)

    def _add(self, group: str, figures: Mapping[str, float], iteration: int) -> None:
        if self._events:
            for name, value in figures.items():
                self._events.add_scalar(f"{group}/{name}", value, iteration)


class Clock:
    """Seconds of the parts of an iteration."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Notes the seconds since the lap before."""
        now = time.perf_counter()
        self.seconds[f"seconds.{name}"] = now - self._last
        self._last = now


def rows_of(path: Path) -> list[dict[str, str]]:
    """The whole rows of a file of the journal; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if None not in row.values() and None not in row]


def _writer(folder: Path, iteration: int) -> SummaryWriter:
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder), purge_step=iteration + 1)


def _append(path: Path, row: Mapping[str, float | str]) -> None:
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(row)
        writer.writerow([value if isinstance(value, str | int) else f"{value:.6g}" for value in row.values()])


def _forget_after(path: Path, iteration: int) -> None:
    try:
        rows = [row for row in rows_of(path) if int(row[FIRST]) <= iteration]
    except (KeyError, ValueError, csv.Error) as error:
        raise CheckpointError(
            f"{path}: no journal of a run ({error!r}); expected rows with a whole number as {FIRST}: "
            "remove it, and the run goes on without it"
        ) from None
    if not rows:
        path.unlink(missing_ok=True)
        return
    with whole_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
