"""Processes forked off one that has everything loaded: they do what they are asked, and are never left behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.paths import ROOT
from tichu_pipeline.training.forking import Server, fork

# What a child does stands in its environment; what it says, in a file.
CHILD = """
import os, sys, time
from pathlib import Path
from tichu_pipeline.training.forking import serve

def main():
    Path(os.environ["OUT"]).write_text(f"{os.getpid()} {os.getppid()} {os.getpgid(0)} {os.environ.get('MORE')}")
    time.sleep(float(os.environ["SLEEP"]))
    return int(os.environ["STATUS"])

serve(int(sys.argv[1]), main)
"""


@pytest.fixture
def arguments(tmp_path) -> list[str]:
    """Those of Python for a server of children as above."""
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    return [str(script)]


def environment(out: Path, sleep: float = 0.0, status: int = 0, **more: str) -> dict[str, str]:
    """What a child is to do."""
    given = {"OUT": str(out), "SLEEP": str(sleep), "STATUS": str(status), "PYTHONPATH": str(ROOT)}
    return os.environ | given | more


def heard(out: Path) -> tuple[int, int, int, str]:
    """Process, parent, group and setting of a child, as soon as it is there."""
    until = time.monotonic() + 60
    while time.monotonic() < until and (not out.exists() or not out.read_text()):
        time.sleep(0.01)
    child, parent, group, more = out.read_text().split()
    return int(child), int(parent), int(group), more


def is_there(pid: int) -> bool:
    """Whether a process of this number lives, and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    """Waits for its end."""
    until = time.monotonic() + 30
    while is_there(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_there(pid)


def test_children_of_one_server_differ_by_their_environment(arguments, tmp_path):
    """Every training would load torch anew; or one would train what the one before was asked for."""
    first = fork(arguments, environment(tmp_path / "1", status=3))
    assert first.wait(60) == 3
    second = fork(arguments, environment(tmp_path / "2", MORE="yes"))
    assert second.wait(60) == 0
    (one, server, group, more), (two, again, *_, other) = heard(tmp_path / "1"), heard(tmp_path / "2")
    assert (one, two, again) == (first.pid, second.pid, server)
    assert (more, other) == ("None", "yes")
    assert group == one  # of its own: what it starts can be ended with it


def test_a_child_that_is_killed_is_told_of(arguments, tmp_path):
    """A run would wait for ever for a training that is gone."""
    child = fork(arguments, environment(tmp_path / "out", sleep=600))
    assert child.wait(0.1) is None
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait(60) == -signal.SIGKILL


def test_a_server_that_is_gone_is_replaced(arguments, tmp_path):
    """All trainings after a server's death would fail."""
    child = fork(arguments, environment(tmp_path / "1"))
    assert child.wait(60) == 0
    server = heard(tmp_path / "1")[1]
    os.kill(server, signal.SIGKILL)
    assert gone(server)
    assert fork(arguments, environment(tmp_path / "2", status=4)).wait(60) == 4


def test_a_server_ends_with_its_client(arguments, tmp_path):
    """Half a gigabyte of loaded libraries that nobody ever ends."""
    client = Server(arguments, environment(tmp_path / "1"))
    assert client.fork(environment(tmp_path / "1", sleep=600)).wait(0.1) is None
    child, server, *_ = heard(tmp_path / "1")
    assert server == client.process.pid
    client.connection.close()
    client.process.wait(30)  # though its child sleeps on: one of `training.child` sees by itself that it is alone
    os.kill(child, signal.SIGKILL)


def test_a_client_that_is_gone_before_its_child_begins(arguments, tmp_path):
    """A demo that is stopped while its first training loads: the training would go on for hours without it."""
    wanted = environment(tmp_path / "1", sleep=600)
    client = Server(arguments, wanted)
    client.connection.send(wanted)
    client.connection.close()
    assert client.process.wait(60) == 0
    os.kill(heard(tmp_path / "1")[0], signal.SIGKILL)
