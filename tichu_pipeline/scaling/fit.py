"""Fits `scaling.json`: for each variable the bounds to clip at, and an offset and a scale.

    scaled = (min(max(x, clip[0]), clip[1]) - offset) / scale

Bounds are round numbers near the 0.5% and 99.5% quantiles. Offset and scale are those of the clipped data. The method
follows from the shape of the distribution, unless the caller names one:

- `zscore` (mean 0, standard deviation 1) for a bell: Shapiro-Wilk's W of the clipped sample is at least BELL,
- else `minmax01` (0 to 1) if no value is negative, and `minmax11` (-1 to 1) otherwise.

The fit uses the months up to a declared one. New months change neither the constants nor anything that was scaled.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tichu_models.whole_files import write_whole
from tichu_pipeline.distribution import SAMPLE, SEED, Distribution
from tichu_pipeline.rounds.manifest import manifest, stored_month_stamp
from tichu_pipeline.scaling.gather import VARIABLES, count_variables
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, changed, judged, missing, ranges
from tichu_pipeline.storage.made import Made

# Bumped by hand when the constants of unchanged months would differ; tests/golden/scaling.json says when.
VERSION = 1
METHODS = ("minmax01", "minmax11", "zscore")
QUANTILES = (0.005, 0.01, 0.5, 0.99, 0.995)
BELL = 0.98
STEPS = tuple(step * 10**power for power in range(4) for step in (1, 2, 2.5, 5))
TOLERANCE = 0.1  # relative distance of a round number from the quantile


class ScalingFitError(Exception):
    """There is nothing to fit on, or a setting is wrong."""


@dataclass(frozen=True, kw_only=True)
class Fitted(Made):
    """The constants of `scaling.json`, made or reused."""

    constants: dict[str, Any]  # the content of the file


def fit(
    paths: DataPaths, fit_through: str | None = None, methods: Mapping[str, str] | None = None, force: bool = False
) -> Fitted:
    """Brings scaling.json up to date. Without `fit_through`, the last month of the former fit is kept."""
    from tichu_pipeline.plots import write_figures

    started = time.perf_counter()
    methods = dict(methods or {})
    _check_methods(methods)
    stored = load(paths)
    months = manifest(paths).months
    through = fit_through or (stored or {}).get("fit", {}).get("through") or (months[-1] if months else "")
    window = [month for month in months if month <= through]
    if not window:
        raise ScalingFitError(
            f"{paths.rounds}: no rounds up to {through or 'any month'}; expected ingested months (tichu ingest)"
        )
    stamp = _stamp(paths, through, window, methods)
    if stored and stored.get("stamp") == stamp and not force and _has_plots(paths):
        return _fitted(paths, stored, started, reused=True)
    counts = count_variables(paths, window)
    if counts.rounds == 0:
        raise ScalingFitError(f"{paths.rounds}: no sound round of the split train up to {through}; expected more games")
    constants: dict[str, Any] = {
        "stamp": stamp,
        "version": VERSION,
        "formula": "scaled = (min(max(x, clip[0]), clip[1]) - offset) / scale",
        "fit": {
            "through": through,
            "months": [window[0], window[-1]],
            "split": "train",
            "rounds": counts.rounds,
            "turns": counts.turns,
        },
        "variables": {name: describe(counts.distributions[name], methods.get(name)) for name in VARIABLES},
    }
    for name, facts in constants["variables"].items():
        write_figures(plot_folder(paths), counts.distributions[name], name, facts["clip"])
    write_whole(paths.scaling, json.dumps(constants, indent=1) + "\n")  # last, since it shows that the plots are there
    return _fitted(paths, constants, started, reused=False)


def _fitted(paths: DataPaths, constants: dict[str, Any], started: float, reused: bool) -> Fitted:
    return Fitted(
        path=paths.scaling,
        stamp=constants["stamp"],
        rows=constants["fit"]["rounds"],
        bytes=paths.scaling.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
        constants=constants,
    )


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `scaling`."""
    paths, constants = survey.paths, load(survey.paths)
    if constants is None:
        return missing("scaling", "not fitted yet")
    through = constants["fit"]["through"]
    within = [month for month in survey.standings["rounds"].stale_months if month <= through]
    reasons = [f"rounds in its window are stale: {ranges(within)}"] if within else []
    if not reasons and constants["stamp"] != stamp_now(paths, constants):
        reasons.append(
            changed(
                "rounds in its window",
                constants["stamp"],
                lambda version: stamp_now(paths, constants, version),
                VERSION,
            )
        )
    there = f"{len(constants['variables'])} variables, fitted through {through}"
    return judged("scaling", there, paths.scaling.stat().st_size, reasons)


def stamp_now(paths: DataPaths, constants: Mapping[str, Any], version: int | None = None) -> str:
    """The stamp that these constants would carry if they were fitted now, as they were fitted then, by this version or
    another."""
    through = constants["fit"]["through"]
    window = [month for month in manifest(paths).months if month <= through]
    variables = constants["variables"].items()
    methods = {name: facts["method"] for name, facts in variables if facts["method_from"] == "config"}
    return _stamp(paths, through, window, methods, version)


