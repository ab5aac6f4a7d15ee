"""What is there of each stage, and what is stale and why: what `tichu status` answers. Nothing is changed, nothing run.

Each stage judges itself, by a function `standing(survey)` in the module named here: the stamp in its output is held
against the one that it would get now, with the settings that it was made with. What lies below a stale stage is stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey

# In the order in which they run, by the module that has their `standing`. `rounds_manifest` keeps nothing on disk.
STAGES: Mapping[str, str] = {
    "raw_logs": "brettspielwelt.archives.scan",
    "rounds": "rounds.changes",
    "analysis": "analysis.build",
    "scaling": "scaling.fit",
    "analysis_report": "analysis.notebook",
    "features": "features.shards",
    "dataset": "features.dataset",
    "training_runs": "training.runs",
    "model_comparison": "training.comparison",
    "tournament": "tournaments.running",
    "evaluation": "tournaments.page",
    "overview": "status.overview",
}


def status(paths: DataPaths) -> list[Standing]:
    """All stages, in the order in which they run."""
    survey = Survey(paths)
    for stage, module in STAGES.items():
        # Imported one by one: whoever asks what stages there are need not load them all.
        survey.standings[stage] = import_module(f"tichu_pipeline.{module}").standing(survey)
    return list(survey.standings.values())
