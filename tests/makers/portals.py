"""A small portal on this machine, for tests of the download."""

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
    """A server that answers 404 to the next `absent` requests."""

    absent = 0


@dataclass
class Portal:
    """A portal whose pages are files: `202403/index.html` lists the games of a month, `7.tch` is a game."""

    folder: Path
    server: Server

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def add(self, month: str, *games: int) -> None:
        """Adds a month to the portal."""
        page = self.folder / month.replace("-", "") / "index.html"
        page.parent.mkdir()
        page.write_text("".join(f'<a href="{game}.tch">x</a>\n' for game in games))
        for game in games:
            (self.folder / f"{game}.tch").write_bytes(LOG)

    def stop(self) -> None:
        """Stops the server, so that connections are refused."""
        self.server.shutdown()
        self.server.server_close()


class Handler(SimpleHTTPRequestHandler):
    """Serves files, and prints no line for each request."""

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
    """A portal without months, on a free port."""
    folder.mkdir()
    made = Portal(folder, Server(("127.0.0.1", 0), partial(Handler, directory=str(folder))))
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield made
    finally:
        made.stop()
        thread.join()
