"""The SQL files in `sql`: `schema` has the scripts that make tables, `queries` the questions with their SQL, and
`comparisons` questions that are asked only where two players are compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

SQL: Traversable = resources.files("tichu_pipeline") / "sql"
READS = re.compile(r"^-- Reads table (\w+), which is empty until (.+)\.$", flags=re.MULTILINE)


class NoSuchQueryError(LookupError):
    """There is no query of this name."""


@dataclass(frozen=True)
class Query:
    """A question, and the SQL that answers it."""

    name: str  # 08_double_victories
    question: str
    sql: str
    needs: str | None = None  # a table that logs alone do not fill
    until: str = ""  # what fills it has been done


def script(name: str) -> str:
    """The text of a script of `sql/schema`."""
    return (SQL / "schema" / f"{name}.sql").read_text(encoding="utf-8")


def queries() -> list[Query]:
    """All queries, sorted by number."""
    files = sorted((SQL / "queries").iterdir(), key=lambda file: file.name)
    return [_query(file) for file in files if file.name.endswith(".sql")]


def query(name: str) -> Query:
    """The query of this name, or of this number."""
    matches = [known for known in queries() if name in (known.name, known.name.partition("_")[0])]
    if not matches:
        raise NoSuchQueryError(f"{name}: no such query; expected a name that `tichu queries` lists")
    return matches[0]


def comparison(name: str) -> Query:
    """A question of `sql/comparisons`."""
    return _query(SQL / "comparisons" / f"{name}.sql")


def _query(file: Traversable) -> Query:
    sql = file.read_text(encoding="utf-8")
    needs = READS.search(sql)
    question = sql.partition("\n")[0].removeprefix("--").strip()
    return Query(file.name.removesuffix(".sql"), question, sql, *(needs.groups() if needs else ()))
