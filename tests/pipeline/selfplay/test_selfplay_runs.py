"""Runs of self-play by the command: trained once, resumed, refused, listed; mistakes cost a message."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from typer.testing import CliRunner

from tests.makers.runs import make_run
from tests.paths import ROOT
from tichu_models.rl.settings import settings_of
from tichu_models.runs.files import CHAMPION, CURVES, FIGURES, METRICS, RESUME, RESUME_SELFPLAY, TRIAL, WEIGHTS
from tichu_pipeline.cli import app
from tichu_pipeline.selfplay import runs as selfplay_runs
from tichu_pipeline.selfplay.runs import VERSION, SelfplayRequest, start_of
from tichu_pipeline.selfplay.train import train_run, usual_workers
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, State
from tichu_pipeline.storage.run_folders import locked
from tichu_pipeline.storage.workers import Serial
from tichu_pipeline.training.runs import run_of

SMOKE = ("--preset", "smoke")
FIGURE_NAMES = {"minutes", "rounds", "points_per_round", "low", "high", "deals"}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    """Sums in one order: what is learned twice is equal bit by bit."""
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder without any logs, with a finished run."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    facts = json.loads(tichu(made, "selfplay", "taught", *SMOKE, "--json"))
    assert (facts["run"], facts["finished"], facts["reused"]) == ("taught", True, False)
    assert facts["seconds"] > 0
    assert facts["figures"].keys() >= FIGURE_NAMES
    return made


def tichu(paths: DataPaths, *arguments: str, status: int = 0) -> str:
    """What a command prints: on standard output, or, where it fails, on standard error."""
    done = CliRunner().invoke(app, [*arguments, "--data", str(paths.root)], env={"COLUMNS": "160"})
    assert done.exit_code == status, done.output
    return done.stderr if status else done.stdout


def weights(folder: Path) -> dict[str, bytes]:
    """The weights of all networks of a run, as bytes by network and name."""
    found = {}
    for path in sorted(folder.rglob(WEIGHTS)):
        with safe_open(path, "np") as file:
            network = path.parent.relative_to(folder)
            found |= {f"{network}/{name}": file.get_tensor(name).tobytes() for name in file.keys()}  # noqa: SIM118
    return found


def told(folder: Path) -> dict[str, float]:
    """The figures of a finished run, but for the time that it took."""
    figures = json.loads((folder / FIGURES).read_text())
    return {name: value for name, value in figures.items() if name != "minutes"}


def of_stage(paths: DataPaths) -> Standing:
    """How the stage stands."""
    return {standing.stage: standing for standing in status(paths)}["selfplay_runs"]


def test_a_run_has_all_that_a_player_and_a_reader_need(paths):
    """A player without the networks for calls; a training of which nobody can tell how it went."""
    folder = paths.runs / "taught"
    kinds = {"grand", "tichu", "schupf", "small", "bomb", "wish", "dragon"}
    assert all((folder / kind / WEIGHTS).exists() for kind in kinds)
    assert (folder / CURVES).stat().st_size > 10_000
    assert any(folder.glob("events.out.*"))
    trial = json.loads((folder / TRIAL).read_text())
    assert (trial["config"], trial["settings"], trial["attempts"], trial["version"]) == ("smoke", [], 1, VERSION)
    players = {name: size for name, size in weights(folder).items() if not name.startswith("critic/")}
    assert trial["parameters"] == sum(map(len, players.values())) // 4
    with (folder / METRICS).open() as file:
        last = list(csv.DictReader(file))[-1]
    assert (last["opponent"], int(last["rounds"])) == ("heuristic", 256)


def test_a_finished_run_is_kept(paths):
    """An hour of training again for who calls it twice, or overwritten by who forgot a name."""
    before = weights(paths.runs / "taught")
    assert json.loads(tichu(paths, "selfplay", "taught", *SMOKE, "--json"))["reused"]
    assert "was there" in tichu(paths, "selfplay", "taught", *SMOKE)
    other = tichu(paths, "selfplay", "taught", *SMOKE, "--set", "seed=5", status=1)
    assert "it holds another run (seed = 0, not 5); choose another name, or --replace it" in other
    other = tichu(paths, "selfplay", "taught", *SMOKE, "--from", "taught", status=1)
    assert "cannot begin with its own networks" in other
    assert weights(paths.runs / "taught") == before


def test_another_run_takes_the_place_if_that_is_asked_for(paths, tmp_path):
    """Half of the old run among the files of the new one."""
    copy = DataPaths(tmp_path)
    shutil.copytree(paths.runs / "taught", copy.runs / "taught")
    before = weights(copy.runs / "taught")
    more = ("--set", "seed=5", "--set", "iterations=1", "--set", 'kinds=["play", "wish"]')
    facts = json.loads(tichu(copy, "selfplay", "taught", *SMOKE, *more, "--replace", "--json"))
    assert (facts["finished"], facts["reused"], facts["figures"]["rounds"]) == (True, False, 128)
    after = weights(copy.runs / "taught")
    assert {name.split("/")[0] for name in before.keys() - after.keys()} >= {"grand", "schupf"}
    assert len(list((copy.runs / "taught").glob("events.out.*"))) == 1
    make_run(copy.runs, "PolicyNet", "imitation")
    other = tichu(copy, "selfplay", "imitation", *SMOKE, status=1)
    assert "it is a PolicyNet that learned by imitation" in other
    (copy.runs / "imitation" / WEIGHTS).rename(copy.runs / "imitation" / RESUME)  # unfinished: a state, no weights yet
    assert "--replace it" in tichu(copy, "selfplay", "imitation", *SMOKE, status=1)
    assert (copy.runs / "imitation" / RESUME).exists()


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (("mine", "--preset", "tiny"), 2, "laptop"),
        (("mine", "--set", "iteration=3"), 1, "did you mean 'iterations'?"),
        (("mine", "--set", "iterations"), 1, "expected key=value"),
        (("mine", "--set", "rounds=many"), 1, "expected a whole number"),
        (("mine", "--set", 'kinds=["pass"]'), 1, "expected some of grand"),
        (("../away",), 1, "expected letters"),
        (("mine", "--from", "nobody"), 1, "no run of this name; there are taught"),
        (("mine", *SMOKE, "--from", "taught", "--set", "body=[8]"), 1, "those of this run are"),
        (("mine", "--workers", "many"), 2, "names no workers"),
    ],
)
def test_mistakes_are_named(paths, arguments, status, expected):
    """A setting misspelt would silently train with another one; a run in a folder that is no run's."""
    output = " ".join(tichu(paths, "selfplay", *arguments, status=status).split())
    assert expected in output.replace("│ ", "").replace(" │", "")
    assert not (paths.runs / "mine" / WEIGHTS).exists()
    shutil.rmtree(paths.runs / "mine", ignore_errors=True)


