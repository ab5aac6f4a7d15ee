"""What Dagster loads is complete: stages, jobs and checks are pinned here, name by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_pipeline.tools.screenshot import COLLAPSED, SHOWN
from tichu_pipeline.training.runs import default_name

# Beside the other stages: only the overview, which comes last, needs one of them.
GAMES = {
    "games/chameleon/rules",
    "games/chameleon/runs/td",
    "games/chameleon/matches",
    "games/chameleon/studies",
    "games/clever/rules",
    "games/clever/runs/td",
    "games/clever-prototype/rules",
    "games/dog/rules",
    "games/dog/matches",
    "games/madn/rules",
    "games/madn/matches",
    "games/report",
}
SLOW_GAMES = {
    "games/clever/runs/ppo",
    "games/clever-prototype/runs/td",
    "games/clever-prototype/runs/ppo",
    "games/dog/runs/td",
    "games/dog/runs/ppo",
    "games/dog/studies",
    "games/madn/runs/td",
    "games/madn/runs/ppo",
    "games/madn/runs/muzero",
    "games/madn/studies",
}


def test_definitions_hold_the_stages_in_order():
    """A stage that fails to load, or hangs on the wrong one, would be missing in the demo and the UI."""
    from tichu_pipeline.definitions import defs

    graph = defs.resolve_asset_graph()
    order = [key.to_user_string() for level in graph.toposorted_asset_keys_by_level for key in sorted(level)]
    networks = [f"training_runs/{default_name(name)}" for name in ARCHITECTURES]
    games = {key for key in order if key.startswith("games/")}
    assert games == GAMES | SLOW_GAMES
    order = [key for key in order if key not in games]  # whose places depend on how deep each of them is
    taught = [f"selfplay_runs/{default_name(name)}" for name in ("CandidateRLNet", "PolicyRLNet")]
    assert order == [
        *("raw_logs", *taught),
        *(
            "best_response",
            "rounds",
            "features",
            "rounds_manifest",
            "analysis",
            "reviews",
            "scaling",
            "analysis_report",
            "dataset",
        ),
        *sorted(networks),
        *("model_comparison", "tournament", "evaluation", "overview"),
    ]
    trained = defs.resolve_job_def("train").asset_layer.executable_asset_keys
    assert {key.to_user_string() for key in trained} == {*networks, "model_comparison"}
    job = defs.resolve_job_def("selfplay")
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == set(taught)
    job = defs.resolve_job_def("everything")
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == {*order, *GAMES} - {
        taught[1],
        "best_response",
        "reviews",
    }
    job = defs.resolve_job_def("games")
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == GAMES | SLOW_GAMES
    for name, stage in (("exploit", "best_response"), ("judge", "reviews")):
        job = defs.resolve_job_def(name)
        assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == {stage}


def test_the_picture_of_the_graph_shows_every_group():
    """Stages of a new group that are missing in the picture in the README."""
    from tichu_pipeline.definitions import defs

    graph = defs.resolve_asset_graph()
    groups = {graph.get(key).group_name for key in graph.get_all_asset_keys()}
    assert groups == {*SHOWN, *COLLAPSED}, "tichu_pipeline/tools/screenshot.py names them"


def test_every_stage_is_checked_in_the_product():
    """Checks that only tests know of: nobody who runs the graph would ever hear what is wrong."""
    from tichu_pipeline.definitions import defs

    found: dict[str, set[str]] = {}
    for key in defs.resolve_asset_graph().asset_check_keys:
        found.setdefault(key.asset_key.to_user_string(), set()).add(key.name)
    assert found == {
        "raw_logs": {"archives_readable"},
        "rounds": {"rounds_equal_the_sum_of_games", "rule_breaks_are_rare"},
        "rounds_manifest": {"no_month_missing"},
        "analysis": {"database_equals_the_parquet", "every_month_is_in", "every_query_answers", "scores_are_plausible"},
        "analysis_report": {"page_is_complete"},
        "scaling": {"constants_are_finite_and_ordered"},
        "features": {"every_game_is_in_one_split", "shards_are_small"},
        "dataset": {"groups_are_disjoint"},
        "model_comparison": {"runs_are_whole"},
        "tournament": {"nobody_failed"},
        "games/chameleon/rules": {"perft_exact"},
        "games/chameleon/matches": {"nobody_failed"},
        "games/dog/matches": {"nobody_failed"},
        "games/madn/matches": {"nobody_failed"},
    }
    graph = defs.resolve_asset_graph()
    blocking = {key.name for key in graph.asset_check_keys if graph.get(key).blocking}
    assert blocking == {"every_game_is_in_one_split", "groups_are_disjoint", "runs_are_whole"}


def test_the_data_folder_comes_from_the_environment():
    """The web UI would work on another folder than the one that the demo filled."""
    code = (
        "import os; os.environ['TICHU_DATA'] = '/elsewhere'\n"
        "from tichu_pipeline.definitions import defs\n"
        "print(defs.resources['data'].paths.rounds)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(Path("/elsewhere/rounds"))
