"""Dagster's code location, as `workspace.yaml` names it.

Another installation may build its own: `defs = build(root="/logs", cron="0 2 * * 1")`.
"""

from tichu_pipeline.orchestration.automation import everything
from tichu_pipeline.orchestration.build import build

__all__ = ["build", "defs", "everything"]

defs = build()
