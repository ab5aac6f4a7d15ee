"""The notebook `Datenanalyse`: how it asks the database, and its execution into a page.

The notebook only reads the database of the data folder TICHU_DATA. It can be opened in Jupyter as well.
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
from tichu_pipeline.analysis.reading import DatabaseError, table
from tichu_pipeline.analysis.scripts import query
from tichu_pipeline.distribution import Distribution
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.freshness import Standing, Survey, judged, missing
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import stamped_page, stored_stamp

NAME = "Datenanalyse"
# Bumped by hand when the figures of an unchanged notebook and unchanged data would differ;
# tests/golden/analysis_report.json says when. Wording and layout of the page are no reason to make it again.
VERSION = 1
SECONDS_A_CELL = 1800
INLINE = "module://matplotlib_inline.backend_inline"


class Questions:
    """Answers the notebook's questions from the database."""

    def __init__(self) -> None:
        self.paths = DataPaths(Path(os.environ.get("TICHU_DATA") or "data").absolute())
        pl.Config.set_tbl_rows(40).set_tbl_cols(20).set_float_precision(3).set_fmt_str_lengths(60)
        pl.Config.set_tbl_hide_dataframe_shape(True).set_tbl_hide_column_data_types(True).set_thousands_separator(".")

    def frame(self, sql: str) -> pl.DataFrame:
        """The result of a statement. Decimals become integers, since they are sums of integers."""
        frame = pl.from_arrow(table(self.paths, sql))
        assert isinstance(frame, pl.DataFrame)
        return frame.with_columns(pl.selectors.decimal().cast(pl.Int64))

    def answer(self, number: str) -> pl.DataFrame:
        """The answer to the question with this number. Its name and SQL are displayed above it."""
        from IPython.display import Markdown, display

        asked = query(number)
        display(Markdown(f"**{asked.name}**\n```sql\n{asked.sql.strip()}\n```"))
        return self.frame(asked.sql)

    def distribution(self, column: str, source: str) -> Distribution:
        """How often each value of a column occurs."""
        frame = self.frame(
            f"SELECT {column} AS value, count(*) AS n FROM {source} WHERE {column} IS NOT NULL GROUP BY 1"
        )
        return Distribution.of(frame["value"].to_numpy(), frame["n"].to_numpy())


def execute(paths: DataPaths, force: bool = False) -> Made:
    """Brings data/reports/Datenanalyse.html up to date."""
    import nbformat

    started = time.perf_counter()
    source = _source()
    stamp = _stamp(paths, source)
    target = page_path(paths)
    notebook = nbformat.reads(source, as_version=4)
    reused = not force and stored_stamp(target) == stamp
    if not reused:
        _write(target, stamp, notebook, paths)
    return Made(
        path=target,
        stamp=stamp,
        rows=len(notebook.cells),
        bytes=target.stat().st_size,
        seconds=time.perf_counter() - started,
        reused=reused,
    )


def _write(target: Path, stamp: str, notebook: Any, paths: DataPaths) -> None:
    """Executes the notebook and writes it as an HTML page."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    environment = os.environ | {"TICHU_DATA": str(paths.root.absolute()), "MPLBACKEND": INLINE}
    with tempfile.TemporaryDirectory() as sockets:  # sockets in the file system, so that no port is opened
        kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        NotebookClient(notebook, km=kernel, timeout=SECONDS_A_CELL).execute(env=environment)
    html, _ = HTMLExporter().from_notebook_node(notebook)
    write_whole(target, stamped_page(stamp, html))


def page_path(paths: DataPaths) -> Path:
    """The file of the page."""
    return paths.reports / f"{NAME}.html"


def standing(survey: Survey) -> Standing:
    """Freshness of the stage `analysis_report`."""
    page = page_path(survey.paths)
    if not page.is_file():
        return missing("analysis_report", "the notebook has not been executed yet")
    reasons = survey.not_fresh("analysis", "scaling")
    if not reasons and stored_stamp(page) != _stamp(survey.paths, _source()):
        reasons.append("the notebook, the database or the scaling constants have changed since")
    return judged("analysis_report", page.name, page.stat().st_size, reasons)


def _source() -> str:
    """The notebook as JSON, without results."""
    return (resources.files("tichu_pipeline") / "notebooks" / f"{NAME}.ipynb").read_text(encoding="utf-8")


def _stamp(paths: DataPaths, source: str) -> str:
    """The stamp that an up-to-date page has."""
    database = stored_stamp(paths.database)
    if database is None:
        raise DatabaseError(f"{paths.database}: no such database; build it first (tichu analyse --data {paths.root})")
    scaling = paths.scaling.read_text() if paths.scaling.exists() else ""
    return hashlib.sha256("\n".join([str(VERSION), source, database, scaling]).encode()).hexdigest()
