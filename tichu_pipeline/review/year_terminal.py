"""A player's year on a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tichu_pipeline.brettspielwelt.archives.members import printable

Record = dict[str, Any]


def show_year(record: Record, console: Console) -> None:
    """Prints the record of a year."""
    lost = record["evening"]
    cost = f"{lost['lost']:.0f} ± {lost['half']:.0f} points" if record["certain_errors"] else "nothing"
    console.print(
        Text.assemble(
            (f"{printable(record['player'])}, {record['year']}", "bold"),
            f": of {record['open_decisions']:,} open decisions in {record['all']['rounds']:,} rounds of "
            f"{record['games']:,} games {record['certain_errors']:,} cost something for certain: {cost}",
        )
    )
    console.print()
    kinds = [*record["by_kind"].items(), ("all", record["all"])]
    console.print(_table("points a round", [(kind, part) for kind, part in kinds]))
    partners = [(_partner(part), part) for part in record["by_partner"]]
    for heading, parts in (
        ("partner", partners),
        ("month", [(part["month"], part) for part in record["by_month"]]),
        ("year", [(str(part["year"]), part) for part in record["by_year"]]),
    ):
        console.print()
        console.print(_table(heading, parts))
    console.print()
    corpus = record["corpus"]
    beside = (
        f"compared with {corpus['players']} other players" if corpus["enough"] else "too few others to compare with"
    )
    said = f"Referee: {record['referee']['agent']}; {beside} of at least {corpus['least_rounds']} rounds."
    console.print(said, highlight=False, markup=False)
    if record["left_out"]:
        console.print(f"Left out, judged by another referee: {', '.join(record['left_out'])}", style="yellow")


def _partner(part: Record) -> str:
    return f"{part['partners']} others" if part["partner"] is None else printable(part["partner"])


def _table(heading: str, parts: list[tuple[str, Record]]) -> Table:
    """What was lost, a row a part."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    compared = any(part.get("lose_more") for _, part in parts)
    for at, column in enumerate((heading, "rounds", "open", "loss", "95%", *(("lose more",) if compared else ()))):
        table.add_column(column, justify="right" if at else "left")
    for name, part in parts:
        interval = "" if part["interval"] is None else "{:.1f}..{:.1f}".format(*part["interval"])
        row = [f"{part['rounds']:,}", f"{part['open']:,}", f"{part['loss']:.1f}", interval]
        if compared:
            row.append("{:.0%}..{:.0%}".format(*part["lose_more"]) if part["lose_more"] else "")
        table.add_row(Text(name), *row)
    return table
