"""What `tichu` says of itself: help, version, and what the shell completes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from tests.paths import ROOT
from tichu_models.agents.names import WITH_RUN
from tichu_models.agents.registry import OF_NETWORK
from tichu_models.runs.files import MANIFEST
from tichu_pipeline.cli import GROUPS, SUBCOMMANDS, app
from tichu_pipeline.storage.folders import DataPaths

CLI = CliRunner()
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
BELOW = [f"{name} {command}" for name, (_, _, commands) in SUBCOMMANDS.items() for command in commands]
HEAVY = {"numpy", "numba", "polars", "pyarrow", "duckdb", "torch", "lightning", "matplotlib", "dagster"}


def test_the_version_is_that_of_the_package():
    """A report of a fault that cannot say of which version it is."""
    from importlib.metadata import version

    done = CLI.invoke(app, ["--version"])
    assert (done.exit_code, done.output) == (0, f"tichu {version('tichu')}\n")


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("command", ["", *COMMANDS, *BELOW])
def test_help_fits_its_terminal(command, width):
    """Names of options that are cut off, and words that are swallowed because they stand in brackets."""
    done = CLI.invoke(app, [*command.split(), "--help"], env={"COLUMNS": width, "TERMINAL_WIDTH": width})
    assert done.exit_code == 0
    assert max(map(len, done.output.splitlines())) <= int(width)
    assert "…" not in done.output


def test_every_command_stands_in_a_group_and_every_option_is_explained():
    """A command that only its author finds."""
    overview = CLI.invoke(app, ["--help"]).output
    assert all(group in overview for group in GROUPS)
    assert len(COMMANDS) == sum(map(len, GROUPS.values())) + len(SUBCOMMANDS)
    below = {
        f"{name} {each}": COMMANDS[name].commands[each] for name in SUBCOMMANDS for each in COMMANDS[name].commands
    }
    assert list(below) == BELOW
    for name, command in (COMMANDS | below).items():
        assert command.help, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["tournament", "--help"], ["games", "match", "--help"]]
)
def test_help_loads_nothing_heavy(arguments):
    """Seconds before the first word."""
    code = (
        f"import sys\nfrom tichu_pipeline.cli import app\ntry:\n    app({arguments})\nfinally:\n    print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(done.stdout.split())


def test_names_and_registry_agree():
    """A player whose name the shell offers with runs that it does not play with."""
    assert set(WITH_RUN["policy"]) == set(OF_NETWORK)
    assert {network for networks in WITH_RUN.values() for network in networks} == set(OF_NETWORK)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ru"], ["runs"]),
        (["explain", "m"], ["mine"]),
        (["explain", "taught"], ["taught", "taught/wish"]),
        (["explain", "ch"], ["champion"]),
        (["tournament", "ch"], ["champion", "champion:fast"]),
        (["tournament", "champion", ":", "f"], ["fast"]),
        (["tournament", "candidate", ":", ""], ["taught"]),
        (["tournament", "he"], ["heuristic"]),
        (["tournament", "random", "po"], ["policy:mine", "policy:taught"]),
        (["tournament", "policy", ":", "m"], ["mine"]),
        (["tournament", "gc", ":", "m"], []),
        (["tournament", "--control", ""], ["damaged", "mine", "taught", "wish"]),
        (["query", "13"], ["13_wish_values"]),
        (["train", "V"], ["ValueNet"]),
        (["train", "ValueNet", "--preset", "la"], ["laptop"]),
        (["ladder", "--name", "c"], ["cup"]),
    ],
)
def test_bash_completes_names_of_a_data_folder(tmp_path, words, offered):
    """A run's name, or an agent's, that has to be typed by heart; a traceback in the midst of a command line."""
    paths = DataPaths(tmp_path)
    for run, text in (
        ("mine", json.dumps({"network": "PolicyNet"})),
        ("wish", '{"network": "WishNet"}'),
        ("damaged", "{"),
        ("taught", '{"network": "CandidateRLNet"}'),
        ("taught/wish", '{"network": "WishRLNet"}'),
    ):
        (paths.runs / run).mkdir(parents=True)
        (paths.runs / run / MANIFEST).write_text(text)
    paths.tournaments.mkdir()
    (paths.tournaments / "cup.parquet").touch()
    line = ["tichu", *words]
    environment = {
        **os.environ,
        "TICHU_DATA": str(tmp_path),
        "_TICHU_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(line),
        "COMP_CWORD": str(len(line) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tichu_pipeline.cli"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.split(), done.stderr) == (offered, "")
