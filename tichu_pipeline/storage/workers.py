"""Where independent tasks run: in this process, in processes of this machine, or on a Dask cluster.

A stage passes a function and its tasks (months, or chunks of deals) and gets the results in the order of the tasks. A
result must not depend on where its task runs: the same bytes come out everywhere. Function and tasks are pickled, so
the function must be defined at the top level of a module. A killed worker is replaced, and only its current task is
repeated.
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

TRIES = 3  # attempts at a task whose workers are killed; the task itself may be the cause
ADDRESSES = ("tcp://", "tls://")
SECONDS_TO_CONNECT = 10
WAITING = 2  # tasks sent ahead for each thread of the cluster; more would cost memory, up to a megabyte a task


class WorkersError(TransientError):
    """No worker answers, or workers are killed repeatedly. The message says what to do."""


class Workers(ABC):
    """Runs tasks. A `with` block keeps the workers between calls of `map`; without it each call starts its own."""

    count: int  # tasks that run at the same time

    @abstractmethod
    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The results in the order of the tasks, each as soon as it and all before it are done."""

    @property
    def dashboard(self) -> str | None:
        """The address of a page that shows the workers; None if there is no such page."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027  most workers need no shutdown
        """Shuts the workers down."""


class Serial(Workers):
    """This process, one task after the other."""

    count = 1

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        yield from map(function, tasks)


class Threads(Workers):
    """Threads of this process. They start at once, but Python code runs in only one of them at a time."""

    def __init__(self, count: int) -> None:
        self.count = count

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        with ThreadPoolExecutor(self.count) as threads:
            yield from threads.map(function, tasks)


class Processes(Workers):
    """Processes of this machine, forked from a server that has already loaded the first function's module.

    A process that dies breaks its whole pool, so each process has its own pool, and a thread that waits for it.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: SimpleQueue[ProcessPoolExecutor | None] | None = None  # an item None: a process not started yet

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
    """Sets up a worker process: it ends when its parent ends, leaves Ctrl-C to the parent, and uses one core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Cluster(Workers):
    """A running Dask scheduler. Its workers must see the same folders and have the same version of this package."""

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
    """Workers from an option's text: `serial`, a number of processes, or the address of a Dask scheduler."""
    if text == "serial":
        return Serial()
    if text.isascii() and text.isdecimal() and int(text) > 0:
        return Processes(int(text)) if int(text) > 1 else Serial()
    if text.startswith(ADDRESSES):
        return Cluster(text)
    raise ValueError(f"{text!r} names no workers; expected serial, a number of processes, or tcp://HOST:PORT")


def threads() -> Threads:
    """A thread for each core, the default of stages."""
    return Threads(os.cpu_count() or 1)
