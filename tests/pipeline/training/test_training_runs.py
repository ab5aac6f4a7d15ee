"""Runs of a data folder: every network is trained from it, listed, asked, compared; mistakes cost a message."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from typer.testing import CliRunner

from tests.paths import ROOT
from tichu_models.learning.config_files import run_config
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.runs.checkpoint import load
from tichu_models.runs.files import FINAL_TEST, LAST_WEIGHTS
from tichu_models.samples.classes import classes_of_labels
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.cli import app
from tichu_pipeline.features.shards import make_shards
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.scaling.fit import fit
from tichu_pipeline.status.stages import status
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import State
from tichu_pipeline.tools import results_page
from tichu_pipeline.training import comparison
from tichu_pipeline.training.baselines import decisions, points_so_far, rule_based
from tichu_pipeline.training.comparison import ComparisonError, FinalTest, compare, final_test
from tichu_pipeline.training.inputs import inputs_of
from tichu_pipeline.training.runs import default_name, run_of
from tichu_pipeline.training.train import TrainingRequest, train_run

MONTHS = ["2024-01", "2024-02"]
LOG = ROOT / "tests" / "golden" / "sound_game.tch"
FAST = ("training.accelerator=cpu", "training.precision=float32")


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder with every network trained, for seconds."""
    torch.set_num_threads(1)
    made = DataPaths(tmp_path_factory.mktemp("data"))
    generate(made.raw, 60, MONTHS, seed=4)
    ingest(made.raw, made)
    fit(made)
    for network in ARCHITECTURES:
        train_run(made, TrainingRequest(network, "smoke", FAST))
    return made


def tichu(paths: DataPaths, *arguments: str, status: int = 0) -> str:
    """What a command prints, on standard output and error."""
    done = CliRunner().invoke(app, [*arguments, "--data", str(paths.root)])
    assert done.exit_code == status, done.output
    return done.output


@pytest.mark.parametrize("network", ARCHITECTURES)
def test_every_network_learns_from_a_data_folder(paths, network):
    """A network whose data does not fit it shows that only to who wants to train it."""
    run = run_of(paths.runs / default_name(network))
    assert run.state == "finished"
    assert run.figures["val_loss"] > 0
    assert run.trial["attempts"] == 1
    assert run.trial["parameters"] == sum(p.numel() for p in load(run.folder).network.parameters())
    assert (run.folder / "learning_curves.png").stat().st_size > 1000
    assert (run.folder / "reliability.png").exists() == (ARCHITECTURES[network].objective in ("calls", "bomb"))
    last = load(run.folder, file=LAST_WEIGHTS)
    assert int(last.notes["step"]) >= int(load(run.folder).notes["step"])
    if ARCHITECTURES[network].objective in ("cards", "goal", "move", "sequence"):
        assert 0 < run.figures["val_top1_not_forced"] <= run.figures["val_top1"] < 1
        forced = run.figures["val_decisions"] - run.figures["val_decisions_not_forced"]
        assert (forced == 0) == (network == "DTNet")  # whose sequences have none


def test_runs_are_listed(paths):
    """Nobody would know what there is."""
    listed = json.loads(tichu(paths, "runs", "--json"))
    assert {run["network"] for run in listed} == set(ARCHITECTURES)
    assert {run["state"] for run in listed} == {"finished"}
    assert all(run["figures"]["val_loss"] > 0 and run["settings"]["training"]["epochs"] == 2 for run in listed)
    assert "grand_net" in tichu(paths, "runs")


def test_a_finished_run_is_kept(paths):
    """A night of training overwritten by who forgot a name."""
    before = (paths.runs / "grand_net" / "model.safetensors").read_bytes()
    again = [part for setting in FAST for part in ("--set", setting)]
    assert json.loads(tichu(paths, "train", "GrandNet", "--preset", "smoke", *again, "--json"))["reused"]
    other = tichu(paths, "train", "GrandNet", "--preset", "smoke", "--set", "training.epochs=3", status=1)
    assert "training.accelerator = cpu, not auto" in other
    assert "choose another --name, or --replace it" in other
    assert (paths.runs / "grand_net" / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (("PolicyNetz",), 2, "PolicyNet"),
        (("PolicyNet", "--preset", "tiny"), 2, "laptop"),
        (("PolicyNet", "--set", "training.epoch=3"), 1, "did you mean 'epochs'?"),
        (("PolicyNet", "--set", "epochs=3"), 1, "expected section.key=value"),
        (("PolicyNet", "--set", "data.spec=play-374"), 1, "expected one of play-375"),
        (("PolicyNet", "--set", "data.spec=wish-233"), 1, "a PolicyNet has no outputs for its labels"),
        (("PolicyNet", "--set", "data.first_month=2030-01"), 1, "no rounds from 2030-01"),
        (("PolicyNet", "--set", "data.source=shards"), 1, "materialise the stage features with spec play-375"),
        (("PolicyNet", "--config", "nowhere.toml"), 1, "nowhere.toml: cannot be read"),
        (("PolicyNet", "--name", "../away"), 1, "expected letters"),
    ],
)
def test_mistakes_are_named(paths, arguments, status, expected):
    """A setting misspelt would silently train with another one."""
    output = " ".join(tichu(paths, "train", *arguments, status=status).split())
    assert expected in output.replace("│ ", "").replace(" │", "")


