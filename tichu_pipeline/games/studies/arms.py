"""Arms of an experiment in learning a game: runs that differ in their settings, side by side.

A file beside this module has them, each with what it is about; all have the settings of `base`. An arm is a run
arm_<name>, which is trained once and goes on where it was. An arm that is not chosen is left out of the facts, so that
they can be filled in parts.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from tichu_models.options import OptionError, expected
from tichu_models.runs.files import METRICS
from tichu_models.runs.journal import rows_of
from tichu_pipeline.games.runs import GameRunRequest
from tichu_pipeline.games.studies.study import Table
from tichu_pipeline.games.train import train_run
from tichu_pipeline.storage.folders import DataPaths

PREFIX = "arm_"
ALL = "all"
ABOUT, METHOD = "about", "method"


class Arms(NamedTuple):
    """The arms of a game."""

    game: str
    file: str
    opponents: Sequence[str]
    progress: Sequence[str]  # columns of the journal that say how far a run was at an evaluation

    def read(self) -> dict[str, dict[str, Any]]:
        """The settings of every arm, its method, and what it is about."""
        text = (resources.files("tichu_pipeline.games.studies") / self.file).read_text(encoding="utf-8")
        tables = tomllib.loads(text)
        return {name: {**tables["base"], **table} for name, table in tables.items()}

    def request(self, name: str, arm: Mapping[str, Any], preset: str, further: Mapping[str, Any]) -> GameRunRequest:
        """The run of an arm."""
        settings = {key: value for key, value in arm.items() if key not in (ABOUT, METHOD)}
        settings |= {**further, "opponents": list(self.opponents)}
        texts = tuple(f"{key}={json.dumps(value)}" for key, value in settings.items())
        return GameRunRequest(self.game, arm[METHOD], f"{PREFIX}{name}", preset, texts)

    def find(self, paths: DataPaths, chosen: str, preset: str, further: Mapping[str, Any]) -> dict[str, Any]:
        """Trains the chosen arms, with these settings as well. Returns them, finished."""
        known = self.read()
        names = list(known) if chosen == ALL else chosen.split(",")
        for name in names:
            if name not in known:
                raise OptionError(f"no arm is called '{name}'; {expected(name, list(known))}")
        return {"arms": [self._trained(paths, name, known[name], preset, further) for name in names]}

    def _trained(
        self, paths: DataPaths, name: str, arm: Mapping[str, Any], preset: str, further: Mapping[str, Any]
    ) -> dict[str, Any]:
        made = train_run(paths, self.request(name, arm, preset, further), replace=True)
        curve = [
            {
                **{column: json.loads(row[column]) for column in self.progress},
                "opponent": row["opponent"],
                "result": float(row["result"]),
            }
            for row in rows_of(made.path / METRICS)
        ]
        results = made.figures["results"]
        return {"name": name, "about": arm[ABOUT], "games": made.rows, "results": results, "curve": curve}

    def table(self, about: str, facts: Mapping[str, Any]) -> Table:
        """A row for each arm."""
        headings = ("arm", "what is changed", "games learned from", *self.opponents)
        rows = [(arm["name"], arm["about"], f"{arm['games']:,}", *map(_share, arm["results"])) for arm in facts["arms"]]
        return Table(about, headings, rows)

    def played(self, facts: Mapping[str, Any]) -> int:
        """Games of an evaluation."""
        return facts["arms"][0]["results"][0]["played"] if facts["arms"] else 0


def _share(result: Mapping[str, Any]) -> str:
    return f"{result['result']:.1%} ({100 * result['low']:.1f} .. {100 * result['high']:.1f})"
