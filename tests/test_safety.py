"""What keeps data from becoming code, and the web UI from being anybody's."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.paths import ROOT

SOURCES = [path for package in ("tichu_models", "tichu_pipeline") for path in sorted((ROOT / package).rglob("*.py"))]
RUNS_CODE = {"eval", "exec", "__import__", "os.system", "os.popen", "torch.hub.load"}
UNPICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def dangers(source: str) -> Iterator[str]:
    """What in a module could run what it reads."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] in UNPICKLES)
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").partition(".")[0] in UNPICKLES:
                yield str(node.module)
        elif isinstance(node, ast.Call):
            name, given = ast.unparse(node.func), {word.arg: ast.unparse(word.value) for word in node.keywords}
            if name in RUNS_CODE:
                yield name
            if given.get("shell", "False") != "False" or given.get("allow_pickle", "False") != "False":
                yield ast.unparse(node)
            if name == "torch.load" and given.get("weights_only") != "True":
                yield ast.unparse(node)
            if given.get("weights_only", "True") != "True":
                yield ast.unparse(node)


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from cloudpickle import loads",
        "eval(text)",
        "os.system(name)",
        "subprocess.run(name, shell=True)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_the_search_finds(source):
    """A search that finds nothing because it looks for nothing."""
    assert list(dangers(source))


def test_nothing_that_is_read_is_run():
    """A log, a checkpoint or a config file that somebody sends takes over the machine."""
    assert len(SOURCES) > 100
    assert {
        str(path.relative_to(ROOT)): list(found) for path in SOURCES if (found := [*dangers(path.read_text())])
    } == {}


def test_make_opens_the_web_ui_to_this_machine_only():
    """Whoever is in the same network starts runs. That the address is kept is seen in the test of the web UI."""
    for target in ("ui", "demo"):
        told = subprocess.run(
            ["make", "--dry-run", target, "PORT=4321"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        servers = [line for line in told.splitlines() if re.search(r"\bdagster(-webserver)?\b.* -p ", line)]
        assert servers, target
        assert all(" -h 127.0.0.1 " in line for line in servers)
