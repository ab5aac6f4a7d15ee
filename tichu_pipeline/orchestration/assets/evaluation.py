"""The stage `evaluation`: the page of the ladder. `tichu_pipeline.tournaments.page` writes it."""

import dagster as dg
from pydantic import Field

from tichu_models.arena.summary import summary
from tichu_pipeline.orchestration.assets.tournament import tournament
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.tournaments.entrants import LADDER
from tichu_pipeline.tournaments.files import read
from tichu_pipeline.tournaments.ladder import markdown
from tichu_pipeline.tournaments.page import VERSION, write_page
from tichu_pipeline.tournaments.running import tournament_path


class EvaluationConfig(dg.Config):
    """Settings of the page."""

    name: str = Field(LADDER, description="Name of the tournament to show.")
    force: bool = Field(False, description="Write the page again although nothing has changed.")


@dg.asset(deps=[tournament], group_name="evaluation", kinds={"html"}, code_version=str(VERSION), pool="report")
def evaluation(context: dg.AssetExecutionContext, config: EvaluationConfig, data: DataFolder) -> dg.MaterializeResult:
    """`reports/tournament.html`: the ladder of all agents, the result of each pairing, and plots."""
    with retry_transient(context):
        page = write_page(data.paths, config.name, config.force)
    facts = summary(read(tournament_path(data.paths, config.name)))
    return materialized(page, ladder=dg.MetadataValue.md(markdown(facts)), page=dg.MetadataValue.path(page.path))
