"""Shell completion: names of runs, agents, tournaments, queries, networks and presets.

The shell waits for it at each press of the tab key, so it only lists folders and imports nothing heavy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import typer

from tichu_models.agents.names import CHAMPION, FAST, WITH_RUN, WITHOUT_RUN
from tichu_models.runs.files import MANIFEST
from tichu_models.runs.folders import of_critic
from tichu_pipeline.storage.folders import DataPaths


def explained(ctx: typer.Context, incomplete: str) -> list[str]:
    """What `tichu explain` takes: runs, the networks in their subfolders, and the champion."""
    names = [CHAMPION]
    for run in _runs(ctx):
        folder = _paths(ctx).runs / run
        others = [path.parent for path in folder.glob(f"*/{MANIFEST}") if path.parent != of_critic(folder)]
        names += [run, *(f"{run}/{other.name}" for other in others)]
    return _beginning(incomplete, names)


def runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Runs of the data folder."""
    return _beginning(incomplete, _runs(ctx))


def agents(ctx: typer.Context, incomplete: str) -> list[str]:
    """Agents; those that take a run once for each suitable run. Bash splits words at a colon."""
    of_runs = [f"{name}:{run}" for run in _runs(ctx) for name in _players_of(_paths(ctx).runs / run)]
    of_runs.append(f"{CHAMPION}:{FAST}")
    if before := _before_colon():
        return _beginning(f"{before}:{incomplete}", of_runs, len(before) + 1)
    return _beginning(incomplete, [*WITHOUT_RUN, *of_runs])


def tournaments(ctx: typer.Context, incomplete: str) -> list[str]:
    """Stored tournaments."""
    return _beginning(incomplete, [path.stem for path in _paths(ctx).tournaments.glob("[!.]*.parquet")])


def queries(incomplete: str) -> list[str]:
    """Names of the questions that `tichu query` answers."""
    from tichu_pipeline.analysis.scripts import queries as known

    return _beginning(incomplete, [query.name for query in known()])


def networks(incomplete: str) -> list[str]:
    """Networks that can be trained."""
    from tichu_models.networks.architectures import ARCHITECTURES

    return _beginning(incomplete, ARCHITECTURES)


def presets(incomplete: str) -> list[str]:
    """Presets of training settings."""
    from tichu_models.learning.config_files import PRESETS

    return _beginning(incomplete, PRESETS)


def _runs(ctx: typer.Context) -> list[str]:
    folder = _paths(ctx).runs
    return [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def _players_of(folder: Path) -> list[str]:
    """The agents that can use the network of a run; none if it is not for plays, or cannot be read."""
    try:
        network = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["network"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name, networks in WITH_RUN.items() if network in networks]


def _beginning(incomplete: str, names: Iterable[str], cut: int = 0) -> list[str]:
    """The names that begin with what has been typed, without their first `cut` letters."""
    return sorted(name[cut:] for name in names if name.startswith(incomplete) and not name.startswith("."))


def _paths(ctx: typer.Context) -> DataPaths:
    """The data folder according to the line as far as it has been typed."""
    return DataPaths(Path(ctx.params.get("data") or os.environ.get("TICHU_DATA") or "data"))


def _before_colon() -> str:
    """The word before a colon at which Bash has split the word to complete; empty if there is none."""
    words, at = os.environ.get("COMP_WORDS", "").split(), os.environ.get("COMP_CWORD", "")
    known = words[: int(at)] if at.isdecimal() else []
    return known[-2] if len(known) > 2 and known[-1] == ":" else ""
