"""Starts a training process for an asset, listens to it, and never leaves it behind. The other end is `child`."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dagster as dg

from tichu_pipeline.storage.os_errors import TransientError
from tichu_pipeline.training.child import DISTURBED, FAILED, OBSERVED, REQUEST, ROOT, TRANSIENT
from tichu_pipeline.training.forking import SECONDS_BETWEEN_LOOKS, THRIFTY, Forked, fork

PATIENCE = 20.0  # seconds that a child has to end by itself


class TrainingFailedError(Exception):
    """Why the child gave up."""


def train_in_child(
    context: dg.AssetExecutionContext,
    root: Path,
    request: Any,
    child_module: str = "tichu_pipeline.training.child",
    **extras: Any,
) -> None:
    """Trains a run as the dataclass `request` says, in a process that runs the module `child_module`. The child's
    messages go into the log of Dagster's run at once, and figures that it reports into observations of the asset."""
    with dg.open_pipes_session(
        context=context,
        extras={REQUEST: asdict(request), ROOT: str(root), **extras},
        context_injector=dg.PipesTempFileContextInjector(),
        message_reader=dg.PipesTempFileMessageReader(),
    ) as session:
        environment = {**THRIFTY, **os.environ, **session.get_bootstrap_env_vars()}
        try:
            child = fork(["-m", child_module], environment)
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
            if TRANSIENT in message:
                raise TransientError(message[TRANSIENT])
        reasons = [message[FAILED] for message in messages if FAILED in message]
        unknown = f"the training process ended with status {status}; run it again to go on"
        raise TrainingFailedError(*reasons or [unknown])


def _observe(context: dg.AssetExecutionContext, session: dg.PipesSession, observed: int) -> int:
    """Makes figures that the child reports observations of the asset, which the web UI draws over time. The first
    `observed` messages have been dealt with. Returns the number of all messages."""
    messages = session.get_custom_messages()
    for message in messages[observed:]:
        if OBSERVED in message:
            context.log_event(dg.AssetObservation(context.asset_key, metadata=message[OBSERVED]))
    return len(messages)


def _end(child: Forked) -> None:
    """Ends a child: first by a signal that it can handle, then by force, with everything that it has started."""
    for end, how in ((os.kill, signal.SIGTERM), (os.killpg, signal.SIGKILL)):
        if child.wait(0) is not None:  # it has ended by itself: its number may be another process's
            return
        with suppress(ProcessLookupError):
            end(child.pid, how)
        child.wait(PATIENCE)
