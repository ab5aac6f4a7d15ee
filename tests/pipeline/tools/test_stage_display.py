"""What is seen of a run while it runs: its list of stages, the live table, and the lines where there is no terminal."""

import io
import os
import re
import signal
import subprocess
import sys
import time
from uuid import uuid4

import dagster as dg
import pytest
from rich.console import Console

from tests.paths import ROOT
from tichu_pipeline.tools.stage_display import LiveTable, PlainLines, display
from tichu_pipeline.tools.stage_list import StageList

# A job of two stages, the first slow; the second fails if asked to.
JOB = """
import sys, time
from uuid import uuid4
import dagster as dg
from rich.console import Console
from tichu_pipeline.tools.stage_display import PlainLines
from tichu_pipeline.tools.stage_list import StageList

@dg.asset
def slow(context):
    context.log.info("epoch 1 of 2")
    time.sleep(float(sys.argv[1]))
    return dg.MaterializeResult(metadata={"rows": 1234, "bytes": 2000})

@dg.asset(deps=[slow])
def after():
    if sys.argv[2] == "fail":
        raise dg.Failure("the disk is full")
    return dg.MaterializeResult(metadata={"reused": True})

stages = StageList(["slow", "after"])
job = dg.Definitions(assets=[slow, after], jobs=[dg.define_asset_job("both")]).resolve_job_def("both")
with dg.DagsterInstance.ephemeral() as instance, PlainLines(Console(), stages, every=0.3):
    run_id = str(uuid4())
    instance.add_event_listener(run_id, stages.on_event)
    job.execute_in_process(
        instance=instance, run_id=run_id, raise_on_error=False,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
    )
"""


def start(*arguments: str) -> subprocess.Popen:
    """The job in a process whose output is no terminal."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", JOB, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_lines_come_while_the_stage_runs():
    """A demo in a log or a pipe that is silent until its end: is it still alive?"""
    process = start("120", "")
    try:
        assert process.stdout is not None
        assert re.search(r"s  slow: begins$", process.stdout.readline().rstrip())
        heard = [process.stdout.readline().rstrip() for _ in range(3)]  # of a stage that sleeps on
        assert process.poll() is None
        assert all(re.search(r"s  slow: running for \d+ s, epoch 1 of 2$", line) for line in heard[1:])
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_what_stages_made_stands_in_their_last_line():
    """A reader of a log would have to wait for the table to see what came of the first stage."""
    out, _ = start("0", "").communicate(timeout=120)
    assert re.search(r"slow: done after \d+\.\d s, 1,234 rows, 2.0 kB$", out, re.MULTILINE)
    assert re.search(r"after: reused after \d+\.\d s$", out, re.MULTILINE)


def test_a_stage_that_fails_is_named_with_its_reason():
    """A traceback of Dagster's in the place of the stage and what is wrong."""
    out, _ = start("0", "fail").communicate(timeout=120)
    assert re.search(r"after: failed after \d+\.\d s, the disk is full$", out, re.MULTILINE)
    assert "Traceback" not in out


def run(assets: list[dg.AssetsDefinition], resources: dict[str, dg.ConfigurableResource] | None = None) -> StageList:
    """The list after these assets have been materialised."""
    stages = StageList([asset.key.to_user_string() for asset in assets])
    with dg.DagsterInstance.ephemeral() as instance:
        run_id = str(uuid4())
        instance.add_event_listener(run_id, stages.on_event)
        definitions = dg.Definitions(assets=assets, jobs=[dg.define_asset_job("all")], resources=resources)
        job = definitions.resolve_job_def("all")
        job.execute_in_process(instance=instance, run_id=run_id, raise_on_error=False)
    return stages


def test_the_reason_of_an_error_that_nobody_foresaw():
    """`Error occurred while executing op`, and nothing of which one."""

    @dg.asset(key=["parts", "broken"])
    def broken() -> None:
        raise ValueError("row 7 is no number")

    (failed,) = run([broken]).failed
    assert (failed.name, failed.progress) == ("parts/broken", "ValueError: row 7 is no number")


