"""Index pages of the portal: which games a month has.

A page is an HTML listing with lines `<a href="ID.tch`; pages of 2014-09 .. 2018-01 hold invalid UTF-8 in
players' names, so pages are read as bytes. Used for logs that lie in no month's folder, and by the download.
"""

from __future__ import annotations

import re

INDEX = "index.html"
PAGE_LIMIT = 64 << 20  # bytes; a month of 15,000 games has about 2 MB

# A link's length is bounded: a page of nothing but `href=` would otherwise be searched to its end from each of them.
_LINK = re.compile(rb"""href\s{0,9}=\s{0,9}["']?(?:[^"'<>\s]{0,300}/)?([1-9][0-9]{0,17})\.tch\b""", re.IGNORECASE)


def listed_games(page: bytes) -> list[int]:
    """The ids of the games that a page links to, in rising order, each once."""
    return sorted({int(game) for game in _LINK.findall(page)})
