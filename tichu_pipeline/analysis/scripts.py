"""The SQL of this package, which lies in `sql`: scripts that make the tables, and the questions with their answers."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

SQL: Traversable = resources.files("tichu_pipeline") / "sql"


class NoSuchQueryError(LookupError):
    """No query of this name."""


@dataclass(frozen=True)
class Query:
    """A question, and the SQL that answers it."""

    name: str  # 08_double_victories
    question: str
    sql: str


def script(name: str) -> str:
    """A script of `sql/schema`."""
    return (SQL / "schema" / f"{name}.sql").read_text(encoding="utf-8")


def queries() -> list[Query]:
    """All queries, by number."""
    files = sorted((SQL / "queries").iterdir(), key=lambda file: file.name)
    return [_query(file) for file in files if file.name.endswith(".sql")]


def query(name: str) -> Query:
    """The query of this name; its number is enough."""
    found = [entry for entry in queries() if name in (entry.name, entry.name.partition("_")[0])]
    if not found:
        raise NoSuchQueryError(f"{name}: no such query; expected a name that `tichu queries` lists")
    return found[0]


def _query(file: Traversable) -> Query:
    sql = file.read_text(encoding="utf-8")
    return Query(file.name.removesuffix(".sql"), sql.partition("\n")[0].removeprefix("--").strip(), sql)
