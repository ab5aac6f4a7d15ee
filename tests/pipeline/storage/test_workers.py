"""Workers: the same bytes and the same order whoever works, and a killed one costs nothing but time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.oracles.reading import digests
from tichu_models.arena.tournament import TournamentRequest
from tichu_models.observation.specs import spec
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.cli import app
from tichu_pipeline.features.shards import make_shards
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Cluster, Processes, Serial, Threads, Workers, WorkersError, workers_from
from tichu_pipeline.tournaments.running import run

MONTHS = ["2024-01", "2024-02", "2024-03", "2024-04"]
SECONDS = 120.0


@contextmanager
def cluster(count: int = 2) -> Iterator[Cluster]:
    """A Dask scheduler and two workers on this machine; a nanny replaces a worker that dies."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as made:
        yield Cluster(made.scheduler_address)


@contextmanager
def processes() -> Iterator[Processes]:
    """Two local processes."""
    yield Processes(2)


@pytest.fixture(params=[processes, cluster])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    """Workers that may be killed."""
    with request.param() as made:
        yield made


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with logs, and what one process makes of them."""
    made = tmp_path_factory.mktemp("data")
    generate(made / "raw", 60, MONTHS, seed=3)
    make_all(made / "raw", DataPaths(made / "serial"), Serial())
    return made


def make_all(raw: Path, paths: DataPaths, workers: Workers) -> None:
    """Rounds and shards of all months."""
    ingest(raw, paths, workers=workers)
    make_shards(paths, spec("grand-65"), MONTHS, workers=workers)


@contextmanager
def one_killed(who: Callable[[], set[int]]) -> Iterator[list[int]]:
    """Kills the first process that `who` finds, and tells which one it was."""
    killed: list[int] = []

    def watch() -> None:
        deadline = time.monotonic() + SECONDS
        while not killed and time.monotonic() < deadline:
            for worker in sorted(who() - {os.getpid()})[:1]:
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
            time.sleep(0.001)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield killed
    finally:
        watching.join()


def test_the_same_bytes_though_a_worker_is_killed(workers, data, tmp_path):
    """Files that depend on who made them, a month lost with its worker, or half of one left behind."""
    paths = DataPaths(tmp_path)

    def at_work() -> set[int]:
        return {int(path.name.split(".")[-2]) for path in paths.rounds.glob(".*.tmp")}

    with one_killed(at_work) as killed:
        make_all(data / "raw", paths, workers)
    assert len(killed) == 1
    assert digests(paths.root) == digests(data / "serial")
    assert not list(paths.root.rglob("*.tmp"))


def test_a_tournament_is_the_same_wherever_it_is_played(workers, tmp_path):
    """Results that depend on who played which deals."""
    request = TournamentRequest(("random", "heuristic"), 70, seed=3)
    here, there = (run(DataPaths(tmp_path), "t", request, who, force=True).played for who in (Serial(), workers))
    assert here.results.tobytes() == there.results.tobytes()


def test_threads_make_the_same_bytes(data, tmp_path):
    """Months that are read side by side share a buffer."""
    make_all(data / "raw", DataPaths(tmp_path), Threads(3))
    assert digests(tmp_path) == digests(data / "serial")


def note(task: tuple[Path, int]) -> int:
    """Notes that a task was begun. The third kills its process, the first time."""
    folder, number = task
    times = len(list(folder.glob(f"{number}-*")))
    (folder / f"{number}-{times}").touch()
    if number == 3 and times == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05 * (number % 2))
    return number


def test_only_the_task_of_a_killed_worker_is_done_again(tmp_path):
    """Everything that other workers were at is done anew; results in the order in which they came."""
    assert list(Processes(2).map(note, [(tmp_path, number) for number in range(8)])) == list(range(8))
    begun = sorted(path.name for path in tmp_path.iterdir())
    assert begun == sorted([*(f"{number}-0" for number in range(8)), "3-1"])


def whoami(_: int) -> int:
    """Which process this is."""
    return os.getpid()


def test_workers_stay_for_the_next_tasks(workers):
    """Processes that load everything anew for every wave of a tournament."""
    with workers:
        found = {pid for _ in range(3) for pid in workers.map(whoami, range(4))}
    assert len(found) <= workers.count == 2
    assert os.getpid() not in found


def kill(_: int) -> None:
    """A task that no process survives."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_its_workers_ends_the_run():
    """A task that needs too much memory is tried for ever."""
    with pytest.raises(WorkersError, match="too little memory"):
        list(Processes(2).map(kill, [1, 2]))