def test_a_config_file_is_read_strictly(paths, tmp_path):
    """An unknown key would be a setting that nobody follows."""
    file = tmp_path / "mine.toml"
    file.write_text('preset = "smoke"\n[training]\nepochs = 1\nlearning_rat = 0.1\n')
    assert "learning_rat" in tichu(paths, "train", "PolicyNet", "--config", str(file), status=1)


def test_a_loss_that_is_no_number_ends_in_a_message(paths, tmp_path):
    """A traceback of two hundred lines, and no word of what to do."""
    copy = DataPaths(tmp_path / "data")
    shutil.copytree(paths.rounds, copy.rounds)
    constants = json.loads(paths.scaling.read_text())
    constants["variables"]["points"]["scale"] = 1e-300
    copy.scaling.write_text(json.dumps(constants))
    output = tichu(copy, "train", "ValueNet", "--preset", "smoke", status=1)
    assert "loss is nan" in output
    assert "Try a lower training.learning_rate" in output
    assert not (copy.runs / "value_net" / "model.safetensors").exists()


@pytest.mark.parametrize("network", ARCHITECTURES)
def test_a_logged_decision_is_explained(paths, network):
    """Scores of other moves than the legal ones, or none of the move that was played."""
    run, found = default_name(network), ARCHITECTURES[network]
    number, answers = asked_of(paths, run)
    assert {answer["network"] for answer in answers} == {network}
    first = answers[0]
    if found.objective == "value":
        assert all(abs(answer["difference"]) <= 400 for answer in answers)
        return
    for answer in answers:
        shares = [option["probability"] for option in answer["answers"]]
        if found.objective in ("calls", "bomb"):
            assert all(0 <= share <= 1 for share in shares)
            continue
        played = [option["answer"] for option in answer["answers"] if option["played"]]
        assert len(played) == (3 if found.objective == "schupf" else 1)
        assert sum(shares) == pytest.approx(len(played), abs=1e-4)
        if found.objective in ("cards", "goal", "sequence", "move"):
            assert len(answer["answers"]) == legal_moves(answer)
            assert set(played[0]) == set(answer["played"])
    turn = first["turn"]
    if turn is not None:
        one = tichu(paths, "explain", run, "--file", str(LOG), "--round", str(number), "--turn", str(turn))
        assert f"turn {turn}, seat {first['seat']}" in one


def asked_of(paths: DataPaths, run: str) -> tuple[int, list[dict]]:
    """The first round of the log that holds decisions of the run's kind, and what it thinks of them."""
    for number in range(12):
        ask = ("explain", run, "--file", str(LOG), "--round", str(number), "--json", "--data", str(paths.root))
        done = CliRunner().invoke(app, ask)
        if done.exit_code == 0:
            return number, json.loads(done.stdout)
        assert "holds no decision of kind" in done.output
    raise AssertionError(f"no decision for {run}")


def legal_moves(answer: dict) -> int:
    """How many moves were legal on a lead, by the vector of the decision and the command for rules."""
    where = ("--round", str(answer["round"]), "--turn", str(answer["turn"]), "--seat", str(answer["seat"]))
    out = CliRunner().invoke(app, ["features", "--file", str(LOG), *where])
    seen = json.loads(out.stdout.splitlines()[0])["features"]
    if "trick_combination.pass" not in seen:  # what lies there cannot be told from a vector
        return len(answer["answers"])
    hand = " ".join(name.split(".")[1] for name in seen if name.startswith("hand_cards."))
    wish = next((name.split(".")[1] for name in seen if name.startswith("wish.") and name[5:].isdigit()), "")
    moves = json.loads(CliRunner().invoke(app, ["moves", "--hand", hand, "--wish", wish, "--json"]).stdout)
    return len(moves["plays"])


