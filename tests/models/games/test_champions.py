"""Players of games that ship with the package."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.game import CHANCE, OVER
from tichu_models.games import champions
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.learning.manifest import read_arrays, read_manifest
from tichu_models.games.registry import game
from tichu_models.runs.files import WEIGHTS, CheckpointError

BYTES_MOST = 2_000_000


@pytest.mark.parametrize("name", champions.AGENTS)
def test_a_champion_ships_and_plays(name):
    """A package whose strongest player cannot be loaded, or was made by an older version of its method."""
    of, folder = game(name), champions.shipped_folder(name)
    weights, _ = read_arrays(folder / WEIGHTS, read_manifest(folder))
    assert all(np.isfinite(array).all() for array in weights.values())
    assert sum(path.stat().st_size for path in folder.iterdir()) < BYTES_MOST
    run = agent_of(of, champions.AGENTS[name].replace("seconds=1", "depth=1"))
    state = of.new(options_of(of), 3)
    for counter in range(12):
        while (mover := of.kernels.mover(state)) == CHANCE:
            of.kernels.chance(state)
        if mover == OVER:
            break
        action = run.choose(of.as_known_to(mover, state), np.uint64(counter))
        assert action in of.legal(state)
        of.kernels.step(state, action)
    assert agent_of(of, "champion").name == "champion"


def test_a_run_of_that_name_comes_first(tmp_path):
    """Somebody's own run `champion` that is never played."""
    own = tmp_path / "clever" / "champion"
    assert champions.folder_of(tmp_path, "clever", "champion") == champions.shipped_folder("clever")
    shutil.copytree(champions.shipped_folder("clever"), own)
    assert champions.folder_of(tmp_path, "clever", "champion") == own
    (own / WEIGHTS).write_bytes(b"nothing")
    with pytest.raises((UnknownAgent, CheckpointError), match="no whole state of a run"):
        agent_of(game("clever"), "td:champion", tmp_path)
    assert agent_of(game("clever"), "champion", tmp_path).name == "champion"  # the one that ships


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("madn", "champion", "none ships for madn"),
        ("clever", "champion:rolls=3", "it has no options; it is td:champion"),
        ("madn", "td:champion", "no data folder was named in which the run champion could be"),
    ],
)
def test_mistakes_are_named(name, text, expected):
    """A message that sends people to a run which does not exist."""
    with pytest.raises(UnknownAgent, match=expected):
        agent_of(game(name), text)
