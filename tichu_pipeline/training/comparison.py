"""Compares all finished runs of a data folder with each other and with baselines, on decisions of the same split.

    reports/model_comparison.parquet   name, kind (run, baseline), network, spec, split, figure, value
    reports/model_comparison.html      the main figures of each network; .png: the first of them

The comparison uses the validation split. The test split is for the end: its use needs a name and a reason, is recorded,
and is refused a second time unless `again` is set.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from tichu_models.networks.architectures import ARCHITECTURES, Objective
from tichu_models.runs.files import FINAL_TEST
from tichu_models.whole_files import whole_file
from tichu_pipeline.html import pages
from tichu_pipeline.rounds.manifest import manifest as months_manifest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import parquet_metadata, parquet_stamp, stored_stamp
from tichu_pipeline.training.baselines import points_so_far, rule_based
from tichu_pipeline.training.figure_names import BASELINES, MEANINGS, name_of
from tichu_pipeline.training.runs import FINISHED, MAIN_FIGURES, Run, runs

# Bumped by hand when the same runs and rounds would give other figures; tests/golden/model_comparison.json says when.
# Wording and layout of the page are no reason to judge all networks again.
VERSION = 2
SAMPLED = b"tichu.samples"  # in the metadata of the table
SAMPLES = 50_000
TABLE, PAGE, PICTURE = "model_comparison.parquet", "model_comparison.html", "model_comparison.png"
RUN, BASELINE = "run", "baseline"
SCHEMA = dict.fromkeys(("name", "kind", "network", "spec", "split", "figure"), pl.String) | {"value": pl.Float64}
# Figures that are shown beside the main ones of a network.
MORE: dict[Objective, tuple[str, ...]] = {
    "cards": ("top1_no_blunder", "top5_not_forced", "pass_precision", "pass_recall"),
    "goal": ("top1_no_blunder", "top5_not_forced", "pass_precision", "pass_recall", "value_r2_from_28"),
    "sequence": ("top5_not_forced", "pass_precision", "pass_recall", "value_r2_from_28"),
    "move": ("top1_no_blunder", "top5_not_forced", "pass_precision", "pass_recall"),
    "value": ("mse",),
    "calls": ("called_base_rate",),
    "schupf": (),
    "choice": (),
    "bomb": ("base_rate",),
}
# Figures of constant answers, which networks report beside their own, by the figure that they are a baseline of.
CONSTANT = {"uniform_top1": "top1", "uniform_nll": "nll", "base_top1": "top1", "base_nll": "nll", "base_mse": "mse"}
NOTHING_EXPLAINED = ("r2", "r2_from_28", "value_r2", "value_r2_from_28")  # 0 for the mean as a constant answer


class ComparisonError(Exception):
    """Nothing to compare, or a use of the test split that is refused."""


@dataclass(frozen=True, kw_only=True)
class Compared(Made):
    """A comparison; its rows are figures."""

    table: pl.DataFrame


def compare(
    paths: DataPaths, samples: int = SAMPLES, force: bool = False, say: Callable[[str], None] = lambda _: None
) -> Compared:
    """Brings the table, the page and the plot up to date."""
    started = time.monotonic()
    finished = compared_runs(paths)
    if not finished:
        raise ComparisonError(f"{paths.runs}: no finished run; expected one that tichu train makes")
    stamp = comparison_stamp(paths, samples)
    path = paths.reports / TABLE
    reused = not force and stored_stamp(path) == stamp
    if not reused:
        _write(paths, _table(paths, finished, "validation", samples, say), stamp, samples)
    table = pl.read_parquet(path)
    return Compared(
        path=path,
        stamp=stamp,
        rows=len(table),
        bytes=path.stat().st_size,
        seconds=time.monotonic() - started,
        reused=reused,
        table=table,
    )


def compared_runs(paths: DataPaths) -> list[Run]:
    """The finished runs that learned from logs. Others answer no logged decision better for being good."""
    return [run for run in runs(paths) if run.state == FINISHED and run.learned_from_logs]


def comparison_stamp(paths: DataPaths, samples: int) -> str:
    """The stamp of a comparison of all finished runs on all rounds."""
    weights = [f"{run.name} {run.manifest.digest}" for run in compared_runs(paths) if run.manifest]
    content = json.dumps([VERSION, samples, weights, months_manifest(paths).stamp])
    return hashlib.sha256(content.encode()).hexdigest()


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `model_comparison`, with the number of samples that it was made with."""
    path = survey.paths.reports / TABLE
    if not path.is_file():
        return missing("model_comparison", "networks have not been compared yet")
    reasons = survey.not_fresh("training_runs")
    samples = int(parquet_metadata(path).get(SAMPLED, b"0"))
    if not reasons and stored_stamp(path) != comparison_stamp(survey.paths, samples):
        reasons.append("runs or rounds have changed since")
    return judged("model_comparison", PAGE, path.stat().st_size, reasons)


