"""Doors: who may import whom, and that lint would notice a breach of each rule in pyproject.toml."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.makers.interpreters import imported_by
from tests.paths import ROOT

HEAVY = ("dagster", "torch", "lightning", "matplotlib", "dask")
PACKAGES = ("tichu_models", "tichu_pipeline")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
LOGS = "tichu_pipeline.brettspielwelt"
# For each contract imports that break it: how its name begins, the importer, the imported.
BREACHES = [
    ("The pipeline runs the models", "tichu_models.rules.state", "tichu_pipeline.storage.months"),
    ("Rooms of tichu_models", "tichu_models.records.schema", "tichu_models.agents.registry"),
    ("Rooms of tichu_models", "tichu_models.search.tree", "tichu_models.arena.lockstep"),
    ("Rooms of tichu_models", "tichu_models.algorithms.walks", "tichu_models.games.chameleon.rules"),
    ("Rooms of tichu_pipeline", "tichu_pipeline.storage.months", "tichu_pipeline.commands.terminal"),
    ("Inside brettspielwelt", f"{LOGS}.archives.scan", f"{LOGS}.text.reader"),
    ("What plays never sees", "tichu_models.agents.choosing", "tichu_models.learning.losses"),
    ("What plays never sees", "tichu_models.agents.registry", "tichu_models.rl.team"),
    ("What plays never sees", "tichu_models.arena.table", "tichu_models.rl.hall"),
    ("Games know nothing of Tichu", "tichu_models.games.registry", "tichu_models.rules.cards"),
]
UNLISTED = ["tichu_models.attic", "tichu_pipeline.attic", "tichu_pipeline.brettspielwelt.attic"]


@pytest.mark.parametrize("package", ["tichu_models.rules", "tichu_pipeline.brettspielwelt"])
def test_plain_packages_load_nothing_heavy(package):
    """A second of start-up on every command, and a player that needs the orchestration to be installed."""
    folder = ROOT / package.replace(".", "/")
    paths = [path.relative_to(ROOT) for path in folder.rglob("*.py") if path.stem != "__init__"]
    assert paths
    modules = [".".join(path.with_suffix("").parts) for path in paths]
    assert imported_by(f"import {', '.join(modules)}").isdisjoint(HEAVY)


def test_models_never_import_the_pipeline():
    """An import inside a function passes the test above, and ties the players to Dagster all the same."""
    for path in sorted((ROOT / "tichu_models").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.partition(".")[0] for name in names}
            assert tops.isdisjoint({"tichu_pipeline", "dagster"}), path


@pytest.mark.parametrize(
    ("file", "line", "code"),
    [
        ("tichu_pipeline/rounds/ingest.py", "import dagster", "TID253"),
        ("tichu_pipeline/cli.py", "from dagster import materialize", "TID253"),
        ("tichu_pipeline/training/runs.py", "import torch", "TID253"),
        ("tichu_pipeline/training/comparison.py", "from lightning import Trainer", "TID253"),
        ("tichu_pipeline/html/pages.py", "import matplotlib", "TID253"),
        ("tichu_models/agents/registry.py", "import torch", "TID253"),
        ("tichu_models/players/heuristic.py", "import torch", "TID253"),
        ("tichu_models/observation/encode.py", "import torch", "TID253"),
        ("tichu_models/networks/architectures.py", "import torch", "TID253"),
        ("tichu_models/networks/configs.py", "import torch", "TID253"),
        ("tichu_models/runs/manifest.py", "import torch", "TID253"),
        ("tichu_models/samples/loader.py", "import torch", "TID253"),
        ("tichu_models/learning/settings.py", "import torch", "TID253"),
        ("tichu_models/learning/config_files.py", "import torch", "TID253"),
        ("tichu_models/rules/state.py", "from tichu_pipeline import ingest", "TID251"),
        ("tichu_models/rules/state.py", "import tichu_pipeline.rounds.ingest", "TID251"),
        ("tichu_pipeline/orchestration/assets/raw_logs.py", "import dagster", None),
        ("tichu_pipeline/orchestration/assets/raw_logs.py", "from tichu_pipeline import ingest", None),
        ("tichu_models/networks/policy_net.py", "import torch", None),
        ("tichu_models/learning/metrics/values.py", "import torch", None),
        ("tichu_models/runs/checkpoint.py", "import torch", None),
        ("tichu_models/agents/neural/network.py", "import torch", None),
    ],
)
def test_ruff_bites(file, line, code):
    """A slip in the patterns of pyproject.toml would switch the import rules off without a word."""
    assert (ROOT / file).exists()  # a room that has moved would leave its case behind
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--select=TID", f"--stdin-filename={file}", "-"],
        input=line + "\n",
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if code is None:
        assert done.returncode == 0, done.stdout
    else:
        assert code in done.stdout


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the packages in a folder."""
    command = [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--cache-dir", folder / "cache"]
    environment = {"PYTHONPATH": str(folder), "COLUMNS": "500", "PATH": ""}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def breached(tmp_path_factory) -> str:
    """What import-linter says of a copy of the packages with every breach in it, and a room in each that is in no
    list."""
    folder = tmp_path_factory.mktemp("breached")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        only_code = shutil.ignore_patterns("__pycache__", "*.ipynb", "*.sql")
        shutil.copytree(ROOT / package, folder / package, ignore=only_code)
    for _, importer, imported in BREACHES:
        with (folder / importer.replace(".", "/")).with_suffix(".py").open("a") as file:
            file.write(f"\n\ndef breach():\n    import {imported}\n")
    for room in UNLISTED:
        (folder / room.replace(".", "/")).mkdir()
        (folder / room.replace(".", "/") / "__init__.py").touch()
    done = lint_imports(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def section(report: str, contract: str) -> str:
    """What a report says of one broken contract."""
    broken = report.partition("Broken contracts")[2]
    names = [re.escape(each["name"]) for each in CONTRACTS]
    parts = re.split(rf"^({'|'.join(names)})\n-+\n", broken, flags=re.MULTILINE)
    return "".join(text for name, text in zip(parts[1::2], parts[2::2], strict=True) if name.startswith(contract))


@pytest.mark.parametrize(("contract", "importer", "imported"), BREACHES)
def test_a_breach_of_a_contract_is_reported(breached, contract, importer, imported):
    """A contract with a slip in it lets everything through, and nobody notices."""
    assert f"{importer} -> {imported} (l." in section(breached, contract)


def test_every_contract_has_a_breach():
    """A contract that is added without a case which shows that it bites."""
    assert all(any(each["name"].startswith(name) for name, _, _ in BREACHES) for each in CONTRACTS)


def test_a_room_that_stands_in_no_list_is_reported(breached):
    """A new room without a place in the order may import whom it likes."""
    assert {room for room in UNLISTED if f"- {room}\n" in breached} == {*UNLISTED}
    assert all(each["exhaustive"] for each in CONTRACTS if "containers" in each)


def test_no_import_is_excused():
    """Breaches that are written down as exceptions only ever become more."""
    assert not [each["name"] for each in CONTRACTS if "ignore_imports" in each]


def test_nothing_is_imported_out_of_a_test_module():
    """Helpers within tests: whoever moves or deletes a test breaks others, and a test is collected twice. Imports in
    scripts that tests run count as well."""
    pattern = re.compile(r"^\s*(?:from|import) +tests\b[^#\n]*\b(?:test_\w+|conftest)\b", re.MULTILINE)
    assert pattern.search("from tests.models.rules.test_legal import MOST_PLAYS")
    paths = sorted((ROOT / "tests").rglob("*.py"))
    found = {path.name: pattern.findall(path.read_text()) for path in paths if path != Path(__file__)}
    assert {name: lines for name, lines in found.items() if lines} == {}
