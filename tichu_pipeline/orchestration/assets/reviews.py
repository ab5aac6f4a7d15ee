"""The stage `reviews`: what decisions cost. `tichu_pipeline.review.judging` judges them."""

import dagster as dg
from pydantic import Field

from tichu_models.agents.names import CHAMPION
from tichu_models.agents.registry import AgentError
from tichu_models.review.referee import RefereeError
from tichu_pipeline.analysis.build import renew_tables
from tichu_pipeline.orchestration.assets.rounds import rounds_manifest
from tichu_pipeline.orchestration.materialized import materialized
from tichu_pipeline.orchestration.resources import DataFolder, WorkersResource
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.review.judging import review_months
from tichu_pipeline.review.stored import GAMES, VERSION, ReviewsRequest
from tichu_pipeline.review.texts import Language
from tichu_pipeline.review.year_page import write_years
from tichu_pipeline.storage.folders import months_in


class ReviewsConfig(dg.Config):
    """Whose decisions are judged, where and by whom."""

    players: list[str] = Field(default_factory=list, description="Players whose decisions are judged; by default all.")
    months: list[str] = Field(default_factory=list, description="Months as 2024-03; by default all that are stored.")
    games: int = Field(GAMES, description="Games of a month at most, spread over it.", ge=1)
    corpus: int = Field(
        0, description="Games of a month at most in which everybody is judged, to compare the players with.", ge=0
    )
    agent: str = Field(CHAMPION, description="The referee, named as for `tichu review --by`.")
    lang: str = Field(Language.EN.value, description="The language of the pages of years.", pattern="^(en|de)$")
    seed: int = Field(0, description="The same seed gives the same judgements.", ge=0)


@dg.asset(
    deps=[rounds_manifest],
    group_name="evaluation",
    kinds={"python"},
    code_version=str(VERSION),
    pool="tournament",
)
def reviews(
    context: dg.AssetExecutionContext, config: ReviewsConfig, data: DataFolder, workers: WorkersResource
) -> dg.MaterializeResult:
    """`reviews/<month>.parquet`: what decisions cost, a row for each that was judged.

    A referee tries the answers on supposed deals that agree with what the seat knew, and plays them on. Games that
    have been judged are not judged again. Each declared player gets pages of the years, `reports/years/`.
    """
    request = ReviewsRequest(
        tuple(config.players), tuple(config.months), config.games, config.corpus, config.agent, config.seed
    )
    try:
        with retry_transient(context):
            made = review_months(
                data.paths, request, workers.get(), lambda month: context.log.info("%s is judged", month)
            )
            if data.paths.database.exists():
                renew_tables(data.paths)
            pages = write_years(data.paths, request.players, months_in(data.paths.reviews), Language(config.lang))
    except (AgentError, RefereeError) as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    listed = "\n".join(f"- `{page}`" for page in pages) or "none: no players are declared"
    return materialized(
        made, path=dg.MetadataValue.path(made.path), years=dg.MetadataValue.md(listed), **workers.metadata()
    )
