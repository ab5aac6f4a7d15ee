"""The schedule and the sensor, and what a run does when the world fails it: real runs, a portal on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
from filelock import FileLock

from tests.makers.portals import LOG, Portal, portal_at
from tests.paths import ROOT
from tichu_pipeline.analysis.build import database_stamp
from tichu_pipeline.analysis.reading import value
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.definitions import build
from tichu_pipeline.orchestration.partitions import MONTHS
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths, month_file
from tichu_pipeline.storage.stamps import stored_stamp

KEYS = MONTHS.get_partition_keys()[-4:]  # the last months that are over: what is downloaded ends there
TICK = datetime(2031, 5, 5, 4, tzinfo=UTC)


@dataclass
class Installation:
    """A data folder, the definitions over it, and an instance that keeps its events."""

    paths: DataPaths
    definitions: dg.Definitions
    instance: dg.DagsterInstance

    def sense(self) -> dg.RunRequest | dg.SkipReason:
        """What the sensor asks for."""
        repository = self.definitions.get_repository_def()
        sensor = repository.get_sensor_def("new_logs")
        resources = dict(self.definitions.resources or {})
        with dg.build_sensor_context(instance=self.instance, repository_def=repository, resources=resources) as context:
            result = sensor.evaluate_tick(context)
        if result.run_requests:
            (request,) = result.run_requests
            return request
        return dg.SkipReason(result.skip_message)

    def tick(self) -> dg.RunRequest:
        """What the schedule asks for."""
        repository = self.definitions.get_repository_def()
        schedule = repository.get_schedule_def("reingest_logs")
        context = dg.build_schedule_context(
            instance=self.instance,
            scheduled_execution_time=TICK,
            repository_def=repository,
            resources=dict(self.definitions.resources or {}),
        )
        (request,) = schedule.evaluate_tick(context).run_requests
        return request

    def run(self, request: dg.RunRequest, only: str | None = None) -> dg.ExecuteInProcessResult:
        """Runs what was asked for, or only one stage of it."""
        job = self.definitions.resolve_job_def("refresh")
        return job.execute_in_process(
            instance=self.instance,
            run_config=request.run_config,
            tags=dict(request.tags),
            asset_selection=[dg.AssetKey(only)] if only else None,
            raise_on_error=False,
        )

    def failure(self, result: dg.ExecuteInProcessResult) -> str:
        """What the web UI says of the step that failed."""
        (failed,) = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        data = failed.step_failure_data
        return (data.user_failure_data.description if data.user_failure_data else None) or data.error.message


@pytest.fixture
def installation(corpus, tmp_path, monkeypatch) -> Iterator[Installation]:
    """Two months of logs, nothing made of them."""
    monkeypatch.setenv("TICHU_RETRY_SECONDS", "0.01")
    shutil.copytree(corpus, tmp_path / "data" / "raw")
    (tmp_path / "home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", tmp_path / "home")
    with dg.DagsterInstance.from_config(str(tmp_path / "home")) as instance:
        yield Installation(DataPaths(tmp_path / "data"), build(root=str(tmp_path / "data")), instance)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    """Generated logs of two months."""
    folder = tmp_path_factory.mktemp("corpus")
    generate(folder, 20, KEYS[:2], seed=3)
    return folder


@pytest.fixture
def portal(tmp_path, monkeypatch) -> Iterator[Portal]:
    """A portal without any month, on a free port."""
    with portal_at(tmp_path / "portal") as made:
        monkeypatch.setenv("TICHU_PORTAL", made.address)
        yield made


def months_of(request: dg.RunRequest | dg.SkipReason) -> tuple[str, str]:
    """The range that is asked for."""
    assert isinstance(request, dg.RunRequest)
    return request.tags["dagster/asset_partition_range_start"], request.tags["dagster/asset_partition_range_end"]


def rebuilt(installation: Installation, month: str) -> bool:
    """Whether the month's last materialisation was one that read its logs."""
    records = installation.instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=dg.AssetKey("rounds"), asset_partitions=[month]), limit=1
    ).records
    return not records[0].asset_materialization.metadata["reused"].value


def test_the_sensor_asks_once_for_what_is_new(installation):
    """Runs without end over an unchanged folder; a new log that nobody reads; a month rebuilt for another's log."""
    first = installation.sense()
    assert months_of(first) == (KEYS[0], KEYS[1])
    assert installation.sense() == first  # which Dagster, having seen its run key, does not run twice
    assert installation.run(first).success
    assert value(installation.paths, "SELECT count(*) FROM games") == 20
    assert "2 months are up to date" in str(installation.sense())

    folder = installation.paths.raw / KEYS[1].replace("-", "")
    folder.mkdir()
    (folder / "7.tch").write_bytes(LOG)
    second = installation.sense()
    assert months_of(second) == (KEYS[1], KEYS[1])
    assert second.run_key != first.run_key
    kept = month_file(installation.paths.rounds, KEYS[0]).stat().st_mtime_ns
    assert installation.run(second).success
    assert rebuilt(installation, KEYS[1])
    assert month_file(installation.paths.rounds, KEYS[0]).stat().st_mtime_ns == kept
    assert value(installation.paths, "SELECT count(*) FROM games") == 21
    assert isinstance(installation.sense(), dg.SkipReason)