def test_what_cannot_be_explained_is_named(paths, tmp_path):
    """A traceback for a log without such a decision, or a run that there is not."""
    ask = ("--file", str(LOG), "--round", "0")
    assert "there are bomb_net, candidate_policy_net" in tichu(paths, "explain", "nobody", *ask, status=1)
    assert "no round 99" in tichu(paths, "explain", "policy_net", "--file", str(LOG), "--round", "99", status=1)
    assert "no decision of kind play" in tichu(paths, "explain", "policy_net", *ask, "--turn", "999", status=1)
    copy = DataPaths(tmp_path / "data")
    shutil.copytree(paths.runs / "policy_net", copy.runs / "policy_net")
    manifest = json.loads((copy.runs / "policy_net" / "manifest.json").read_text())
    manifest["spec"]["version"] = 99
    (copy.runs / "policy_net" / "manifest.json").write_text(json.dumps(manifest))
    assert "version" in tichu(copy, "explain", "policy_net", *ask, status=1)


def test_another_goal_is_another_question(paths):
    """A goal that is asked for and never heard."""
    ask = ("explain", "gc_policy_net", "--file", str(LOG), "--round", "0", "--turn", "0", "--json")
    few, many = (json.loads(tichu(paths, *ask, "--rtg", goal))[0] for goal in ("-300", "300"))
    assert (few["asked_rtg"], many["asked_rtg"]) == (pytest.approx(-300), pytest.approx(300))
    assert few["expected_rtg"] == many["expected_rtg"]
    assert few["answers"] != many["answers"]


def test_the_same_validation_every_time(paths):
    """Figures of two epochs, or two runs, that are of different decisions."""
    inputs = inputs_of(run_config("PolicyNet", "smoke", FAST), paths)
    held_out = inputs.decisions("validation", 300, 64)
    first, second = ([batch.state.clone() for batch in held_out] for _ in range(2))
    assert len(held_out) == len(first) == 5
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
    assert not any(torch.equal(batch.state, first[0]) for batch in inputs.samples())


def test_every_setting_of_the_data_is_followed(paths):
    """A window, a source or a filter that is set, written into the manifest, and ignored."""

    def learned(*settings: str, network: str = "PolicyNet"):
        config = run_config(network, "smoke", ["training.epoch_samples=100000", "training.batch_size=32", *settings])
        return inputs_of(config, paths)

    whole, month = learned(), learned("data.last_month=2024-01")
    assert len(month.samples()) < 0.6 * len(whole.samples())
    assert month.manifest.data["months"] == "2024-01..2024-01"
    assert month.manifest.data["rounds"] != whole.manifest.data["rounds"]
    forced = learned("data.drop_forced=false")
    assert len(forced.samples()) > 1.3 * len(whole.samples())
    make_shards(paths, whole.spec, MONTHS)
    shards = learned("data.source=shards")
    assert shards.manifest.data["rounds"] == whole.manifest.data["rounds"]
    for one, other in zip(whole.samples(), shards.samples(), strict=True):
        assert torch.equal(one.state, other.state)
    calls = learned("data.balanced=true", network="TichuNet")
    weights, classes = [], []
    for batch in calls.samples():
        weights.append(batch.weight.numpy())
        classes.append(classes_of_labels(batch.target.float().numpy(), calls.spec.label))
    weight, called = np.concatenate(weights), np.concatenate(classes)
    assert weight.mean() == pytest.approx(1, abs=1e-4)
    assert weight[called == 1].sum() == pytest.approx(weight[called == 0].sum(), rel=1e-3)


def test_baselines_know_the_rules_of_thumb(paths):
    """A baseline that answers other questions than the networks are asked."""
    plays = rule_based(paths, "play-375", "validation", 20_000)
    assert plays["heuristic"]["top1_no_blunder"] > 0.995
    assert plays["heuristic"]["top1_not_forced"] < 0.97
    assert plays["always pass"]["top1_not_pass"] == 0
    assert rule_based(paths, "tichu-240", "train", 20_000)["heuristic"]["called_brier_skill"] > 0.95
    assert rule_based(paths, "schupf-65", "validation", 20_000)["heuristic"]["left_top1"] == 1
    stages = points_so_far(paths, "train", 20_000)
    asked = list(decisions(inputs_of(run_config("PolicyNet", "smoke"), paths).source, "train", 20_000))
    points = np.concatenate([part.views["points"] for part in asked]).astype(float)
    own = np.concatenate([part.views["seat"] for part in asked]) % 2
    lead = np.where(own, -1, 1) * (points[:, [0, 2]].sum(axis=1) - points[:, [1, 3]].sum(axis=1))
    value = np.concatenate([part.value for part in asked])
    late = np.bitwise_count(np.concatenate([part.views["played"] for part in asked])) >= 49
    assert stages["r2_from_49"] == pytest.approx(np.corrcoef(lead[late], value[late])[0, 1] ** 2)


