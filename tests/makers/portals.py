"""A portal on this machine, as small as the download needs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.paths import ROOT

LOG = (ROOT / "tests" / "golden" / "sound_game.tch").read_bytes()


class Server(ThreadingHTTPServer):
    """Denies as many requests as `absent` says."""

    absent = 0


@dataclass
class Portal:
    """Its pages are files: `202403/index.html` lists the games of a month, `7.tch` is one."""

    folder: Path
    server: Server

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def add(self, month: str, *games: int) -> None:
        """Lets the portal have one month more."""
        page = self.folder / month.replace("-", "") / "index.html"
        page.parent.mkdir()
        page.write_text("".join(f'<a href="{game}.tch">x</a>\n' for game in games))
        for game in games:
            (self.folder / f"{game}.tch").write_bytes(LOG)

    def stop(self) -> None:
        """Takes it down: connections are refused."""
        self.server.shutdown()
        self.server.server_close()


class Handler(SimpleHTTPRequestHandler):
    """Without a line for each request."""

    server: Server

    def do_GET(self) -> None:
        if self.server.absent:
            self.server.absent -= 1
            self.send_error(404)
        else:
            super().do_GET()

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def portal_at(folder: Path) -> Iterator[Portal]:
    """A portal without any month, on a free port."""
    folder.mkdir()
    made = Portal(folder, Server(("127.0.0.1", 0), partial(Handler, directory=str(folder))))
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield made
    finally:
        made.stop()
        thread.join()