def test_a_run_that_runs_out_of_time_goes_on(paths):
    """Minutes that are lost when the next ones are given; or a run that ends otherwise than in one go."""
    facts = json.loads(tichu(paths, "selfplay", "halved", *SMOKE, "--minutes", "0", "--json"))
    assert (facts["finished"], facts["reused"], facts["figures"]) == (False, False, {})
    folder = paths.runs / "halved"
    assert (folder / RESUME_SELFPLAY).exists()
    assert not (folder / FIGURES).exists()
    assert "halved is unfinished" in of_stage(paths).reasons
    facts = json.loads(tichu(paths, "selfplay", "halved", *SMOKE, "--json"))
    assert (facts["finished"], facts["reused"]) == (True, False)
    assert json.loads((folder / TRIAL).read_text())["attempts"] == 2
    assert told(folder) == told(paths.runs / "taught")
    assert weights(folder) == weights(paths.runs / "taught")
    assert not (folder / RESUME_SELFPLAY).exists()
    shutil.rmtree(folder)


def test_a_killed_run_ends_as_one_that_was_not(paths):
    """A power cut costs the training so far; or rounds are learned from twice and others never. On one machine with
    one thread the weights are equal bit by bit; more threads add in any order."""
    settings = ("iterations=3", "save_every=1", "evaluate_every=1")
    whole = train_run(paths, SelfplayRequest("whole", "smoke", settings))
    command = [sys.executable, "-m", "tichu_pipeline.cli", "selfplay", "killed", *SMOKE, "--data", str(paths.root)]
    command += [part for setting in settings for part in ("--set", setting)]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE, text=True
    )
    folder, until = paths.runs / "killed", time.monotonic() + 120
    while not (folder / RESUME_SELFPLAY).exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors
    assert not (folder / FIGURES).exists()
    resumed = train_run(paths, SelfplayRequest("killed", "smoke", settings))
    assert json.loads((folder / TRIAL).read_text())["attempts"] == 2
    assert told(folder) == told(whole.path)
    assert weights(folder) == weights(whole.path)
    journals = [(made.path / METRICS).read_text().splitlines() for made in (whole, resumed)]
    assert [[line.split(",")[0] for line in journal] for journal in journals] == [["iteration", "1", "2", "3"]] * 2
    for made in (whole, resumed):
        shutil.rmtree(made.path)


def test_the_number_of_workers_changes_nothing(paths):
    """A player that depends on the machine that it was trained on."""
    two_tasks = ("--set", "rounds=1040", "--set", "iterations=1", "--set", "evaluation_deals=2")
    folder, made = paths.runs / "alone", []
    for workers, count in (("serial", 1), ("2", 2)):
        tichu(paths, "selfplay", "alone", *SMOKE, *two_tasks, "--workers", workers)
        assert json.loads((folder / TRIAL).read_text())["workers"] == count
        made.append((told(folder), weights(folder)))
        shutil.rmtree(folder)
    assert made[0] == made[1]


