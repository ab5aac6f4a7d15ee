"""Metadata of a materialised stage for the web UI: the figures that all stages have, and those that a stage adds."""

from typing import Any

import dagster as dg

from tichu_pipeline.storage.made import Made


def figures(*made: Made) -> dict[str, int | float | bool]:
    """Total rows, bytes and seconds, and whether everything was up to date (false if nothing was made or found)."""
    return {
        "rows": sum(each.rows for each in made),
        "bytes": sum(each.bytes for each in made),
        "seconds": sum(each.seconds for each in made),
        "reused": bool(made) and all(each.reused for each in made),
    }


def materialized(made: Made, **more: Any) -> dg.MaterializeResult:
    """The result of a stage, with further metadata by name."""
    return dg.MaterializeResult(data_version=dg.DataVersion(made.stamp), metadata=figures(made) | more)
