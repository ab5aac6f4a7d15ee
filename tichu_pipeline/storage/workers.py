"""Where independent tasks run: in this process, in processes of this machine, or on a Dask cluster.

A stage gives a function and its tasks, months or chunks of deals, and gets the results in the order of the tasks. A
result must not depend on who works: the same bytes come out everywhere. Function and tasks are pickled, so the function
stands at the top of a module. A worker that is killed is replaced, and only the task that it was at is done again.
"""

from __future__ import annotations

import os
import signal
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import connection, get_context, parent_process
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self, TypeVar

from tichu_pipeline.storage.os_errors import TransientError

if TYPE_CHECKING:
    from distributed import Client

Task = TypeVar("Task")
Result = TypeVar("Result")

TRIES = 3  # of a task whose workers are killed; the task itself may be what kills them
ADDRESSES = ("tcp://", "tls://")
SECONDS_TO_CONNECT = 10
WAITING = 2  # tasks a thread of the cluster that are sent ahead: a month's directory may take a megabyte


class WorkersError(TransientError):
    """No worker answers, or they are killed again and again; the message says what to do."""


class Workers(ABC):
    """Who does the tasks. Inside a `with` they stay for the next map; otherwise each map hires its own."""

    count: int  # tasks at once

    @abstractmethod
    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The results in the order of the tasks, each as soon as it and those before it are there."""

    @property
    def dashboard(self) -> str | None:
        """Where one can watch them."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027  who works in this process is not sent away
        """Sends them away."""


class Serial(Workers):
    """This process, one task after the other."""

    count = 1

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        yield from map(function, tasks)


class Threads(Workers):
    """Threads of this process: they start at once, but Python runs only one of them at a time."""

    def __init__(self, count: int) -> None:
        self.count = count

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        with ThreadPoolExecutor(self.count) as threads:
            yield from threads.map(function, tasks)


class Processes(Workers):
    """Processes of this machine. They are forked off a server that has the first function's module loaded already.

    The death of one process breaks its whole pool; so each has a pool of its own, and a thread that waits for it.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: SimpleQueue[ProcessPoolExecutor | None] | None = None  # None: one that is not started yet

    def __enter__(self) -> Self:
        self._idle = SimpleQueue()
        for _ in range(self.count):
            self._idle.put(None)
        return self

    def __exit__(self, *_: object) -> None:
        idle, self._idle = self._idle, None
        assert idle is not None
        for worker in [idle.get() for _ in range(self.count)]:
            if worker:
                worker.shutdown()

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        idle = self._idle
        if idle is None:
            with self:
                yield from self.map(function, tasks)
            return
        context = get_context("forkserver")
        context.set_forkserver_preload([function.__module__])

        def work(task: Task) -> Result:
            worker = idle.get()
            try:
                for _ in range(TRIES):
                    worker = worker or ProcessPoolExecutor(1, context, _begin)
                    try:
                        return worker.submit(function, task).result()
                    except BrokenProcessPool:
                        worker.shutdown()
                        worker = None
                raise WorkersError(f"{TRIES} processes were killed at the same task; is there too little memory?")
            finally:
                idle.put(worker)

        with ThreadPoolExecutor(self.count) as threads:
            try:
                yield from threads.map(work, tasks)
            finally:
                threads.shutdown(cancel_futures=True)


def _begin() -> None:
    """A worker ends with its parent, which may be killed, leaves Ctrl-C to it, and takes one core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Cluster(Workers):
    """A standing Dask scheduler. Its workers see the same folders, and have this package in the same version."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client: Client | None = None

    def __enter__(self) -> Self:
        self._client = _client(self.address)
        self.count = sum(self._client.nthreads().values())
        if not self.count:
            self.__exit__()
            raise WorkersError(f"{self.address}: no worker; start one: dask worker {self.address}")
        return self

    def __exit__(self, *_: object) -> None:
        client, self._client = self._client, None
        assert client is not None
        client.close()

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        from distributed import KilledWorker

        client = self._client
        if client is None:
            with self:
                yield from self.map(function, tasks)
            return
        ahead = (client.submit(function, task, pure=False) for task in tasks)
        waiting = deque(islice(ahead, WAITING * self.count))
        try:
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(islice(ahead, 1))
                yield result
        except KilledWorker as error:
            raise WorkersError(f"{error}; is there too little memory?") from error
        finally:
            client.cancel(list(waiting))

    @property
    def dashboard(self) -> str | None:
        if self._client is None:
            with self:
                return self.dashboard
        return str(self._client.dashboard_link)


def _client(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise WorkersError(f"{address}: Dask is not installed; pip install -e '.[cluster]'") from error
    try:
        return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkersError(f"{address}: no scheduler answers; start one: dask scheduler") from error


def workers_from(text: str) -> Workers:
    """Workers as a person names them: `serial`, how many processes, or the address of a Dask scheduler."""
    if text == "serial":
        return Serial()
    if text.isascii() and text.isdecimal() and int(text) > 0:
        return Processes(int(text)) if int(text) > 1 else Serial()
    if text.startswith(ADDRESSES):
        return Cluster(text)
    raise ValueError(f"{text!r} names no workers; expected serial, a number of processes, or tcp://HOST:PORT")


def threads() -> Threads:
    """One for each core: who works if nobody says."""
    return Threads(os.cpu_count() or 1)
