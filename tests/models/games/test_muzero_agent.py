"""Who plays with the networks of MuZero: alone and side by side, and what it says of actions."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.learning.methods import method_of, run_folder
from tichu_models.games.learning.run import train
from tichu_models.games.learning.settings import settings_of
from tichu_models.games.match import match
from tichu_models.games.registry import game
from tichu_models.options import OptionError
from tichu_models.runs.files import MANIFEST

MADN = game("madn")
RULES = {"players": "2", "distance": "4"}
KEY = np.uint64(1)


def settings(*changes: str):
    """Those of the smallest run."""
    return settings_of(method_of("madn", "muzero").settings, "madn", "muzero", "smoke", changes)


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A folder with a small run."""
    folder = tmp_path_factory.mktemp("board_games")
    train(MADN, "muzero", settings("evaluations=1"), run_folder(folder, "madn", "x"))
    return folder


def test_a_match_has_no_illegal_action(runs):
    """A number of the network that is taken for another action, or the search of another game."""
    agents = [agent_of(MADN, "muzero:x,simulations=3", runs), agent_of(MADN, "rules")]
    found = match(MADN, options_of(MADN, **RULES), agents, 8, 1, 4)
    assert [agent["illegal"] for agent in found["agents"]] == [0, 0]
    assert found == match(MADN, options_of(MADN, **RULES), agents, 8, 1, 4)


def test_a_game_with_dice_is_learned_and_played(tmp_path):
    """A run by throws whose weights do not fit its player, or that is played as if there were no throws."""
    train(MADN, "muzero", settings("rules=players=2,distance=4,dice=1"), run_folder(tmp_path, "madn", "d"))
    agents = [agent_of(MADN, "muzero:d,simulations=9", tmp_path), agent_of(MADN, "rules")]
    found = match(MADN, options_of(MADN, **RULES, dice="1"), agents, 8, 1, 4)
    assert [agent["illegal"] for agent in found["agents"]] == [0, 0]
    manifest = run_folder(tmp_path, "madn", "d") / MANIFEST
    manifest.write_text(manifest.read_text().replace("dice=1", "dice=0"))
    with pytest.raises(UnknownAgent, match="weights of another run"):
        agent_of(MADN, "muzero:d", tmp_path)


def test_the_best_advice_is_what_is_played(runs):
    """Hints of somebody else than who plays, for actions that are not legal, or twice for pins that do the same."""
    agent = agent_of(MADN, "muzero:x", runs)
    state = MADN.new(options_of(MADN, **RULES))
    for action in random_game(MADN, options_of(MADN, **RULES), 6).actions[:40]:
        advice = agent.advice(MADN.copy(state))
        assert set(advice) <= set(MADN.legal(state))
        assert sum(each.value for each in advice.values()) == pytest.approx(1, abs=1e-5)
        assert agent.choose(MADN.copy(state), KEY) in advice
        MADN.step(state, action)


def test_more_simulations_are_another_search(runs):
    """An option that nobody reads."""
    first, second = (agent_of(MADN, f"muzero:x,simulations={n}", runs) for n in (1, 50))
    states = []
    for key in range(20):
        state = MADN.new(options_of(MADN, **RULES))
        for action in random_game(MADN, options_of(MADN, **RULES), key).actions[: 3 * key]:
            MADN.step(state, action)
        states.append(state)
    keys = [KEY] * len(states)
    assert first.choose_all(states, keys) != second.choose_all(states, keys)
    assert first.choose_all(states, keys) == first.choose_all(states, keys)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("muzero:x,simulations=0", "simulations"), ("muzero:x,depth=2", "depth"), ("muzero:y", "does not exist")],
)
def test_wrong_options_are_named(runs, text, complaint):
    """A player that is weaker than asked for, because its options were not read."""
    with pytest.raises(UnknownAgent, match=complaint):
        agent_of(MADN, text, runs)


def test_another_board_is_refused(runs):
    """A network that reads the cells of one board as those of another, and plays nonsense without a word."""
    for words in ({}, {"players": "2"}, {**RULES, "dice": "1"}):
        with pytest.raises(UnknownAgent, match=r"players=2,distance=4"):
            agent_of(MADN, "muzero:x", runs, options_of(MADN, **words))
    with pytest.raises(UnknownAgent, match="it has learned with distance=4; the game has distance=10"):
        agent_of(MADN, "muzero:x", runs, options_of(MADN, players="2"))
    assert agent_of(MADN, "muzero:x", runs, options_of(MADN, **RULES, friendly_fire="1")).name == "muzero:x"


def test_a_run_of_unreadable_rules_is_named(runs, tmp_path):
    """A traceback in the place of what is wrong with a run."""
    folder = run_folder(tmp_path, "madn", "y")
    shutil.copytree(run_folder(runs, "madn", "x"), folder)
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace("players=2,distance=4", "players"))
    with pytest.raises(UnknownAgent, match=r"rules of the run: 'players': expected key=value"):
        agent_of(MADN, "muzero:y", tmp_path, options_of(MADN, **RULES))


def test_three_sides_are_refused(tmp_path):
    """A training that takes the value of one opponent for that of the other, for an hour."""
    with pytest.raises(OptionError, match="expected two"):
        train(MADN, "muzero", settings("rules=players=3"), tmp_path / "run")
