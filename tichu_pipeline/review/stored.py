"""Reviews of declared players and months as they are stored, a Parquet file a month: what was asked for, and freshness.

`judging` makes the files. Nothing here loads a network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tichu_models.agents.names import CHAMPION
from tichu_models.review.settings import JudgeSettings
from tichu_models.runs import files
from tichu_pipeline.rounds.manifest import stored_month_stamp
from tichu_pipeline.storage.folders import DataPaths, month_file, months_in
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing, ranges, span
from tichu_pipeline.storage.stamps import parquet_metadata, stored_stamp
from tichu_pipeline.tournaments.running import digests_of_runs

# Bumped by hand when the same request would give other figures; tests/golden/reviews.json says when.
VERSION = 1
REQUEST = b"tichu.reviews"  # in the metadata of a file
GAMES = 10  # of a month


@dataclass(frozen=True)
class ReviewsRequest:
    """Whose decisions are judged, where and by whom."""

    players: tuple[str, ...] = ()  # none: all
    months: tuple[str, ...] = ()  # none: all that are stored
    games: int = GAMES  # of a month at most, spread over it
    corpus: int = 0  # of a month at most, in which everybody is judged, so that the players can be compared
    agent: str = CHAMPION
    seed: int = 0


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `reviews`: of the months that have been judged."""
    paths = survey.paths
    months = months_in(paths.reviews)
    if not months:
        return missing("reviews", "no decisions have been judged yet; the job `judge` does it")
    gone = [month for month in months if not month_file(paths.rounds, month).exists()]
    stale = [month for month in months if month not in gone and not _is_fresh(paths, month)]
    reasons = [f"months are gone: {ranges(gone)}"] if gone else []
    reasons += [f"rounds, the referee or the version have changed since: {ranges(stale)}"] if stale else []
    size = sum(month_file(paths.reviews, month).stat().st_size for month in months)
    return judged("reviews", span(months), size, reasons, [*gone, *stale])


def _is_fresh(paths: DataPaths, month: str) -> bool:
    """Whether a month would get the same stamp if the same were asked for again."""
    path = month_file(paths.reviews, month)
    asked = json.loads(parquet_metadata(path).get(REQUEST, b"{}"))
    if not asked:
        return False
    asked["players"] = tuple(asked["players"])
    return stored_stamp(path) == stamp_of(paths, ReviewsRequest(**asked), month)


def stamp_of(paths: DataPaths, request: ReviewsRequest, month: str) -> str:
    """A digest of what a month's judgements depend on."""
    settings = JudgeSettings(seed=request.seed)
    asked = json.dumps([asked_of(request), asdict(settings)])
    digest = hashlib.sha256(f"reviews {VERSION} {asked} {month} {stored_month_stamp(paths, month)}".encode())
    digest.update(_runs_of(paths, request.agent))
    return digest.hexdigest()


def referee_digest(paths: DataPaths, request: ReviewsRequest) -> bytes:
    """A digest of who judges and how closely."""
    asked = json.dumps([request.agent, asdict(JudgeSettings(seed=request.seed))])
    return hashlib.sha256(f"reviews {VERSION} {asked}".encode() + _runs_of(paths, request.agent)).digest()


def _runs_of(paths: DataPaths, agent: str) -> bytes:
    """The networks that an agent may play with."""
    if agent.partition(":")[0] == CHAMPION:
        return digests_of_runs(files.CHAMPION.parent, CHAMPION)
    return digests_of_runs(paths.runs) if ":" in agent else b""


def asked_of(request: ReviewsRequest) -> Mapping[str, Any]:
    """The request as it concerns one month, without what was not asked for."""
    asked = asdict(replace(request, months=()))
    return {name: value for name, value in asked.items() if name != "corpus" or value}
