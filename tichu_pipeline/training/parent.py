"""Starts a training process for an asset, listens to it, and never leaves it behind. The other end is `child`."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
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
    """Trains a run. The child's messages go into the log of Dagster's run at once, and the figures of each epoch into
    observations of the asset."""
    with dg.open_pipes_session(
        context=context,
        extras={REQUEST: asdict(request), ROOT: str(root)},
        context_injector=dg.PipesTempFileContextInjector(),
        message_reader=dg.PipesTempFileMessageReader(),
    ) as session:
        environment = {**THRIFTY, **os.environ, **session.get_bootstrap_env_vars()}
        try:
            child = fork(["-m", "tichu_pipeline.training.child"], environment)
        except EOFError as error:
            raise TrainingFailedError(
                "the training process ended while it was loading; expected its reason on standard error"
            ) from error
        context.log.info(f"training process {child.pid}")
        observed = 0
        try:
            while (status := child.wait(SECONDS_BETWEEN_LOOKS)) is None:
                observed = _observe(context, session, observed)
        except BaseException:  # the run is terminated
            _end(child)
            raise
    _observe(context, session, observed)
    if status:
        messages = session.get_custom_messages()
        for message in messages:
            if DISTURBED in message:  # by the world, as by a full disk: it may be tried again
                raise OSError(*message[DISTURBED])
        reasons = [message[FAILED] for message in messages if FAILED in message]
        unknown = f"the training process ended with status {status}; run it again to go on"
        raise TrainingFailedError(*reasons or [unknown])


def _observe(context: dg.AssetExecutionContext, session: dg.PipesSession, observed: int) -> int:
    """Makes the figures of each epoch observations of the asset, which the web UI draws over time. The first `observed`
    messages have been dealt with. Returns the number of all messages."""
    messages = session.get_custom_messages()
    for message in messages[observed:]:
        if EPOCH in message:
            context.log_event(dg.AssetObservation(context.asset_key, metadata=message[EPOCH]))
    return len(messages)


def _end(child: Forked) -> None:
    """Ends a child: first by a signal that it can handle, then by force, with everything that it has started."""
    for end, how in ((os.kill, signal.SIGTERM), (os.killpg, signal.SIGKILL)):
        if child.wait(0) is not None:  # it has ended by itself: its number may be another process's
            return
        with suppress(ProcessLookupError):
            end(child.pid, how)
        child.wait(PATIENCE)
