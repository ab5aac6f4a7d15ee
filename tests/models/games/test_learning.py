"""What every method of learning a game promises, and the runs in which they learn. A new method is tested here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from tests.makers.games import random_game
from tichu_models.games.agents import UnknownAgent, agent_of
from tichu_models.games.chameleon.inputs import AT_ATTACKS, AT_MOVES, MOST_ACTIVE, attacks
from tichu_models.games.chameleon.learners import ENCODINGS
from tichu_models.games.chameleon.rules import PASS
from tichu_models.games.learning.methods import MODULES, UnknownMethod, method_of, run_folder
from tichu_models.games.learning.run import GameProgress, train
from tichu_models.games.learning.settings import TrainingSettings, presets_of, settings_of
from tichu_models.games.registry import game
from tichu_models.options import OptionError
from tichu_models.runs.files import FIGURES, ITERATIONS, MANIFEST, METRICS, RESUME_SELFPLAY, WEIGHTS, CheckpointError
from tichu_models.runs.journal import rows_of

TIMES = ("minutes", "seconds.iteration")
LEARNED = pytest.mark.parametrize(("name", "method"), list(MODULES))


class KilledError(Exception):
    """In the place of a power cut."""


def smoke(name: str, method: str, *changes: str) -> TrainingSettings:
    """The settings of the smallest run."""
    return settings_of(method_of(name, method).settings, name, method, "smoke", changes)


def arrays(folder: Path) -> dict[str, bytes]:
    """The weights of a run."""
    with safe_open(folder / WEIGHTS, "np") as file:
        return {name: file.get_tensor(name).tobytes() for name in list(file.keys())}


def journals(folder: Path) -> list[list[tuple[tuple[str, str], ...]]]:
    """The rows of both journals, without the times."""
    return [
        [tuple((name, value) for name, value in row.items() if name not in TIMES) for row in rows_of(folder / file)]
        for file in (METRICS, ITERATIONS)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """For runs that were trained in one go: board_games of a data folder."""
    return tmp_path_factory.mktemp("board_games")


@pytest.fixture(scope="module")
def trained(folder):
    """A function that trains the smallest run of a game by a method, once."""
    made: dict[tuple[str, str], Path] = {}

    def of(name: str, method: str) -> Path:
        if (name, method) not in made:
            made[name, method] = run_folder(folder, name, f"{method}-run")
            train(game(name), method, smoke(name, method), made[name, method])
        return made[name, method]

    return of


@LEARNED
def test_the_presets_can_be_read(name, method):
    """A preset that fails after an hour of queueing, or that names a setting that nobody reads."""
    for preset in presets_of(name, method):
        assert settings_of(method_of(name, method).settings, name, method, preset).evaluations >= 1


@LEARNED
def test_a_run_has_what_a_player_and_a_reader_need(trained, folder, name, method):
    """Weights that no agent can play with; a training of which nobody can tell how it went."""
    run = trained(name, method)
    figures = json.loads((run / FIGURES).read_text())
    last = rows_of(run / METRICS)[-1]
    assert figures["games"] == int(last["games"]) > 0
    assert {each["opponent"] for each in figures["results"]} == set(smoke(name, method).opponents or ("alone",))
    for each in figures["results"]:
        assert each["low"] <= each["result"] <= each["high"]
    assert len(rows_of(run / ITERATIONS)) == smoke(name, method).iterations
    assert not (run / RESUME_SELFPLAY).exists()
    of = game(name)
    agent = agent_of(of, f"{method}:{run.name}", folder)
    assert agent.name == f"{method}:{run.name}"
    state = of.new(of.read_options({}), 3)
    while of.kernels.mover(state) == -2:
        of.kernels.chance(state)
    assert agent.choose(of.copy(state), np.uint64(1)) in of.legal(state)


@LEARNED
def test_a_finished_run_is_kept(trained, name, method):
    """An hour of training again for who asks twice."""
    run = trained(name, method)
    before = arrays(run)
    assert train(game(name), method, smoke(name, method), run).reused
    assert arrays(run) == before


@LEARNED
@pytest.mark.parametrize(("save_every", "killed_after"), [(1, 2), (2, 3)])
def test_a_killed_run_ends_as_one_that_was_not(tmp_path, name, method, save_every, killed_after):
    """Games that are learned from twice, or never; a state that lacks what only the process had. It is killed after an
    iteration that was saved, and after one that was not."""
    settings = smoke(name, method, f"save_every={save_every}", "iterations=4", "evaluations=4")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train(game(name), method, settings, whole)

    def cut(progress: GameProgress) -> None:
        if progress.iteration == killed_after:
            raise KilledError

    with pytest.raises(KilledError):
        train(game(name), method, settings, killed, cut)
    assert not (killed / FIGURES).exists()
    train(game(name), method, settings, killed)
    assert arrays(killed) == arrays(whole)
    assert journals(killed) == journals(whole)


@LEARNED
def test_a_run_by_the_clock_ends(tmp_path, name, method):
    """A run of a minute that takes as long as its iterations."""
    settings = smoke(name, method, "minutes=0.001", "iterations=1000000", "evaluations=1")
    assert train(game(name), method, settings, tmp_path / "run").figures["minutes"] < 1


def test_other_settings_are_another_run(tmp_path):
    """Weights of one network beside the manifest of another."""
    run = tmp_path / "chameleon" / "x"
    train(game("chameleon"), "td", smoke("chameleon", "td"), run)
    train(game("chameleon"), "td", smoke("chameleon", "td", "hidden=4"), run)
    with safe_open(run / WEIGHTS, "np") as file:
        assert file.get_tensor("bias").shape == (4,)
    assert len(rows_of(run / ITERATIONS)) == 4


def test_damage_is_named(trained, tmp_path):
    """A traceback, or a player with the weights of another one."""
    source, run = trained("chameleon", "td"), tmp_path / "chameleon" / "x"
    run.mkdir(parents=True)
    for file in (MANIFEST, WEIGHTS):
        (run / file).write_bytes((source / file).read_bytes())
    of, stored = game("chameleon"), (run / MANIFEST).read_text()
    agent_of(of, "td:x", tmp_path)
    (run / MANIFEST).write_text(stored.replace('"hidden": 20', '"hidden": 21'))
    with pytest.raises(UnknownAgent, match="weights of another run"):
        agent_of(of, "td:x", tmp_path)
    (run / MANIFEST).write_text(stored.replace('"version": ', '"version": 9'))
    with pytest.raises(UnknownAgent, match="train it anew"):
        agent_of(of, "td:x", tmp_path)
    (run / MANIFEST).write_text("[]")
    with pytest.raises(UnknownAgent, match="no manifest of a run"):
        agent_of(of, "td:x", tmp_path)
    (run / MANIFEST).write_text(stored)
    (run / WEIGHTS).write_bytes(b"nothing")
    with pytest.raises(UnknownAgent, match="no whole state"):
        agent_of(of, "td:x", tmp_path)
    with pytest.raises(UnknownAgent, match="no such option"):
        agent_of(of, "td:td-run,depth=2", source.parents[1])


def test_a_state_of_another_shape_is_refused(tmp_path):
    """A run that goes on with half of its weights."""
    run, settings = tmp_path / "run", smoke("chameleon", "td", "save_every=1")

    def cut(_) -> None:
        raise KilledError

    with pytest.raises(KilledError):
        train(game("chameleon"), "td", settings, run, cut)
    (run / RESUME_SELFPLAY).write_bytes((run / WEIGHTS).read_bytes())  # without the number of games
    with pytest.raises(CheckpointError, match="no whole state of a run"):
        train(game("chameleon"), "td", settings, run)


def test_what_nobody_learns_is_refused():
    """A run of a game by a method that does not suit it."""
    with pytest.raises(UnknownMethod, match="expected td"):
        method_of("chameleon", "guess")
    with pytest.raises(OptionError, match="smoke, demo, laptop"):
        settings_of(method_of("chameleon", "td").settings, "chameleon", "td", "huge")


@pytest.mark.parametrize("encoding", ["attacks", "fields", "thesis-386", "thesis-126"])
def test_encodings_tell_positions_apart(encoding):
    """An encoding that takes one position for another, or writes beyond its inputs."""
    of, seen = game("chameleon"), {}
    kernel, inputs, most, _ = ENCODINGS[encoding]
    out = np.zeros(most, dtype=np.int16)
    state = of.new(of.read_options({}))
    for action in random_game(of, of.read_options({}), 2).actions:
        of.kernels.step(state, action)
        active = out[: kernel(state, out)].tolist()
        assert len(active) == len(set(active))
        assert all(0 <= each < inputs for each in active)
        turned = state.field.tolist(), state.limits.tolist(), int(state.turn)
        assert seen.setdefault(tuple(sorted(active)), turned) == turned or encoding in ("attacks", "fields")


def test_attacks_are_those_of_legal_moves():
    """A network that sees pawns hang that nobody can take."""
    of = game("chameleon")
    options = of.read_options({})
    state, out = of.new(options), np.zeros(MOST_ACTIVE, dtype=np.int16)
    for action in random_game(of, options, 4).actions[:60]:
        of.kernels.step(state, action)
        turn = int(state.turn)
        seen = {each - AT_ATTACKS for each in out[: attacks(state, out)].tolist() if AT_ATTACKS <= each < AT_MOVES}
        for seat in range(4):
            if not state.pawns[seat]:
                continue
            other = of.copy(state)
            other.turn = seat
            targets = {move & 63 for move in of.legal(other) if move != PASS}
            taken = {pawn for pawn in range(16) if pawn >> 2 != seat and int(state.field[pawn]) in targets}
            told = {each & 15 for each in seen if each >> 4 == (seat - turn) % 4}
            assert {(pawn - 4 * turn) % 16 for pawn in taken} == {
                pawn for pawn in told if ((pawn >> 2) + turn) % 4 != seat
            }
