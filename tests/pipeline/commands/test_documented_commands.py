"""Commands that README and docs show are commands that there are, with options that they have."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from tests.paths import ROOT
from tichu_pipeline.cli import app

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
TO_THE_SHELL = re.compile(r"[0-9]?>{1,2}|<|[|&;]+")


def shown(page: str) -> Iterator[list[str]]:
    """The arguments of each line in a block of code that calls tichu, as far as they are not for the shell."""
    for block in FENCE.findall(page):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.strip().removeprefix("$ ")
            if line.startswith("tichu "):
                words = shlex.shlex(line, posix=True, punctuation_chars=True)
                words.whitespace_split = True
                arguments = list(words)[1:]
                ends = [place for place, word in enumerate(arguments) if TO_THE_SHELL.fullmatch(word)]
                yield arguments[: min(ends, default=len(arguments))]


def parse(arguments: list[str]) -> None:
    """Reads the arguments as the command would, and does nothing."""
    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    try:
        context = group.make_context("tichu", list(arguments))
        name, command, rest = group.resolve_command(context, list(arguments))
        command.make_context(name, rest, parent=context)
    except typer.Exit:
        pass  # --help, --version


COMMANDS = [
    pytest.param(arguments, id=f"{page.name}: {' '.join(arguments)}")
    for page in PAGES
    for arguments in shown(page.read_text())
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_that_is_shown_is_understood(arguments, tmp_path, monkeypatch):
    """A newcomer's first command is refused, because an option got another name."""
    monkeypatch.chdir(tmp_path)
    for argument in arguments:
        if re.fullmatch(r"[\w-]+\.\w+", argument):  # a file of the reader's own
            Path(argument).touch()
    parse(arguments)


def test_the_pages_are_searched():
    """A search that finds nothing, because blocks of code are written in another way."""
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize("line", ["tichu ingst --raw x", "tichu ingest --rawe x", "tichu sql 'SELECT 1' --format jsn"])
def test_what_is_not_understood_is_refused(line):
    """A parser that takes whatever it gets."""
    (arguments,) = shown(f"```sh\n{line}  # a comment\n```")
    with pytest.raises(Exception, match=r"(?i)no such|not one of|invalid"):
        parse(arguments)


def test_what_is_for_the_shell_is_left_out():
    """Words behind a pipe taken for arguments, or a comment; half of a command that goes on in the next line."""
    page = (
        "text `tichu a`\n```sh\n$ tichu query 29 \\\n  --format csv > x.csv  # all\ntichu runs | head\nmake demo\n```\n"
    )
    assert list(shown(page)) == [["query", "29", "--format", "csv"], ["runs"]]
