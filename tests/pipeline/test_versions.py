"""Every VERSION of a stage has a golden file that says when it has to be raised."""

from __future__ import annotations

import ast
import json

import pytest

from tests.makers import golden
from tests.paths import GOLDEN, ROOT
from tichu_pipeline.scaling import fit


def test_every_version_is_held_by_a_golden_file():
    """A stage whose output changes while its VERSION stays: what is stored counts as fresh, and is of the old kind."""
    versions = {}
    for path in sorted((ROOT / "tichu_pipeline").rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VERSION":
                versions[".".join(path.relative_to(ROOT).with_suffix("").parts)] = ast.literal_eval(node.value)
    kept = [json.loads(path.read_text()) for path in GOLDEN.glob("*.json")]
    goldens = {golden["module"]: golden["version"] for golden in kept if "digests" in golden}
    assert goldens == versions, "each module with a VERSION has a file in tests/golden, whose `module` names it"
    assert len(versions) == 18


def test_a_changed_output_asks_for_a_new_version(monkeypatch):
    """A golden file that is brought up to date without a thought for what is stored."""
    with pytest.raises(pytest.fail.Exception, match=r"bump VERSION in tichu_pipeline\.scaling\.fit"):
        golden.check("scaling", fit, {"variables": "another"})
    monkeypatch.setattr(fit, "VERSION", fit.VERSION + 1)
    with pytest.raises(AssertionError, match=r"scaling\.json is to hold, for VERSION"):
        golden.check("scaling", fit, {"variables": "another"})
