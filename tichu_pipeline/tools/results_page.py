"""`python -m tichu_pipeline.tools.results_page`: writes docs/results.md from the runs of a data folder.

The page has the figures of networks beside their baselines, the calibration of goals, every trial with its settings,
and the final tests. Nothing in it is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from tichu_models.arena.defaults import DEALS
from tichu_models.learning.config_files import PRESETS, run_config
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.runs.files import FINAL_TEST
from tichu_pipeline.html import markdown
from tichu_pipeline.rounds.manifest import manifest as months_manifest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tournaments.calibration import calibrate_run, draw, kept_calibration, takes_goals
from tichu_pipeline.training.comparison import SAMPLES, SCHEMA, compare, networks_of, wide
from tichu_pipeline.training.figure_names import name_of
from tichu_pipeline.training.runs import FINISHED, Run, figures_line, runs

EXPLAINED = """\
Each network is listed with its baselines. *constant* chooses among the legal moves at random, or always gives the
most frequent answer. *heuristic* is the built-in player by rules of thumb, which the players of a generated corpus
follow, apart from their blunders. *always pass* passes. *points so far* takes the points collected for the result.
Blunders are the plays that the generator made at random. In mid-round, 28 to 34 cards have been played.

Figures are of the validation split, over all decisions as often as they come up, unless a column says otherwise;
baselines are judged on its first decisions in time. Errors are in points / 100. GCPolicyNet and DTNet read the
return that the round really had, beside what a player sees. Their top-1 is that of players who know how the round
ends: do not compare it with that of the other networks.

