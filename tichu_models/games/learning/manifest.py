"""The manifest of a run of a game, and its files of arrays, which name the manifest that they belong to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.game import Game
from tichu_models.games.learning.methods import NAMES, UnknownMethod, method_of
from tichu_models.games.learning.settings import TrainingSettings
from tichu_models.games.learning.trainer import Arrays, Method
from tichu_models.runs.files import MANIFEST, CheckpointError
from tichu_models.whole_files import write_whole

FORMAT = 1  # raised by hand when an older reader would misread the files
DIGEST, NOTES = "manifest", "notes"  # keys in the metadata of arrays


@dataclass(frozen=True)
class GameManifest:
    """What a run learns and how: all that a player needs besides the weights."""

    game: str
    method: str
    version: int  # of the method
    inputs: int  # what the game's networks read, and how many actions there are: another game since if they differ
    actions: int
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, game: Game, method: str, settings: TrainingSettings) -> GameManifest:
        """The manifest of a run as it would be now."""
        version = method_of(game.name, method).version
        return cls(game.name, method, version, game.inputs, game.actions, settings.plain())

    def text(self) -> str:
        """The content of its file."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps({"format": FORMAT, **plain}, indent=1, sort_keys=True) + "\n"

    @property
    def digest(self) -> str:
        """Digest of the text, which ties weights to their manifest."""
        return hashlib.sha256(self.text().encode()).hexdigest()


def read_manifest(folder: Path) -> GameManifest:
    """The manifest of a run."""
    path = folder / MANIFEST
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        if plain.pop("format") != FORMAT or plain["method"] not in NAMES:
            raise CheckpointError(f"{path}: of another version; train the run anew")
        return GameManifest(**plain)
    except FileNotFoundError:
        raise CheckpointError(f"{path} does not exist; tichu games train makes it") from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CheckpointError(f"{path}: no manifest of a run of a game ({error!r})") from None


def current_method(manifest: GameManifest, folder: Path) -> Method:
    """The method of a run. Raises CheckpointError where an older version has made it."""
    try:
        method = method_of(manifest.game, manifest.method)
    except UnknownMethod as error:
        raise CheckpointError(f"{folder}: {error}") from None
    if method.version != manifest.version:
        raise CheckpointError(f"{folder}: made by version {manifest.version}, not {method.version}: train it anew")
    return method


def write_arrays(path: Path, arrays: Arrays, manifest: GameManifest, notes: Mapping[str, Any]) -> None:
    """Writes arrays of a run with notes on them, and the digest of its manifest."""
    from safetensors.numpy import save

    whole = {name: np.array(array, order="C") for name, array in arrays.items()}
    write_whole(path, save(whole, {DIGEST: manifest.digest, NOTES: json.dumps(notes)}))


def read_arrays(path: Path, manifest: GameManifest) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a run's file and the notes on them. Raises CheckpointError."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            if about.get(DIGEST) != manifest.digest:
                raise CheckpointError(f"{path}: weights of another run than {MANIFEST} beside it speaks of")
            return {name: file.get_tensor(name) for name in list(file.keys())}, json.loads(about[NOTES])
    except CheckpointError:
        raise
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise damaged(path, error) from None


def damaged(path: Path, error: Exception) -> CheckpointError:
    """What to say of a file that cannot be read."""
    return CheckpointError(f"{path}: no whole state of a run ({error}); remove it, or train the run anew")