def test_a_repaired_archive_is_asked_for(installation):
    """A game that nobody reads, because the archive that was fetched again on the same day has the directory of the
    damaged one, and so the run key and the data version of a run that was there already."""

    def version() -> str | None:
        event = installation.instance.get_latest_materialization_event(dg.AssetKey(["raw_logs"]))
        return (event.asset_materialization.tags or {}).get("dagster/data_version")

    assert installation.run(installation.sense()).success
    archive = installation.paths.raw / f"{KEYS[1].replace('-', '')}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("7.tch", LOG)
    whole = archive.read_bytes()
    archive.write_bytes(whole[:400] + bytes([whole[400] ^ 0x10]) + whole[401:])
    damaged = installation.sense()
    assert installation.run(damaged).success
    assert isinstance(installation.sense(), dg.SkipReason)
    first = version()
    archive.write_bytes(whole)
    repaired = installation.sense()
    assert months_of(repaired) == months_of(damaged) == (KEYS[1], KEYS[1])
    assert repaired.run_key != damaged.run_key
    assert installation.run(repaired).success
    assert version() != first
    assert value(installation.paths, "SELECT count(*) FROM games") == 21
    assert isinstance(installation.sense(), dg.SkipReason)


def test_a_database_left_behind_is_caught_up(installation):
    """A run that failed after its rounds were made: no month is new any more, and the database stays old for ever."""
    ingest(installation.paths.raw, installation.paths)
    request = installation.sense()
    assert months_of(request) == (KEYS[1], KEYS[1])
    assert installation.run(request).success
    assert stored_stamp(installation.paths.database) == database_stamp(installation.paths)
    assert not rebuilt(installation, KEYS[1])


def test_the_sensor_waits_for_a_run_and_for_a_folder(installation, tmp_path):
    """A second run over months that the first is just reading; a red sensor in an installation without logs."""
    job = installation.definitions.resolve_job_def("refresh")
    run = installation.instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    assert "not finished" in str(installation.sense())
    installation.instance.delete_run(run.run_id)
    shutil.rmtree(installation.paths.raw)
    assert "no such folder" in str(installation.sense())


def test_the_schedule_fetches_and_refreshes(installation, portal):
    """Months that the portal added and nobody fetched; the download's failure over one that it does not have yet."""
    portal.add(KEYS[1], 11, 12)
    portal.add(KEYS[2], 21)
    request = installation.tick()
    assert installation.tick() == request
    assert months_of(request) == (KEYS[0], KEYS[-1])
    assert request.run_config["ops"] == {"raw_logs": {"config": {"download_from": KEYS[1]}}}
    assert installation.run(request).success
    found = value(installation.paths, "SELECT count(*) FROM games")
    assert found == 20 + 3
    assert isinstance(installation.sense(), dg.SkipReason)
    assert months_of(installation.tick()) == (KEYS[2], KEYS[-1])


def test_a_portal_that_is_down(installation, portal):
    """A failed run that nobody understands, an attempt given up at once, or fetched games that are lost."""
    portal.add(KEYS[1], 11)
    request = installation.tick()
    portal.stop()
    config = {"ops": {"raw_logs": {"config": {"download_from": KEYS[-1], "attempts": 1}}}}
    result = installation.run(dg.RunRequest(run_config=config, tags=request.tags))
    assert not result.success
    retries = [event for event in result.all_events if event.event_type_value == "STEP_RESTARTED"]
    assert len(retries) == 3
    told = installation.failure(result)
    assert "no connection" in told
    assert "after 4 attempts" in told
    assert "Check whether the portal can be reached" in told
    assert months_of(installation.sense()) == (KEYS[0], KEYS[1])  # the logs that are here wait for no portal


def test_a_portal_that_recovers(installation, portal):
    """A monthly run lost for a minute's trouble."""
    portal.add(KEYS[1], 11)
    request = installation.tick()
    portal.server.absent = 3  # all months of the first attempt
    result = installation.run(request, only="raw_logs")
    assert result.success
    assert [event.step_key for event in result.all_events if event.event_type_value == "STEP_RESTARTED"] == ["raw_logs"]
    assert len(scan(installation.paths.raw)) == 21


