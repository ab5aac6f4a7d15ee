"""`python -m tichu_pipeline.tools.demo`: a generated corpus through every stage that exists, and what came of it.

The stages are those of `definitions`, run by Dagster: none is known by name here, a new one needs no line.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

from tichu_pipeline.brettspielwelt.corpus import generate as corpus
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import parse_months

if TYPE_CHECKING:
    from dagster import ExecuteInProcessResult

SEED = 2024


@dataclass
class Stage:
    """A line of the table. What a stage does not tell stays None."""

    name: str
    rows: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    reused: bool = False

    def add(self, metadata: Mapping[str, Any]) -> None:
        """One more materialisation: a stage over months has one for each of them."""
        is_first = self.rows is None
        for field in ("rows", "bytes", "seconds"):
            if field in metadata:
                setattr(self, field, (getattr(self, field) or 0) + metadata[field])
        self.reused = bool(metadata.get("reused")) and (is_first or self.reused)


@dataclass(frozen=True)
class CorpusRequest:
    """What `raw/demo.json` says was generated; the same request is not generated twice."""

    games: int
    months: list[str]
    seed: int


class ForeignLogsError(Exception):
    """The data folder holds logs that the demo did not make, and would overwrite or mix with its own."""


def ensure_corpus(raw: Path, request: CorpusRequest) -> Stage:
    """Generates the ordered corpus into `raw`, unless it is there already."""
    record = raw / "demo.json"
    known = json.loads(record.read_text()) if record.is_file() else {"order": None, "archives": {}}
    archives = [raw / f"{year}.zip" for year in sorted({month[:4] for month in request.months})]
    for archive in archives:
        if _is_foreign(archive, known["archives"]):
            raise ForeignLogsError(
                f"{raw}: holds logs of {archive.stem} that are not the demo's; expected none. "
                "Choose another data folder: make demo DATA=DIR"
            )
    if known["order"] == asdict(request) and known["archives"] == _sizes(archives):
        return Stage("corpus", known["games"], known["bytes"], 0.0, reused=True)

    raw.mkdir(parents=True, exist_ok=True)
    # Said beforehand too: what an interrupted generator leaves is the demo's, and is made anew.
    begun = {"order": None, "archives": dict.fromkeys(archive.name for archive in archives)}
    record.write_text(json.dumps(begun))
    started = time.perf_counter()
    made = corpus.generate(raw, games=request.games, months=request.months, seed=request.seed, quirks=False)
    written = {
        "order": asdict(request),
        "archives": _sizes(archives),
        "games": made.games,
        "rounds": made.rounds,
        "bytes": made.bytes,
    }
    record.write_text(json.dumps(written, indent=1))
    return Stage("corpus", made.games, made.bytes, time.perf_counter() - started)


def _is_foreign(archive: Path, known: dict[str, int | None]) -> bool:
    """Whether logs of the archive's year are there that the demo did not write."""
    if archive.with_suffix("").exists():  # a folder of monthly archives
        return True
    if not archive.exists():
        return False
    return archive.name not in known or known[archive.name] not in (None, archive.stat().st_size)


def _sizes(archives: list[Path]) -> dict[str, int]:
    return {archive.name: archive.stat().st_size for archive in archives if archive.exists()}


def run_stages(months: list[str]) -> tuple[list[Stage], str]:
    """Materialises all assets for these months in one run of the job that the web UI shows as well; tells of checks."""
    from dagster import DagsterInstance

    from tichu_pipeline.definitions import defs, everything

    with DagsterInstance.get() as instance:
        result = defs.resolve_job_def(everything.name).execute_in_process(
            instance=instance,
            run_config={"loggers": {"console": {"config": {"log_level": "WARNING"}}}},
            tags={
                "dagster/asset_partition_range_start": months[0],
                "dagster/asset_partition_range_end": months[-1],
            },
        )
    return stages_of(result), told_of_checks(result)


def told_of_checks(result: ExecuteInProcessResult) -> str:
    """How many there were, and which failed."""
    checks = result.get_asset_check_evaluations()
    failed = [f"{check.asset_key.to_user_string()} {check.check_name}" for check in checks if not check.passed]
    return f"{len(checks)} checks, " + (f"failed: {', '.join(failed)}" if failed else "all passed")


def stages_of(result: ExecuteInProcessResult) -> list[Stage]:
    """The materialised assets in the order in which they ran."""
    stages: dict[str, Stage] = {}
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        name = materialization.asset_key.to_user_string()
        stages.setdefault(name, Stage(name)).add({key: entry.value for key, entry in materialization.metadata.items()})
    return list(stages.values())


def show(console: Console, stages: list[Stage], total: Stage) -> None:
    table = Table("stage", title="What was made", show_footer=True)
    table.columns[0].footer = total.name
    for heading, footer in zip(("rows", "bytes", "seconds"), _cells(total), strict=True):
        table.add_column(heading, footer, justify="right")
    for stage in stages:
        table.add_row(stage.name, *_cells(stage))
    console.print(table)


def _cells(stage: Stage) -> tuple[str, str, str]:
    return (
        "" if stage.rows is None else f"{stage.rows:,}",
        "" if stage.bytes is None else decimal(stage.bytes),
        "reused" if stage.reused else "" if stage.seconds is None else f"{stage.seconds:.2f}",
    )


def main(
    games: Annotated[int, typer.Option(help="Games to generate.", min=1)] = 1200,
    months: Annotated[str, typer.Option(help="The months they lie in.")] = "2024-01..2024-12",
    data: Annotated[Path, typer.Option(help="The data folder.")] = Path("data"),
) -> None:
    """Generates a corpus, runs every stage over it and prints what was made."""
    started = time.perf_counter()
    console = Console()
    paths = DataPaths(data.absolute())
    request = CorpusRequest(games, parse_months(months), SEED)
    # Read when the definitions are imported. Dagster wants an absolute home, which need not be given.
    os.environ["TICHU_DATA"] = str(paths.root)
    os.environ["TICHU_FIRST_MONTH"], os.environ["TICHU_LAST_MONTH"] = request.months[0], request.months[-1]
    os.environ.setdefault("TICHU_PRESET", "demo")
    os.environ.setdefault("TICHU_DEALS", "100")
    os.environ.setdefault("DAGSTER_HOME", str(Path("dagster_home").absolute()))
    try:
        corpus_made = ensure_corpus(paths.raw, request)
        made, checks = run_stages(request.months)
    except ForeignLogsError as error:
        console.print(str(error), style="red", markup=False, soft_wrap=True)
        raise typer.Exit(1) from error
    on_disk = sum(path.stat().st_size for path in paths.root.rglob("*") if path.is_file())
    show(console, [corpus_made, *made], Stage("total, on disk", None, on_disk, time.perf_counter() - started))
    console.print(checks, highlight=False, markup=False, soft_wrap=True)
    console.print(f"All reports: {paths.reports / 'index.html'}", highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
