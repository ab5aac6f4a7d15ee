"""The manifest of a run: its network, what this reads, how that was scaled, what it was trained on.

It holds all that a player needs besides the weights, and is written before them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tichu_models.networks.architectures import architecture
from tichu_models.observation.scaling import Constants, Scaling
from tichu_models.observation.specs import Spec
from tichu_models.options import OptionError, Options
from tichu_models.runs.files import CheckpointError

FORMAT = 1  # raised by hand when an older reader would misread the file
BYTES_MOST = 1 << 24
TYPES = {"network": str, "config": dict, "spec": dict, "inputs": int, "scaling": dict, "data": dict, "seed": int}
NAMES = {str: "a text", dict: "an object", int: "a whole number"}
INPUTS_MOST = 1 << 16
CONSTANTS = ("offset", "scale", "clip")


@dataclass(frozen=True, kw_only=True)
class SpecStamp:
    """The spec that a network reads. Version and digest tell whether two specs of one name are the same."""

    name: str
    version: int
    digest: str

    @classmethod
    def of(cls, spec: Spec) -> SpecStamp:
        """The stamp of a spec as it is now."""
        return cls(name=spec.name, version=spec.version, digest=spec.digest)


@dataclass(frozen=True, kw_only=True)
class RunManifest:
    """All about a run but its weights."""

    network: str  # a name in networks.architectures
    config: Options  # its size
    spec: SpecStamp
    inputs: int  # features of a state, without the return to go
    scaling: Mapping[str, Mapping[str, Any]]  # {variable: {offset, scale, clip [low, high]}}
    data: Mapping[str, str]  # stamps of the training data, by name
    seed: int
    training: Mapping[str, Any] = field(default_factory=dict)  # all settings of the run, for people

    def text(self) -> str:
        """The manifest as JSON, the content of its file."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        plain |= {"config": self.config.plain(), "spec": asdict(self.spec)}
        return json.dumps({"format": FORMAT, **plain}, indent=1, sort_keys=True) + "\n"

    @property
    def constants(self) -> Scaling:
        """The scaling for loaders and agents. Its stamp is a digest of the constants."""
        constants = {
            name: Constants(*map(float, (*facts["clip"], facts["offset"], facts["scale"])))
            for name, facts in self.scaling.items()
        }
        stamp = hashlib.sha256(json.dumps(self.scaling, sort_keys=True).encode()).hexdigest()
        return Scaling(stamp, constants)

    @property
    def digest(self) -> str:
        """Digest of the text, which ties weights to their manifest."""
        return hashlib.sha256(self.text().encode()).hexdigest()


def read(path: Path) -> RunManifest:
    """Reads a manifest, and checks everything in it."""
    try:
        with path.open("rb") as file:
            plain = json.loads(file.read(BYTES_MOST))
    except FileNotFoundError:
        raise CheckpointError(f"{path}: not there; expected the folder of a run (tichu runs lists them)") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: cannot be read as JSON ({error}); expected a run's manifest") from None
    if not isinstance(plain, dict) or "format" not in plain:
        raise CheckpointError(f"{path}: no manifest of a run; expected an object with the key 'format'")
    if plain["format"] != FORMAT:
        raise CheckpointError(f"{path}: format {plain['format']!r}; expected {FORMAT}: train the run anew")
    for name, kind in TYPES.items():
        if not isinstance(plain.get(name), kind) or isinstance(plain[name], bool):
            raise CheckpointError(f"{path}: '{name}' is {plain.get(name)!r:.80}; expected {NAMES[kind]}")
    if not 0 < plain["inputs"] <= INPUTS_MOST:
        raise CheckpointError(f"{path}: 'inputs' is {plain['inputs']}; expected a number from 1 to {INPUTS_MOST}")
    try:
        return RunManifest(
            network=plain["network"],
            config=architecture(plain["network"]).config.read(plain["config"], "config"),
            spec=_spec(plain["spec"]),
            inputs=plain["inputs"],
            scaling=_scaling(plain["scaling"]),
            data=plain["data"],
            seed=plain["seed"],
            training=plain.get("training", {}),
        )
    except OptionError as error:
        raise CheckpointError(f"{path}: {error}") from None


def check(manifest: RunManifest, path: Path, expected: Mapping[str, Any]) -> None:
    """Raises CheckpointError, with the difference, if a run's network, spec or scaling is not the expected one."""
    for name, here in expected.items():
        there = getattr(manifest, name)
        if here is None or there == here:
            continue
        raise CheckpointError(f"{path}: {name} {_difference(there, here)}: train the run anew, or choose another one")


def _difference(there: Any, here: Any) -> str:
    if isinstance(here, Mapping):
        for variable in sorted({*there, *here}):
            if there.get(variable) != here.get(variable):
                return f"of {variable} is {there.get(variable)}; expected {here.get(variable)}"
    if isinstance(here, SpecStamp):
        parts = [each.name for each in fields(here) if getattr(there, each.name) != getattr(here, each.name)]
        there, here = (", ".join(f"{part} {getattr(stamp, part)!r}" for part in parts) for stamp in (there, here))
    return f"is {there}; expected {here}"


def _spec(plain: dict[str, Any]) -> SpecStamp:
    if set(plain) != {each.name for each in fields(SpecStamp)}:
        raise OptionError(f"'spec' is {plain!r:.200}; expected name, version and digest")
    return SpecStamp(**plain)


def _scaling(plain: dict[str, Any]) -> dict[str, dict[str, Any]]:
    for variable, constants in plain.items():
        if not isinstance(constants, dict) or sorted(constants) != sorted(CONSTANTS) or not _is_sound(**constants):
            raise OptionError(
                f"scaling of {variable} is {constants!r:.200}; expected offset, scale > 0, clip [low, high]"
            )
    return plain


def _is_sound(offset: Any, scale: Any, clip: Any) -> bool:
    numbers = [offset, scale, *(clip if isinstance(clip, list) and len(clip) == 2 else [None])]
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        return False
    return scale > 0 and clip[0] <= clip[1]
