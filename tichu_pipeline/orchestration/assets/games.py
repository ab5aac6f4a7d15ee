"""The group `games`: for each game beside Tichu its rules counted, runs by each method, matches, and one page for all.

The assets are made by a factory: a new game, or a new method, needs no line here.
"""

import hashlib
import os
import time
from dataclasses import replace

import dagster as dg
from pydantic import Field

from tichu_models.games.learning.methods import methods_of
from tichu_models.games.learning.settings import DEFAULT_PRESET, PRESETS
from tichu_models.games.registry import MODULES
from tichu_models.options import OptionError
from tichu_models.runs.files import CURVES, FIGURES, METRICS
from tichu_models.runs.journal import rows_of
from tichu_pipeline.games import matches, page, rules
from tichu_pipeline.games.facts import Facts
from tichu_pipeline.games.runs import GameRun, GameRunRequest, finished
from tichu_pipeline.games.studies import study
from tichu_pipeline.html import markdown
from tichu_pipeline.orchestration.materialized import figures, materialized
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.orchestration.retries import retry_transient
from tichu_pipeline.plots import sparkline
from tichu_pipeline.storage.run_folders import RunError
from tichu_pipeline.training.parent import TrainingFailedError, train_in_child

GROUP = "games"
CHILD = "tichu_pipeline.games.child"
_PRESET = os.environ.get("TICHU_PRESET") or DEFAULT_PRESET
PRESET = _PRESET if _PRESET in PRESETS else DEFAULT_PRESET


class GameConfig(dg.Config):
    """How much is counted or played."""

    preset: str = Field(PRESET, description="Preset: smoke, demo or laptop.")


class GameRunConfig(GameConfig):
    """How a game is learned."""

    settings: list[str] = Field(
        default_factory=list, description="Settings as key=value, as for `tichu games train --set`."
    )
    force: bool = Field(False, description="Train the run again although nothing has changed.")


def rules_asset(name: str) -> dg.AssetsDefinition:
    """The asset of what is counted of a game."""

    @dg.asset(
        key=[GROUP, name, "rules"],
        group_name=GROUP,
        kinds={"python"},
        code_version=str(rules.VERSION),
        pool="games",
        description=f"`board_games/{name}/{rules.FILE}`: sequences of actions (perft) and random games of {name}.",
    )
    def count(context: dg.AssetExecutionContext, config: GameConfig, data: DataFolder) -> dg.MaterializeResult:
        with retry_transient(context):
            made = rules.count(data.paths, rules.RulesRequest.of(name, _preset(config)))
        sizes = made.facts["complexity"]["random_games"]
        return materialized(
            made,
            **{f"legal_actions_of_{each['players']}": each["branching"] for each in sizes},
            **{f"length_of_{each['players']}": each["length"] for each in sizes},
            path=dg.MetadataValue.path(made.path),
        )

    return count


def run_asset(name: str, method: str) -> dg.AssetsDefinition:
    """The asset of a run of a game."""

    @dg.asset(
        key=[GROUP, name, "runs", method],
        group_name=GROUP,
        kinds={"python"},
        code_version="1",  # the versions of methods are in the manifests of runs
        pool="training",
        description=f"`board_games/{name}/{method}/`: {name}, learned by {method}. A run that was killed goes on.",
    )
    def train(context: dg.AssetExecutionContext, config: GameRunConfig, data: DataFolder) -> dg.MaterializeResult:
        request = GameRunRequest(name, method, method, config.preset, tuple(config.settings))
        made = _trained(context, request, data, config.force)
        shares = [float(row["result"]) for row in rows_of(made.path / METRICS)]
        latest = {f"against {each['opponent']}": each["result"] for each in made.figures["results"]}
        return materialized(
            made,
            **latest,
            minutes=made.figures["minutes"],
            results=dg.MetadataValue.md("\n".join(f"- {line}" for line in made.lines)),
            curve=dg.MetadataValue.md(sparkline(shares)),
            curves=dg.MetadataValue.path(made.path / CURVES),
            run=dg.MetadataValue.path(made.path),
        )

    return train


def _trained(context: dg.AssetExecutionContext, request: GameRunRequest, data: DataFolder, force: bool) -> GameRun:
    """The requested run: as it is, or trained in a child."""
    started, folder = time.perf_counter(), request.folder(data.paths)
    try:
        with retry_transient(context):
            manifest = request.manifest()
            made = None if force else finished(folder, manifest)
            reused = made is not None
            if made is None:
                if force:
                    (folder / FIGURES).unlink(missing_ok=True)
                train_in_child(context, data.paths.root, request, CHILD)
                made = finished(folder, manifest)
    except (OptionError, RunError, TrainingFailedError) as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    if made is None:
        raise dg.Failure(f"{folder}: another run has taken its place; run the stage again", allow_retries=False)
    return replace(made, seconds=time.perf_counter() - started, reused=reused)


