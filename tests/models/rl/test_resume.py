"""Training that is killed and resumed is the training that was not."""

from __future__ import annotations

import csv
import json

import pytest
import safetensors
import safetensors.torch
import torch

from tests.makers.rollouts import CHANGES, assert_same_run
from tichu_models.rl import tasks, team
from tichu_models.rl.settings import settings_of
from tichu_models.rl.train import SelfPlay, train
from tichu_models.runs.files import FIGURES, ITERATIONS, METRICS, RESUME_SELFPLAY
from tichu_models.runs.manifest import CheckpointError


class Killed(Exception):
    """In place of a signal."""


@pytest.fixture(autouse=True, params=["float32", "bfloat16"])
def precision(request, monkeypatch):
    """Both types, whatever the machine is fast in; one thread, so that sums have one order."""
    torch.set_num_threads(1)
    for module in (tasks, team):
        monkeypatch.setattr(module, "has_fast_bf16", lambda: request.param == "bfloat16")
    return request.param


@pytest.mark.parametrize("changes", [CHANGES, (*CHANGES, "plays_first=0.5")])
def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(changes, tmp_path):
    """State that is not saved: moments, the pool's networks of kinds that were not learned at the start, magnets."""
    settings = settings_of("smoke", changes)
    through = SelfPlay(settings)
    for _ in range(settings.iterations):
        resumed = SelfPlay(settings)
        if through.iteration:
            resumed.load(tmp_path)
            assert_same_run(resumed, through)
        through.iterate()
        resumed.iterate()
        assert_same_run(resumed, through)
        through.save(tmp_path)
    assert len(through.team.pool) == 2
    assert through.team.magnets
    assert through.team.averages


def rows_of(path):
    """A journal without what depends on the clock."""
    with path.open(newline="") as file:
        return [
            {name: value for name, value in row.items() if name != "minutes" and not name.startswith("seconds")}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("at", [1, 3, 5])
def test_a_killed_training_ends_as_one_that_was_not(at, tmp_path):
    """Killed after any iteration, the last too: other weights, rows twice in the journal, or no figures."""
    settings = settings_of("smoke", CHANGES)

    def kill(progress):
        if progress.iteration == at:
            raise Killed

    with pytest.raises(Killed):
        train(settings, tmp_path / "killed", progress=kill)
    assert (tmp_path / "killed" / RESUME_SELFPLAY).exists()
    resumed = train(settings, tmp_path / "killed")
    whole = train(settings, tmp_path / "whole")
    assert resumed.finished
    assert {**resumed.figures, "minutes": 0} == {**whole.figures, "minutes": 0}
    weights = sorted(path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.safetensors"))
    assert len(weights) == 9
    for path in weights:
        ours, theirs = (safetensors.torch.load_file(tmp_path / name / path) for name in ("killed", "whole"))
        assert all(torch.equal(ours[key], theirs[key]) for key in theirs), path
    for name in (METRICS, ITERATIONS):
        assert rows_of(tmp_path / "killed" / name) == rows_of(tmp_path / "whole" / name)
    for name in ("killed", "whole"):
        figures = json.loads((tmp_path / name / FIGURES).read_text())
        assert figures["deals"] == 16
        assert not (tmp_path / name / RESUME_SELFPLAY).exists()
    assert train(settings, tmp_path / "whole").reused


def test_minutes_end_a_training_that_can_go_on(tmp_path):
    """A run that is over its time is finished by nobody, or begins anew."""
    settings = settings_of("smoke", CHANGES)
    result = train(settings, tmp_path, minutes=0)
    assert not result.finished
    seen = []
    assert train(settings, tmp_path, progress=lambda progress: seen.append(progress.iteration)).finished
    assert seen == [2, 3, 4, 5]


def test_the_journal_has_the_same_columns_before_and_after_all_kinds_are_learned(tmp_path):
    """Rows that are longer than their heading, which readers drop."""
    train(settings_of("smoke", (*CHANGES, "plays_first=0.5")), tmp_path)
    assert [row["iteration"] for row in rows_of(tmp_path / ITERATIONS)] == ["1", "2", "3", "4", "5"]
    assert all(None not in row and None not in row.values() for row in rows_of(tmp_path / ITERATIONS))


def test_figures_of_another_run_are_not_taken_for_those_of_this_one(tmp_path):
    """A training that is killed in a folder of a finished run, and then counts as finished."""
    train(settings_of("smoke", CHANGES), tmp_path)

    def kill(progress):
        raise Killed

    other = settings_of("smoke", (*CHANGES, "seed=1"))
    with pytest.raises(Killed):
        train(other, tmp_path, progress=kill)
    assert not train(other, tmp_path).reused


@pytest.mark.parametrize("name", [METRICS, ITERATIONS])
@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"iteration,a\nx,1\n", b"\xff\xfe\x00"])
def test_a_damaged_journal_is_named(name, content, tmp_path):
    """A traceback that does not say which file to remove."""
    settings = settings_of("smoke", CHANGES)
    train(settings, tmp_path, minutes=0)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=f"{name}.*remove it"):
        train(settings, tmp_path)


def test_a_damaged_state_is_named(tmp_path):
    """Likewise, of a state that is a whole file but lacks something."""
    settings, path = settings_of("smoke", CHANGES), tmp_path / RESUME_SELFPLAY
    train(settings, tmp_path, minutes=0)
    with safetensors.safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    tensors = safetensors.torch.load_file(path)
    name = next(name for name in tensors if name.startswith("student/play/weights."))
    fewer = {key: each for key, each in tensors.items() if key != name}
    for kept, facts in ((fewer, metadata), (tensors, {**metadata, "facts": "{}"})):
        safetensors.torch.save_file(kept, path, facts)
        with pytest.raises(CheckpointError, match=f"{RESUME_SELFPLAY}: damaged"):
            train(settings, tmp_path)
