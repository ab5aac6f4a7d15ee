"""Starts a training process for an asset, listens to it, and never leaves it behind. The other end is `child`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import dagster as dg

from tichu_pipeline.training.child import DISTURBED, FAILED, ORDER, ROOT
from tichu_pipeline.training.runs import Order

PATIENCE = 20.0  # seconds that a child has to end by itself


class TrainingFailedError(Exception):
    """Why the child gave up."""


def train_in_child(context: dg.AssetExecutionContext, root: Path, order: Order) -> None:
    """Trains a run; what the child tells stands in the run's log as it comes."""
    with dg.open_pipes_session(
        context=context,
        extras={ORDER: asdict(order), ROOT: str(root)},
        context_injector=dg.PipesTempFileContextInjector(),
        message_reader=dg.PipesTempFileMessageReader(),
    ) as session:
        child = subprocess.Popen(
            [sys.executable, "-m", "tichu_pipeline.training.child"],
            env={**os.environ, **session.get_bootstrap_env_vars()},
            start_new_session=True,
        )
        context.log.info(f"training process {child.pid}")
        try:
            status = child.wait()
        except BaseException:  # the run is terminated
            _end(child)
            raise
    if status:
        messages = session.get_custom_messages()
        for message in messages:
            if DISTURBED in message:  # by the world, as by a full disk: it may be tried again
                raise OSError(*message[DISTURBED])
        told = [message[FAILED] for message in messages if FAILED in message]
        raise TrainingFailedError(*told or [f"the training process ended with status {status}; run it again to go on"])


def _end(child: subprocess.Popen) -> None:
    """First in a way that it can hear, then with everything that it has started."""
    child.terminate()
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
