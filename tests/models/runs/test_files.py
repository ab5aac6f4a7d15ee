"""A run's files are named in one place."""

from __future__ import annotations

import ast

from tests.paths import ROOT
from tichu_models.runs import files

NAMES = [value for name, value in vars(files).items() if name.isupper() and isinstance(value, str) and "." in value]


def test_no_other_module_names_the_files_of_a_run():
    """A file that is renamed where it is written, and looked for under its old name where it is read."""
    found = []
    for package in ("tichu_models", "tichu_pipeline"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name == "files.py" and path.parent.name == "runs":
                continue
            texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
            words = {word.strip("`'\",.;:()") for text in texts if isinstance(text, str) for word in text.split()}
            parts = {part for word in words for part in word.split("/")}
            found += [f"{path.relative_to(ROOT)}: {name}" for name in NAMES if name in parts]
    assert len(NAMES) == 16
    assert found == []
