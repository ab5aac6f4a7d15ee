"""Shipping players of games, and the duel of evaluations, as small as can be."""

from __future__ import annotations

import json
import shutil

import pytest
import typer

from tichu_models.games import champions
from tichu_models.games.agents import agent_of
from tichu_models.games.registry import game
from tichu_pipeline.games.runs import GameRunRequest
from tichu_pipeline.games.train import train_run
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tools import chameleon_duel, chameleon_page
from tichu_pipeline.tools.ship_game_champion import ship


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder with a run."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    train_run(made, GameRunRequest("chameleon", "td", "td", "smoke"))
    return made


def test_a_run_becomes_the_champion(paths, tmp_path, monkeypatch):
    """A champion that is another network than was judged, or that is replaced by one that is no better."""
    monkeypatch.setattr(champions, "FOLDER", tmp_path / "champions")
    of = game("chameleon")
    record = ship(of, "td:td", paths.board_games, 4, "tichu games train chameleon td --preset smoke")
    assert [each["against"] for each in record["worth"]] == ["random", "maxn:depth=1", "maxn:depth=2"]
    assert json.loads((tmp_path / "champions" / "chameleon" / champions.RECORD).read_text()) == record
    states, choices = [of.new(of.read_options({})) for _ in range(2)], []
    for agent, state in zip(
        (agent_of(of, "td:champion"), agent_of(of, "td:td", paths.board_games)), states, strict=True
    ):
        choices.append([])
        for _ in range(20):
            choices[-1].append(agent.choose(state, 0))
            of.kernels.step(state, choices[-1][-1])
    assert choices[0] == choices[1]
    with pytest.raises(typer.Exit):  # against itself it has half of the games
        ship(of, "td:td", paths.board_games, 12, "")
    shutil.copytree(paths.board_games / "chameleon" / "td", tmp_path / "runs" / "chameleon" / "champion")
    with pytest.raises(typer.Exit):  # nor if it is called so
        ship(of, "td:champion", tmp_path / "runs", 12, "")
    for wrong in ("td:nothing", "ppo:td"):
        with pytest.raises(typer.Exit):
            ship(of, wrong, paths.board_games, 4, "")
    assert json.loads((tmp_path / "champions" / "chameleon" / champions.RECORD).read_text()) == record


def test_a_duel_goes_on_where_it_was(paths, tmp_path, capsys):
    """Games that are played twice, or are lost when the next ones are; results that depend on when they were played."""
    settings = {
        "seconds": 0.002,
        "first": "td:td",
        "data": paths.root,
        "docs": tmp_path,
        "workers": 1,
        "second": "moves",
    }
    with pytest.raises(typer.Exit):  # a page without the studies of others
        chameleon_duel.main(games=6, minutes=0, **settings)
    chameleon_page.main(paths.root, tmp_path)
    chameleon_duel.main(games=6, minutes=0, **settings)
    assert capsys.readouterr().out == ""
    chameleon_duel.main(games=6, minutes=1, **settings)
    chameleon_duel.main(games=8, minutes=1, **settings)
    facts = json.loads((tmp_path / chameleon_page.FACTS).read_text())
    (duel,) = facts[chameleon_page.DUELS].values()
    assert [each["number"] for each in duel["games"]] == list(range(8))
    found = chameleon_page.summary(duel)
    assert 0 <= found["interval"][0] <= found["share"] <= found["interval"][1] <= 1
    assert found["moves"] > 8
    assert all(each["share"] in (0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1) for each in duel["games"])
    duel["networks"] = ["another", ""]
    (tmp_path / chameleon_page.FACTS).write_text(json.dumps(facts))
    with pytest.raises(typer.Exit):
        chameleon_duel.main(games=9, minutes=1, **settings)
    assert "`td:td`" in (tmp_path / chameleon_page.PAGE).read_text()
