"""`python -m tichu_pipeline.tools.demo`: compiles, generates a corpus, and runs every stage over it.

All of it is shown while it runs: `stage_list` follows the stages, `stage_display` shows them. They are those of
`definitions`, which Dagster runs. None is named here, so that a new stage needs no change.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer
from rich.console import Console

from tichu_models.whole_files import write_whole
from tichu_pipeline.brettspielwelt.corpus import generate as corpus
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.months import parse_months
from tichu_pipeline.tools.stage_display import display, show
from tichu_pipeline.tools.stage_list import FAILED, Stage, StageList

if TYPE_CHECKING:
    from dagster import JobDefinition

SEED = 2024
LOADING, KERNELS, CORPUS = "loading Dagster", "compiling kernels", "corpus"  # rows before the stages
RECORD = "demo.json"
PRINTED = {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
INTERRUPTED = 130  # exit status, as of a shell


@dataclass(frozen=True)
class CorpusRequest:
    """What `raw/demo.json` says was generated; the same request is not generated twice."""

    games: int
    months: list[str]
    seed: int


class ForeignLogsError(Exception):
    """The data folder holds logs that the demo did not make, and would overwrite or mix with its own."""


def refuse_foreign_logs(raw: Path, request: CorpusRequest) -> None:
    """Raises an error where the corpus would overwrite logs of others, or mix with them."""
    for archive in _archives(raw, request):
        if _is_foreign(archive, _known(raw)["archives"]):
            raise ForeignLogsError(
                f"{raw}: holds logs of {archive.stem} that are not the demo's; expected none. "
                "Choose another data folder: make demo DATA=DIR"
            )


def ensure_corpus(raw: Path, request: CorpusRequest) -> Stage:
    """Generates the requested corpus into `raw`, unless it is there already."""
    refuse_foreign_logs(raw, request)
    record, known, archives = raw / RECORD, _known(raw), _archives(raw, request)
    if known["order"] == asdict(request) and known["archives"] == _sizes(archives):
        return Stage(CORPUS, known["games"], known["bytes"], 0.0, reused=True)

    raw.mkdir(parents=True, exist_ok=True)
    # Said beforehand too: what an interrupted generator leaves is the demo's, and is made anew.
    begun = {"order": None, "archives": dict.fromkeys(archive.name for archive in archives)}
    write_whole(record, json.dumps(begun))
    started = time.perf_counter()
    made = corpus.generate(raw, games=request.games, months=request.months, seed=request.seed, quirks=False)
    written = {
        "order": asdict(request),
        "archives": _sizes(archives),
        "games": made.games,
        "rounds": made.rounds,
        "bytes": made.bytes,
    }
    write_whole(record, json.dumps(written, indent=1))
    return Stage(CORPUS, made.games, made.bytes, time.perf_counter() - started)


def _archives(raw: Path, request: CorpusRequest) -> list[Path]:
    return [raw / f"{year}.zip" for year in sorted({month[:4] for month in request.months})]


def _known(raw: Path) -> dict[str, Any]:
    """The record of the files that the demo has written here."""
    record = raw / RECORD
    return json.loads(record.read_text()) if record.is_file() else {"order": None, "archives": {}}


def _is_foreign(archive: Path, known: dict[str, int | None]) -> bool:
    """Whether logs of the archive's year are there that the demo did not write."""
    if archive.with_suffix("").exists():  # a folder of monthly archives
        return True
    if not archive.exists():
        return False
    return archive.name not in known or known[archive.name] not in (None, archive.stat().st_size)


def _sizes(archives: list[Path]) -> dict[str, int]:
    return {archive.name: archive.stat().st_size for archive in archives if archive.exists()}


def load_stages(stages: StageList) -> None:
    """Imports Dagster and all stages, and lists these."""
    stages.begin(LOADING)
    layer = _everything().asset_layer
    keys = [key for key in layer.asset_graph.toposorted_asset_keys if key in layer.executable_asset_keys]
    stages.expect(key.to_user_string() for key in keys)
    stages.end(LOADING)