def test_a_missing_folder_is_no_reason_to_wait(installation):
    """An hour of attempts at what only a person can mend."""
    request = installation.sense()
    shutil.rmtree(installation.paths.raw)
    result = installation.run(request)
    assert not result.success
    assert not [event for event in result.all_events if event.event_type_value == "STEP_RESTARTED"]
    assert str(installation.paths.raw) in installation.failure(result)


def test_a_database_that_a_command_is_building(installation):
    """The monthly run failing at once because somebody has typed `tichu analyse`."""
    installation.paths.tmp.mkdir()
    with FileLock(installation.paths.tmp / "analysis.lock"):
        result = installation.run(installation.sense())
    assert not result.success
    assert [event.step_key for event in result.all_events if event.event_type_value == "STEP_RESTARTED"] == [
        "analysis"
    ] * 3
    assert "another process is building it" in installation.failure(result)
    assert months_of(installation.sense()) == (KEYS[1], KEYS[1])


FULL_DISK = """
import sys
from pathlib import Path
import dagster as dg
from tichu_pipeline.definitions import build

root, tags = sys.argv[1], dict(zip(("dagster/asset_partition_range_start", "dagster/asset_partition_range_end"),
    sys.argv[2:]))
with dg.DagsterInstance.ephemeral() as instance:
    def run():
        job = build(root=root).resolve_job_def("refresh")
        result = job.execute_in_process(instance=instance, tags=tags, raise_on_error=False)
        events = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        restarted = sum(event.event_type_value == "STEP_RESTARTED" for event in result.all_events)
        return restarted, [event.step_failure_data.user_failure_data.description for event in events]
    print(run())
    made = ("tichu.duckdb", sys.argv[2] + ".parquet")
    print(sorted(str(path) for path in Path(root).rglob("*") if path.suffix == ".tmp" or path.name in made))
    (Path(root) / "ballast").unlink()
    print(run())
"""


def test_a_full_disk(installation, tmp_path):
    """A half file taken for a whole one, a message from the depth of a library, or a run that cannot go on after it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=40m none {disk} && cp -r {installation.paths.raw} {disk}/raw"
    fill = f"dd if=/dev/zero of={disk}/ballast bs=1k count=60000 2> /dev/null"
    command = ["unshare", "-rm", "sh", "-c", f'{mount} && {{ {fill}; "$@"; }}', "sh"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a small file system of our own: unshare and mount are not allowed here")
    done = subprocess.run(
        [*command, sys.executable, "-c", FULL_DISK, str(disk), KEYS[0], KEYS[1]],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    first, left, second = done.stdout.splitlines()
    assert first.startswith("(3, [")
    assert "No space left on device; free some space" in first
    assert left == "[]"
    assert second == "(0, [])"


def test_definitions_can_be_overridden(tmp_path):
    """Another installation that has to copy the module to change a folder or an hour."""
    made = build(root=str(tmp_path), cron="0 2 * * 1", executor=dg.multiprocess_executor)
    assert made.get_repository_def().get_schedule_def("reingest_logs").cron_schedule == "0 2 * * 1"
    assert made.resolve_job_def("refresh").executor_def is dg.multiprocess_executor
    assert made.resources["data"].paths.root == tmp_path


def test_what_the_web_ui_is_told():
    """A job, schedule or sensor that vanishes, starts by itself, or a stage without owner, group or description."""
    repository = build().get_repository_def()
    assert {job.name for job in repository.get_all_jobs()} >= {"refresh", "everything"}
    (schedule,), (sensor,) = repository.schedule_defs, repository.sensor_defs
    assert (schedule.name, sensor.name) == ("reingest_logs", "new_logs")
    assert {schedule.default_status.value, sensor.default_status.value} == {"STOPPED"}
    graph = build().resolve_asset_graph()
    for node in (graph.get(key) for key in graph.get_all_asset_keys()):
        assert node.group_name != "default"
        assert all((node.owners, node.kinds, node.tags, node.description, node.code_version)), node.key
    fresh = {key.to_user_string() for key in graph.get_all_asset_keys() if graph.get(key).freshness_policy}
    assert fresh == {"rounds", "analysis"}
    assert graph.get(dg.AssetKey("analysis")).pools == {"database"}


def test_every_setting_of_the_launchpad_is_documented():
    """A form of names and defaults, and whoever fills it in has to read the code."""
    silent, settings = [], 0
    for node in build().get_repository_def().get_all_jobs():
        for op in node.nodes:
            fields = getattr(op.definition.config_schema.config_type, "fields", {})
            settings += len(fields)
            silent += [f"{op.name}.{name}" for name, field in fields.items() if not field.description]
    assert settings > 30
    assert silent == []
