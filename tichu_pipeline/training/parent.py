"""Starts a training process for an asset, listens to it, and never leaves it behind. The other end is `child`."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict
from pathlib import Path

import dagster as dg

from tichu_pipeline.training.child import DISTURBED, EPOCH, FAILED, REQUEST, ROOT
from tichu_pipeline.training.forking import SECONDS_BETWEEN_LOOKS, Forked, fork
from tichu_pipeline.training.train import TrainingRequest

PATIENCE = 20.0  # seconds that a child has to end by itself
# Threads of torch that wait for each other in a loop take the core from those that they wait for, where others work on
# the machine too: small networks then take ten times as long. Read when torch is loaded.
THRIFTY = {"OMP_WAIT_POLICY": "PASSIVE"}


class TrainingFailedError(Exception):
    """Why the child gave up."""


def train_in_child(context: dg.AssetExecutionContext, root: Path, request: TrainingRequest) -> None:
    """Trains a run; what the child tells stands in the run's log as it comes, every epoch's figures by the asset."""
    with dg.open_pipes_session(
        context=context,
        extras={REQUEST: asdict(request), ROOT: str(root)},
        context_injector=dg.PipesTempFileContextInjector(),
        message_reader=dg.PipesTempFileMessageReader(),
    ) as session:
        environment = {**THRIFTY, **os.environ, **session.get_bootstrap_env_vars()}
        child = fork(["-m", "tichu_pipeline.training.child"], environment)
        context.log.info(f"training process {child.pid}")
        heard = 0
        try:
            while (status := child.wait(SECONDS_BETWEEN_LOOKS)) is None:
                heard = _observe(context, session, heard)
        except BaseException:  # the run is terminated
            _end(child)
            raise
    _observe(context, session, heard)
    if status:
        messages = session.get_custom_messages()
        for message in messages:
            if DISTURBED in message:  # by the world, as by a full disk: it may be tried again
                raise OSError(*message[DISTURBED])
        told = [message[FAILED] for message in messages if FAILED in message]
        raise TrainingFailedError(*told or [f"the training process ended with status {status}; run it again to go on"])


def _observe(context: dg.AssetExecutionContext, session: dg.PipesSession, heard: int) -> int:
    """What came behind the messages that were heard: an epoch's figures, which the UI draws over time; all of them."""
    messages = session.get_custom_messages()
    for message in messages[heard:]:
        if EPOCH in message:
            context.log_event(dg.AssetObservation(context.asset_key, metadata=message[EPOCH]))
    return len(messages)


def _end(child: Forked) -> None:
    """First in a way that it can hear, then with everything that it has started."""
    os.kill(child.pid, signal.SIGTERM)
    if child.wait(PATIENCE) is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait(PATIENCE)
