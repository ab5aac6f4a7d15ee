"""The notebooks: how they ask the database, and their execution into pages.

They only read: `Datenanalyse` the database of the data folder TICHU_DATA, `Selbstspiel` that of TICHU_BESIDE too, since
it compares the games of two players. They can be opened in Jupyter as well.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl

from tichu_models.whole_files import write_whole
from tichu_pipeline.analysis.reading import DatabaseError, reader, table, unanswerable
from tichu_pipeline.analysis.scripts import Query, comparison, query
from tichu_pipeline.distribution import Distribution
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import stamped_page, stored_stamp

NAME, SELF_PLAY = "Datenanalyse", "Selbstspiel"
# Bumped by hand when the figures of an unchanged notebook and unchanged data would differ;
# tests/golden/analysis_report.json says when. Wording and layout of the page are no reason to make it again.
VERSION = 2
SECONDS_A_CELL = 1800
INLINE = "module://matplotlib_inline.backend_inline"


class Questions:
    """Answers a notebook's questions from the database of the data folder that an environment variable names."""

    def __init__(self, variable: str = "TICHU_DATA") -> None:
        self.paths = DataPaths(Path(os.environ.get(variable) or "data").absolute())
        pl.Config.set_tbl_rows(40).set_tbl_cols(20).set_float_precision(3).set_fmt_str_lengths(60)
        pl.Config.set_tbl_hide_dataframe_shape(True).set_tbl_hide_column_data_types(True).set_thousands_separator(".")

    def frame(self, sql: str) -> pl.DataFrame:
        """The result of a statement. Decimals become integers, since they are sums of integers."""
        frame = pl.from_arrow(table(self.paths, sql))
        assert isinstance(frame, pl.DataFrame)
        return frame.with_columns(pl.selectors.decimal().cast(pl.Int64))

    def answer(self, number: str) -> pl.DataFrame:
        """The answer to the question with this number. Its name and SQL are displayed above it."""
        asked = query(number)
        _display(asked)
        found = self.frame(asked.sql)
        with reader(self.paths) as connection:
            if why := unanswerable(connection, asked):
                _say(why)
        return found

    def distribution(self, column: str, source: str) -> Distribution:
        """How often each value of a column occurs."""
        frame = self.frame(
            f"SELECT {column} AS value, count(*) AS n FROM {source} WHERE {column} IS NOT NULL GROUP BY 1"
        )
        return Distribution.of(frame["value"].to_numpy(), frame["n"].to_numpy())


class Comparison:
    """Answers a notebook's questions from the databases of two data folders. A player is called as its folder."""

    def __init__(self) -> None:
        own, other = Questions(), Questions("TICHU_BESIDE")
        self.questions = {questions.paths.root.name: questions for questions in (own, other)}

    def frame(self, sql: str) -> pl.DataFrame:
        """The results of a statement for both players, one below the other, with a column `player`."""
        return pl.concat(
            [
                questions.frame(sql).select(pl.lit(player).alias("player"), pl.all())
                for player, questions in self.questions.items()
            ],
            how="vertical_relaxed",
        )

    def answer(self, number: str) -> pl.DataFrame:
        """The answers to the question with this number. Its name and SQL are displayed above them."""
        return self._answer(query(number))

    def compare(self, name: str) -> pl.DataFrame:
        """The answers to a question that is asked only of two players."""
        return self._answer(comparison(name))

    def _answer(self, asked: Query) -> pl.DataFrame:
        _display(asked)
        return self.frame(asked.sql)


def _display(asked: Query) -> None:
    _say(f"**{asked.name}**\n```sql\n{asked.sql.strip()}\n```")


def _say(markdown: str) -> None:
    from IPython.display import Markdown, display

    display(Markdown(markdown))


def execute(paths: DataPaths, force: bool = False, name: str = NAME, beside: DataPaths | None = None) -> Made:
    """Brings the page of a notebook up to date, data/reports/NAME.html. `beside` is the other data folder, for a
    notebook that compares two."""
    import nbformat

    started = time.perf_counter()
    source = _source(name)
    stamp = "".join(_stamp(each, source) for each in (paths, beside) if each)
    target = page_path(paths, name)
    notebook = nbformat.reads(source, as_version=4)
    reused = not force and stored_stamp(target) == stamp
    if not reused:
        _write(target, stamp, notebook, paths, beside or paths)
    return Made(
        path=target,
        stamp=stamp,
        rows=len(notebook.cells),
        bytes=target.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
    )


def _write(target: Path, stamp: str, notebook: Any, paths: DataPaths, beside: DataPaths) -> None:
    """Executes the notebook and writes it as an HTML page."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    folders = {"TICHU_DATA": str(paths.root.absolute()), "TICHU_BESIDE": str(beside.root.absolute())}
    environment = os.environ | folders | {"MPLBACKEND": INLINE}
    with tempfile.TemporaryDirectory() as sockets:  # sockets in the file system, so that no port is opened
        kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        NotebookClient(notebook, km=kernel, timeout=SECONDS_A_CELL).execute(env=environment)
    html, _ = HTMLExporter().from_notebook_node(notebook)
    write_whole(target, stamped_page(stamp, html))


def page_path(paths: DataPaths, name: str = NAME) -> Path:
    """The file of a notebook's page."""
    return paths.reports / f"{name}.html"


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `analysis_report`."""
    page = page_path(survey.paths)
    if not page.is_file():
        return missing("analysis_report", "the notebook has not been executed yet")
    reasons = survey.not_fresh("analysis", "scaling")
    if not reasons and stored_stamp(page) != _stamp(survey.paths, _source()):
        reasons.append("the notebook, the database or the scaling constants have changed since")
    return judged("analysis_report", page.name, page.stat().st_size, reasons)


def _source(name: str = NAME) -> str:
    """A notebook as JSON, without results."""
    return (resources.files("tichu_pipeline") / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")


def _stamp(paths: DataPaths, source: str) -> str:
    """The stamp of a page of this notebook over one database."""
    database = stored_stamp(paths.database)
    if database is None:
        raise DatabaseError(f"{paths.database}: no such database; build it first (tichu analyse --data {paths.root})")
    scaling = paths.scaling.read_text() if paths.scaling.exists() else ""
    reviews = stored_stamp(paths.database, "reviews") or ""
    return hashlib.sha256("\n".join([str(VERSION), source, database, reviews, scaling]).encode()).hexdigest()