def test_the_usual_workers_are_as_many_as_there_are_cores_and_tasks(monkeypatch):
    """Processes that load torch for nothing, or a core that waits for the other one."""
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert isinstance(usual_workers(settings_of("smoke")), Serial)
    assert usual_workers(settings_of("laptop")).count == 2
    assert usual_workers(settings_of("full")).count == 4


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_loss_that_is_no_number_ends_in_a_message(tmp_path):
    """A traceback of two hundred lines, and no word of what to do."""
    paths = DataPaths(tmp_path)
    output = tichu(paths, "selfplay", "wild", *SMOKE, "--set", "critic_rate=1e30", status=1)
    assert "is nan; expected a number" in output
    assert "What was saved before stays; with other settings, --replace begins anew" in output
    assert json.loads((paths.runs / "wild" / TRIAL).read_text())["seconds"] > 0


def test_a_damaged_state_is_named(tmp_path):
    """A run that goes on from half a file, or with a traceback."""
    paths = DataPaths(tmp_path)
    tichu(paths, "selfplay", "torn", *SMOKE, "--minutes", "0")
    state = paths.runs / "torn" / RESUME_SELFPLAY
    state.write_bytes(state.read_bytes()[:1000])
    assert "no whole state of a run" in tichu(paths, "selfplay", "torn", *SMOKE, status=1)
    state.unlink()
    assert json.loads(tichu(paths, "selfplay", "torn", *SMOKE, "--json"))["finished"]


def test_two_trainings_of_one_run_are_refused(paths):
    """Two processes that write into one folder."""
    with locked(paths.runs / "busy"):
        assert "another process is training it" in tichu(paths, "selfplay", "busy", *SMOKE, status=1)


def test_a_run_begins_with_the_networks_of_another(paths):
    """Hours of learning that a longer run does not begin with."""
    more = ("--from", "taught", "--set", "learning_rate=1e-9", "--set", "last_learning_rate=1e-9")
    facts = json.loads(tichu(paths, "selfplay", "next", *SMOKE, *more, "--set", "iterations=1", "--json"))
    before = told(paths.runs / "taught")["points_per_round"]
    assert facts["figures"]["points_per_round"] == pytest.approx(before, abs=30)
    run = run_of(paths.runs / "next")
    assert run.trial["start"] == "taught"
    assert of_stage(paths).is_fresh
    other = tichu(paths, "selfplay", "next", *SMOKE, *more[2:], "--set", "iterations=1", status=1)
    assert "it began with taught, not with random networks" in other
    shutil.rmtree(run.folder)


def test_a_network_that_reads_turns_is_taught_by_another_run(paths):
    """A setting that trains for itself what it should learn from a player; a run that no player takes."""
    taught = ("--set", "network=DTRLNet", "--set", "taught=0.5", "--set", "d_model=8")
    assert "taught by another run" in tichu(paths, "selfplay", "turns", *SMOKE, *taught, status=1)
    facts = json.loads(tichu(paths, "selfplay", "turns", *SMOKE, *taught, "--from", "taught", "--json"))
    assert facts["finished"]
    folder = paths.runs / "turns"
    assert run_of(folder).manifest.network == "DTRLNet"
    runs = folder, paths.runs / "taught"
    own, teachers = ({path.parent.relative_to(run) for path in run.rglob(WEIGHTS)} for run in runs)
    assert own == teachers
    assert "dt:turns" in tichu(paths, "tournament", "dt:turns", "heuristic", "--deals", "2")
    shutil.rmtree(folder)


def test_the_champion_that_ships_can_teach(paths):
    """A player that needs no data folder, and yet a run of its name."""
    request = SelfplayRequest("turns", "smoke", (), "champion")
    assert start_of(paths, request).folder == CHAMPION


def test_runs_and_stages_are_listed(paths, monkeypatch):
    """Nobody would know what there is, or that it is out of date."""
    listed = next(run for run in json.loads(tichu(paths, "runs", "--json")) if run["name"] == "taught")
    assert (listed["name"], listed["network"], listed["state"]) == ("taught", "CandidateRLNet", "finished")
    assert listed["figures"].keys() >= FIGURE_NAMES
    shown = tichu(paths, "runs")
    assert "points a round against heuristic" in " ".join(shown.split())
    stands = of_stage(paths)
    assert (stands.state, stands.there, stands.reasons) == (State.FRESH, "1 trained players", ())
    assert stands.bytes > 100_000
    assert {each.stage: each.state for each in status(paths)}["training_runs"] is State.MISSING
    monkeypatch.setattr(selfplay_runs, "VERSION", selfplay_runs.VERSION + 1)
    assert of_stage(paths).reasons == ("taught: made by an older version",)
    assert "made by an older version" in tichu(paths, "selfplay", "taught", *SMOKE, status=1)