def matches_asset(name: str, runs: list[dg.AssetsDefinition]) -> dg.AssetsDefinition:
    """The asset of the matches of a game."""

    @dg.asset(
        key=[GROUP, name, "matches"],
        deps=runs,
        group_name=GROUP,
        kinds={"python"},
        code_version=str(matches.VERSION),
        pool="games",
        description=f"`board_games/{name}/{matches.FILE}`: agents of {name} against each other, its runs among them.",
    )
    def play(context: dg.AssetExecutionContext, config: GameConfig, data: DataFolder) -> dg.MaterializeResult:
        with retry_transient(context):
            wanted = matches.planned(data.paths, name, _preset(config))
            if wanted is None:
                raise dg.Failure(f"matches.toml has no matches of {name}, {config.preset}", allow_retries=False)
            made = matches.play(data.paths, wanted)
        rows = [
            (
                " : ".join(dict.fromkeys(agent["name"] for agent in each["agents"])),
                each["rules"],
                f"{each['agents'][0]['share']:.1%}",
            )
            for each in made.facts["results"]
        ]
        return materialized(
            made,
            results=dg.MetadataValue.md(markdown.table(("match", "rules", "share of the first"), rows)),
            illegal=illegal_actions(made),
            path=dg.MetadataValue.path(made.path),
        )

    return play


def studies_asset(name: str, runs: list[dg.AssetsDefinition]) -> dg.AssetsDefinition:
    """The asset of the studies of a game."""

    @dg.asset(
        key=[GROUP, name, "studies"],
        deps=runs if any(study.study_of(each).run for each in study.studies_of(name)) else [],
        group_name=GROUP,
        kinds={"python"},
        code_version=str(study.VERSION),
        pool="games",
        description=f"`board_games/{name}/studies/`: "
        + "; ".join(f"{each}: {study.study_of(each).about}" for each in study.studies_of(name)),
    )
    def make(context: dg.AssetExecutionContext, config: GameConfig, data: DataFolder) -> dg.MaterializeResult:
        made = []
        try:
            for each in study.studies_of(name):
                with retry_transient(context):
                    made.append(study.make(data.paths, each, study.size_of(each, _preset(config))))
                context.log.info(f"{each}: {made[-1].seconds:.1f} s{', reused' if made[-1].reused else ''}")
        except (OptionError, RunError) as error:
            raise dg.Failure(str(error), allow_retries=False) from error
        stamp = hashlib.sha256("".join(each.stamp for each in made).encode()).hexdigest()
        return dg.MaterializeResult(data_version=dg.DataVersion(stamp), metadata=figures(*made))

    return make


def illegal_actions(made: Facts) -> int:
    """Actions that agents wanted to make against the rules."""
    return sum(agent["illegal"] for each in made.facts["results"] for agent in each["agents"])


def _preset(config: GameConfig) -> str:
    if config.preset not in PRESETS:
        raise dg.Failure(f"preset '{config.preset}': expected one of {', '.join(PRESETS)}", allow_retries=False)
    return config.preset


# Of the job `everything`: with the preset demo each takes seconds. The job `games` makes the others as well.
QUICK_RUNS = {("chameleon", "td"), ("clever", "td")}
QUICK_STUDIES = {"chameleon"}

game_rules = {name: rules_asset(name) for name in MODULES}
game_runs = {name: [run_asset(name, method) for method in methods_of(name)] for name in MODULES}
game_matches = {name: matches_asset(name, game_runs[name]) for name in MODULES if matches.has_some(name)}
game_studies = {name: studies_asset(name, game_runs[name]) for name in MODULES if study.studies_of(name)}
slow_assets = [
    *(
        run
        for name, listed in game_runs.items()
        for method, run in zip(methods_of(name), listed, strict=True)
        if (name, method) not in QUICK_RUNS
    ),
    *(studies for name, studies in game_studies.items() if name not in QUICK_STUDIES),
]
games_assets = [
    *game_rules.values(),
    *(each for listed in game_runs.values() for each in listed),
    *game_matches.values(),
    *game_studies.values(),
]


@dg.asset(
    key=[GROUP, "report"],
    deps=games_assets,
    group_name=GROUP,
    kinds={"html"},
    code_version="1",
    pool="report",
)
def games_report(context: dg.AssetExecutionContext, data: DataFolder) -> dg.MaterializeResult:
    """`reports/games.html`: every game beside Tichu with what was counted, learned and played."""
    with retry_transient(context):
        made = page.write(data.paths)
    return materialized(made, page=dg.MetadataValue.path(made.path))


def perft_check(name: str) -> dg.AssetChecksDefinition:
    """The check of the counts of a game."""

    @dg.asset_check(
        asset=game_rules[name],
        name="perft_exact",
        description="Sequences of actions are as many as are known from elsewhere.",
    )
    def perft_exact(data: DataFolder) -> dg.AssetCheckResult:
        wrong = rules.wrong_counts(name, rules.counted(data.paths, name).get("perft", {}))
        return dg.AssetCheckResult(passed=not wrong, metadata={"wrong": "; ".join(wrong) or "none"})

    return perft_exact


def matches_check(name: str) -> dg.AssetChecksDefinition:
    """The check of the matches of a game."""

    @dg.asset_check(
        asset=game_matches[name], name="nobody_failed", description="No agent wanted to act against the rules."
    )
    def nobody_failed(data: DataFolder) -> dg.AssetCheckResult:
        wanted = matches.stored(data.paths, name)
        failed = sorted({agent["name"] for each in wanted for agent in each["agents"] if agent["illegal"]})
        return dg.AssetCheckResult(passed=not failed, metadata={"failed": ", ".join(failed) or "none"})

    return nobody_failed


game_checks = [
    *(perft_check(name) for name in MODULES if name in rules.KNOWN),
    *(matches_check(name) for name in game_matches),
]