Networks that learned from self-play imitate nobody: [selfplay.md](selfplay.md) has their figures."""


GOALS_EXPLAINED = """\
A team is asked for a goal: the points by which it should win a round. It plays against the same network without a
goal, which goes by what it expects. All goals are played over the same deals, each deal twice with seats swapped.
The table has the points by which the team wins a round, with 95 % intervals over deals. The cards decide most of a
round, so the line is far flatter than the goals; that it rises is what counts. Spearman's rho is that of goals and
achieved points, with an interval over deals as well."""
PICTURE = "goal_calibration.png"


def page(paths: DataPaths, corpus: str, samples: int = SAMPLES, calibrated: Mapping[str, Any] | None = None) -> str:
    """The whole page as Markdown; `calibrated` has the calibration of each run that takes goals."""
    rounds = months_manifest(paths)
    compared = compare(paths, samples)
    parts = [
        "# Results",
        "Made by `python -m tichu_pipeline.tools.results_page`; do not edit it by hand.",
        f"The corpus: {rounds.games:,} games, {rounds.rounds:,} rounds in {len(rounds.months)} months"
        + (f", made by `{corpus}`." if corpus else "."),
        f"Networks are judged on {samples:,} decisions of their kind. {EXPLAINED}",
        "## Networks",
        *(_of_network(compared.table, network) for network in networks_of(compared.table)),
        *_goals(calibrated or {}),
        "## Trials",
        _trials(runs(paths)),
        *_final_test(paths),
    ]
    return "\n\n".join(parts) + "\n"


def _of_network(table: pl.DataFrame, network: str) -> str:
    """The section of one network."""
    names, rows = wide(table, network)
    headings = ["", *map(name_of, names)]
    lines = [(name, *("" if value is None else f"{value:.4f}" for value in values)) for _, name, values in rows]
    return f"### {network}\n\n{markdown.table(headings, lines)}"


def _goals(calibrated: Mapping[str, Any]) -> Iterable[str]:
    """The section on calibration."""
    if not calibrated:
        return
    yield "## Goals: asked for and achieved"
    yield GOALS_EXPLAINED
    yield f"![achieved over asked for]({PICTURE})"
    asked = sorted({each["asked"] for facts in calibrated.values() for each in facts["goals"]})
    lines = []
    for name, facts in calibrated.items():
        achieved = {each["asked"]: _with_interval(each["achieved"], each["interval"], ".1f") for each in facts["goals"]}
        rho = _with_interval(facts["rho"]["value"], facts["rho"]["interval"], ".2f")
        rise = _with_interval(100 * facts["slope"]["value"], [100 * each for each in facts["slope"]["interval"]], ".1f")
        lines.append((name, f"{facts['deals']:,}", *(achieved.get(goal, "") for goal in asked), rho, rise))
    headings = ("run", "deals", *(f"asked for {goal:+.0f}" for goal in asked), "rho", "points more for 100 more")
    yield markdown.table(headings, lines)


def _with_interval(value: float, interval: Sequence[float], form: str) -> str:
    low, high = (f"{each:+{form}}" for each in interval)
    return f"{value:+{form}} ({low} .. {high})"


def _trials(listed: Sequence[Run]) -> str:
    """A table of all finished runs that learned from logs."""
    headings = ("run", "network", "vector", "settings", "parameters", "samples an epoch", "best epoch", "figures")
    lines = []
    for run in listed:
        if run.manifest is None or run.state != FINISHED or not run.learned_from_logs:
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
    return markdown.table(headings, lines)


def _settings(run: Run) -> str:
    """The preset or config file, the settings given beside it, and values that the preset had then and has not now."""
    name = run.trial.get("config", "")
    shown = [*([name] if name else []), *run.trial.get("settings", [])]
    if name in PRESETS and run.manifest is not None:
        now = run_config(run.manifest.network, name, run.trial.get("settings", ())).plain()
        shown += [
            f"(then {section}.{key}={then})"
            for section, table in now.items()
            for key, value in table.items()
            if (then := run.manifest.training.get(section, {}).get(key)) != value
        ]
    return " ".join(shown)


def _took(trial: dict[str, Any]) -> str:
    """Time, memory and device of a trial."""
    memory = f", {trial['peak_memory'] / 1e9:.1f} GB" if trial.get("peak_memory") else ""
    cores = f", {trial['core_seconds']:,.0f} s of a core" if trial.get("core_seconds") else ""
    return f"{trial.get('seconds', 0):,.0f} s{cores}{memory} ({trial.get('device', '')})"


def _final_test(paths: DataPaths) -> Iterable[str]:
    """A section for each recorded use of the test split."""
    log = paths.runs / FINAL_TEST
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    now = {run.name: run.manifest.digest for run in runs(paths) if run.manifest}
    for entry in entries:
        if "figures" in entry:
            yield f"## Final test\n\nUsed on {entry['when']} by {entry['by']}: {entry['why']}."
            names = {name: f"{name}, since replaced" for name in entry["runs"] if now.get(name) != entry["runs"][name]}
            table = pl.DataFrame(entry["figures"], schema=SCHEMA).with_columns(pl.col("name").replace(names))
            yield "\n\n".join(_of_network(table, network) for network in networks_of(table))


def main(
    data: Annotated[Path, typer.Option(envvar="TICHU_DATA", help="The data folder.")] = Path("data"),
    out: Annotated[Path, typer.Option(help="The page.")] = Path("docs/results.md"),
    corpus: Annotated[str, typer.Option(help="The command that made the corpus, for the page.")] = "",
    samples: Annotated[int, typer.Option(help="Decisions that networks are judged on, at most.", min=1)] = SAMPLES,
    deals: Annotated[
        int, typer.Option(help="Deals for runs that `tichu calibrate` has not tried; 0 leaves such runs out.", min=0)
    ] = DEALS,
) -> None:
    """Compares all finished runs, calibrates those that take goals, and writes the page and its plot."""
    paths = DataPaths(data)
    calibrated = {}
    for name in (run.name for run in runs(paths) if takes_goals(run)):
        facts = kept_calibration(paths, name) or (calibrate_run(paths, name, deals).facts if deals else None)
        if facts:
            calibrated[name] = facts
    text = page(paths, corpus, samples, calibrated)
    out.parent.mkdir(parents=True, exist_ok=True)
    if calibrated:
        draw(calibrated, out.with_name(PICTURE))
    out.write_text(text, encoding="utf-8")
    typer.echo(f"{out}: {len(ARCHITECTURES)} networks known, {text.count('### ')} judged")


if __name__ == "__main__":
    typer.run(main)
