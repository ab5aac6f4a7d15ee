"""A review on a terminal: what each player lost and to whom the cards were kind, and the costliest decisions."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tichu_pipeline.brettspielwelt.archives.members import printable
from tichu_pipeline.review.evening import certain_loss

COSTLIEST = 5

Record = dict[str, Any]


def show_review(record: Record, console: Console) -> None:
    """Prints a review."""
    for game in record["games"]:
        for left_out in game["left_out"]:
            said = f"{game['file']}: round {left_out['round_index']} is left out, {left_out['reason']}"
            console.print(Text(said, style="yellow"))
    for player in record["players"]:
        console.print(Text.assemble((printable(player["name"]), "bold"), ": ", sentence(record, player["name"])))
    console.print()
    for table in (_players(record["players"]), _by_kind(record["players"])):
        console.print(table)
        console.print()
    costliest = sorted(record["decisions"], key=lambda each: (not each["certain"], -each["loss"]))[:COSTLIEST]
    if costly := [each for each in costliest if each["loss"]]:
        console.print(_costliest(costly))
        console.print()
    referee = record["referee"]
    looks = f"{referee['deals']} deals, then {referee['more']} and {referee['again']} others of what looked costly"
    console.print(f"Referee: {referee['agent']}, {looks}, seed {referee['seed']}.", highlight=False, markup=False)
    if "beside" in referee:
        disagree = sum(each["disagree"] for each in record["decisions"])
        said = f"{referee['beside']} disagrees on {disagree} of {len(record['decisions'])} decisions (marked !)"
        console.print(f"Beside: {said}.", highlight=False, markup=False)


def sentence(record: Record, player: str) -> str:
    """What a player's open decisions cost, as anyone understands it."""
    loss = certain_loss(record, player)
    said = f"{loss.lost:.0f} ± {loss.half:.0f} points" if loss.certain else "nothing"
    return f"of {loss.open} open decisions {loss.certain} cost something for certain: {said}"


def _table(*headings: str) -> Table:
    """A table whose first column is text, and the others numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left")
    return table


def _players(players: list[Record]) -> Table:
    """Loss, result and luck of each player."""
    table = _table("points a round", "rounds", "loss", "95%", "result", "luck", "less luck")
    for player in players:
        low, high = player["interval"]
        luck = player["luck_per_round"]
        table.add_row(
            Text(printable(player["name"])),
            *(str(player["rounds"]), f"{player['loss_per_round']:.1f}", f"{low:.1f}..{high:.1f}"),
            f"{player['result_per_round']:+.1f}",
            "" if luck is None else f"{luck:+.1f}",
            "" if luck is None else f"{player['result_per_round'] - luck:+.1f}",
        )
    return table


def _by_kind(players: list[Record]) -> Table:
    """Loss by kind of decision."""
    kinds = list(dict.fromkeys(kind for player in players for kind in player["by_kind"]))
    table = _table("loss by kind", *kinds)
    for player in players:
        losses = (f"{player['by_kind'][kind]['loss']:.1f}" if kind in player["by_kind"] else "" for kind in kinds)
        table.add_row(Text(printable(player["name"])), *losses)
    return table


def _costliest(decisions: list[Record]) -> Table:
    """The decisions that cost most."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("game", "round", "turn", "player", "decision", "answer", "better", "cost"):
        table.add_column(heading, justify="right" if heading in ("round", "turn", "cost") else "left")
    for each in decisions:
        low, high = each["interval"]
        table.add_row(
            *(str(each["game_id"] or ""), str(each["round_index"]), "" if each["turn"] is None else str(each["turn"])),
            Text(printable(each["player"])),
            *(each["kind"], Text(said(each["answer"])), Text(said(each["best"]))),
            f"{each['loss']:.0f} ± {(high - low) / 2:.0f}" + marks(each),
        )
    return table


def marks(decision: Record) -> str:
    """What is doubtful of a loss: ? it is not certain, ! the second referee disagrees."""
    return (" ?" if not decision["certain"] else "") + (" !" if decision.get("disagree") else "")


def said(answer: Any) -> str:
    """An answer in words: `yes` and `no`, cards, `pass`, a rank, a side."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, list):
        return " ".join(answer) or "pass"
    return str(answer)
