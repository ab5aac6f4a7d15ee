"""`tichu moves`: answers, errors, and how fast it starts."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tichu_pipeline.cli import app


def run(*arguments: str, standard_input: str | None = None) -> tuple[int, str, str]:
    """Exit status, output and complaints of `tichu moves`."""
    result = CliRunner().invoke(app, ["moves", *arguments], input=standard_input)
    return result.exit_code, result.stdout, result.stderr


def test_json_is_as_promised() -> None:
    """Prevents an answer that readers of the contract cannot parse, and a wish that binds nobody."""
    status, output, _ = run("--hand", "S9 B9 Ph", "--trick", "R7 / B8", "--wish", "9", "--json")
    assert status == 0
    assert json.loads(output) == {
        "plays": [
            {"cards": ["S9"], "type": "SINGLE", "length": 1, "rank": 9},
            {"cards": ["B9"], "type": "SINGLE", "length": 1, "rank": 9},
        ],
        "pass": False,
    }


def test_the_phoenix_counts_as_what_it_follows() -> None:
    """Prevents a single Phoenix that cannot be beaten by the next card, or beats the Dragon."""
    assert json.loads(run("--hand", "Ph S2", "--trick", "R7", "--json")[1])["plays"] == [
        {"cards": ["Ph"], "type": "SINGLE", "length": 1, "rank": 7}
    ]
    assert json.loads(run("--hand", "S8 S7", "--trick", "R7 / Ph", "--json")[1]) == {
        "plays": [{"cards": ["S8"], "type": "SINGLE", "length": 1, "rank": 8}],
        "pass": True,
    }
    assert json.loads(run("--hand", "Ph S2", "--trick", "Dr", "--json")[1]) == {"plays": [], "pass": True}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--hand", "S9 X3"], "X3"),
        (["--hand", "S9 S9"], "twice"),
        (["--hand", "S9", "--trick", "S9"], "S9"),
        (["--hand", "S9", "--trick", "R8 / B7"], "does not beat"),
        (["--hand", "S9", "--trick", "R8 B7"], "no combination"),
        (["--hand", "S9", "--trick", "Hu"], "Dog"),
        (["--hand", "S9", "--wish", "15"], "wish"),
        (["--hand", ""], "no card"),
    ],
)
def test_impossible_positions_are_refused(arguments: list[str], complaint: str) -> None:
    """Prevents an answer to a question that makes no sense."""
    status, output, complaints = run(*arguments)
    assert (status, output) == (1, "")
    assert complaint in complaints


def test_cases_from_standard_input_cost_only_themselves() -> None:
    """Prevents one bad case from swallowing the answers to all others, or from shifting them by a line."""
    status, output, complaints = run("--hand", "-", standard_input="S9 B9 | R7 | 9\nS9 S9 | |\nMa Ph|\n")
    lines = [json.loads(line) for line in output.splitlines()]
    assert status == 1
    assert [len(line.get("plays", [])) for line in lines] == [2, 0, 2]
    assert "error" in lines[1]
    assert "line 2" in complaints


def test_a_warm_start_is_quick() -> None:
    """Prevents imports, or a cache that is never hit, from making each call of the command wait.

    Processor time, because other tests run beside this one.
    """
    command = [sys.executable, "-m", "tichu_pipeline.cli", "moves", "--hand", "S9 B9 Ph", "--json"]
    subprocess.run(command, check=True, capture_output=True)
    best = 60.0
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert best < 1.5
