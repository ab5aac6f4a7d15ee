"""Index pages of the portal, which list the games of a month.

A page is HTML with lines `<a href="ID.tch`. Pages of 2014-09 .. 2018-01 hold invalid UTF-8 in players' names, so pages
are read as bytes. The download reads them, and the catalogue for logs outside of any month's folder.
"""

from __future__ import annotations

import re

INDEX = "index.html"
PAGE_LIMIT = 64 << 20  # bytes; a month of 15,000 games has about 2 MB

# The length of a link is bounded: otherwise a page full of `href=` would be searched to its end from each of them.
_LINK = re.compile(rb"""href\s{0,9}=\s{0,9}["']?(?:[^"'<>\s]{0,300}/)?([1-9][0-9]{0,17})\.tch\b""", re.IGNORECASE)


def listed_games(page: bytes) -> list[int]:
    """The ids of the games that a page links to, ascending, each once."""
    return sorted({int(game) for game in _LINK.findall(page)})