@dataclass(frozen=True)
class FinalTest:
    """A use of the test split: by whom, and why."""

    by: str
    why: str
    names: Sequence[str] = ()  # of runs; by default all finished ones
    again: bool = False  # use it although it has been used before


def final_test(
    paths: DataPaths, use: FinalTest, samples: int = SAMPLES, say: Callable[[str], None] = lambda _: None
) -> pl.DataFrame:
    """Figures on the test split. The use is recorded in a file beside the runs before any figure is known."""
    if not use.by.strip() or not use.why.strip():
        raise ComparisonError("the test split is used once: expected by whom, and why")
    there = {run.name: run for run in compared_runs(paths)}
    missing = [name for name in use.names if name not in there]
    if missing or not there:
        raise ComparisonError(f"no finished run {', '.join(missing)}; there are {', '.join(there) or 'none'}")
    chosen = [there[name] for name in (use.names or there)]
    log = paths.runs / FINAL_TEST
    earlier = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    entry: dict[str, Any] = {
        "when": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "by": use.by,
        "why": use.why,
        "host": platform.node(),
        "samples": samples,
        "rounds": months_manifest(paths).stamp,
        "runs": {run.name: run.manifest.digest for run in chosen if run.manifest},
    }
    for known in earlier:
        if "figures" in known and all(known[name] == entry[name] for name in ("runs", "rounds", "samples")):
            return pl.DataFrame(known["figures"], schema=SCHEMA)
    if earlier and not use.again:
        last = earlier[-1]
        raise ComparisonError(
            f"{log}: the test split was used on {last['when']} by {last['by']} ({last['why']}) for "
            f"{', '.join(last['runs'])}. After a choice by its figures it is no test any more; `again` uses it "
            "nevertheless"
        )
    _append(log, entry)
    table = _table(paths, chosen, "test", samples, say)
    _append(log, {**entry, "figures": table.to_dicts()})
    return table


