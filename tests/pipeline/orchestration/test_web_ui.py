"""The web UI as a person has it: the real server and daemon, a browser that looks at them, runs that they start."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.makers.portals import LOG, Portal, portal_at
from tichu_pipeline.analysis.reading import value
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.orchestration.partitions import MONTHS
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.tools.screenshot import COLLAPSED, GRAPH, browser, look, web_ui

KEYS = MONTHS.get_partition_keys()[-4:]  # the last months that are over
STAGES = ["raw_logs", "rounds", "rounds_manifest", "analysis"]
WHERE = {"repositoryLocationName": "tichu_pipeline.definitions", "repositoryName": "__repository__"}
PATIENCE = 180  # seconds for a run, or a tick, on a crowded machine

LAUNCH = """mutation ($params: ExecutionParams!) { launchPipelineExecution(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
    ... on RunConfigValidationInvalid { errors { message } } } }"""
RUNS = """query ($filter: RunsFilter!) { runsOrError(filter: $filter) { ... on Runs { results { runId status } } } }"""
START_SENSOR = """mutation ($where: SensorSelector!) { startSensor(sensorSelector: $where) {
    __typename ... on PythonError { message } } }"""
START_SCHEDULE = """mutation ($where: ScheduleSelector!) { startSchedule(scheduleSelector: $where) {
    __typename ... on PythonError { message } } }"""


@dataclass
class WebUI:
    """A running web UI over a data folder, and the portal that it downloads from."""

    address: str
    paths: DataPaths
    portal: Portal

    def ask(self, query: str, **variables: Any) -> Any:
        """What GraphQL answers: the page asks in the same way."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        with urlopen(Request(f"{self.address}/graphql", body, {"Content-Type": "application/json"})) as answer:
            told = json.load(answer)
        assert "errors" not in told, told
        (found,) = told["data"].values()
        return found

    def succeeded(self, **which: Any) -> None:
        """Waits for the one run that is meant, which must succeed."""
        until = time.monotonic() + PATIENCE
        states: list[str] = []
        while time.monotonic() < until and states != ["SUCCESS"]:
            states = [run["status"] for run in self.ask(RUNS, filter=which)["results"]]
            assert len(states) <= 1
            assert "FAILURE" not in states
            time.sleep(0.25)
        assert states == ["SUCCESS"]

    def rebuilt(self, doing: Callable[[], None]) -> list[str]:
        """The months whose rounds are written anew meanwhile."""
        before = {month: _written(self.paths, month) for month in KEYS}
        doing()
        return [month for month in KEYS if _written(self.paths, month) != before[month]]


def _written(paths: DataPaths, month: str) -> int | None:
    path = month_file(paths.rounds, month)
    return path.stat().st_mtime_ns if path.exists() else None


@pytest.fixture
def ui(tmp_path) -> Iterator[WebUI]:
    """Two months of logs, nothing made of them; the schedule is due every minute."""
    if browser() is None:
        pytest.skip("no Chromium to look at the web UI; on Debian: apt install chromium")
    paths = DataPaths(tmp_path / "data")
    generate(paths.raw, 20, KEYS[:2], seed=3)
    with portal_at(tmp_path / "portal") as portal:
        environment = {
            "TICHU_DATA": str(paths.root),
            "TICHU_PORTAL": portal.address,
            "TICHU_REINGEST_CRON": "* * * * *",
            "TICHU_FIRST_MONTH": KEYS[0],
            "TICHU_LAST_MONTH": KEYS[-1],
        }
        with web_ui(tmp_path / "home", environment) as address:
            assert _processes_of(tmp_path / "home")
            yield WebUI(address, paths, portal)
    until = time.monotonic() + 10  # Python's own tracker of shared memory ends a moment after those whom it serves
    while _processes_of(tmp_path / "home") and time.monotonic() < until:
        time.sleep(0.1)
    assert _processes_of(tmp_path / "home") == []


def _processes_of(home: Path) -> list[str]:
    """The processes that still work for this Dagster home."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"DAGSTER_HOME={home}\0".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # ended, or another user's
            continue
    return found


def test_a_person_and_the_clock_use_the_web_ui(ui):
    """A UI that shows no graph, is open to the network, cannot start a run, or whose automation never does or makes
    everything again; processes that outlive it."""
    page = look(ui.address + GRAPH, "--dump-dom")
    assert [name for name in (*COLLAPSED, *STAGES, "scaling", "dataset", "tournament") if f">{name}<" not in page] == []

    with pytest.raises(ConnectionRefusedError):  # another address of this very machine
        socket.create_connection(("127.0.0.2", urlsplit(ui.address).port or 0), timeout=5)

    def launch() -> None:
        months = zip(("start", "end"), KEYS[:2], strict=True)
        params = {
            "selector": {**WHERE, "pipelineName": "refresh", "assetSelection": [{"path": [key]} for key in STAGES]},
            "mode": "default",
            "executionMetadata": {
                "tags": [{"key": f"dagster/asset_partition_range_{end}", "value": month} for end, month in months]
            },
        }
        launched = ui.ask(LAUNCH, params=params)
        assert launched["__typename"] == "LaunchRunSuccess", launched
        ui.succeeded(runIds=[launched["run"]["runId"]])

    assert ui.rebuilt(launch) == KEYS[:2]
    assert value(ui.paths, "SELECT count(*) FROM games") == 20

    def sense() -> None:
        folder = ui.paths.raw / KEYS[0].replace("-", "")
        folder.mkdir()
        (folder / "7.tch").write_bytes(LOG)
        started = ui.ask(START_SENSOR, where={**WHERE, "sensorName": "new_logs"})
        assert started["__typename"] == "Sensor", started
        ui.succeeded(tags=[{"key": "dagster/sensor_name", "value": "new_logs"}])

    assert ui.rebuilt(sense) == [KEYS[0]]

    def tick() -> None:
        ui.portal.add(KEYS[1], 11)
        started = ui.ask(START_SCHEDULE, where={**WHERE, "scheduleName": "reingest_logs"})
        assert started["__typename"] == "ScheduleStateResult", started
        ui.succeeded(tags=[{"key": "dagster/schedule_name", "value": "reingest_logs"}])

    assert ui.rebuilt(tick) == [KEYS[1]]
    assert value(ui.paths, "SELECT count(*) FROM games") == 22
