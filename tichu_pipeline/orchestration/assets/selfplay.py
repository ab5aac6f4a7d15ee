"""The stage `selfplay_runs`: players that learn from self-play. `tichu_pipeline.selfplay` trains them in a child."""

import os
import time
from dataclasses import replace
from typing import Any

import dagster as dg
from pydantic import Field, create_model

from tichu_models.networks.architectures import SELF_PLAY, SELF_TAUGHT
from tichu_models.options import OptionError
from tichu_models.rl.settings import DEFAULT_PRESET, PRESETS, SelfplaySettings
from tichu_models.runs.files import CURVES, FIGURES, METRICS
from tichu_models.runs.journal import rows_of
from tichu_pipeline.orchestration.launchpad import given, section
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.plots import sparkline
from tichu_pipeline.selfplay.child import WORKERS
from tichu_pipeline.selfplay.runs import OPPONENT, VERSION, SelfplayRequest, finished, start_of
from tichu_pipeline.training.parent import TrainingFailedError, train_in_child
from tichu_pipeline.training.runs import RunError, default_name, run_of
from tichu_pipeline.training.train import toml

PREFIX = "selfplay_runs"
CHILD = "tichu_pipeline.selfplay.child"
NETWORKS = ("CandidateRLNet", "PolicyRLNet")  # for plays
_PRESET = os.environ.get("TICHU_PRESET") or DEFAULT_PRESET
PRESET = _PRESET if _PRESET in PRESETS else DEFAULT_PRESET  # networks take the path of a file as well


def config_of(network: str) -> type[dg.Config]:
    """The settings of a run for the launchpad: a preset, and values that replace the preset's."""
    settings: Any = section(f"{network}_settings", SelfplaySettings, SELF_PLAY, without=("network",))
    fields: dict[str, Any] = {
        "preset": (str, Field(PRESET, description="Preset: smoke, demo, laptop or full.")),
        "from_run": (str, Field("", description="A run whose networks it begins with; by default they are random.")),
        "settings": (
            settings,
            Field(default_factory=dict, description="A value that is not given is the preset's."),
        ),
        "force": (bool, Field(False, description="Train the run again although nothing has changed.")),
    }
    return create_model(f"{network}Config", __base__=dg.Config, **fields)


def _request(network: str, name: str, config: Any) -> SelfplayRequest:
    """The request that a config stands for."""
    values = {"network": network, **given(config.settings)}
    settings = tuple(f"{key}={toml(value)}" for key, value in values.items())
    return SelfplayRequest(name, config.preset, settings, config.from_run)


def selfplay_run(network: str) -> dg.AssetsDefinition:
    """The asset of the players with one network for plays."""
    name = default_name(network)

    def train(
        context: dg.AssetExecutionContext, config: Any, data: DataFolder, workers: WorkersResource
    ) -> dg.MaterializeResult:
        started, request = time.perf_counter(), _request(network, name, config)
        folder = data.paths.runs / name
        try:
            with retry_transient(context):
                settings, start = request.read(), start_of(data.paths, request)
                made = None if config.force else finished(folder, settings, start)
                reused = made is not None
                if made is None:
                    if config.force:
                        (folder / FIGURES).unlink(missing_ok=True)
                    train_in_child(context, data.paths.root, request, CHILD, **{WORKERS: workers.named})
                    made = finished(folder, settings, start)
        except (OptionError, RunError, TrainingFailedError) as error:
            raise dg.Failure(str(error), allow_retries=False) from error
        if made is None:
            raise dg.Failure(f"{folder}: another run has taken its place; run the stage again", allow_retries=False)
        evaluations = [
            float(row["points_per_round"]) for row in rows_of(folder / METRICS) if row["opponent"] == OPPONENT
        ]
        return materialized(
            replace(made, seconds=time.perf_counter() - started, reused=reused),  # of the training, not of `finished`
            **{figure: float(value) for figure, value in made.figures.items()},
            points=dg.MetadataValue.md(sparkline(evaluations)),
            parameters=run_of(folder).trial.get("parameters", 0),
            curves=dg.MetadataValue.path(folder / CURVES),
            run=dg.MetadataValue.path(folder),
            **workers.metadata(),
        )

    train.__annotations__["config"] = config_of(network)
    return dg.asset(
        key=[PREFIX, name],
        group_name="selfplay",
        kinds={"torch"},
        code_version=str(VERSION),
        pool="training",
        description=f"`runs/{name}/`: a player that has learned every decision from self-play, plays by a {network}, "
        f"which reads {SELF_TAUGHT[network].spec}. It needs no logs.\n\n{SELF_TAUGHT[network].config.__doc__}",
    )(train)


selfplay_runs = [selfplay_run(network) for network in NETWORKS]
