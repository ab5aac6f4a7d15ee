"""A polite connection to the portal of game logs: a limited rate, retries with pauses, answers of bounded size.

`download` decides what to fetch, and what an answer means.
"""

from __future__ import annotations

import random
import time
import zlib
from dataclasses import dataclass, field

import urllib3
from urllib3.exceptions import HTTPError, InvalidHeader, NewConnectionError, TimeoutError
from urllib3.util import Retry, Timeout

from tichu_pipeline.brettspielwelt.archives.index_pages import PAGE_LIMIT

PORTAL = "http://tichulog.brettspielwelt.de"
USER_AGENT = "tichu-download (archive of game logs)"

_TRANSIENT = {408, 425, 429}  # and all of 5xx: statuses that another attempt may mend
_LONGEST_PAUSE = 60.0  # seconds between two attempts, unless the portal asks for more
_LONGEST_WAIT = 300.0  # seconds; if the portal asks for a longer pause, this run gives up
_PART = 1 << 16  # bytes of an answer that are read at a time
_FOLLOW_ONLY = Retry(total=None, connect=0, read=0, status=0, other=0, redirect=3, respect_retry_after_header=False)


class PortalError(Exception):
    """The portal gave no usable answer. The message says why."""


@dataclass(frozen=True)
class Answer:
    """A complete answer of the portal, whatever its status."""

    status: int
    body: bytes
    headers: dict[str, str]  # names in lower case
    measured: bool  # the length was announced, so that an empty body is known to be complete


@dataclass
class Portal:
    """The portal, and when it may be asked next."""

    base_url: str
    rate: float  # requests a second, retries included
    timeout: float  # seconds to wait for the next bytes; a whole answer may take ten times as long
    attempts: int  # for each page
    backoff: float  # seconds before the second attempt, doubled for each further one
    _next: float = field(default=0.0, init=False)  # no request before this time
    _pool: urllib3.PoolManager = field(init=False)

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"portal {self.base_url!r}: expected an address that begins with http:// or https://")
        if self.rate <= 0 or self.timeout <= 0 or self.attempts < 1:
            raise ValueError("expected a rate and a timeout above 0 and at least one attempt")
        self.base_url = self.base_url.rstrip("/")
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"}
        self._pool = urllib3.PoolManager(num_pools=2, headers=headers, retries=_FOLLOW_ONLY)

    def get(self, page: str, conditions: dict[str, str] | None = None) -> Answer:
        """The answer for a page, after as many attempts as it takes. A status that no other attempt would mend counts
        as an answer. Raises PortalError if all attempts fail."""
        for attempt in range(self.attempts):
            self._take_turn()
            pause = min(self.backoff * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.5, 1.5)
            try:
                answer = self._request(f"{self.base_url}/{page}", conditions or {})
            except (HTTPError, PortalError) as error:
                reason = self._reason(error)
            else:
                if answer.status < 500 and answer.status not in _TRANSIENT:
                    return answer
                reason = f"HTTP {answer.status}"
                pause = max(pause, _asked_pause(answer))
            self._next = max(self._next, time.monotonic() + pause)
        raise PortalError(f"{reason}, after {self.attempts} attempts")

    def _take_turn(self) -> None:
        """Waits until a request may be sent."""
        wait = self._next - time.monotonic()
        if wait > _LONGEST_WAIT:
            raise PortalError(f"the portal asks to be left alone for {wait:.0f} s; run the command again then")
        if wait > 0:
            time.sleep(wait)
        self._next = time.monotonic() + 1 / self.rate

    def _request(self, url: str, conditions: dict[str, str]) -> Answer:
        """Sends one request, and reads its whole answer."""
        deadline = time.monotonic() + 10 * self.timeout
        response = self._pool.request(
            "GET",
            url,
            headers={**self._pool.headers, **conditions},
            timeout=Timeout(connect=self.timeout, read=self.timeout),
            preload_content=False,
        )
        try:
            parts: list[bytes] = []
            total = 0
            # `read1` returns what has arrived: a server that trickles must not hold the run for hours. Without a
            # number of bytes urllib3 would not notice that an answer is cut short.
            while part := response.read1(_PART, decode_content=False):
                parts.append(part)
                total += len(part)
                if total > PAGE_LIMIT:
                    raise PortalError(f"the answer has more than {PAGE_LIMIT:,} bytes")
                if time.monotonic() > deadline:
                    raise PortalError(f"the answer took longer than {10 * self.timeout:.0f} s")
        except BaseException:
            response.close()  # the rest of a broken answer must not be taken for the next one
            raise
        response.release_conn()
        headers = {name.lower(): value for name, value in response.headers.items()}
        measured = "content-length" in headers or "transfer-encoding" in headers
        return Answer(response.status, _decoded(b"".join(parts), headers), headers, measured)

    def _reason(self, error: Exception) -> str:
        """Why a request failed, in a few words."""
        cause = getattr(error, "reason", None) or error
        if isinstance(cause, PortalError):
            return str(cause)
        if isinstance(cause, NewConnectionError):
            return "no connection"
        if isinstance(cause, TimeoutError):
            return f"no answer within {self.timeout:g} s"
        return f"the answer broke off ({type(cause).__name__})"


def _decoded(body: bytes, headers: dict[str, str]) -> bytes:
    """The uncompressed body. Raises PortalError if it is incomplete, which urllib3 would accept."""
    encoding = headers.get("content-encoding", "identity").lower()
    if encoding == "identity" or not body:
        return body
    if encoding != "gzip":
        raise PortalError(f"the answer is encoded as {encoding}, which was not asked for")
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = stream.decompress(body, PAGE_LIMIT)
    except zlib.error as error:
        raise PortalError(f"the answer is broken ({error})") from error
    if not stream.eof:
        raise PortalError("the answer is incomplete or too large")
    return content


def _asked_pause(answer: Answer) -> float:
    """The seconds of a Retry-After header, which may also be a date; 0 without the header."""
    try:
        return Retry().parse_retry_after(answer.headers.get("retry-after", "0"))
    except InvalidHeader:
        return 0.0
