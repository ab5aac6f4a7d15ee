"""`python -m tichu_pipeline.training.results_page`: docs/results.md, from the runs of a data folder.

What networks come to beside their baselines, how they were trained, and every trial there is. Nothing in the page is
written by hand: other figures come from other runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from tichu_models.learning.config_files import PRESETS, run_config
from tichu_models.networks.registry import ARCHITECTURES
from tichu_pipeline.folders import DataPaths
from tichu_pipeline.ingest import manifest as months_manifest
from tichu_pipeline.training.comparison import FINAL_TEST, SAMPLES, SCHEMA, compare, networks_of, wide
from tichu_pipeline.training.runs import FINISHED, Run, figures_line, runs

HEADINGS = {
    "top1": "top-1",
    "top1_not_forced": "top-1, not forced",
    "top1_no_blunder": "top-1, not forced, no blunder",
    "top5_not_forced": "top-5, not forced",
    "r2": "R2",
    "r2_from_28": "R2 mid-round",
    "value_r2": "R2 of the value",
    "value_r2_from_28": "R2 mid-round",
    "mae": "MAE (points / 100)",
    "mse": "MSE",
    "nll": "NLL",
}
EXPLAINED = """A baseline stands beside each network. *constant* takes any legal move as likely as another, or always
gives the most frequent answer; *heuristic* is the built-in player by rules of thumb, which the players of a generated
corpus follow but for their blunders; *always pass* passes; *points so far* takes the points collected for the outcome.
*No blunder* leaves out the plays that the generator made by chance. Mid-round: 28 to 34 cards have been played. Figures
are of the validation split, all decisions in the proportions they are asked in, unless a column says otherwise."""


def page(paths: DataPaths, corpus: str, samples: int = SAMPLES) -> str:
    """The whole page as Markdown."""
    found = runs(paths)
    rounds = months_manifest(paths)
    compared = compare(paths, samples)
    parts = [
        "# Results",
        "Made by `python -m tichu_pipeline.training.results_page`; not written by hand.",
        f"The corpus: {rounds.games:,} games, {rounds.rounds:,} rounds in {len(rounds.months)} months"
        + (f", made by `{corpus}`." if corpus else "."),
        f"Networks are judged on {samples:,} decisions of their kind. {EXPLAINED}",
        "## Networks",
        *(_of_network(compared.table, network) for network in networks_of(compared.table)),
        "## Trials",
        _trials(found),
        *_final_test(paths),
    ]
    return "\n\n".join(parts) + "\n"


def _of_network(table: pl.DataFrame, network: str) -> str:
    names, rows = wide(table, network)
    headings = ["", *(HEADINGS.get(name, name.replace("_", " ")) for name in names)]
    lines = [(name, *("" if value is None else f"{value:.4f}" for value in values)) for _, name, values in rows]
    return f"### {network}\n\n{_table(headings, lines)}"


def _trials(found: Sequence[Run]) -> str:
    headings = ("run", "network", "vector", "settings", "parameters", "samples an epoch", "best epoch", "figures")
    lines = []
    for run in found:
        if run.manifest is None or run.state != FINISHED:
            continue
        lines.append(
            (
                run.name,
                run.manifest.network,
                run.manifest.spec.name,
                _settings(run),
                f"{run.trial.get('parameters', 0):,}",
                f"{run.trial.get('epoch_samples', 0):,}",
                f"{run.figures['epoch']:.0f} of {run.manifest.training['training']['epochs']}",
                f"{figures_line(run.manifest.network, run.figures, ('val_loss',))}; {_took(run.trial)}",
            )
        )
    return _table(headings, lines)


def _settings(run: Run) -> str:
    """The preset or file, and what was set beside it."""
    name = run.trial.get("config", "")
    told = [*([name] if name else []), *run.trial.get("settings", [])]
    if name in PRESETS and run.manifest is not None:
        now = run_config(run.manifest.network, name, run.trial.get("settings", ())).plain()
        differing = [
            f"{section}.{key}={value}"
            for section, table in run.manifest.training.items()
            for key, value in table.items()
            if now.get(section, {}).get(key) != value
        ]
        told += [f"(then {each})" for each in differing]
    return " ".join(told)


def _took(trial: dict[str, Any]) -> str:
    memory = f", {trial['peak_memory'] / 1e9:.1f} GB" if trial.get("peak_memory") else ""
    return f"{trial.get('seconds', 0):,.0f} s{memory} ({trial.get('device', '')})"


def _final_test(paths: DataPaths) -> Iterable[str]:
    log = paths.runs / FINAL_TEST
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    for entry in entries:
        if "figures" in entry:
            yield f"## Final test\n\nUsed on {entry['when']} by {entry['by']}: {entry['why']}."
            table = pl.DataFrame(entry["figures"], schema=SCHEMA)
            yield "\n\n".join(_of_network(table, network) for network in networks_of(table))


def _table(headings: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    headings = list(headings)
    rows = [headings, ["---"] * len(headings), *map(list, lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(
    data: Annotated[Path, typer.Option(envvar="TICHU_DATA", help="The data folder.")] = Path("data"),
    out: Annotated[Path, typer.Option(help="The page.")] = Path("docs/results.md"),
    corpus: Annotated[str, typer.Option(help="The command that made the corpus, for the page.")] = "",
    samples: Annotated[int, typer.Option(help="Decisions that networks are judged on, at most.", min=1)] = SAMPLES,
) -> None:
    """Compares all finished runs and writes the page."""
    text = page(DataPaths(data), corpus, samples)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    typer.echo(f"{out}: {len(ARCHITECTURES)} networks known, {text.count('### ')} judged")


if __name__ == "__main__":
    typer.run(main)
