"""The stage `best_response`: how far from unbeatable a player is. `tichu_pipeline.exploit` finds it in a child."""

import os
import time
from dataclasses import replace

import dagster as dg
from pydantic import Field

from tichu_models.agents.names import CHAMPION, FAST
from tichu_models.options import OptionError
from tichu_models.rl.settings import DEFAULT_PRESET, PRESETS
from tichu_models.runs.manifest import CheckpointError
from tichu_pipeline.exploit.best_response import VERSION, found
from tichu_pipeline.exploit.request import MINUTES, SEEDS, ExploitRequest
from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.assets.selfplay import selfplay_runs
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.selfplay.child import WORKERS
from tichu_pipeline.training.parent import TrainingFailedError, train_in_child
from tichu_pipeline.training.runs import RunError

CHILD = "tichu_pipeline.exploit.child"
_PRESET = os.environ.get("TICHU_PRESET") or DEFAULT_PRESET


class BestResponseConfig(dg.Config):
    """Against whom others are trained, and for how long."""

    agent: str = Field(f"{CHAMPION}:{FAST}", description="The player, named as for `tichu exploit`.")
    from_run: str = Field("", description="A run whose networks the second start begins with; by default random ones.")
    minutes: float = Field(MINUTES, description="Minutes of each training; 0 for all iterations of the preset.", ge=0)
    seeds: int = Field(SEEDS, description="Trainings from each start.", ge=1)
    preset: str = Field(
        _PRESET if _PRESET in PRESETS else DEFAULT_PRESET, description="Preset: smoke, demo, laptop or full."
    )
    settings: list[str] = Field(default_factory=list, description="Settings of the trainings, each as key=value.")
    deals: int = Field(0, description="Deals by which the best one is judged; 0 for as many as is usual.", ge=0)


@dg.asset(
    deps=selfplay_runs,
    group_name="evaluation",
    kinds={"torch"},
    code_version=str(VERSION),
    pool="training",
)
def best_response(
    context: dg.AssetExecutionContext, config: BestResponseConfig, data: DataFolder, workers: WorkersResource
) -> dg.MaterializeResult:
    """`exploits/<agent>.json`: by how much a player loses to the best of those who were trained against it alone.

    The trainings are runs of self-play, `runs/exploit_<agent>_<n>/`. The margin is a lower bound on how exploitable the
    player is.
    """
    request = ExploitRequest(
        agent=config.agent,
        start=config.from_run,
        minutes=config.minutes or None,
        seeds=config.seeds,
        preset=config.preset,
        settings=tuple(config.settings),
        deals=config.deals or None,
    )
    started, reused = time.perf_counter(), True
    try:
        with retry_transient(context):
            made = found(data.paths, request)
            if made is None:
                reused = False
                train_in_child(context, data.paths.root, request, CHILD, **{WORKERS: workers.named})
                made = found(data.paths, request)
    except (OptionError, RunError, CheckpointError, TrainingFailedError) as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    if made is None:
        raise dg.Failure(
            f"{config.agent}: another result has taken its place; run the stage again", allow_retries=False
        )
    best = made.facts["best_response"]
    rows = [
        (f"`{each['run']}`", each["start"], str(each["seed"]), f"{each['points_per_round']:+.1f}")
        for each in made.facts["trained"]
    ]
    return materialized(
        replace(made, seconds=time.perf_counter() - started, reused=reused),
        points_per_round=best["points_per_round"],
        low=best["interval"][0],
        high=best["interval"][1],
        trained=dg.MetadataValue.md(markdown.table(("run", "began with", "seed", "points a round"), rows)),
        path=dg.MetadataValue.path(made.path),
        **workers.metadata(),
    )
