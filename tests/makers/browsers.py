"""A real browser for tests of pages: Playwright's library with the Chromium of the system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tichu_pipeline.tools.screenshot import browser as chromium

WIDE, NARROW = (1200, 900), (390, 844)


@contextmanager
def launched() -> Iterator[Any]:
    """A browser; the test is skipped without one."""
    library = pytest.importorskip("playwright.sync_api", reason="no Playwright; pip install -e '.[browser]'")
    program = chromium()
    if program is None:
        pytest.skip("no Chromium to look at the page; on Debian: apt install chromium")
    with library.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Look:
    """A page in a window of its own, and all that it should not have done: requests, messages, errors."""

    def __init__(self, browser: Any, file: Path, size: tuple[int, int] = WIDE, **options: Any) -> None:
        width, height = size
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.address = file.as_uri()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", self._request)
        self.page.goto(self.address)

    def _request(self, request: Any) -> None:
        if request.url.partition("#")[0] != self.address:
            self.complaints.append(f"request: {request.url}")

    def is_as_wide_as_its_window(self) -> bool:
        """Whether nothing scrolls sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))

    def close(self) -> None:
        """Closes the window; the page must have been quiet."""
        self.context.close()
        assert self.complaints == []