def _table(
    paths: DataPaths, finished: Sequence[Run], split: str, samples: int, say: Callable[[str], None]
) -> pl.DataFrame:
    """The figures of runs and baselines on a split."""
    from tichu_models.runs.manifest import CheckpointError
    from tichu_pipeline.training.judging import judge

    rows: list[tuple[Any, ...]] = []
    specs: dict[str, str] = {}
    for run in finished:
        assert run.manifest is not None
        try:
            figures = judge(run, paths, split, samples)
        except CheckpointError as error:
            say(f"{run.name} is left out: {error}")
            continue
        network, read = run.manifest.network, run.manifest.spec.name
        about = (network, read, split)
        rows += [(run.name, RUN, *about, name, value) for name, value in figures.items()]
        for name, value in _constant(figures).items():
            rows.append(("constant", BASELINE, *about, name, value))
        specs[network] = ARCHITECTURES[network].spec
        say(f"{run.name}: judged on the split {split}")
    for network, read in specs.items():
        for baseline, figures in _baselines(paths, network, read, split, samples).items():
            rows += [(baseline, BASELINE, network, read, split, name, value) for name, value in figures.items()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").unique(maintain_order=True)


def _baselines(paths: DataPaths, network: str, read: str, split: str, samples: int) -> dict[str, dict[str, float]]:
    """The figures of the baselines of a network, by baseline."""
    if ARCHITECTURES[network].objective == "value":
        return {"points so far": points_so_far(paths, split, samples)}
    return rule_based(paths, "play-375" if read in ("play-376", "sequence") else read, split, samples)


def _constant(figures: dict[str, float]) -> dict[str, float]:
    """The figures of a constant answer, or of a random legal move, on the same decisions."""
    constant = {}
    for name, value in figures.items():
        for there, here in CONSTANT.items():
            if there in name:
                constant[name.replace(there, here)] = value
        if name in NOTHING_EXPLAINED:
            constant[name] = 0.0
        if name.endswith("base_brier"):
            constant |= {name.replace("base_brier", "brier"): value, name.replace("base_brier", "brier_skill"): 0.0}
            constant[name.replace("base_brier", "auc")] = 0.5
    return constant


def shown_figures(network: str) -> tuple[str, ...]:
    """The keys of the figures of a network that pages show."""
    objective = ARCHITECTURES[network].objective
    main = [name.removeprefix("val_") for name in MAIN_FIGURES[objective]]
    return (*main, *MORE[objective])


def wide(table: pl.DataFrame, network: str) -> tuple[tuple[str, ...], list[tuple[str, str, list[float | None]]]]:
    """The shown figures of a network, and (kind, name, values) of each of its runs and baselines."""
    of_network = table.filter(pl.col("network") == network)
    there = set(of_network["figure"])
    names = tuple(name for name in shown_figures(network) if name in there)
    by_name: dict[tuple[str, str], dict[str, float]] = {}
    for row in of_network.iter_rows(named=True):
        by_name.setdefault((row["kind"], row["name"]), {})[row["figure"]] = row["value"]
    return names, [(kind, name, [values.get(each) for each in names]) for (kind, name), values in by_name.items()]


def _write(paths: DataPaths, table: pl.DataFrame, stamp: str, samples: int) -> None:
    paths.reports.mkdir(parents=True, exist_ok=True)
    _draw(paths.reports / PICTURE, table)
    pages.write(paths.reports / PAGE, _page(table))
    path = paths.reports / TABLE
    about = parquet_stamp(stamp) | {SAMPLED: str(samples).encode()}
    with whole_file(path) as temporary:  # last: its stamp says that all files are there
        pq.write_table(table.to_arrow().replace_schema_metadata(about), temporary)


def _page(table: pl.DataFrame) -> str:
    parts = [f"<p>{html.escape(BASELINES)}</p>"]
    for network in networks_of(table):
        names, rows = wide(table, network)
        cells = [(_shown(kind, name), *("" if value is None else f"{value:.4f}" for value in values))
                 for kind, name, values in rows]  # fmt: skip
        about = html.escape(MEANINGS[ARCHITECTURES[network].objective])
        parts.append(pages.section(network, about) + pages.table(("", *map(name_of, names)), cells))
    return pages.page("Networks compared, on the validation split", "".join(parts))


def _shown(kind: str, name: str) -> str:
    return html.escape(name) if kind == RUN else f"<span class='missing'>{html.escape(name)}</span>"


def networks_of(table: pl.DataFrame) -> list[str]:
    """The networks of a table, in the order of ARCHITECTURES."""
    there = set(table["network"])
    return [name for name in ARCHITECTURES if name in there]


def _draw(path: Path, table: pl.DataFrame) -> None:
    """Plots the first figure of each run and baseline as a bar."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import ACCENT, COLOUR, save

    networks = networks_of(table)
    figure = Figure(figsize=(10, 1 + 1.3 * len(networks)), layout="constrained")
    for axes, network in zip(figure.subplots(len(networks), 1, squeeze=False)[:, 0], networks, strict=True):
        names, rows = wide(table, network)
        bars = [(name, kind, values[0]) for kind, name, values in rows if values and values[0] is not None]
        colours = [COLOUR if kind == RUN else ACCENT for _, kind, _ in bars]
        axes.barh([name for name, _, _ in bars], [value for _, _, value in bars], color=colours)
        worst = min((value for _, _, value in bars), default=0)
        axes.set(title=f"{network}: {name_of(names[0]) if names else ''}", xlim=(min(worst, 0), 1))
        axes.invert_yaxis()
    save(figure, path)


def _append(path: Path, entry: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
        file.flush()
        os.fsync(file.fileno())
