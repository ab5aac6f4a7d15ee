"""The constants by which points are scaled, and their file, `scaling.json`, which the stage `scaling` makes."""

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
    """A file that is no scaling, or one that lacks a variable."""


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
        """A scaling from plain data, {variable: {offset, scale, clip [low, high]}}."""
        return Scaling(stamp, {name: _constants(facts) for name, facts in variables.items()})

    @staticmethod
    def load(path: Path) -> Scaling:
        """Reads a file."""
        expected = "expected the scaling.json of the stage scaling"
        try:
            content = json.loads(path.read_text())
            scaling = Scaling.of(content["variables"], str(content["stamp"]))
        except OSError as error:
            raise ScalingError(f"{path}: it cannot be read ({error.strerror}); {expected}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ScalingError(f"{path}: it holds no constants ({error}); {expected}") from error
        for name, constants in scaling.variables.items():
            numbers = (constants.low, constants.high, constants.offset, constants.scale)
            if not all(map(math.isfinite, numbers)) or constants.scale <= 0 or constants.low > constants.high:
                raise ScalingError(f"{path}: {name}: {constants} scales nothing; {expected}")
        return scaling

    def check(self, groups: Iterable[Group]) -> None:
        """Raises ScalingError if a variable of these groups is missing."""
        for group in groups:
            if group.scaled_by and group.scaled_by not in self.variables:
                raise ScalingError(
                    f"scaling: no constants for {group.scaled_by}; expected them among {', '.join(self.variables)}"
                )


def scaled(values: np.ndarray, group: Group, scaling: Scaling | None) -> np.ndarray:
    """The numbers that a network reads for raw values of a group; without a scaling, points stay points."""
    numbers = values.astype(np.float64) / group.unit
    if scaling is None:
        return numbers
    if group.scaled_by:
        constants = scaling.variables[group.scaled_by]
        return (np.clip(numbers, constants.low, constants.high) - constants.offset) / constants.scale
    return numbers / group.most
