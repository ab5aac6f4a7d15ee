"""The stage `tournament`: agents against each other. `tichu_models.arena` plays it."""

import os
import time
from collections.abc import Callable

import dagster as dg
from pydantic import Field

from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import TournamentRequest
from tichu_pipeline.analysis.build import renew_tables
from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.assets.selfplay import selfplay_runs
from tichu_pipeline.orchestration.assets.training import training_runs
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.tournaments.entrants import LADDER, entrants
from tichu_pipeline.tournaments.running import VERSION
from tichu_pipeline.tournaments.running import run as play

DEALS = int(os.environ.get("TICHU_DEALS") or TournamentRequest.deals)
SECONDS_BETWEEN_LINES = 2.0


class TournamentConfig(dg.Config):
    """Who plays, and how much."""

    name: str = Field(LADDER, description="Name of the file, tournaments/<name>.parquet.")
    agents: list[str] = Field(
        default_factory=list,
        description="Agents, named as for `tichu tournament`; by default all built-in and all trained players.",
    )
    deals: int = Field(DEALS, description="Deals for each pairing. Each is played twice, with seats swapped.")
    whole_games: bool = Field(
        TournamentRequest.whole_games, description="Play whole games to 1,000 points instead of single rounds."
    )
    seed: int = Field(TournamentRequest.seed, description="The same seed gives the same deals.")
    force: bool = Field(False, description="Play although the same tournament is stored.")


@dg.asset(
    deps=[*training_runs, *selfplay_runs],
    group_name="evaluation",
    kinds={"python"},
    code_version=str(VERSION),
    pool="tournament",
)
def tournament(
    context: dg.AssetExecutionContext, config: TournamentConfig, data: DataFolder, workers: WorkersResource
) -> dg.MaterializeResult:
    """`tournaments/<name>.parquet`: a tournament, with a row for each round.

    Every two agents play the same deals, each deal twice with the teams' seats swapped: good cards help neither.
    """
    able = entrants(data.paths)
    agents, left_out = (tuple(config.agents), ()) if config.agents else (able.agents, able.left_out)
    for run, why in left_out:
        context.log.warning("%s is left out: %s", run, why)
    request = TournamentRequest(agents, config.deals, config.seed, config.whole_games)
    with retry_transient(context):
        done = _deals_done(context, request)
        made = play(data.paths, config.name, request, workers.get(), config.force, done=done, left_out=left_out)
        if data.paths.database.exists():
            renew_tables(data.paths)
    facts = summary(made.played)
    rows = []
    for pairing in facts["pairings"]:
        low, high = pairing["interval"]
        rows.append(
            (f"{pairing['a']} : {pairing['b']}", f"{pairing['points_per_round']:+.1f}", f"{low:+.1f} .. {high:+.1f}")
        )
    return materialized(
        made,
        agents=len(agents),
        left_out=dg.MetadataValue.md("\n".join(f"- `{run}`: {why}" for run, why in left_out) or "none"),
        pairings=dg.MetadataValue.md(markdown.table(("", "points a round", "interval"), rows)),
        path=dg.MetadataValue.path(made.path),
        **workers.metadata(),
    )


def _deals_done(context: dg.AssetExecutionContext, request: TournamentRequest) -> Callable[[int], None]:
    """Logs now and then how many deals have been played."""
    total, deals, last = len(request.pairings) * request.deals, 0, time.monotonic()

    def done(more: int) -> None:
        nonlocal deals, last
        deals += more
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            context.log.info(f"{deals:,} of {total:,} deals played")

    return done


@dg.asset_check(asset=tournament)
def nobody_failed(data: DataFolder) -> dg.AssetCheckResult:
    """No agent of the ladder gave an illegal answer, crashed or took too long."""
    from tichu_pipeline.tournaments.files import read
    from tichu_pipeline.tournaments.running import tournament_path

    path = tournament_path(data.paths, LADDER)
    forfeits = read(path).forfeits if path.exists() else []
    return dg.AssetCheckResult(
        passed=not forfeits,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"forfeits": len(forfeits), "first": "\n".join(map(str, forfeits[:5]))},
    )
