"""What is there of each stage, and what is stale and why: what `tichu status` answers. Nothing is changed, nothing run.

A stage is judged by the stamp in its own output, against the one that it would get now; what hangs on a stale stage is
stale as well. Its settings are taken as they were. A new stage is a function here and a line in STAGES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tichu_models.observation.specs import SpecError, spec
from tichu_pipeline.analysis import build, notebook
from tichu_pipeline.analysis import reading as database
from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.features import dataset, shards
from tichu_pipeline.rounds.ingest import (
    VERSION,
    DamagedMonthError,
    changed_months,
    manifest,
    month_stamp,
    orphaned_months,
    stored_month_stamp,
    stored_unread,
)
from tichu_pipeline.scaling import fit as scaling
from tichu_pipeline.status.freshness import NAMED_RANGES, Standing, State, hanging_on, ranges, span, state_of
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tournaments import page as ladder_page
from tichu_pipeline.tournaments.entrants import LADDER, entrants
from tichu_pipeline.tournaments.files import TournamentFileError
from tichu_pipeline.tournaments.files import read as read_tournament
from tichu_pipeline.tournaments.files import stored_stamp as stored_tournament_stamp
from tichu_pipeline.tournaments.running import stamp_of, tournament_path
from tichu_pipeline.training import comparison, runs

Before = Mapping[str, Standing]


def status(paths: DataPaths) -> list[Standing]:
    """All stages, in the order in which they run."""
    catalogue = scan(paths.raw) if paths.raw.exists() else None
    found: dict[str, Standing] = {}
    for stage, look in STAGES.items():
        found[stage] = look(stage, paths, catalogue, found)
    return list(found.values())


def _raw_logs(stage: str, paths: DataPaths, catalogue: Catalogue | None, _: Before) -> Standing:
    if catalogue is None or not catalogue.months:
        remedy = "put archives there, or: tichu download, tichu generate"
        return Standing(stage, State.MISSING, "", 0, (f"no logs in {paths.raw}; {remedy}",))
    problems = len(catalogue.problems)
    notes = (f"{problems:,} problems of archives or logs, which ingest names",) if problems else ()
    there = f"{span(catalogue.months)}, {len(catalogue):,} logs"
    size = sum(path.stat().st_size for path in paths.raw.rglob("*") if path.is_file())
    return Standing(stage, State.FRESH, there, size, notes)


def _rounds(stage: str, paths: DataPaths, catalogue: Catalogue | None, _: Before) -> Standing:
    changed = changed_months(catalogue, paths) if catalogue else []
    new = [month for month in changed if not (paths.rounds / f"{month}.parquet").exists()]
    torn = [month for month in changed if month not in new and stored_month_stamp(paths, month) is None]
    older = [
        month for month in changed if month not in new and month not in torn and _is_older(catalogue, paths, month)
    ]
    logs = [month for month in changed if month not in {*new, *torn, *older}]
    reasons = [
        f"{what}: {ranges(months)}"
        for what, months in (
            ("new months", new),
            ("logs have changed", logs),
            ("made by an older version", older),
            ("files are not of one run", torn),
        )
        if months
    ]
    try:
        found = manifest(paths)
    except DamagedMonthError as error:
        return Standing(stage, State.STALE, "", 0, (str(error), *reasons), tuple(changed))
    if not found.months:
        return Standing(stage, State.MISSING, "", 0, tuple(reasons) or ("no logs to read",), tuple(changed))
    orphans = orphaned_months(catalogue, paths) if catalogue else found.months
    notes = [f"logs are gone, rounds kept: {ranges(orphans)}"] if orphans else []
    state = State.STALE if changed else State.FRESH
    there = f"{span(found.months)}, {found.rounds:,} rounds"
    return Standing(stage, state, there, found.bytes, (*reasons, *notes), tuple(changed))


def _is_older(catalogue: Catalogue | None, paths: DataPaths, month: str) -> bool:
    """Whether the month's files were made from these very logs by an older version of the stage."""
    logs = catalogue.stamp(month) if catalogue else ""
    stored, unread = stored_month_stamp(paths, month), stored_unread(paths, month)
    return stored in {month_stamp(logs, version, unread=unread) for version in range(1, VERSION)}


