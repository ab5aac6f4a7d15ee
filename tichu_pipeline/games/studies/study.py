"""The stage `game_studies`: `board_games/<game>/studies/<id>.json` and its picture.

A study is a module with a constant STUDY; STUDIES lists them. Sizes of the presets make a study small or large.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tichu_models.games.champions import folder_of
from tichu_models.games.learning.manifest import read_manifest
from tichu_models.games.learning.settings import PRESETS
from tichu_models.options import OptionError, expected
from tichu_models.presets import value_of
from tichu_models.runs.files import MANIFEST
from tichu_pipeline.games.facts import REQUEST, Facts, kept, stamp_of, write
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.stamps import KEY, json_object

# Bumped by hand when a study of the same size would find something else; tests/golden/game_studies.json says when.
VERSION = 5
STAGE = "game_studies"
ROOM = "tichu_pipeline.games.studies"
# The module and the game of each study, by its id.
STUDIES = {
    "classification": (f"{ROOM}.classification", "chameleon"),
    "tic-tac-toe": (f"{ROOM}.tic_tac_toe", "chameleon"),
    "complexity": (f"{ROOM}.complexity", "chameleon"),
    "depths": (f"{ROOM}.depths", "chameleon"),
    "sessions": (f"{ROOM}.sessions", "chameleon"),
    "evaluations": (f"{ROOM}.evaluations", "chameleon"),
    "arms": (f"{ROOM}.chameleon_arms", "chameleon"),
    "overtaking": (f"{ROOM}.overtaking", "chameleon"),
    "methods": (f"{ROOM}.madn_arms", "madn"),
    "hidden-cards": (f"{ROOM}.dog_arms", "dog"),
}


class Table(NamedTuple):
    """A table of a study."""

    about: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Study(NamedTuple):
    """How a question is answered."""

    about: str
    sizes: Mapping[str, Mapping[str, Any]]  # by preset; what `find` is given
    find: Callable[[DataPaths, Mapping[str, Any]], dict[str, Any]]  # the facts, as JSON has them
    tables: Callable[[Mapping[str, Any]], list[Table]]
    draw: Callable[[Mapping[str, Any], Path], None] | None = None
    run: str = ""  # which of its sizes names a run of the game that it reads, if it reads one


def studies_of(game: str) -> list[str]:
    """The studies of a game, in the order in which they are made."""
    return [name for name, (_, of) in STUDIES.items() if of == game]


def study_of(name: str) -> Study:
    """The study of this id."""
    if name not in STUDIES:
        raise OptionError(f"no study is called '{name}'; {expected(name, list(STUDIES))}")
    return import_module(STUDIES[name][0]).STUDY


def path_of(paths: DataPaths, name: str) -> Path:
    """The file of a study; its picture lies beside it."""
    return paths.board_games / STUDIES[name][1] / "studies" / f"{name}.json"


def size_of(name: str, preset: str, changes: Iterable[str] = ()) -> dict[str, Any]:
    """The size of a preset, changed by each `key=value`."""
    study = study_of(name)
    if preset not in PRESETS:
        raise OptionError(f"preset '{preset}': expected one of {', '.join(PRESETS)}")
    size = dict(study.sizes[preset])
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or key.strip() not in size:
            raise OptionError(f"--set {change}: expected key=value; keys: {', '.join(size) or 'none'}")
        found = value_of(text.strip())
        wanted = type(size[key.strip()])
        if type(found) is not wanted and (wanted, type(found)) != (float, int):
            raise OptionError(f"--set {change}: expected such as {size[key.strip()]!r}")
        size[key.strip()] = wanted(found)
    return size


def make(paths: DataPaths, name: str, size: Mapping[str, Any]) -> Facts:
    """Makes a study, unless it is there."""
    study, path = study_of(name), path_of(paths, name)
    stamp = _stamp(paths, name, size)
    drawn = study.draw is None or picture_of(path).exists()
    if drawn and (there := kept(path, stamp)) is not None:
        return there
    began = time.perf_counter()
    found = study.find(paths, size)
    if study.draw:
        study.draw(found, picture_of(path))
    return write(path, stamp, size, found, len(found), began)


def _stamp(paths: DataPaths, name: str, size: Mapping[str, Any]) -> str:
    """The stamp of a study's file: of its size, and of the run that it reads."""
    run, of = size.get(study_of(name).run), STUDIES[name][1]
    folder = folder_of(paths.board_games, of, run) if run else None
    digests = [read_manifest(folder).digest] if folder and (folder / MANIFEST).exists() else []
    return stamp_of(f"{STAGE}/{name}", VERSION, size, *digests)


def picture_of(path: Path) -> Path:
    """The picture beside a study's file."""
    return path.with_suffix(".png")


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `game_studies`."""
    there = {name: path for name in STUDIES if (path := path_of(survey.paths, name)).is_file()}
    if not there:
        return missing(STAGE, "no study has been made yet; tichu games experiment ID makes one")
    reasons = []
    for name, path in there.items():
        facts = json_object(path)
        if facts.get(KEY) != _stamp(survey.paths, name, facts.get(REQUEST, {})):
            reasons.append(f"{name}: made by an older version, or of another run")
    return judged(STAGE, f"{len(there)} studies", sum(path.stat().st_size for path in there.values()), reasons)