def inverse(number: int) -> float:
    """Fails for zero."""
    return 1 / number


def test_what_is_wrong_with_a_task_is_told(workers):
    """An error in a worker is taken for its death, or lost."""
    with pytest.raises(ZeroDivisionError):
        list(workers.map(inverse, [1, 0, 2]))


def test_no_worker_outlives_its_parent():
    """Processes of a killed run stay and wait for ever."""
    code = (
        "from tichu_pipeline.storage.workers import Processes;"
        "from tests.pipeline.storage.test_workers import tell;"
        "list(Processes(2).map(tell, [0, 1]))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert len(set(workers)) == 2
        parent.kill()
    deadline = time.monotonic() + SECONDS
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def tell(_: int) -> None:
    """Says which process this is, and works for long."""
    os.write(1, f"{os.getpid()}\n".encode())  # in one piece: two processes write into one pipe
    time.sleep(SECONDS)


def test_a_cluster_can_be_watched():
    """A dashboard that nobody finds."""
    with cluster() as made:
        assert (made.dashboard or "").startswith("http://127.0.0.1:")
        assert list(made.map(np.sqrt, [4.0, 9.0])) == [2.0, 3.0]


def test_a_scheduler_that_is_not_there_is_told(monkeypatch):
    """A stack of Dask's instead of what to do."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("tichu_pipeline.storage.workers.SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(WorkersError, match="dask scheduler"):
        list(Cluster("tcp://127.0.0.1:9").map(inverse, [1]))


def test_a_scheduler_without_workers_is_told(data, tmp_path):
    """A command that waits for ever, without a word, for whoever forgot to start the workers."""
    with cluster(0) as made:
        with pytest.raises(WorkersError, match=f"no worker; start one: dask worker {made.address}"):
            make_all(data / "raw", DataPaths(tmp_path), made)
        arguments = ["ingest", "--raw", str(data / "raw"), "--data", str(tmp_path), "--workers", made.address]
        result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, "no worker; start one" in " ".join(result.output.split())) == (1, True), result.output


def test_workers_as_a_person_names_them():
    """A misspelt address works here, serially, without a word."""
    assert isinstance(workers_from("serial"), Serial)
    three, cluster = workers_from("3"), workers_from("tcp://10.0.0.1:8786")
    assert isinstance(three, Processes)
    assert three.count == 3
    assert isinstance(cluster, Cluster)
    assert cluster.address == "tcp://10.0.0.1:8786"
    for wrong in ("", "0", "-1", "many", "http://10.0.0.1:8786"):
        with pytest.raises(ValueError, match="expected serial, a number of processes"):
            workers_from(wrong)


def test_the_command_says_which_workers_there_are(tmp_path, monkeypatch):
    """An address that nobody can read ends in a stack, or the months are read somewhere else."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("tichu_pipeline.storage.workers.SECONDS_TO_CONNECT", 0.5)
    for named, status, says in (("many", 2, "tcp://HOST:PORT"), ("tcp://127.0.0.1:9", 1, "dask scheduler")):
        arguments = ["ingest", "--raw", str(tmp_path), "--data", str(tmp_path), "--workers", named]
        result = CliRunner().invoke(app, arguments)
        assert (result.exit_code, says in " ".join(result.output.split())) == (status, True), result.output
