"""The code location that `workspace.yaml` names.

Another installation builds its own, with what it wants otherwise: `defs = build(root="/logs", cron="0 2 * * 1")`.
"""

from tichu_pipeline.orchestration.automation import everything
from tichu_pipeline.orchestration.build import build

__all__ = ["build", "defs", "everything"]

defs = build()
