"""The stages of a run: which one runs, its progress, how long it takes, and what it has made.

The list follows Dagster's events (`on_event`) and the compilation of kernels (`compiling`). Rows that are no assets are
updated by `begin` and `end`. `stage_display` shows the list.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagster import DagsterEvent, EventLogEntry

WAITING, COMPILING, RUNNING, REUSED, DONE, FAILED = "waiting", "compiling", "running", "reused", "done", "failed"
INTERRUPTIONS = ("KeyboardInterrupt", "DagsterExecutionInterruptedError")  # in the place of a stage's own error


@dataclass
class Stage:
    """A row of the table. Figures that a stage does not report stay None."""

    name: str
    rows: int | None = None
    bytes: int | None = None
    seconds: float | None = None  # by the clock, as soon as it has ended
    reused: bool = False
    state: str = WAITING
    progress: str = ""  # the last line that it logged; the reason if it failed
    began: float | None = None
    described: int = 0  # materialisations

    def add(self, metadata: Mapping[str, Any]) -> None:
        """One more materialisation: a stage over months has one for each of them."""
        for field in ("rows", "bytes", "seconds"):
            if field in metadata:
                setattr(self, field, (getattr(self, field) or 0) + metadata[field])
        self.reused = bool(metadata.get("reused")) and (self.described == 0 or self.reused)
        self.described += 1


class StageList:
    """All stages in the order in which they run. `changed` is called with every stage that begins or ends."""

    def __init__(self, names: Iterable[str], clock: Callable[[], float] = time.perf_counter) -> None:
        self.stages: dict[str, Stage] = {}
        self.changed: Callable[[Stage], None] = lambda stage: None
        self.clock, self.started = clock, clock()
        self.checks: list[tuple[str, bool]] = []
        self.warnings: list[str] = []
        self.interrupted = False
        self._of_step: dict[str, str] = {}  # names of stages by Dagster's names of their steps
        self._compiled: tuple[str, float] | None = None  # the kernel, and since when
        self.expect(names)

    def expect(self, names: Iterable[str]) -> None:
        """These come after those that are there."""
        more = {name: Stage(name) for name in names}
        self._of_step |= {name.replace("/", "__"): name for name in more}
        self.stages = {**self.stages, **more}  # another thread may be going through the old one

    @property
    def elapsed(self) -> float:
        """Seconds since the list was made."""
        return self.clock() - self.started

    @property
    def running(self) -> list[Stage]:
        """The stages that run now."""
        return [stage for stage in self.stages.values() if stage.state == RUNNING]

    @property
    def failed(self) -> list[Stage]:
        """The stages that failed; their progress is the reason."""
        return [stage for stage in self.stages.values() if stage.state == FAILED]

    def begin(self, name: str) -> None:
        """Marks a stage as running."""
        stage = self.stages[name]
        if stage.began is None:  # a second attempt does not begin anew
            stage.began, stage.state = self.clock(), RUNNING
            self.changed(stage)

    def end(self, name: str, state: str = "", reason: str = "") -> None:
        """Marks a stage as ended: by default as done, or as reused if its metadata says so."""
        stage = self.stages[name]
        stage.state = state or (REUSED if stage.reused else DONE)
        stage.seconds = self.clock() - stage.began if stage.began is not None else None
        stage.progress = reason
        self.changed(stage)

    def compiling(self, what: str, seconds: float = 0.0) -> None:
        """Notes the kernel that is being compiled, and for how many seconds already; an empty name if none is."""
        self._compiled = (what, self.clock() - seconds) if what else None

    def seconds_of(self, stage: Stage) -> float | None:
        """How long it took, or has been running."""
        return self.clock() - stage.began if stage.state == RUNNING and stage.began is not None else stage.seconds

    def shown_state(self, stage: Stage) -> str:
        """The state of a stage; a running one that waits for kernels is compiling."""
        return COMPILING if stage.state == RUNNING and self._compiled else stage.state

    def shown_progress(self, stage: Stage) -> str:
        """The kernel that is being compiled, else the last line that the stage logged."""
        compiled = self._compiled
        if stage.state == RUNNING and compiled:
            return f"{compiled[0]} for {self.clock() - compiled[1]:.0f} s"
        return stage.progress

    def on_event(self, entry: EventLogEntry) -> None:
        """Updates the list by an event of Dagster's log, or by a line that a stage logs."""
        name = self._of_step.get(entry.step_key or "")
        if entry.dagster_event is not None:
            self._on_dagster_event(name, entry.dagster_event)
            return
        level, line = int(entry.level), entry.user_message.partition("\n")[0]
        if level >= logging.WARNING:
            self.warnings.append(f"{name or entry.step_key}: {line}")
        if name and level >= logging.INFO:
            self.stages[name].progress = line

    def _on_dagster_event(self, name: str | None, event: DagsterEvent) -> None:
        if event.event_type_value == "ASSET_CHECK_EVALUATION":
            check: Any = event.event_specific_data
            self.checks.append((f"{check.asset_key.to_user_string()} {check.check_name}", check.passed))
        elif event.event_type_value == "STEP_FAILURE" and name is None:  # of a check that broke
            name = str(event.step_key)
            self.expect([name])
        elif event.event_type_value == "PIPELINE_FAILURE" and not self.failed:  # before any stage began
            failure: Any = event.event_specific_data
            self.warnings.append(f"the run failed: {first_cause(failure.error)}")
        if name is None:
            return
        if event.event_type_value == "STEP_START":
            self.begin(name)
        elif event.event_type_value == "ASSET_MATERIALIZATION":
            found = event.step_materialization_data.materialization.metadata
            self.stages[name].add({key: entry.value for key, entry in found.items()})
        elif event.event_type_value == "STEP_SUCCESS":
            self.end(name)
        elif event.event_type_value == "STEP_FAILURE":
            data: Any = event.event_specific_data
            self.interrupted |= bool(data.error) and data.error.cls_name in INTERRUPTIONS
            self.end(name, FAILED, "interrupted" if self.interrupted else reason_of(event))


def reason_of(failure: DagsterEvent) -> str:
    """Why a step failed: the description that its stage gave, else the first cause of the error."""
    data: Any = failure.event_specific_data
    if data.user_failure_data and data.user_failure_data.description:
        return str(data.user_failure_data.description)
    return first_cause(data.error)


def first_cause(error: Any) -> str:
    """The message of the error from which an error of Dagster came."""
    while error is not None and error.cause is not None:
        error = error.cause
    return error.message.strip() if error is not None else "for no known reason"
