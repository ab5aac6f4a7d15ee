"""Judges a run's network on a split: the figures of validation in training, and more of them.

All runs that read the same spec are judged on the same decisions of the data folder as it is now, including forced
ones. On a generated corpus, which records blunders, there is also the top-1 on decisions that were neither forced nor
blunders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from tichu_models.learning.metrics.yes_no import Reliability, YesNoMetric
from tichu_models.learning.objectives import objective
from tichu_models.observation.samples import as_records, width_of
from tichu_models.observation.specs import spec
from tichu_models.options import OptionError
from tichu_models.records.split import SPLITS
from tichu_models.runs import checkpoint
from tichu_models.runs.manifest import CheckpointError, RunManifest, SpecStamp
from tichu_models.samples.arrays import SampleUnpacker
from tichu_models.samples.batches import BatchSource
from tichu_models.samples.feed import Tensors
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.training.baselines import Blunders
from tichu_pipeline.training.inputs import Inputs, rounds_source
from tichu_pipeline.training.runs import Run, config_of

ROWS_AT_ONCE = 4096
JUDGED_BY_BLUNDERS = ("cards", "move", "goal")


def judge(run: Run, paths: DataPaths, split: str, most: int) -> dict[str, float]:
    """The figures of a run's best weights on about `most` decisions of a split."""
    assert run.manifest is not None
    try:
        loaded = checkpoint.load(run.folder, spec=SpecStamp.of(spec(run.manifest.spec.name)))
        inputs = inputs_of_run(loaded.manifest, paths)
    except OptionError as error:
        raise CheckpointError(f"{run.folder}: made by another version ({error}): train the run again") from error
    learned = objective(inputs.config.architecture.objective, inputs.config.training)
    metrics = learned.metrics()
    total = weight = 0.0
    with torch.inference_mode():
        for batch in inputs.decisions(split, most, ROWS_AT_ONCE if inputs.steps == 1 else ROWS_AT_ONCE // 16):
            answer = learned.answer(loaded.network, batch)
            losses = learned.losses(answer, batch).double()
            total, weight = total + float((losses * batch.weight).sum()), weight + float(batch.weight.sum())
            learned.measure(loaded.network, answer, batch, metrics)
    figures = {"loss": total / weight} if weight else {}
    figures |= {f"{prefix}{name}": x for prefix, metric in metrics.items() for name, x in metric.figures().items()}
    blunders = Blunders.of(paths)
    if blunders and inputs.config.architecture.objective in JUDGED_BY_BLUNDERS:
        figures |= _without_blunders(inputs, loaded.network, blunders, split, most)
    return figures


def reliability(folder: Path, inputs: Inputs, decisions: BatchSource) -> dict[str, Reliability]:
    """The reliability of the best weights' probabilities, by question; empty for networks without yes-or-no outputs."""
    learned = objective(inputs.config.architecture.objective, inputs.config.training)
    metrics = learned.metrics()
    if not any(isinstance(metric, YesNoMetric) for metric in metrics.values()):
        return {}
    network = checkpoint.load(folder).network
    with torch.inference_mode():
        for batch in decisions:
            batch = batch._replace(state=batch.state.float(), target=batch.target.float())
            learned.measure(network, learned.answer(network, batch), batch, metrics)
    sure = {name.rstrip("_") or "yes": metric for name, metric in metrics.items() if isinstance(metric, YesNoMetric)}
    return {name: metric.reliability() for name, metric in sure.items() if "bins" in metric.tally}


def inputs_of_run(manifest: RunManifest, paths: DataPaths) -> Inputs:
    """All rounds of the data folder as inputs of a run: in float32, scaled as in its training."""
    config = config_of(manifest)
    training = replace(config.training, precision="float32", devices=1)
    config = replace(config, training=training, data=replace(config.data, source="rounds"))
    everything = replace(config.data, first_month=None, last_month=None)
    return Inputs(config, rounds_source(replace(config, data=everything), paths), manifest)


def _without_blunders(
    inputs: Inputs, network: torch.nn.Module, blunders: Blunders, split: str, most: int
) -> dict[str, float]:
    """Top-1 on decisions that were neither forced nor blunders."""
    learned = objective(inputs.config.architecture.objective, inputs.config.training)
    metrics = learned.metrics()
    unpacker = SampleUnpacker(inputs.spec, ROWS_AT_ONCE, inputs.manifest.constants, moves=True)
    tensors = Tensors(inputs.spec.names)
    seen = 0
    for rows in _free_rows(inputs, blunders, split):
        batch = tensors(unpacker.batch(rows, np.ones((len(rows), 1), dtype=bool)))
        with torch.inference_mode():
            learned.measure(network, learned.answer(network, batch), batch, metrics)
        seen += len(rows)
        if seen >= most:
            break
    figures = metrics[""].figures()
    return {"top1_no_blunder": figures["top1_not_forced"], "decisions_no_blunder": figures["decisions_not_forced"]}


def _free_rows(inputs: Inputs, blunders: Blunders, split: str) -> Iterator[np.ndarray]:
    """Samples of decisions that were neither forced nor blunders, in order of time."""
    source = inputs.source
    for block in source.blocks:
        samples = np.empty((source.room(block), width_of(source.spec)), dtype=np.int64)
        samples = samples[: source.fill(block, samples, SPLITS.index(split))]
        facts = as_records(samples, source.spec)
        played = source.month(block.path)[0].rows  # type: ignore[union-attr]
        free = (facts["split"] == SPLITS.index(split)) & (facts["forced"] == 0)  # shards may hold others too
        games, indices = played["game_id"][facts["round"]], played["round_index"][facts["round"]]
        free &= ~blunders.among(games, indices, facts["turn"])
        chosen = np.ascontiguousarray(samples[free])
        for begin in range(0, len(chosen), ROWS_AT_ONCE):
            yield chosen[begin : begin + ROWS_AT_ONCE]
