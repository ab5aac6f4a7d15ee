"""Taking saved arrays back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def fill(targets: Mapping[str, np.ndarray], arrays: Mapping[str, np.ndarray]) -> None:
    """Copies arrays into those of the same names. ValueError names one that is missing or of another shape."""
    for name, target in targets.items():
        if name not in arrays or arrays[name].shape != target.shape:
            there = f"of shape {arrays[name].shape}" if name in arrays else "missing"
            raise ValueError(f"'{name}' is {there}; expected {target.shape}")
        target[...] = arrays[name]
