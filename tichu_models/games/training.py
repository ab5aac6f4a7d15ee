"""Presets of training for games, and where the weights of a run lie."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tichu_models.algorithms.td_network import TDSettings

METHODS = ("td",)


class Preset(NamedTuple):
    """How a run learns, and how long."""

    settings: TDSettings
    games: int | None
    minutes: float | None


PRESETS = {
    "smoke": Preset(TDSettings(hidden=20), 100, None),
    "demo": Preset(TDSettings(hidden=80), None, 0.25),
    "laptop": Preset(TDSettings(), None, 90.0),
}


def weights_file(runs: Path, game: str, run: str) -> Path:
    """The weights of a run of a game, below the folder of all of them."""
    return runs / game / f"{run}.safetensors"
