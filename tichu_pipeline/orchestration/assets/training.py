"""The stage `training_runs`: an asset for each network. `tichu_pipeline.training` trains it in a child process."""

import os
import time
from dataclasses import replace
from typing import Any

import dagster as dg
from pydantic import Field, create_model

from tichu_models.learning.config_files import DEFAULT_PRESET, SECTIONS, ConfigError
from tichu_models.learning.settings import DataConfig, TrainingConfig
from tichu_models.networks.architectures import ARCHITECTURES, Architecture
from tichu_models.observation.scaling import ScalingError
from tichu_models.options import Options
from tichu_models.runs.files import CURVES, FIGURES
from tichu_models.samples.sources import SourceError
from tichu_pipeline.orchestration.assets.features import features
from tichu_pipeline.orchestration.assets.rounds import rounds_manifest
from tichu_pipeline.orchestration.assets.scaling import scaling
from tichu_pipeline.orchestration.launchpad import given, section
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.plots import sparkline
from tichu_pipeline.training.inputs import VERSION, InputError, ensure_scaling, inputs_of
from tichu_pipeline.training.parent import TrainingFailedError, train_in_child
from tichu_pipeline.training.pictures import curves_of
from tichu_pipeline.training.runs import RunError, default_name, main_figure, run_of
from tichu_pipeline.training.train import TrainingRequest, finished, read_request, toml

PREFIX = "training_runs"
PRESET = os.environ.get("TICHU_PRESET") or DEFAULT_PRESET
ABOUT_SECTIONS = (
    "Layers of the network. A value that is not given is the preset's.",
    "How the network is trained. A value that is not given is the preset's.",
    "Decisions that the network learns from. A value that is not given is the preset's.",
)


def config_of(architecture: Architecture) -> type[dg.Config]:
    """The settings of a network for the launchpad: a preset, and values that replace the preset's."""
    options_of_section: tuple[type[Options], ...] = (architecture.config, TrainingConfig, DataConfig)
    sections: dict[str, Any] = {
        name: (
            section(f"{architecture.name}_{name}", options, architecture.objective),
            Field(default_factory=dict, description=about),
        )
        for name, options, about in zip(SECTIONS, options_of_section, ABOUT_SECTIONS, strict=True)
    }
    about_preset = "Preset: smoke, demo, laptop or full; or the path of a config file."
    preset = (str, Field(PRESET, description=about_preset))
    force = (bool, Field(False, description="Train the network again although nothing has changed."))
    return create_model(f"{architecture.name}Config", __base__=dg.Config, preset=preset, force=force, **sections)


def _request(architecture: Architecture, config: Any) -> TrainingRequest:
    """The training request that a config stands for."""
    settings = [
        f"{name}.{key}={toml(value)}" for name in SECTIONS for key, value in given(getattr(config, name)).items()
    ]
    return TrainingRequest(architecture.name, config.preset, settings)


def training_run(architecture: Architecture) -> dg.AssetsDefinition:
    """The asset of one network."""
    config_class = config_of(architecture)
    name = default_name(architecture.name)

    def train(context: dg.AssetExecutionContext, config: Any, data: DataFolder) -> dg.MaterializeResult:
        started, request = time.perf_counter(), _request(architecture, config)
        try:
            with retry_transient(context):
                ensure_scaling(data.paths)
                inputs = inputs_of(read_request(request), data.paths)
                folder = data.paths.runs / request.run
                made = None if config.force else finished(folder, inputs.manifest)
                reused = made is not None
                if made is None:
                    if config.force:
                        (folder / FIGURES).unlink(missing_ok=True)
                    train_in_child(context, data.paths.root, request)
                    made = finished(folder, inputs.manifest)
        except (ConfigError, InputError, RunError, ScalingError, SourceError, TrainingFailedError) as error:
            raise dg.Failure(str(error), allow_retries=False) from error
        if made is None:
            raise dg.Failure(
                f"{folder}: the rounds changed while the network was trained; run the stage again", allow_retries=False
            )
        figures = {figure: made.figures[figure] for figure in main_figure(architecture.name) if figure in made.figures}
        losses = [loss for _, loss in curves_of(folder)["val_loss"]]
        return materialized(
            replace(made, seconds=time.perf_counter() - started, reused=reused),  # of the training, not of `finished`
            **{figure: float(value) for figure, value in figures.items()},
            validation_loss=dg.MetadataValue.md(sparkline(losses)),
            epoch=int(made.figures["epoch"]),
            parameters=run_of(folder).trial.get("parameters", 0),
            curves=dg.MetadataValue.path(folder / CURVES),
            run=dg.MetadataValue.path(folder),
        )

    train.__annotations__["config"] = config_class
    return dg.asset(
        key=[PREFIX, name],
        deps=[rounds_manifest, features, scaling],
        group_name="models",
        kinds={"torch"},
        code_version=str(VERSION),
        pool="training",
        description=f"`runs/{name}/`: a trained {architecture.name}, which reads {architecture.spec}.\n\n"
        f"{architecture.config.__doc__}",
    )(train)


training_runs = [training_run(architecture) for architecture in ARCHITECTURES.values()]
