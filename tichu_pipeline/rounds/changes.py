"""Finds the months of rounds that must be made anew: new, changed, made by an older version, or incomplete.

A month's stamp is a digest of its logs, of the code's VERSION and of the logs that could not be read. Those are tried
again: a repaired archive may have the same directory as the damaged one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue
from tichu_pipeline.brettspielwelt.archives.inflate import any_readable
from tichu_pipeline.brettspielwelt.archives.scan import catalogue_of
from tichu_pipeline.rounds.manifest import DamagedMonthError, manifest, stored_month_stamp, stored_unread
from tichu_pipeline.storage.folders import DataPaths, month_file, months_in
from tichu_pipeline.storage.freshness import Standing, State, Survey, ranges, span

# Bumped by hand when the files of unchanged logs would differ; tests/golden/rounds.json says when.
VERSION = 3


def month_stamp(logs: str, version: int = VERSION, *, unread: Sequence[int] = ()) -> str:
    """The stamp of a month from the digest of its logs and the games that could not be read."""
    without = f" without {list(unread)}" if unread else ""
    return hashlib.sha256(f"ingest {version} {logs}{without}".encode()).hexdigest()


def changed_months(catalogue: Catalogue, paths: DataPaths) -> list[str]:
    """The months whose files were not made from their logs as they are now, in order of time."""
    changed = []
    for month in catalogue.months:
        lacking = _lacking(catalogue, paths, month)
        if lacking is None or any_readable(catalogue.month(month), lacking):
            changed.append(month)
    return changed


def repaired_months(catalogue: Catalogue, paths: DataPaths, months: Iterable[str]) -> list[str]:
    """The months among these in which some log can be read now that could not be read before."""
    return [month for month in months if any_readable(catalogue.month(month), _lacking(catalogue, paths, month) or ())]


def _lacking(catalogue: Catalogue, paths: DataPaths, month: str) -> list[int] | None:
    """The games that are missing from a stored month because they could not be read; None if the month was made from
    other logs."""
    stored, logs = stored_month_stamp(paths, month), catalogue.stamp(month)
    if stored is None or stored == month_stamp(logs):
        return None if stored is None else []
    unread = stored_unread(paths, month)
    return unread if stored == month_stamp(logs, unread=unread) else None


def orphaned_months(catalogue: Catalogue, paths: DataPaths) -> list[str]:
    """The months that have files, but no longer any logs."""
    return sorted(set(months_in(paths.rounds)) - set(catalogue.months))


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `rounds`."""
    paths, catalogue = survey.paths, survey.once(catalogue_of)
    changed = changed_months(catalogue, paths) if catalogue else []
    new = [month for month in changed if not month_file(paths.rounds, month).exists()]
    torn = [month for month in changed if month not in new and stored_month_stamp(paths, month) is None]
    rest = [month for month in changed if month not in {*new, *torn}]
    older = [month for month in rest if catalogue and _is_older(catalogue, paths, month)]
    logs = [month for month in rest if month not in older]
    reasons = [
        f"{reason}: {ranges(months)}"
        for reason, months in (
            ("new months", new),
            ("logs have changed", logs),
            ("made by an older version", older),
            ("files are not of one run", torn),
        )
        if months
    ]
    try:
        stored = survey.once(manifest)
    except DamagedMonthError as error:
        return Standing("rounds", State.STALE, "", 0, (str(error), *reasons), tuple(changed))
    if not stored.months:
        return Standing("rounds", State.MISSING, "", 0, tuple(reasons) or ("no logs to read",), tuple(changed))
    orphans = orphaned_months(catalogue, paths) if catalogue else stored.months
    notes = [f"logs are gone, rounds kept: {ranges(orphans)}"] if orphans else []
    state = State.STALE if changed else State.FRESH
    there = f"{span(stored.months)}, {stored.rounds:,} rounds"
    return Standing("rounds", state, there, stored.bytes, (*reasons, *notes), tuple(changed))


def _is_older(catalogue: Catalogue, paths: DataPaths, month: str) -> bool:
    """Whether the month's files were made from the same logs by an older version of the stage."""
    stored, unread = stored_month_stamp(paths, month), stored_unread(paths, month)
    return stored in {month_stamp(catalogue.stamp(month), version, unread=unread) for version in range(1, VERSION)}
