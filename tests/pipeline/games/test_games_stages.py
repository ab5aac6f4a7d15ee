"""The group `games`: every asset makes something, nothing twice, a run in a child; the page shows all of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import dagster as dg
import pytest

from tichu_models.games.learning.methods import MODULES as METHODS
from tichu_models.runs.files import CURVES, FIGURES, MANIFEST
from tichu_pipeline.games import matches, page, rules, runs
from tichu_pipeline.games.runs import GameRunRequest
from tichu_pipeline.games.studies import study
from tichu_pipeline.games.train import train_run
from tichu_pipeline.orchestration.assets import games
from tichu_pipeline.orchestration.resources import DataFolder
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, State
from tichu_pipeline.storage.stamps import json_object

OF_CHAMELEON = [
    games.game_rules["chameleon"],
    games.game_runs["chameleon"][0],
    games.game_matches["chameleon"],
    games.game_studies["chameleon"],
]


def materialize(root: Path, assets=OF_CHAMELEON, **more) -> dg.ExecuteInProcessResult:
    """Makes assets of a game with the smallest preset."""
    configs = {asset.op.name: {"config": {"preset": "smoke"}} for asset in assets}
    configs |= {name: {"config": {"preset": "smoke", **config}} for name, config in more.items()}
    return dg.materialize(
        [*assets, games.games_report, *games.game_checks],
        resources={"data": DataFolder(root=str(root))},
        run_config={"ops": configs},
        raise_on_error=False,
    )


def facts(result: dg.ExecuteInProcessResult) -> dict[str, dict]:
    """The metadata of each asset that was made."""
    found = {}
    for event in result.get_asset_materialization_events():
        made = event.step_materialization_data.materialization
        found[made.asset_key.to_user_string()] = {name: entry.value for name, entry in made.metadata.items()}
    return found


def standings(paths: DataPaths) -> dict[str, Standing]:
    """How the stages of the games stand."""
    return {each.stage: each for each in status(paths) if each.stage.startswith("game")}


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder in which the stages were made once."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    assert {each.state for each in standings(made).values()} == {State.MISSING}
    result = materialize(made.root)
    assert result.success
    assert all(check.passed for check in result.get_asset_check_evaluations())
    observed = result.get_asset_observation_events()
    assert len(observed) == 2  # each evaluation of the run in the child
    assert not any(each["reused"] for each in facts(result).values())
    return made


def test_there_is_an_asset_for_each_method():
    """A method that nobody can start from the web UI."""
    keys = {asset.key.to_user_string() for listed in games.game_runs.values() for asset in listed}
    assert keys == {f"games/{game}/runs/{method}" for game, method in METHODS}


def test_nothing_is_made_twice(paths):
    """An hour of learning again with each run of the job; a page that is new each time."""
    again = facts(materialize(paths.root))
    assert {name: made["reused"] for name, made in again.items()} == dict.fromkeys(again, True)
    assert again["games/chameleon/runs/td"]["rows"] == 100


def test_all_is_fresh_and_the_page_shows_it(paths):
    """A page with dead links, or without what was made."""
    assert {each.state for each in standings(paths).values()} == {State.FRESH}
    text = page.page_path(paths).read_text()
    for part in ("2,197", "td", "greedy", "14,108,373,601,591,606,657,646,377,984", "255,168"):
        assert part in text
    targets = set(re.findall(r"(?:href|src)='([^']+)'", text))
    assert targets
    assert all((paths.reports / target).is_file() for target in targets)


def test_what_is_wrong_is_told(paths):
    """A child's traceback in the place of a sentence; a preset that is silently another one."""
    for name, config, expected in (
        ("games__chameleon__runs__td", {"settings": ["hiden=3"]}, "did you mean 'hidden'?"),
        ("games__chameleon__runs__td", {"preset": "huge"}, "expected one of smoke"),
        ("games__chameleon__rules", {"preset": "huge"}, "expected one of smoke"),
    ):
        asset = next(each for each in OF_CHAMELEON if each.op.name == name)
        result = materialize(paths.root, [asset], **{name: config})
        assert not result.success
        (failure,) = [event for event in result.all_events if event.is_step_failure]
        assert expected in str(failure.event_specific_data)


def test_other_versions_are_stale(paths, monkeypatch):
    """Counts, matches and players of an older version that count as fresh."""
    monkeypatch.setattr(rules, "VERSION", rules.VERSION + 1)
    monkeypatch.setattr(matches, "VERSION", matches.VERSION + 1)
    now = standings(paths)
    assert now["game_rules"].reasons == ("chameleon: made by an older version",)
    assert now["game_matches"].reasons == ("chameleon: its runs or the version have changed since",)
    assert now["game_runs"].is_fresh
    monkeypatch.setattr(study, "VERSION", study.VERSION + 1)
    assert "tic-tac-toe: made by an older version, or of another run" in standings(paths)["game_studies"].reasons


def test_matches_have_rules_of_their_own(tmp_path):
    """A network that plays on a board that it has not learned, or a match by other rules than it says; a file of an
    older shape that ends `tichu status`."""
    paths = DataPaths(tmp_path)
    train_run(paths, GameRunRequest("madn", "td", "td", "smoke"))
    wanted = matches.planned(paths, "madn", "smoke")
    assert [each.agents[0] for each in wanted.matches] == ["rules", "td:td"]
    found = matches.play(paths, wanted)
    played = found.facts["results"]
    assert [(each["rules"], len(each["seats"])) for each in played] == [("", 4), ("players=2,distance=4", 2)]
    assert standings(paths)["game_matches"].is_fresh
    found.path.write_text(found.path.read_text().replace('"request": {', '"request": {"older": 1,', 1))
    assert not standings(paths)["game_matches"].is_fresh
    older = {**json_object(found.path), "request": {"game": "madn", "matches": [["rules", "random"] * 2], "games": 6}}
    found.path.write_text(json.dumps(older))
    assert not standings(paths)["game_matches"].is_fresh
    train_run(paths, GameRunRequest("madn", "td", "td", "smoke", ("rules=players=2,distance=5",)), replace=True)
    assert [each.agents[0] for each in matches.planned(paths, "madn", "smoke").matches] == ["rules"]


def test_an_unfinished_run_is_stale(tmp_path):
    """A run that was killed, and counts as done."""
    paths = DataPaths(tmp_path)
    made = train_run(paths, GameRunRequest("chameleon", "td", "x", "smoke"))
    assert standings(paths)["game_runs"].is_fresh
    (made.path / FIGURES).unlink()
    assert standings(paths)["game_runs"].reasons == ("chameleon/x is unfinished",)
    train_run(paths, GameRunRequest("chameleon", "td", "x", "smoke"))
    manifest = made.path / MANIFEST
    manifest.write_text(manifest.read_text().replace('"inputs": ', '"inputs": 1'))
    assert "made by an older version" in standings(paths)["game_runs"].reasons[0]
    (made.path / CURVES).unlink()
    assert runs.finished(made.path, GameRunRequest("chameleon", "td", "x", "smoke").manifest()) is None


def test_a_wrong_count_is_found():
    """A fault in the rules that the check lets pass."""
    assert rules.wrong_counts("chameleon", {"RY": [13, 169]}) == []
    assert rules.wrong_counts("chameleon", {"RY": [13, 170]}) == ["RY depth 2: 170, not 169"]
    assert rules.wrong_counts("clever", {"1": [5]}) == []
