"""The pages that people read: links, paths and commands that lead somewhere."""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from tests.paths import ROOT
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.cli import app

PAGES = [ROOT / "README.md", ROOT / "data" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
MODULE = re.compile(r"`(tichu_(?:models|pipeline)(?:\.\w+)+)`")
PATH = re.compile(r"`((?:tichu_models|tichu_pipeline|tests|docs|dagster_home)/[\w./{},-]*)`")


def code_of(text: str) -> list[str]:
    """The lines of all blocks of shell commands."""
    blocks = re.findall(r"^```\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_paths_lead_somewhere(page):
    """A page that sends its reader to a module that has moved."""
    text = page.read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in target]
    assert not [target for target in targets if not (page.parent / target).exists()]
    assert not [path for path in PATH.findall(text) if "NN_" not in path and not (ROOT / path).exists()]


def is_there(name: str) -> bool:
    """Whether a dotted name is a module or a package, or something that a module defines at its top."""
    *parents, last = name.split(".")
    if (path := ROOT.joinpath(*parents, last)).is_dir() or path.with_suffix(".py").is_file():
        return True
    module = ROOT.joinpath(*parents).with_suffix(".py")
    return module.is_file() and bool(re.search(rf"^(def |class )?{last}\b", module.read_text(), re.MULTILINE))


def test_dotted_names_lead_somewhere():
    """A page, or a docstring, that sends its reader to a module that has moved."""
    sources = [
        path for package in ("tichu_models", "tichu_pipeline", "tests") for path in (ROOT / package).rglob("*.py")
    ]
    named = {(path, name) for path in (*PAGES, *sources) for name in MODULE.findall(path.read_text(encoding="utf-8"))}
    assert len(named) > 20
    assert not sorted(f"{path.relative_to(ROOT)}: {name}" for path, name in named if not is_there(name))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_are_there(page):
    """A line that is copied into the terminal and refused."""
    lines = [line.removeprefix("$ ") for line in code_of(page.read_text(encoding="utf-8"))]
    for line in lines:
        words = shlex.split(line, comments=True) if line.startswith("tichu ") else []
        if words:
            command = COMMANDS[words[1]]
            command = command.commands[words[2]] if hasattr(command, "commands") else command
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words[2:] if word.startswith("--")} <= known, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_questions_are_counted_right(page):
    """A page that promises fewer questions than there are, because nobody knew that it counts them."""
    told = re.findall(r"(\d+) questions", page.read_text(encoding="utf-8"))
    assert set(told) <= {str(len(queries()))}


def test_the_readme_is_short_and_begins_with_the_two_commands():
    """A first page that nobody reads to its end."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    assert next(place for place, line in enumerate(lines) if line.startswith("make demo")) < 20
