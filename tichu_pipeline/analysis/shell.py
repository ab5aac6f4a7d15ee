"""The interactive shell of `tichu sql`. It runs statements that end with a semicolon, until the input ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tichu_pipeline.analysis.reading import DatabaseError, batches, reader
from tichu_pipeline.analysis.results import WRITERS
from tichu_pipeline.storage.folders import DataPaths

WELCOME = "SQL on {database}, read-only. A statement ends with ;  SHOW TABLES; DESCRIBE rounds;  Ctrl-D ends."


def run(paths: DataPaths, output_format: str) -> bool:
    """Runs statements from standard input. Returns whether all succeeded; on a terminal failures do not count."""
    interactive = sys.stdin.isatty()
    if interactive:
        import readline  # noqa: F401  so that lines can be edited and recalled

        print(WELCOME.format(database=paths.database))
    fine = True
    with reader(paths) as connection:
        for statement in _statements(interactive):
            try:
                WRITERS[output_format](batches(connection, statement), sys.stdout)
            except DatabaseError as error:
                fine = interactive
                print(error, file=sys.stderr)
    return fine


def _statements(interactive: bool) -> Iterator[str]:
    lines: list[str] = []
    while True:
        try:
            lines.append(input(("   ...> " if lines else "tichu> ") if interactive else ""))
        except EOFError:
            break
        except KeyboardInterrupt:
            print()
            lines = []
            continue
        if lines[-1].rstrip().endswith(";"):
            yield "\n".join(lines)
            lines = []
    if any(line.strip() for line in lines):
        yield "\n".join(lines)
