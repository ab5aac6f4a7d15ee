"""The standing of every stage, for `tichu status`: fresh, stale or missing, and why. Nothing is changed or run.

Each stage has a function `standing(survey)` in the module named here. It compares the stamp in the output with the one
that the output would get now, made with the same settings. Stages after a stale stage are stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey

# The module with `standing` for each stage, in the order in which stages run. `rounds_manifest` stores nothing.
STAGES: Mapping[str, str] = {
    "raw_logs": "brettspielwelt.archives.scan",
    "rounds": "rounds.changes",
    "analysis": "analysis.build",
    "scaling": "scaling.fit",
    "analysis_report": "analysis.notebook",
    "features": "features.shards",
    "dataset": "features.dataset",
    "training_runs": "training.runs",
    "selfplay_runs": "selfplay.runs",
    "best_response": "exploit.best_response",
    "model_comparison": "training.comparison",
    "tournament": "tournaments.running",
    "evaluation": "tournaments.page",
    "reviews": "review.stored",
    "game_rules": "games.rules",
    "game_runs": "games.runs",
    "game_matches": "games.matches",
    "game_studies": "games.studies.study",
    "games_report": "games.page",
    "overview": "status.overview",
}


def status(paths: DataPaths) -> list[Standing]:
    """All stages, in the order in which they run."""
    survey = Survey(paths)
    for stage, module in STAGES.items():
        # Imported here, so that the names of the stages can be read without loading all of them.
        survey.standings[stage] = import_module(f"tichu_pipeline.{module}").standing(survey)
    return list(survey.standings.values())
