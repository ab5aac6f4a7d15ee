"""The download, against a server on this machine that imitates the portal, its bad days included."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from filelock import FileLock
from rich.console import Console
from typer.testing import CliRunner

from tests.paths import ROOT
from tichu_pipeline.brettspielwelt.archives.index_pages import PAGE_LIMIT
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.portal.connection import Portal, PortalError
from tichu_pipeline.brettspielwelt.portal.download import DownloadSummary, download
from tichu_pipeline.brettspielwelt.portal.month_archive import MonthArchive
from tichu_pipeline.brettspielwelt.portal.progress import DownloadProgress
from tichu_pipeline.cli import app

Fetch = Callable[..., DownloadSummary]
ERROR_PAGE = b"<!DOCTYPE html><html><body>Datenbank nicht erreichbar</body></html>"


def log(game: int) -> bytes:
    """Something that passes for a game's log."""
    return b"---------------Gr.Tichukarten------------------\n(0)anna S2\n%d\n" % game * 20


@dataclass
class Reply:
    """What the portal answers to one request."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0  # seconds before the answer
    cut: int | None = None  # bytes after which the connection breaks
    length: bool = True  # whether the length is announced


@dataclass
class Site:
    """A portal: its pages by path, the troubles to come for some of them, and what it was asked."""

    url: str = ""
    games: dict[str, list[int]] = field(default_factory=dict)  # by YYYYMM
    logs: dict[int, bytes] = field(default_factory=dict)  # other than log(game)
    troubles: dict[str, list[Reply]] = field(default_factory=dict)  # by path, one for each request
    etags: bool = True
    wait: float = 0.0  # seconds for each answer
    asked: list[tuple[str, dict[str, str], float]] = field(default_factory=list)

    def index(self, month: str) -> bytes:
        """A listing as the portal has it, with a name in Latin-1."""
        lines = b"".join(b'<a href="%d.tch">H\xe4gar \xff\xfe, x</a><br>\n' % game for game in self.games[month])
        return b"<html><body>\n" + lines + b"</body></html>\n"

    def answer(self, path: str, headers: dict[str, str]) -> Reply:
        """The next trouble for this path, else the page."""
        if self.troubles.get(path):
            return self.troubles[path].pop(0)
        name = path.strip("/")
        if name in self.games:
            page = self.index(name)
            tag = f'"{hash(page)}"'
            if self.etags and headers.get("if-none-match") == tag:
                return Reply(304, wait=self.wait)
            more = {"ETag": tag, "Last-Modified": "Tue, 04 Feb 2025 10:00:00 GMT"} if self.etags else {}
            return Reply(200, page, more, self.wait)
        stem = name.removesuffix(".tch")
        if stem.isdigit() and any(int(stem) in games for games in self.games.values()):
            return Reply(200, self.logs.get(int(stem), log(int(stem))), wait=self.wait)
        return Reply(404, ERROR_PAGE, {"Content-Type": "text/html"})

    def count(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(path for path, _, _ in self.asked)


@pytest.fixture
def site() -> Iterator[Site]:
    """A portal of two months, on a free port."""
    portal = Site(games={"202501": list(range(101, 111)), "202502": [201, 202, 203]})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # it would cost 40 ms an answer

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            portal.asked.append((self.path, headers, time.monotonic()))
            reply = portal.answer(self.path, headers)
            time.sleep(reply.wait)
            body = reply.body
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.length:
                    self.send_header("Content-Length", str(len(body)))
                else:
                    self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body if reply.cut is None else body[: reply.cut])
            except (BrokenPipeError, ConnectionResetError):
                return
            if reply.cut is not None or not reply.length:
                self.close_connection = True

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    portal.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield portal
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def fetch(site: Site, tmp_path: Path) -> Fetch:
    """The download from that portal, impatient, and silent."""

    def run(first: str = "2025-01", last: str = "2025-02", **options: object) -> DownloadSummary:
        silent = DownloadProgress(Console(file=io.StringIO()))
        chosen = {"base_url": site.url, "rate": 2_000, "timeout": 1.0, "backoff": 0.01, "progress": silent}
        return download(first, last, tmp_path, **{**chosen, **options})  # type: ignore[arg-type]

    return run


def stored(out: Path, month: str) -> dict[str, bytes]:
    """Members of a month's archive, each checked."""
    with zipfile.ZipFile(out / month[:4] / f"{month}.zip") as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len(names) == len(set(names))
        return {name: archive.read(name) for name in names}


