"""What all methods of learning are told, and the presets of every game and method."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar

from tichu_models.options import OptionError, Options, option
from tichu_models.presets import changed

PRESETS = ("smoke", "demo", "laptop")
DEFAULT_PRESET = "demo"


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Options):
    """How long a run learns, and how it is judged. A method adds what it needs."""

    seed: int = option(1, "seed of all random numbers of the run", least=0, most=2**31)
    rules: str = option("", "options of the game as key=value,key=value; by default those of a match")
    iterations: int = option(100, "iterations: games are played, then learned from", least=1)
    minutes: float | None = option(
        None, "minutes that it learns, in the place of a number of iterations; no two such runs are equal", least=0.001
    )
    evaluations: int = option(4, "evaluations, evenly over the run; the last one at its end", least=1)
    save_every: int = option(20, "iterations between two saved states", least=1)
    opponents: tuple[str, ...] = option(
        ("random",), "agents against whom it is judged: it has one seat and each of them all others; none: it is alone"
    )
    evaluation_games: int = option(96, "games of an evaluation against each of them", least=1, most=1_000_000)


Settings = TypeVar("Settings", bound=TrainingSettings)


def presets_of(game: str, method: str) -> list[str]:
    """The names of the presets of a game and a method."""
    return list(dict.fromkeys((*PRESETS, *_presets(game, method))))


def _presets(game: str, method: str) -> dict[str, Any]:
    text = (resources.files("tichu_models.games.learning") / "presets.toml").read_text(encoding="utf-8")
    return tomllib.loads(text).get(game, {}).get(method, {})


def settings_of(settings: type[Settings], game: str, method: str, preset: str, changes: Iterable[str] = ()) -> Settings:
    """The settings of a preset of a game and a method, changed by each `key=value`."""
    if preset not in presets_of(game, method):
        raise OptionError(f"preset '{preset}': expected one of {', '.join(presets_of(game, method))}")
    table = _presets(game, method).get(preset, {})
    return changed(settings, table, changes, f"preset {preset} of {game} by {method}")