def test_a_run_that_fails_before_its_first_stage():
    """The demo ends with status 1, and without a word."""

    class Broken(dg.ConfigurableResource):
        def setup_for_execution(self, context: dg.InitResourceContext) -> None:
            raise ValueError("no such data folder")

    @dg.asset
    def never(broken: Broken) -> None:
        raise AssertionError

    stages = run([never], {"broken": Broken()})
    assert stages.warnings == ["the run failed: ValueError: no such data folder"]


def test_warnings_are_kept():
    """What a stage warns of would be overwritten by its next line."""

    @dg.asset
    def careful(context: dg.AssetExecutionContext) -> None:
        context.log.warning("2024-03 is gone")
        context.log.info("and on")

    assert run([careful]).warnings == ["careful: 2024-03 is gone"]


@pytest.fixture
def clock():
    """A clock that is set by hand."""
    return [0.0]


def listed(clock: list[float]) -> StageList:
    """Three stages: the first done in two seconds, the second at work, the third to come."""
    stages = StageList(["first", "second", "third"], clock=lambda: clock[0])
    stages.begin("first")
    clock[0] = 2.0
    stages.stages["first"].add({"rows": 10, "seconds": 9.0})
    stages.end("first")
    stages.begin("second")
    stages.stages["second"].progress = "epoch 3, step 5"
    clock[0] = 9.0
    return stages


def drawn(stages: StageList, height: int = 40) -> list[str]:
    """The lines of the live table."""
    console = Console(file=io.StringIO(), width=120, height=height, force_terminal=True)
    with console.capture() as captured:
        console.print(LiveTable(console, stages).table())
    plain = re.sub(r"\x1b\[[0-9;]*m", "", captured.get())
    return [" ".join(re.sub("[│┃|]", " ", line).split()) for line in plain.splitlines()]


def test_the_live_table_tells_state_progress_and_seconds(clock):
    """A table that stands still while a stage works; or a month's seconds, added over threads, as if by the clock."""
    lines = drawn(listed(clock))
    assert "first done 10 2.0" in lines
    assert "second running epoch 3, step 5 7.0" in lines
    assert "third waiting" in lines
    assert "so far 9" in lines


def test_what_is_compiled_is_shown_in_the_place_of_the_progress(clock):
    """A minute of compiling that looks as if the first month took so long."""
    stages = listed(clock)
    stages.compiling("tichu_models.rules.legal", 3.0)
    clock[0] = 10.0
    assert "second compiling tichu_models.rules.legal for 4 s 8.0" in drawn(stages)
    stages.compiling("")
    assert "second running epoch 3, step 5 8.0" in drawn(stages)


def test_a_low_terminal_sees_the_stages_at_work(clock):
    """The running stage below the edge of the window, where nobody sees it."""
    stages = listed(clock)
    stages.expect(f"later {n}" for n in range(40))
    lines = drawn(stages, height=16)
    assert len(lines) <= 16
    assert any(line.startswith("second running") for line in lines)
    assert any("more below" in line for line in lines)


def test_lines_only_where_there_is_no_terminal():
    """Escape codes in a log; or a line for every refresh in a terminal."""
    stages = StageList([])
    assert isinstance(display(Console(file=io.StringIO()), stages), PlainLines)
    assert isinstance(
        display(Console(file=io.StringIO(), force_terminal=True, force_interactive=True), stages), LiveTable
    )


def test_the_heart_beats_only_while_nothing_else_is_heard(clock):
    """A flood of lines that say that nothing is new."""
    out = io.StringIO()
    stages = StageList(["one"])
    with PlainLines(Console(file=out), stages, every=60.0):
        stages.begin("one")
        time.sleep(0.05)
        stages.end("one")
    assert [line.split("  ")[-1].split(" ")[1] for line in out.getvalue().splitlines()] == ["begins", "done"]