def identity(path: Path) -> tuple[int, int]:
    """Changes whenever the file is replaced or written to."""
    return path.stat().st_ino, path.stat().st_mtime_ns


def expected(site: Site, month: str, without: tuple[int, ...] = ()) -> dict[str, bytes]:
    """The members that a complete month has."""
    games = {f"{month}/{game}.tch": site.logs.get(game, log(game)) for game in site.games[month]}
    kept = {name: text for name, text in games.items() if int(name[7:-4]) not in without}
    return {**kept, f"{month}/index.html": site.index(month)}


def reasons(summary: DownloadSummary) -> dict[int | None, str]:
    """Why which game failed; None is the month."""
    return {failure.game_id: failure.reason for failure in summary.failed}


def test_two_months(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a plain download misses a game or a page, or leaves something behind."""
    site.logs[105] = b""
    summary = fetch()
    assert (summary.months, summary.listed, summary.fetched, summary.present) == (2, 13, 13, 0)
    assert summary.bytes == sum(len(log(game)) for game in (*range(101, 111), 201, 202, 203) if game != 105)
    assert summary.complete
    for month in ("202501", "202502"):
        assert stored(tmp_path, month) == expected(site, month)
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == [".download.lock", "2025/202501.zip", "2025/202502.zip"]
    catalogue = scan(tmp_path)
    assert (catalogue.months, len(catalogue), catalogue.problems) == (("2025-01", "2025-02"), 13, ())


def test_second_run_fetches_what_is_new(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a monthly update asks the portal again for all it gave before."""
    fetch()
    site.asked.clear()
    before = identity(tmp_path / "2025" / "202501.zip")
    again = fetch()
    assert (again.listed, again.fetched, again.present) == (13, 0, 13)
    assert site.count() == {"/202501": 1, "/202502": 1}
    assert all("if-none-match" in headers and "if-modified-since" in headers for _, headers, _ in site.asked)
    assert identity(tmp_path / "2025" / "202501.zip") == before
    site.games["202501"].append(111)
    site.asked.clear()
    third = fetch()
    assert (third.fetched, third.present) == (1, 13)
    assert site.count() == {"/202501": 1, "/111.tch": 1, "/202502": 1}
    assert stored(tmp_path, "202501") == expected(site, "202501")


def test_portal_without_conditional_requests(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that an archive is written anew each day where the portal does not tell its pages' age."""
    site.etags = False
    fetch()
    before = identity(tmp_path / "2025" / "202501.zip")
    fetch()
    assert identity(tmp_path / "2025" / "202501.zip") == before


def test_validators_belong_to_their_portal(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a mirror is asked with the other portal's tags, and its new page is missed."""
    fetch()
    path = tmp_path / "2025" / "202501.zip"
    with zipfile.ZipFile(path, "a") as archive:
        told = json.loads(archive.comment)
        archive.comment = json.dumps({**told, "url": "http://elsewhere"}).encode()
    site.asked.clear()
    fetch()
    asked = {name: headers for name, headers, _ in site.asked}
    assert "if-none-match" not in asked["/202501"]
    assert "if-none-match" in asked["/202502"]


def test_games_that_lie_elsewhere(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that who keeps yearly archives or loose files gets every game a second time."""
    with zipfile.ZipFile(tmp_path / "2025.zip", "w") as archive:
        archive.writestr("202501/101.tch", log(101))
    (tmp_path / "202501").mkdir()
    (tmp_path / "202501" / "102.tch").write_bytes(log(102))
    summary = fetch("2025-01", "2025-01")
    assert (summary.present, summary.fetched) == (2, 8)
    assert stored(tmp_path, "202501") == expected(site, "202501", without=(101, 102))


def test_damaged_games_are_fetched_again(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a game counts as here though nobody can read it, in the month's archive or elsewhere; or that the
    fetched one is thrown away because the damaged one has its name."""
    fetch("2025-01", "2025-01")
    path = tmp_path / "2025" / "202501.zip"
    with zipfile.ZipFile(tmp_path / "2025.zip", "w") as archive:
        archive.writestr("202501/102.tch", log(102))
    for damaged, game in ((path, 101), (tmp_path / "2025.zip", 102)):
        data = bytearray(damaged.read_bytes())
        data[data.index(b"202501/%d.tch" % game) + len("202501/101.tch") + 8] ^= 0x10
        damaged.write_bytes(data)
    os.utime(tmp_path / "2025.zip", (2_000_000_000, 2_000_000_000))  # the later one counts
    summary = fetch("2025-01", "2025-01")
    assert (summary.present, summary.fetched) == (8, 2)
    assert stored(tmp_path, "202501") == expected(site, "202501")
    os.utime(tmp_path / "2025.zip", (1, 1))
    before = identity(path)
    assert fetch("2025-01", "2025-01").fetched == 0
    assert identity(path) == before


def test_existing_archive_keeps_its_members(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a game that the portal no longer lists, or a foreign member, is lost in an update."""
    (tmp_path / "2025").mkdir()
    with zipfile.ZipFile(tmp_path / "2025" / "202501.zip", "w") as archive:
        archive.writestr("202501/55.tch", log(55))
        archive.writestr("notes.txt", b"mine")
        archive.comment = b"packed by hand"
    fetch("2025-01", "2025-01")
    assert stored(tmp_path, "202501") == {
        **expected(site, "202501"),
        "202501/55.tch": log(55),
        "notes.txt": b"mine",
    }


def test_passing_troubles_are_outwaited(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a busy portal's 500, a broken connection, a cut or a late answer costs a game."""
    site.troubles = {
        "/202501": [Reply(503), Reply(200, b"<a href=", cut=3)],
        "/101.tch": [Reply(500, ERROR_PAGE), Reply(502)],
        "/102.tch": [Reply(200, log(102), cut=30)],
        "/103.tch": [Reply(200, log(103), wait=1.5)],
        "/104.tch": [Reply(200, log(104), cut=0), Reply(429)],
        "/105.tch": [Reply(408)],
    }
    summary = fetch()
    assert summary.complete
    assert stored(tmp_path, "202501") == expected(site, "202501")
    assert {path: count for path, count in site.count().items() if count > 1} == {
        "/202501": 3,
        "/101.tch": 3,
        "/102.tch": 2,
        "/103.tch": 2,
        "/104.tch": 3,
        "/105.tch": 2,
    }


def test_retry_after_is_honoured(site: Site, fetch: Fetch) -> None:
    """Prevents that a portal that asks for a pause is pressed on."""
    site.troubles = {"/101.tch": [Reply(429, headers={"Retry-After": "1"})]}
    assert fetch("2025-01", "2025-01").complete
    first, second = (at for path, _, at in site.asked if path == "/101.tch")
    assert second - first >= 0.99


def test_long_retry_after_ends_the_run(site: Site, fetch: Fetch) -> None:
    """Prevents that a run hangs for hours, or knocks again, when the portal wants to be left alone."""
    site.troubles = {"/103.tch": [Reply(503, headers={"Retry-After": "86400"})]}
    summary = fetch()
    assert not summary.complete
    assert summary.fetched == 2
    assert "left alone" in reasons(summary)[103]
    assert {failure.month for failure in summary.failed} == {"2025-01", "2025-02"}
    assert site.count().total() == 4  # the page, two games, and the one that said so


def test_games_that_are_no_logs(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that an error page is kept as a game for ever, or that one bad game costs the month."""
    site.troubles = {
        "/101.tch": [Reply(404, ERROR_PAGE)],
        "/102.tch": [Reply(200, b"\n" + ERROR_PAGE, {"Content-Type": "text/plain"})],
        "/103.tch": [Reply(200, b"Too many connections")],
        "/104.tch": [Reply(500)] * 5,
        "/105.tch": [Reply(200, b"", length=False)],
        "/106.tch": [Reply(403)],
    }
    summary = fetch("2025-01", "2025-01")
    assert not summary.complete
    assert reasons(summary) == {
        101: "HTTP 404",
        102: "an HTML page instead of a log",
        103: "something else instead of a log",
        104: "HTTP 500, after 5 attempts",
        105: "an empty answer that may have been cut off",
        106: "HTTP 403",
    }
    bad = (101, 102, 103, 104, 105, 106)
    assert stored(tmp_path, "202501") == expected(site, "202501", without=bad)
    again = fetch("2025-01", "2025-01")
    assert (again.complete, again.fetched, again.present) == (True, 6, 4)
    assert stored(tmp_path, "202501") == expected(site, "202501")


def test_month_that_fails_does_not_stop_the_others(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that one missing month, one error page or one bad archive keeps the later months away."""
    site.games["202503"] = [301]
    site.troubles = {"/202501": [Reply(200, ERROR_PAGE)]}
    (tmp_path / "2025").mkdir()
    (tmp_path / "2025" / "202502.zip").write_bytes(b"PK\3\4 and no end")
    summary = fetch("2024-12", "2025-03")
    told = {failure.month: failure.reason for failure in summary.failed}
    assert list(told) == ["2024-12", "2025-01", "2025-02"]
    assert "HTTP 404 instead of its index page" in told["2024-12"]
    assert "lists no games" in told["2025-01"]
    assert "202502.zip: expected a zip archive" in told["2025-02"]
    assert "move it away" in told["2025-02"]
    assert (tmp_path / "2025" / "202502.zip").read_bytes() == b"PK\3\4 and no end"
    assert stored(tmp_path, "202503") == expected(site, "202503")
    assert "/202502" not in site.count()  # nothing is fetched that could not be kept


def test_dead_portal_is_given_up(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that thousands of games are each tried five times while the portal is down."""
    site.games["202501"] = list(range(101, 201))
    site.troubles = {f"/{game}.tch": [Reply(503)] * 2 for game in range(104, 201)}
    summary = fetch("2025-01", "2025-01", attempts=2)
    assert summary.fetched == 3
    assert len(summary.failed) == 11
    assert "10 games in a row" in reasons(summary)[None]
    assert stored(tmp_path, "202501") == expected(site, "202501", without=tuple(range(104, 201)))


def test_no_connection(tmp_path: Path) -> None:
    """Prevents a stack trace when the portal, or the network, is not there at all."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    silent = DownloadProgress(Console(file=io.StringIO()))
    summary = download("2025-01", "2025-01", tmp_path, url, 1_000, 0.2, 2, 0.01, silent)
    assert [str(failure) for failure in summary.failed] == ["2025-01: no connection, after 2 attempts"]
    assert not list(tmp_path.rglob("*.zip"))


def test_trickling_answer_is_cut(tmp_path: Path) -> None:
    """Prevents that a portal that sends a byte now and then holds the run for ever."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def trickle() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                try:
                    while True:
                        connection.sendall(b"x")
                        time.sleep(0.02)
                except OSError:
                    return

        thread = threading.Thread(target=trickle)
        thread.start()
        portal = Portal(f"http://127.0.0.1:{server.getsockname()[1]}", 1_000, 0.05, 1, 0.01)
        with pytest.raises(PortalError, match="took longer than"):
            portal.get("1.tch")
        thread.join(5)
        assert not thread.is_alive()


def test_compressed_and_redirected_answers(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a portal that compresses, or has moved a page, is not understood."""
    site.troubles = {
        "/101.tch": [Reply(200, gzip.compress(log(101)), {"Content-Encoding": "gzip"})],
        "/102.tch": [Reply(302, headers={"Location": "/103.tch"})],
        "/104.tch": [Reply(302, headers={"Location": "/104.tch"})] * 20,
        "/105.tch": [Reply(200, gzip.compress(log(105))[:-20], {"Content-Encoding": "gzip"})],
        "/106.tch": [Reply(200, b"x", {"Content-Encoding": "gzip"})],
        "/107.tch": [Reply(200, gzip.compress(bytes(PAGE_LIMIT + 1)), {"Content-Encoding": "gzip"})],
    }
    summary = fetch("2025-01", "2025-01", attempts=2)
    found = stored(tmp_path, "202501")
    assert found["202501/101.tch"] == log(101)
    assert found["202501/102.tch"] == log(103)
    assert all(found[f"202501/{game}.tch"] == log(game) for game in (105, 106, 107))
    assert list(reasons(summary)) == [104]


def test_rate_is_kept(site: Site, fetch: Fetch) -> None:
    """Prevents that the portal is asked faster than promised, retries included."""
    site.troubles = {"/103.tch": [Reply(500)]}
    fetch("2025-01", "2025-01", rate=20)
    times = [at for _, _, at in site.asked]
    assert len(times) == 12
    assert min(b - a for a, b in pairwise(times)) > 0.01
    assert times[-1] - times[0] >= 11 / 20 - 0.03


def test_address_from_the_environment(site: Site, fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevents that the setting of the portal's address is passed over."""
    monkeypatch.setenv("TICHU_PORTAL", site.url + "/")
    assert fetch("2025-02", "2025-02", base_url=None).fetched == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": "2025-1"}, "expected a month like 2024-03"),
        ({"first": "2025-03"}, "ends before it begins"),
        ({"base_url": "tichulog.brettspielwelt.de"}, "http://"),
        ({"rate": 0}, "rate"),
    ],
)
def test_wrong_settings(fetch: Fetch, options: dict[str, object], message: str) -> None:
    """Prevents that a slip in the settings is found out by the portal, or by a traceback."""
    with pytest.raises(ValueError, match=message):
        fetch(**options)


def test_one_download_at_a_time(fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a schedule and a person fetch the same month twice and overwrite each other's archive."""
    with FileLock(tmp_path / ".download.lock"), pytest.raises(BlockingIOError, match="another download"):
        fetch()


def test_progress_lines(site: Site, fetch: Fetch) -> None:
    """Prevents that a run in a log file is silent, or fills it with a bar's control characters."""
    written = io.StringIO()
    site.troubles = {"/202502": [Reply(404)]}
    fetch(progress=DownloadProgress(Console(file=written)))
    assert written.getvalue().splitlines() == [
        "2025-01: 10 games listed, 0 here before, 10 fetched, 0 failures",
        "2025-02: HTTP 404 instead of its index page; does the portal have the month?",
        "2025-02: 0 games listed, 0 here before, 0 fetched, 1 failures",
    ]
    fetch(progress=DownloadProgress(Console(file=written, force_terminal=True, width=80)))
    assert "10/10" in written.getvalue()


# Interruptions

CHILD = """
import os, signal, sys
from pathlib import Path
from tichu_pipeline.brettspielwelt.portal import month_archive
from tichu_pipeline.brettspielwelt.portal.download import download

step = sys.argv[3]
def dying(function, name):
    def called(*arguments, **options):
        if step == f"before {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*arguments, **options)
        if step == f"after {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return called

real = Path.replace
def replace(self, target):
    return (dying(real, "replace") if str(target).endswith(".zip") else real)(self, target)

month_archive.Path.replace = replace
month_archive.shutil.copyfile = dying(month_archive.shutil.copyfile, "copy")
month_archive.shutil.rmtree = dying(month_archive.shutil.rmtree, "tidying")
month_archive.zipfile.ZipFile.write = dying(month_archive.zipfile.ZipFile.write, "write")
print("ready", flush=True)
download("2025-01", "2025-02", Path(sys.argv[2]), sys.argv[1], rate=2000, timeout=5, backoff=0.01)
"""


def start(site: Site, out: Path, step: str = "") -> subprocess.Popen[bytes]:
    """A download in a process of its own, which dies by itself at that step."""
    command = [sys.executable, "-c", CHILD, site.url, str(out), step]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)


def wait_for(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Until the condition holds; it must before so many seconds are over."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_killed_in_the_middle_and_resumed(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that kill -9 leaves a broken archive, or costs the games fetched so far."""
    fetch("2025-02", "2025-02")
    site.games["202501"] = list(range(101, 151))
    site.asked.clear()
    site.wait = 0.01
    unfinished = tmp_path / "2025" / "202501.part"
    for already in (10, 30):
        with start(site, tmp_path) as child:
            wait_for(lambda least=already: len(list(unfinished.glob("*.tch"))) >= least)  # type: ignore[misc]
            child.kill()
        assert child.returncode == -signal.SIGKILL
        assert not (tmp_path / "2025" / "202501.zip").exists()
        assert stored(tmp_path, "202502") == expected(site, "202502")
        assert scan(tmp_path).months == ("2025-02",)
    site.wait = 0
    summary = fetch()
    assert summary.complete
    assert summary.present >= 30
    assert stored(tmp_path, "202501") == expected(site, "202501")
    assert not unfinished.exists()
    twice = {path for path, count in site.count().items() if count > 1 and path.endswith(".tch")}
    assert len(twice) <= 2  # the one in flight at each kill


@pytest.mark.parametrize(
    "step", ["after copy", "before write", "after write", "before replace", "after replace", "before tidying"]
)
def test_killed_while_folding(site: Site, fetch: Fetch, tmp_path: Path, step: str) -> None:
    """Prevents that the moment in which an archive is replaced can lose it, or double its members."""
    site.games["202501"] = [101, 102]
    fetch("2025-01", "2025-01")
    site.games["202501"] += [103, 104]
    with start(site, tmp_path, step) as child:
        child.communicate(timeout=10)
    assert child.returncode == -signal.SIGKILL
    found = stored(tmp_path, "202501")
    assert set(found) >= {"202501/101.tch", "202501/102.tch"}
    assert scan(tmp_path).problems == ()
    site.asked.clear()
    assert fetch().complete
    assert not {"/103.tch", "/104.tch"} & set(site.count())
    assert stored(tmp_path, "202501") == expected(site, "202501")
    left = {path.name for path in (tmp_path / "2025").iterdir()}
    assert left == {"202501.zip", "202502.zip"}


def test_interrupted_by_the_keyboard(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that Ctrl-C loses what was fetched, is swallowed, or goes on with the next month."""
    site.games["202501"] = list(range(101, 151))
    site.wait = 0.01
    with start(site, tmp_path) as child:
        wait_for(lambda: len(list((tmp_path / "2025").glob("202501.part/*.tch"))) >= 10)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=10)
    assert b"KeyboardInterrupt" in errors
    kept = stored(tmp_path, "202501")
    assert len(kept) >= 11
    assert "/202502" not in site.count()
    site.wait = 0
    summary = fetch()
    assert (summary.complete, summary.present) == (True, len(kept) - 1)
    assert stored(tmp_path, "202501") == expected(site, "202501")


def test_full_disk(site: Site, fetch: Fetch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevents that an archive is replaced by half of one when there is no space for the new one."""
    fetch()
    before = stored(tmp_path, "202501")
    site.games["202501"].append(111)

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", full)
        summary = fetch()
    assert [failure.reason for failure in summary.failed] == ["[Errno 28] No space left on device"]
    assert stored(tmp_path, "202501") == before
    assert MonthArchive(tmp_path, "2025-01").waiting() == {111}
    site.asked.clear()
    assert fetch().complete
    assert "/111.tch" not in site.count()
    assert stored(tmp_path, "202501") == expected(site, "202501")


def test_strange_files_beside_the_unfinished_games(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    """Prevents that a half-written file of a killed run is taken for a game."""
    unfinished = tmp_path / "2025" / "202501.part"
    unfinished.mkdir(parents=True)
    (unfinished / "102.tch.tmp").write_bytes(b"----------half")
    (unfinished / "x.tch").write_bytes(b"----------")
    (unfinished / "103.tch").write_bytes(log(103))
    os.truncate(unfinished / "x.tch", 3)
    summary = fetch("2025-01", "2025-01")
    assert (summary.fetched, summary.present) == (9, 1)
    assert stored(tmp_path, "202501") == expected(site, "202501")


# The command


def command(site: Site, out: Path, *more: str) -> list[str]:
    """`tichu download` of both months from that portal."""
    called = [sys.executable, "-m", "tichu_pipeline.cli", "download", "--from", "2025-01", "--to", "2025-02"]
    return [*called, "--out", str(out), "--base-url", site.url, "--rate", "1000", *more]


def test_the_command_prints_plain_lines_where_there_is_no_terminal(site: Site, tmp_path: Path) -> None:
    """Prevents a log file full of a bar's control characters, or JSON with lines for people in between."""
    first = subprocess.run(command(site, tmp_path), cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (first.returncode, first.stdout.split(",")[0]) == (0, "13 games fetched")
    assert first.stderr.splitlines() == [
        "2025-01: 10 games listed, 0 here before, 10 fetched, 0 failures",
        "2025-02: 3 games listed, 0 here before, 3 fetched, 0 failures",
    ]
    site.games["202501"].append(111)
    site.troubles = {"/111.tch": [Reply(404)]}
    again = command(site, tmp_path, "--json")
    second = subprocess.run(again, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    facts = json.loads(second.stdout)
    assert (second.returncode, facts["present"], facts["fetched"]) == (1, 13, 0)
    assert [(failure["game_id"], failure["reason"]) for failure in facts["failed"]] == [(111, "HTTP 404")]


def test_the_command_shows_a_bar_on_a_terminal(site: Site, tmp_path: Path) -> None:
    """Prevents that somebody waits for hours in front of a terminal that says nothing."""
    site.wait = 0.05
    reader, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        command(site, tmp_path), cwd=ROOT, stdout=terminal, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(reader, 4096)
            except OSError:  # Linux's way to say that nobody is left to write
                break
            if not part:
                break
            shown += part
    os.close(reader)
    assert process.returncode == 0
    assert b"2025-01" in shown
    assert b"10/10" in shown
    assert "━".encode() in shown
    assert any(f" {done}/10".encode() in shown for done in range(1, 10))


def test_the_command_killed_and_called_again(site: Site, tmp_path: Path) -> None:
    """Prevents that what people type after a crash asks for everything anew, or leaves a month half there."""
    site.games["202501"] = list(range(101, 151))
    site.wait = 0.02
    unfinished = tmp_path / "2025" / "202501.part"
    with subprocess.Popen(command(site, tmp_path), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        wait_for(lambda: len(list(unfinished.glob("*.tch"))) >= 10, seconds=30)
        process.kill()
    assert not (tmp_path / "2025" / "202501.zip").exists()
    had = len(list(unfinished.glob("*.tch")))
    site.wait = 0
    resumed = command(site, tmp_path, "--json")
    made = subprocess.run(resumed, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    facts = json.loads(made.stdout)
    assert (facts["present"], facts["fetched"]) == (had, 53 - had)
    for month in ("202501", "202502"):
        assert stored(tmp_path, month) == expected(site, month)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--from", "2025-1"), 2, "expected a month like 2024-03"),
        (("--from", "2025-03"), 2, "ends before it begins"),
        (("--base-url", "portal.example"), 2, "http://"),
        (("--rate", "0"), 2, "--rate"),
        (("--out", __file__), 1, "expected a folder"),
    ],
)
def test_the_command_called_wrongly(
    site: Site, tmp_path: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """Prevents a stack trace for a slip, or a status that says that the logs are at fault."""
    called = command(site, tmp_path, *arguments)[3:]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, called)
    assert (result.exit_code, message in result.stderr) == (status, True), result.stderr