def test_runs_are_compared_once(paths):
    """Networks judged on other decisions than their baselines; or an hour's comparison for a look at it."""
    first = compare(paths, 500)
    again = compare(paths, 500)
    assert (first.reused, again.reused) == (False, True)
    assert first.table.equals(again.table)
    table = first.table
    assert set(table["network"]) == set(ARCHITECTURES)
    rows = table.filter((pl.col("network") == "CandidatePolicyNet") & (pl.col("figure") == "top1_not_forced"))
    assert set(rows["name"]) == {"candidate_policy_net", "constant", "heuristic", "always pass"}
    run = run_of(paths.runs / "candidate_policy_net")
    own = table.filter((pl.col("name") == run.name) & (pl.col("figure") == "top1"))["value"].item()
    assert own == pytest.approx(run.figures["val_top1"], abs=0.15)  # on 256 decisions, and on 500
    assert (paths.runs / "tichu_net" / "reliability.png").stat().st_size > 1000
    assert "heuristic" in (paths.reports / comparison.PAGE).read_text()
    states = {standing.stage: standing.state for standing in status(paths)}
    assert (states["training_runs"], states["model_comparison"]) == (State.FRESH, State.FRESH)


def test_the_test_split_is_used_once(paths):
    """Whoever looks at the test figures twice has chosen by them, and has none left."""
    with pytest.raises(ComparisonError, match="by whom, and why"):
        final_test(paths, FinalTest("", ""), 300)
    wanted = FinalTest("Ada", "the end of a trial", ("tichu_net",))
    table = final_test(paths, wanted, 300)
    assert set(table["split"]) == {"test"}
    entries = [json.loads(line) for line in (paths.runs / FINAL_TEST).read_text().splitlines()]
    assert [entry["by"] for entry in entries] == ["Ada", "Ada"]
    assert "figures" not in entries[0]
    assert final_test(paths, wanted, 300).equals(table)
    with pytest.raises(ComparisonError, match=r"was used on .* by Ada \(the end of a trial\) for tichu_net"):
        final_test(paths, FinalTest("Bob", "curious", ("grand_net",)), 300)
    final_test(paths, FinalTest("Bob", "curious", ("grand_net",), again=True), 300)


def test_test_figures_stay_with_the_run_that_had_them(paths, tmp_path):
    """A run that is trained again would stand on the page with the test figures of the one before."""
    copy = DataPaths(shutil.copytree(paths.root, tmp_path / "data"))
    final_test(copy, FinalTest("Ada", "the end of a trial", ("grand_net",), again=True), 300)
    assert "| grand_net | " in results_page.page(copy, "", 200).split("## Final test")[-1]
    train_run(copy, TrainingRequest("GrandNet", "smoke", (*FAST, "training.epochs=1")), replace=True)
    assert "| grand_net, since replaced | " in results_page.page(copy, "", 200).split("## Final test")[-1]


@pytest.mark.parametrize("run", ["gc_policy_net", "dt_net"])
def test_goals_are_tried(paths, run):
    """A goal that never reaches the network; or an hour of games for a look at a table."""
    ask = ("calibrate", run, "--goal", "300", "--goal", "-300", "--deals", "8", "--json")
    facts = json.loads(tichu(paths, *ask))
    assert [each["asked"] for each in facts["goals"]] == [-300, 300]
    assert facts["goals"][0]["achieved"] != facts["goals"][1]["achieved"]
    file = paths.runs / run / "calibration.json"
    before = file.stat().st_mtime_ns
    assert json.loads(tichu(paths, *ask)) == facts
    assert file.stat().st_mtime_ns == before
    assert (paths.runs / run / "calibration.png").stat().st_size > 1000
    assert "asked for" in tichu(paths, *ask[:-1])
    assert "expected two or more" in tichu(paths, "calibrate", run, "--goal", "100", status=1)
    assert "goal = 500" in tichu(paths, "calibrate", run, "--goal", "100", "--goal", "500", status=1)
    assert "takes no goals" in tichu(paths, "calibrate", "policy_net", status=1)


