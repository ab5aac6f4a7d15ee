"""The constants that bring points into range, as a file: `scaling.json`. How they are fitted does not belong here."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.observation.specs import Group


class ScalingError(ValueError):
    """A file that is no scaling, or lacks a variable."""


@dataclass(frozen=True)
class Constants:
    """scaled = (min(max(x, low), high) - offset) / scale"""

    low: float
    high: float
    offset: float
    scale: float


def _constants(facts: Mapping[str, Any]) -> Constants:
    low, high = facts["clip"]
    return Constants(float(low), float(high), float(facts["offset"]), float(facts["scale"]))


@dataclass(frozen=True)
class Scaling:
    """Constants by variable, and the stamp of their fit."""

    stamp: str
    variables: dict[str, Constants]

    @staticmethod
    def of(variables: Mapping[str, Mapping[str, Any]], stamp: str = "") -> Scaling:
        """From plain data, {variable: {offset, scale, clip [low, high]}}, as the manifest of a run has it."""
        return Scaling(stamp, {name: _constants(facts) for name, facts in variables.items()})

    @staticmethod
    def load(path: Path) -> Scaling:
        """What a file says."""
        expected = "expected the scaling.json of the stage scaling"
        try:
            content = json.loads(path.read_text())
            found = Scaling.of(content["variables"], str(content["stamp"]))
        except OSError as error:
            raise ScalingError(f"{path}: it cannot be read ({error.strerror}); {expected}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ScalingError(f"{path}: it holds no constants ({error}); {expected}") from error
        for name, constants in found.variables.items():
            numbers = (constants.low, constants.high, constants.offset, constants.scale)
            if not all(map(math.isfinite, numbers)) or constants.scale <= 0 or constants.low > constants.high:
                raise ScalingError(f"{path}: {name}: {constants} scales nothing; {expected}")
        return found

    def check(self, groups: Iterable[Group]) -> None:
        """That every variable which these groups ask for is there."""
        for group in groups:
            if group.scaled_by and group.scaled_by not in self.variables:
                raise ScalingError(
                    f"scaling: no constants for {group.scaled_by}; expected them among {', '.join(self.variables)}"
                )


def scaled(values: np.ndarray, group: Group, scaling: Scaling | None) -> np.ndarray:
    """What a network reads for raw values of a group of numbers; without a scaling, points stay points."""
    found = values.astype(np.float64) / group.unit
    if scaling is None:
        return found
    if group.scaled_by:
        constants = scaling.variables[group.scaled_by]
        return (np.clip(found, constants.low, constants.high) - constants.offset) / constants.scale
    return found / group.most