def _stamp(
    paths: DataPaths, through: str, window: list[str], methods: Mapping[str, str], version: int | None = None
) -> str:
    stamps = " ".join(str(stored_month_stamp(paths, month)) for month in window)
    return hashlib.sha256(
        f"scaling {version or VERSION} {through} {sorted(methods.items())} {stamps}".encode()
    ).hexdigest()


def plot_folder(paths: DataPaths) -> Path:
    """The folder of the histogram and the Q-Q plot of each variable."""
    return paths.plots / "scaling"


def _has_plots(paths: DataPaths) -> bool:
    from tichu_pipeline.plots import KINDS

    return all((plot_folder(paths) / f"{name}_{kind}.png").exists() for name in VARIABLES for kind in KINDS)


def load(paths: DataPaths) -> dict[str, Any] | None:
    """The content of scaling.json; None if it is missing or cannot be read."""
    try:
        return json.loads(paths.scaling.read_text())
    except (OSError, ValueError):
        return None


def describe(distribution: Distribution, method: str | None = None) -> dict[str, Any]:
    """The statistics and constants of one variable."""
    low, high = clip_bounds(distribution)
    clipped = distribution.clipped(low, high)
    shape = normality(clipped)
    chosen = method or choose_method(low, shape["shapiro_wilk"]["w"])
    offset, scale = _constants(chosen, low, high, clipped)
    return {
        **_statistics(distribution),
        "quantiles": {str(q): distribution.quantile(q) for q in QUANTILES},
        **normality(distribution),
        "clip": [low, high],
        "clipped": {**_statistics(clipped), "shapiro_wilk": shape["shapiro_wilk"]},
        "method": chosen,
        "method_from": "config" if method else "shape",
        "offset": offset,
        "scale": scale,
    }


def clip_bounds(distribution: Distribution) -> tuple[float, float]:
    """Round numbers near the outer quantiles. Nearly symmetric bounds are made symmetric."""
    low, high = nice(distribution.quantile(QUANTILES[0])), nice(distribution.quantile(QUANTILES[-1]))
    if low < 0 < high and abs(low + high) <= TOLERANCE * max(-low, high):
        high = max(-low, high)
        low = -high
    if low == high:  # nearly all values are the same
        low, high = float(distribution.values[0]), float(max(distribution.values[-1], distribution.values[0] + 1))
    return low, high


def nice(value: float) -> float:
    """The roundest number near a value: a multiple of the largest of STEPS that is off by at most TOLERANCE."""
    for step in reversed(STEPS):
        rounded = math.copysign(step * math.floor(abs(value) / step + 0.5), value)
        if rounded and abs(rounded - value) <= TOLERANCE * abs(value):
            return rounded
    return float(round(value))


def choose_method(low: float, w: float | None) -> str:
    """The method for a distribution with this lower bound and this W of Shapiro-Wilk."""
    if w is not None and w >= BELL:
        return "zscore"
    return "minmax01" if low >= 0 else "minmax11"


def normality(distribution: Distribution) -> dict[str, Any]:
    """Shapiro-Wilk and Anderson-Darling on the seeded sample; None if all values are equal."""
    from scipy import stats

    sample = distribution.sample().astype(float)
    about = {"n": len(sample), "seed": SEED if distribution.n > SAMPLE else None}
    if len(sample) < 3 or sample[0] == sample[-1]:
        return {"shapiro_wilk": {"w": None, "p": None, **about}, "anderson_darling": {"a2": None, "p": None, **about}}
    shapiro = stats.shapiro(sample)
    anderson = stats.anderson(sample, dist="norm", method="interpolate")
    return {
        "shapiro_wilk": {"w": float(shapiro.statistic), "p": float(shapiro.pvalue), **about},
        "anderson_darling": {"a2": float(anderson.statistic), "p": float(anderson.pvalue), **about},
    }


def _statistics(distribution: Distribution) -> dict[str, float]:
    return {
        "n": distribution.n,
        "min": int(distribution.values[0]),
        "max": int(distribution.values[-1]),
        "mean": distribution.mean,
        "sd": distribution.sd,
        "skewness": distribution.skewness,
        "excess_kurtosis": distribution.excess_kurtosis,
    }


def _constants(method: str, low: float, high: float, clipped: Distribution) -> tuple[float, float]:
    """Offset and scale of a method."""
    if method == "zscore":
        return clipped.mean, clipped.sd or 1.0
    return (low, high - low) if method == "minmax01" else ((low + high) / 2, (high - low) / 2)


def _check_methods(methods: Mapping[str, str]) -> None:
    for name, method in methods.items():
        if name not in VARIABLES or method not in METHODS:
            raise ScalingFitError(
                f"methods: {name!r}: {method!r}; expected one of {', '.join(VARIABLES)}, with one of "
                f"{', '.join(METHODS)}"
            )