def test_the_page_tells_of_every_run(paths, tmp_path):
    """Results that somebody has copied by hand."""
    made = tmp_path / "results.md"
    results_page.main(paths.root, made, "tichu generate --games 60", 500, 4)
    text = made.read_text()
    assert "## Goals: asked for and achieved" in text
    assert "| dt_net | " in text[text.index("## Goals") : text.index("## Trials")]
    assert (tmp_path / results_page.PICTURE).stat().st_size > 1000
    assert "value_weight" not in text  # no run has set it
    assert "`tichu generate --games 60`" in text
    for network in ARCHITECTURES:
        assert f"### {network}\n" in text
        assert f"| {default_name(network)} | {network} |" in text


def test_only_what_hangs_on_a_network_is_stale_when_it_changes(paths, tmp_path):
    """A week of training again for another width of one network; or an old comparison beside the new one."""
    copy = DataPaths(shutil.copytree(paths.root, tmp_path / "data"))
    compare(copy, 200)
    before = {path: path.stat().st_mtime_ns for path in copy.runs.glob("*/model.safetensors")}
    train_run(copy, TrainingRequest("GrandNet", "smoke", (*FAST, "training.epochs=1")), replace=True)
    changed = {path.parent.name for path, written in before.items() if path.stat().st_mtime_ns != written}
    assert changed == {"grand_net"}
    states = {standing.stage: standing.state for standing in status(copy)}
    assert (states["scaling"], states["training_runs"]) == (State.FRESH, State.FRESH)
    assert states["model_comparison"] is State.STALE
    assert not compare(copy, 200).reused
    assert {standing.stage: standing.state for standing in status(copy)}["model_comparison"] is State.FRESH


def test_changed_rounds_make_runs_stale(paths, tmp_path):
    """Networks of last year's rounds that are called up to date."""
    copy = DataPaths(shutil.copytree(paths.root, tmp_path / "data"))
    (copy.raw / "202402").mkdir()
    shutil.copy(LOG, copy.raw / "202402" / "7.tch")
    ingest(copy.raw, copy)
    found = {standing.stage: standing for standing in status(copy)}["training_runs"]
    assert found.state is State.STALE
    assert "policy_net: its rounds have changed since" in found.reasons or "scaling is stale" in found.reasons


def test_a_killed_run_ends_as_one_that_was_not(paths, tmp_path):
    """A power cut costs the training so far; or batches come twice and others never."""
    settings = (*FAST, "training.epoch_samples=30000", "training.checkpoint_steps=10", "training.threads=1")
    whole = train_run(paths, TrainingRequest("PolicyNet", "smoke", settings, "whole"))
    assert not whole.reused
    command = [
        sys.executable,
        "-m",
        "tichu_pipeline.cli",
        "train",
        "PolicyNet",
        "--preset",
        "smoke",
        "--name",
        "killed",
    ]
    command += [part for setting in settings for part in ("--set", setting)] + ["--data", str(paths.root)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    folder, until = paths.runs / "killed", time.monotonic() + 300
    while not (folder / "resume.ckpt").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    _, told = process.communicate()
    assert process.returncode == -signal.SIGKILL, told
    assert (folder / "resume.ckpt").exists()
    assert not (folder / "figures.json").exists()
    assert json.loads(tichu(paths, "runs", "--json"))[0]["state"]
    resumed = train_run(paths, TrainingRequest("PolicyNet", "smoke", settings, "killed"))
    assert resumed.figures == whole.figures
    one, other = (load(made.path).network.state_dict() for made in (whole, resumed))
    assert all(torch.equal(one[name], other[name]) for name in one)
    for folder in (whole.path, resumed.path):
        shutil.rmtree(folder)


def test_names_of_runs_are_folders_of_their_own(paths):
    """A run called `../rounds` would be written over the data."""
    assert default_name("GCPolicyNet") == "gc_policy_net"
    assert default_name("DTNet") == "dt_net"
    assert not (Path(paths.root).parent / "away").exists()


@pytest.mark.proof
def test_two_processes_train_one_run(paths):
    """Processes of one run that shut each other out of its folder, or each write into it."""
    given = (*FAST, "training.devices=2", "training.threads=1")
    arguments = ["train", "GrandNet", "--preset", "smoke", "--name", "pair", "--json", "--data", str(paths.root)]
    arguments += [part for setting in given for part in ("--set", setting)]
    command = [sys.executable, "-m", "tichu_pipeline.cli", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["figures"]["epoch"] in (1, 2)  # told once
    run = run_of(paths.runs / "pair")
    assert (run.state, run.trial["attempts"]) == ("finished", 1)
    written = pl.read_csv(run.folder / "metrics.csv")
    assert len(written) == len(written.unique(["step", "name"]))
    shutil.rmtree(run.folder)