def _analysis(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    if not paths.database.is_file():
        return Standing(stage, State.MISSING, "", 0, ("not built yet",))
    reasons = [] if before["rounds"].is_fresh else hanging_on(before["rounds"])
    there = ""
    try:
        rounds, months = (
            database.table(paths, "SELECT (SELECT count(*) FROM rounds), months FROM about").to_pylist()[0].values()
        )
        there = f"{span(months)}, {rounds:,} rounds"
        here = manifest(paths).months
        for what, differing in (("not in it", set(here) - set(months)), ("no longer there", set(months) - set(here))):
            reasons += [f"{what}: {ranges(sorted(differing))}"] if differing else []
        if not reasons and database.stored_stamp(paths) != build.database_stamp(paths):
            reasons.append("rounds have changed since, or it is of another version")
        elif not reasons and not build.has_all_tournaments(paths):
            reasons.append("tournaments have been played since")
    except (database.DatabaseError, DamagedMonthError) as error:
        reasons.append(str(error))
    return Standing(stage, state_of(reasons), there, paths.database.stat().st_size, tuple(reasons))


def _scaling(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    constants = scaling.load(paths)
    if constants is None:
        return Standing(stage, State.MISSING, "", 0, ("not fitted yet",))
    through = constants["fit"]["through"]
    within = [month for month in before["rounds"].stale_months if month <= through]
    reasons = [f"rounds in its window are stale: {ranges(within)}"] if within else []
    if not reasons and constants["stamp"] != scaling.stamp_now(paths, constants):
        reasons.append("rounds in its window have changed since, or it is of another version")
    there = f"{len(constants['variables'])} variables, fitted through {through}"
    return Standing(stage, state_of(reasons), there, paths.scaling.stat().st_size, tuple(reasons))


def _analysis_report(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    page = notebook.page_path(paths)
    if not page.is_file():
        return Standing(stage, State.MISSING, "", 0, ("not executed yet",))
    reasons = [part for name in ("analysis", "scaling") for part in hanging_on(before[name])]
    if not reasons and not notebook.is_up_to_date(paths):
        reasons.append("the notebook, the database or the constants have changed since")
    return Standing(stage, state_of(reasons), page.name, page.stat().st_size, tuple(reasons))


def _features(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    files = sorted(paths.features.glob("*/????-??.parquet"))
    if not files:
        return Standing(stage, State.MISSING, "", 0, ("no shards; networks can be trained from rounds without them",))
    stale = {path: why for path in files if (why := _stale_shard(paths, path))}
    reasons = [f"{path.parent.name} {path.stem}: {why}" for path, why in list(stale.items())[:NAMED_RANGES]]
    reasons += [f"and {len(stale) - NAMED_RANGES} shards more"] if len(stale) > NAMED_RANGES else []
    reasons += [] if reasons else hanging_on(before["rounds"])
    specs = sorted({path.parent.name for path in files})
    there = f"{span(sorted({path.stem for path in files}))}, {len(specs)} vector{'' if len(specs) == 1 else 's'}"
    months = tuple(sorted({path.stem for path in stale}))
    return Standing(stage, state_of(reasons), there, sum(map(_size, files)), tuple(reasons), months)


def _stale_shard(paths: DataPaths, path: Path) -> str | None:
    try:
        current = shards.is_current(paths, spec(path.parent.name), path.stem)
    except (SpecError, shards.ShardError) as error:
        return str(error)
    return None if current else "rounds have changed since, or it is of another version"


def _dataset(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    files = sorted(paths.features.glob("*.h5"))
    if not files:
        return Standing(stage, State.MISSING, "", 0, ("no data set asked for",))
    reasons = [f"{path.name}: {why}" for path in files if (why := dataset.stale_because(paths, path))]
    reasons += [] if reasons else _below_stale(before, "features")
    return Standing(stage, state_of(reasons), f"{len(files)} in all", sum(map(_size, files)), tuple(reasons))


def _size(path: Path) -> int:
    return path.stat().st_size


def _training_runs(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    found = runs.runs(paths)
    finished = [run for run in found if run.state == runs.FINISHED]
    if not found:
        return Standing(stage, State.MISSING, "", 0, ("no network trained yet; tichu train NET",))
    reasons = [f"{run.name} is {run.state}" for run in found if run.state != runs.FINISHED]
    for above in (before["rounds"], before["scaling"]):
        reasons += hanging_on(above)
    because = {run.name: runs.stale_because(run, paths) for run in finished} if not reasons else {}
    reasons += [f"{name}: {why}" for name, why in because.items() if why]
    size = sum(path.stat().st_size for run in found for path in run.folder.iterdir())
    return Standing(stage, state_of(reasons), f"{len(finished)} networks", size, tuple(reasons))


def _model_comparison(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    table = paths.reports / comparison.TABLE
    if not table.is_file():
        return Standing(stage, State.MISSING, "", 0, ("not made yet",))
    reasons = [] if before["training_runs"].is_fresh else hanging_on(before["training_runs"])
    if not reasons and not comparison.is_up_to_date(paths):
        reasons.append("runs have been trained since, or rounds have changed")
    return Standing(stage, state_of(reasons), comparison.PAGE, table.stat().st_size, tuple(reasons))


def _tournament(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    path = tournament_path(paths, LADDER)
    if not path.is_file():
        return Standing(stage, State.MISSING, "", 0, ("not played yet",))
    try:
        played = read_tournament(path)
    except TournamentFileError as error:
        return Standing(stage, State.STALE, "", path.stat().st_size, (str(error),))
    order = played.order
    able = entrants(paths)
    new = [agent for agent in able.agents if agent not in order.agents]
    reasons = [f"new agents: {', '.join(new)}"] if new else []
    reasons += [f"{run} cannot play: {why}" for run, why in able.left_out if (run, why) not in played.left_out]
    if not reasons and stamp_of(order, paths) != stored_tournament_stamp(path):
        reasons.append("a network or the crowd's corpus has changed since, or it is of another version")
    reasons += [] if reasons else _below_stale(before, "training_runs")
    there = f"{len(order.agents)} agents, {len(played.results):,} rounds"
    return Standing(stage, state_of(reasons), there, path.stat().st_size, tuple(reasons))


def _evaluation(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    page = ladder_page.page_path(paths)
    if not page.is_file():
        return Standing(stage, State.MISSING, "", 0, ("not made yet",))
    reasons = hanging_on(before["tournament"])
    if not reasons and not ladder_page.is_up_to_date(paths, LADDER):
        reasons.append("the tournament has been played anew since")
    return Standing(stage, state_of(reasons), page.name, page.stat().st_size, tuple(reasons))


def _overview(stage: str, paths: DataPaths, _: Catalogue | None, before: Before) -> Standing:
    page = paths.reports / "index.html"
    if not page.is_file():
        return Standing(stage, State.MISSING, "", 0, ("not made yet",))
    shown = {
        "analysis_report": notebook.page_path(paths),
        "scaling": paths.scaling,
        "model_comparison": paths.reports / comparison.TABLE,
        "evaluation": ladder_page.page_path(paths),
    }
    made = page.stat().st_mtime
    newer = [name for name, path in shown.items() if path.is_file() and path.stat().st_mtime > made]
    reasons = [f"it shows an older {name}" for name in newer] or _below_stale(before, *shown)
    return Standing(stage, state_of(reasons), page.name, page.stat().st_size, tuple(reasons))


def _below_stale(before: Before, *names: str) -> list[str]:
    """Of stages that do without those above them: only what is there and stale makes them so."""
    return [reason for name in names if before[name].state is State.STALE for reason in hanging_on(before[name])]


Look = Callable[[str, DataPaths, Catalogue | None, Before], Standing]
# In the order in which they run. `rounds_manifest` keeps nothing on disk.
STAGES: Mapping[str, Look] = {
    "raw_logs": _raw_logs,
    "rounds": _rounds,
    "analysis": _analysis,
    "scaling": _scaling,
    "analysis_report": _analysis_report,
    "features": _features,
    "dataset": _dataset,
    "training_runs": _training_runs,
    "model_comparison": _model_comparison,
    "tournament": _tournament,
    "evaluation": _evaluation,
    "overview": _overview,
}
