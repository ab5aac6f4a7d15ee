"""Forks processes off one that has everything loaded. Only how, not what they do: that is `child`.

The one that serves knows its client by a socket. It receives the environment of a child, forks it, sends its process
id and then its exit status: one child at a time. It ends when its client is gone, or has asked for nothing for a while.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

# Threads of torch that wait for each other in a loop take the core from those that they wait for, where others work on
# the machine too: small networks then take ten times as long. Read when torch is loaded.
THRIFTY = {"OMP_WAIT_POLICY": "PASSIVE"}
IDLE_SECONDS = 15.0
SECONDS_BETWEEN_LOOKS = 1.0


def serve(descriptor: int, main: Callable[[], int]) -> None:
    """Forks a child that calls `main` for every environment that comes."""
    client = Connection(descriptor)
    while client.poll(IDLE_SECONDS):
        try:
            environment = client.recv()
        except EOFError:
            break
        child = get_context("fork").Process(target=_begin, args=(client, environment, main))
        child.start()
        try:
            client.send(child.pid)
            if client in wait([child.sentinel, client]):  # nothing is sent meanwhile: it is gone
                break
            child.join()
            client.send(child.exitcode)
        except OSError:  # it is gone
            break
    os._exit(0)  # without waiting for a child, which sees by itself that it is alone


def _begin(client: Connection, environment: dict[str, str], main: Callable[[], int]) -> None:
    client.close()
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    sys.exit(main())


class Server:
    """A process that serves this one; `arguments` are those of Python, the environment is that of its first child."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, *arguments, str(theirs.fileno())]
            self.process = subprocess.Popen(
                command, env=environment, pass_fds=[theirs.fileno()], start_new_session=True
            )
        self.connection = Connection(ours.detach())

    def fork(self, environment: dict[str, str]) -> Forked:
        """A child with this environment. OSError or EOFError: the server is gone."""
        self.connection.send(environment)
        return Forked(self.connection, self.connection.recv())


class Forked:
    """A process that a server has forked."""

    def __init__(self, connection: Connection, pid: int) -> None:
        self.connection, self.pid = connection, pid
        self.status: int | None = None

    def wait(self, seconds: float) -> int | None:
        """The exit status as soon as there is one, negative for a signal; None if it runs on after so long."""
        if self.status is None and self.connection.poll(seconds):
            try:
                self.status = self.connection.recv()
            except (EOFError, OSError):  # the server was killed, and the child ends with it
                self.status = -signal.SIGKILL
        return self.status


_servers: dict[tuple[str, ...], Server] = {}


def fork(arguments: list[str], environment: dict[str, str]) -> Forked:
    """A child of the server with these arguments, which is started if there is none, or none any more."""
    key = tuple(arguments)
    if known := _servers.pop(key, None):
        try:
            forked = known.fork(environment)
        except (EOFError, OSError):
            known.connection.close()
            known.process.wait()
        else:
            _servers[key] = known
            return forked
    _servers[key] = Server(arguments, environment)
    return _servers[key].fork(environment)
