"""The folders of a self-play run's networks, below that of the run."""

from __future__ import annotations

from pathlib import Path

from tichu_models.runs.files import CRITIC


def of_kind(run: Path, kind: int) -> Path:
    """The folder of the network for this kind of decision."""
    from tichu_models.rules.asking import KINDS, PLAY

    return run if kind == PLAY else run / KINDS[kind]


def of_critic(run: Path) -> Path:
    """The folder of the critic."""
    return run / CRITIC
