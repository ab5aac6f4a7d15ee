"""Prints a stored round on a terminal: hands, schupfen, the play trick by trick, the score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tichu_models.records.history import turns
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import LABEL_OF_RANK, LABELS, labels
from tichu_pipeline.brettspielwelt.archives.members import printable

COLOURS = {"S": "bold", "B": "blue", "G": "green", "R": "red"}
CALLS = {-1: "Tichu before the play", -2: "grand Tichu"}


def show_round(console: Console, row: dict[str, Any], title: str | None = None) -> None:
    """Prints one row of the table rounds."""
    # Text, since Rich would take [brackets] in a name for markup.
    names = [Text(printable(name) or f"(seat {seat})") for seat, name in enumerate(row["player_names"])]
    console.rule(title or f"game {row['game_id']}, round {row['round_index']}, {row['year']}-{row['month']:02d}")
    if row["rule_break"]:
        console.print(f"breaks the rules: {RuleBreak(row['rule_break']).name}, see rule_breaks", style="red")
    console.print(_deal(row, names))
    if row["history"] or max(row["tichu_positions"]) >= 0:
        console.print(_play(row, names))
    if row["score_entry"] is None:
        return
    score = f"{row['score_entry'][0]} : {row['score_entry'][1]}"
    replayed = row["replayed_score"]
    differs = replayed and replayed != row["score_entry"]
    console.print(f"score {score}" + (f" (replayed {replayed[0]} : {replayed[1]})" if differs else ""), highlight=False)


def _deal(row: dict[str, Any], names: list[Text]) -> Table:
    """Hands, gifts and announcements, a row for each seat."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("seat", "player", "first eight, then the rest", "gives right / partner / left", ""):
        table.add_column(heading)
    for seat in range(4):
        first, start = row["grand_tichu_hands"][seat], row["start_hands"][seat]
        given = row["given_schupf_cards"][seat]
        table.add_row(
            str(seat),
            names[seat],
            Text.assemble(cards(labels(first or 0)), "  |  ", cards(labels((start or 0) & ~(first or 0)))),
            Text.assemble(
                *[part for card in given for part in (cards([LABELS[card]] if card is not None else ["?"]), " ")]
            ),
            _notes(row, seat),
        )
    return table


def _notes(row: dict[str, Any], seat: int) -> str:
    """Announcement and bomb of a seat."""
    called = CALLS.get(row["tichu_positions"][seat], "")
    bomb = "bomb" if row["bomb_owners"][seat] else ""
    return ", ".join(filter(None, (called, bomb)))


def cards(names: list[str]) -> Text:
    """Labels of cards in their colours."""
    return Text(" ").join(
        Text(name, style=COLOURS.get(name[0], "magenta") if name[1:] not in ("r", "u", "a", "h") else "magenta")
        for name in names
    )


def _play(row: dict[str, Any], names: list[Text]) -> Table:
    """The play, a row for each turn."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
    trick = 1
    for number, entry in _tricks(row, names):
        table.add_row(str(number) if number != trick or entry[2] else "", *entry)
        trick = number
    return table


def _tricks(row: dict[str, Any], names: list[Text]) -> Iterator[tuple[int, tuple[Text | str, ...]]]:
    """Rows of the play, each with the number of its trick."""
    trick, last, turn = 1, 1, 0
    top: list[str] = []
    calls = sorted((position, seat) for seat, position in enumerate(row["tichu_positions"]) if position >= 0)
    announcements = [(position, Text(f"{names[seat]}: Tichu!", style="bold yellow")) for position, seat in calls]
    for kind, seat, played in turns(row["history"]):
        if kind == "take":
            gift = row["dragon_recipient"]
            given = f", given to {names[gift]}" if top == ["Dr"] and gift is not None and gift >= 0 else ""
            yield trick, (Text(f"-> {names[seat]}{given}", style="dim"), "", "")
            trick += 1
            continue
        yield from ((trick, (call, "", "")) for position, call in announcements if position == turn)
        last, turn = trick, turn + 1
        if kind == "pass":
            yield trick, (Text(names[seat].plain, style="dim"), Text("pass", style="dim"), "")
            continue
        top = played
        wish = f"wishes {LABEL_OF_RANK[row['wish_value']]}" if "Ma" in played and row["wish_value"] else ""
        yield trick, (names[seat], cards(played), wish)
    yield from ((last, (call, "", "")) for position, call in announcements if position >= turn)
