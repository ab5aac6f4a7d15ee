"""`python -m tichu_pipeline.tools.screenshot`: makes the README's picture of the asset graph from the real web UI.

It starts the web UI over an empty data folder, takes a screenshot with headless Chromium, and stops the web UI.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.error import URLError
from urllib.request import urlopen

import typer

CHECKOUT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
SECONDS_TO_START = 180  # a crowded machine needs a minute
SECONDS_TO_STOP = 20
SECONDS_TO_DRAW = 20  # by the browser's virtual clock, which runs ahead while the page is idle
# The groups of the twelve networks and of the other games stay collapsed: each of them would fill the picture.
SHOWN = ("archive", "rounds", "analysis", "statistics", "features", "selfplay", "evaluation")
COLLAPSED = ("models", "games")
GRAPH = "/asset-groups?expanded=" + ",".join(f"global@global:{group}" for group in SHOWN)

# In pixels: the window, its parts beside the graph, and the margin that is kept; then the darkness of a drawn pixel.
WIDTH, HEIGHT = 2400, 2100
PANELS, HEADER, CONTROLS = 545, 112, 45
MARGIN, FAINT = 20, 30


class WebUIError(Exception):
    """The web UI did not start, or there is no browser."""


@contextmanager
def web_ui(home: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Starts a web UI with its daemon on a free port, and yields its address. All processes end with the block.

    The folder `home` becomes a Dagster home with the project's settings. The output goes to `web_ui.log` in it.
    """
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(CHECKOUT / "dagster_home" / "dagster.yaml", home)
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    log = home / "web_ui.log"
    dagster = [sys.executable, "-m", "dagster", "dev", "-w", "workspace.yaml", "-h", HOST, "-p", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["env", "--default-signal=INT,QUIT,TERM", *dagster],
            cwd=CHECKOUT,
            env={**os.environ, **environment, "DAGSTER_HOME": str(home)},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = f"http://{HOST}:{port}"
        _wait(process, address, log)
        yield address
    finally:
        _stop(process)


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < until:
        try:
            with urlopen(f"{address}/server_info"):
                return
        except (URLError, ConnectionError):
            time.sleep(0.2)
    raise WebUIError(f"the web UI did not start: {log.read_text(errors='replace')[-2000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Interrupts the whole process group as Ctrl-C does, and kills what does not end."""
    for how in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(SECONDS_TO_STOP)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def browser() -> str | None:
    """The path of a Chromium, if one is installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def look(address: str, *options: str, width: int = 1600, height: int = 1000) -> str:
    """Opens a page in the browser and returns its output. `options` are `--dump-dom` or `--screenshot=FILE`."""
    program = browser()
    if program is None:
        raise WebUIError("no Chromium; on Debian: apt install chromium")
    with TemporaryDirectory() as profile:
        command = [
            *(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
            *(f"--user-data-dir={profile}", f"--window-size={width},{height}"),
            *(f"--virtual-time-budget={SECONDS_TO_DRAW * 1000}", *options, address),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_TO_START, check=True)
    return done.stdout


def crop(picture: Path) -> None:
    """Crops a picture to the graph: without panels, header and empty margins."""
    from PIL import Image, ImageChops

    with Image.open(picture) as opened:
        image = opened.convert("RGB").crop((PANELS, HEADER, opened.width - CONTROLS, opened.height))
    # The dots of the background are fainter than all parts of the graph.
    drawn = ImageChops.difference(image, Image.new("RGB", image.size, "white")).convert("L").point(_is_drawn)
    left, top, right, bottom = drawn.getbbox() or (0, 0, *image.size)
    right, bottom = min(right + MARGIN, image.width), min(bottom + MARGIN, image.height)
    image.crop((max(left - MARGIN, 0), max(top - MARGIN, 0), right, bottom)).quantize(128).save(picture, optimize=True)


def _is_drawn(darkness: int) -> int:
    return 255 if darkness > FAINT else 0


def main(out: Annotated[Path, typer.Option(help="The picture.")] = CHECKOUT / "docs" / "asset_graph.png") -> None:
    """Takes the picture."""
    with (
        TemporaryDirectory() as scratch,
        web_ui(Path(scratch, "home"), {"TICHU_DATA": str(Path(scratch, "data"))}) as address,
    ):
        look(address + GRAPH, f"--screenshot={out}", width=WIDTH, height=HEIGHT)
    crop(out)


if __name__ == "__main__":
    typer.run(main)