def compile_kernels(stages: StageList) -> bool:
    """Compiles all kernels in several processes, as a stage, unless that has been done; False if that fails. Kernels
    that this process compiles later are shown as well."""
    from tichu_models.kernel_cache import Compiling, listen
    from tichu_pipeline.tools.warm_up import CompileError, PartProgress, compile_all, is_compiled

    def show_part(progress: PartProgress) -> None:
        stages.compiling(f"{progress.part}: {progress.kernel.rpartition('.')[2]}", progress.seconds)

    def show_here(now: Compiling | None) -> None:
        if now is None:
            stages.compiling("")
        else:
            stages.compiling(now.kernel.rpartition(".")[2], time.monotonic() - now.since)

    stages.begin(KERNELS)
    if is_compiled():
        stages.stages[KERNELS].add({"reused": True})
    else:
        try:
            compile_all(show_part)
        except CompileError as error:
            stages.end(KERNELS, FAILED, str(error))
            return False
    stages.compiling("")
    stages.end(KERNELS)
    listen(show_here)
    return True


def make_corpus(stages: StageList, raw: Path, request: CorpusRequest) -> None:
    """Makes the corpus, as a stage."""
    stages.begin(CORPUS)
    made = ensure_corpus(raw, request)
    stages.stages[CORPUS].add({"rows": made.rows, "bytes": made.bytes, "reused": made.reused})
    stages.end(CORPUS)


def run_stages(months: list[str], stages: StageList) -> bool:
    """Materialises all assets for these months in one run of the job that the web UI shows as well."""
    from dagster import DagsterInstance
    from dagster._core.instance.ref import InstanceRef

    run_id = str(uuid4())
    # What stages print is not sent to files, as otherwise in a run: the display is printed as well.
    settings = InstanceRef.from_dir(os.environ["DAGSTER_HOME"], overrides={"compute_logs": PRINTED})
    with DagsterInstance.from_ref(settings) as instance:
        instance.add_event_listener(run_id, stages.on_event)
        result = _everything().execute_in_process(
            instance=instance,
            run_id=run_id,
            raise_on_error=False,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},  # it is shown otherwise
            tags={
                "dagster/asset_partition_range_start": months[0],
                "dagster/asset_partition_range_end": months[-1],
            },
        )
    if stages.interrupted:
        raise KeyboardInterrupt
    return result.success


def _everything() -> JobDefinition:
    from tichu_pipeline.definitions import defs, everything

    return defs.resolve_job_def(everything.name)


def summary_of_checks(checks: list[tuple[str, bool]]) -> str:
    """The number of checks, and the names of those that failed."""
    failed = [name for name, passed in checks if not passed]
    return f"{len(checks)} checks, " + (f"failed: {', '.join(failed)}" if failed else "all passed")


def main(
    games: Annotated[int, typer.Option(help="Games to generate.", min=1)] = 1200,
    months: Annotated[str, typer.Option(help="The months they lie in.")] = "2024-01..2024-12",
    data: Annotated[Path, typer.Option(help="The data folder.")] = Path("data"),
) -> None:
    """Generates a corpus, runs every stage over it and prints what was made."""
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
        refuse_foreign_logs(paths.raw, request)
    except ForeignLogsError as error:
        _say(console, str(error), "red")
        raise typer.Exit(1) from error
    _say(console, f"{games:,} games of {months} into {paths.root}, and every stage over them")
    stages = StageList([LOADING, KERNELS, CORPUS])
    try:
        with display(console, stages):
            load_stages(stages)
            succeeded = compile_kernels(stages)
            if succeeded:
                make_corpus(stages, paths.raw, request)
                succeeded = run_stages(request.months, stages)
    except KeyboardInterrupt as error:
        _say(console, f"Stopped after {stages.elapsed:.0f} s; the next demo goes on from here", "yellow")
        raise typer.Exit(INTERRUPTED) from error
    for warning in stages.warnings:
        _say(console, warning, "yellow")
    for stage in stages.failed:
        _say(console, f"{stage.name} failed: {stage.progress}", "red")
    if not succeeded:
        raise typer.Exit(1)
    on_disk = sum(path.stat().st_size for path in paths.root.rglob("*") if path.is_file())
    show(console, list(stages.stages.values()), Stage("total, on disk", None, on_disk, stages.elapsed))
    _say(console, summary_of_checks(stages.checks))
    _say(console, f"All reports: {paths.reports / 'index.html'}")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
