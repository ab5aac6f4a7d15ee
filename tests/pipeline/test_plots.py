"""Pictures in the metadata of assets."""

from __future__ import annotations

import re

from tichu_pipeline.plots import sparkline


def test_a_sparkline_is_a_link_that_markdown_takes():
    """The page of an asset shows the source of the picture: Markdown takes no link with white space or brackets, and
    Dagster shows nothing inline that has more than a thousand characters."""
    for values in ([5], [3, 1, 2], list(range(400))):
        assert re.fullmatch(r"!\[[^]]*\]\(data:image/svg\+xml,[^\s()<>]+\)", sparkline(values))
        assert len(sparkline(values)) < 1_000
