"""What a stage and its command take where nobody says otherwise."""

from __future__ import annotations

import inspect
from dataclasses import asdict

from tichu_models.arena.tournament import TournamentRequest
from tichu_pipeline.commands.tournaments import tournament as tournament_command
from tichu_pipeline.features.filters import Filters
from tichu_pipeline.features.groups import DatasetRequest
from tichu_pipeline.orchestration.assets.dataset import DatasetConfig
from tichu_pipeline.orchestration.assets.tournament import TournamentConfig


def test_a_data_set_is_the_same_from_the_stage_and_from_code():
    """Two data sets of one name: five times as large, and of other games, according to who asked for it."""
    config = DatasetConfig().model_dump()
    wanted = asdict(DatasetRequest()) | asdict(Filters())
    assert {name: config[name] for name in wanted if name != "filters"} == {
        name: value for name, value in wanted.items() if name != "filters"
    }


def test_a_tournament_is_the_same_from_the_stage_and_from_the_command(monkeypatch):
    """A ladder that the command plays anew, over other deals than the stage."""
    config = TournamentConfig()
    options = inspect.signature(tournament_command).parameters
    request = TournamentRequest(("random", "heuristic"))
    assert config.seed == options["seed"].default == request.seed
    assert (
        f"{request.deals} by default"
        in inspect.get_annotations(tournament_command, eval_str=True)["deals"].__metadata__[0].help
    )
