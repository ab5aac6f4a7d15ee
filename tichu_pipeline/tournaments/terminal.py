"""A tournament on the terminal: the cross table, what each agent did, what went wrong; and one table of it again."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tichu_models.arena.tournament import TournamentPart, TournamentRequest
from tichu_models.records.schema import Rounds
from tichu_pipeline.rounds.showing import show_round
from tichu_pipeline.tournaments.facts import TIMES, cell, cross_cells, deals_of, ladder, who_answers

SHOWN_FORFEITS = 10
USUAL_NAME = "latest"


def show(console: Console, facts: dict[str, Any], name: str) -> None:
    """Prints what a tournament of this name says."""
    console.print(cross_table(facts))
    for pairing in facts["pairings"]:
        if pairing["games"]:
            low, high = pairing["win_interval"]
            console.print(
                f"{pairing['a']} : {pairing['b']}  {pairing['games_won']:,} : {pairing['games_lost']:,} games, "
                f"{pairing['games_drawn']:,} drawn; {pairing['win_rate']:.1%} won [{low:.1%}, {high:.1%}]",
                markup=False,
                highlight=False,
            )
        if "control" in pairing:
            points = cell(pairing["controlled_points_per_round"], pairing["controlled_interval"])
            of_deals, of_rounds = pairing["variance_explained"], pairing["variance_explained_of_rounds"]
            console.print(
                f"{pairing['a']} : {pairing['b']}  {points} with luck by {pairing['control']} taken away, "
                f"which explains {of_deals:.1%} of the variance of deals, {of_rounds:.1%} of that of single rounds",
                markup=False,
                highlight=False,
            )
        if "decided" in pairing:
            verdict = f"{pairing['decided']} is better" if pairing["decided"] else "undecided"
            console.print(
                f"{pairing['a']} : {pairing['b']}  {verdict} after {pairing['deals']:,} deals",
                markup=False,
                highlight=False,
            )
    console.print(agents_table(facts))
    console.print(Text(TIMES, style="dim"))
    for entry in facts["decisions"]:
        console.print(Text(f"{entry['name']}: {who_answers(entry['answered_by'])}"))
    for entry in facts["left_out"]:
        console.print(Text(f"left out: {entry['run']}, {entry['why']}", style="red"))
    for forfeit in facts["forfeits"][:SHOWN_FORFEITS]:
        console.print(Text(f"{forfeit['reason']}: {forfeit['what']}", style="red"))
    if facts["forfeits"]:
        more = len(facts["forfeits"]) - SHOWN_FORFEITS
        of_name = "" if name == USUAL_NAME else f" --name {name}"
        console.print(
            (f"and {more:,} more. " if more > 0 else "") + f"Again: --replay TABLE{of_name} in the place of the agents",
            markup=False,
            highlight=False,
        )


def cross_table(facts: dict[str, Any]) -> Table:
    """Points a round of the agent of the row against that of the column; the table of agents has their numbers."""
    table = Table(title=f"points a round, {deals_of(facts)} a pairing, 95 % intervals", box=None, padding=(0, 1, 0, 0))
    table.add_column("")
    rows = [cells for _, cells in cross_cells(facts)]
    for number in range(1, len(rows) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, cells in enumerate(rows, start=1):
        table.add_row(str(number), *cells)
    return table


def agents_table(facts: dict[str, Any]) -> Table:
    """What each agent did in all its rounds together, best first: calls made of those announced, and so on."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    for heading in ("", "rating", "tichu", "grand", "double", "bombs", "failed", "p50", "p99"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=bool(heading), overflow="fold")
    for number, line in enumerate(ladder(facts), start=1):
        table.add_row(
            Text(f"{number} {line.name}" + (" (timed)" if line.timed else "")),
            line.rating,
            *(f"{made:,}/{called:,}" for made, called in (line.tichu, line.grand)),
            *(f"{count:,}" for count in (line.double_victories, line.bombs, line.failed)),
            line.p50,
            line.p99,
        )
    return table


def show_replay(console: Console, request: TournamentRequest, table: int, part: TournamentPart) -> None:
    """Prints the rounds of one table, and where an agent failed, how."""
    names = request.names(int(part.results["pairing"][0]))
    players = [names[int(seat % 2 != part.results["team_a"][0])] for seat in range(4)]
    for rounds in (part.rounds, *part.broken):
        for i in range(len(rounds)):
            show_round(console, shown_row(rounds, i, players), f"table {table}, round {rounds.rows['round_index'][i]}")
    for forfeit in part.forfeits:
        console.print(Text(f"{forfeit.reason}: {forfeit}", style="red"))
        if forfeit.details:
            console.print(Text(forfeit.details))


def shown_row(rounds: Rounds, i: int, players: list[str]) -> dict[str, Any]:
    """A round as `show_round` wants it."""
    row = rounds.rows[i]
    cards = [[int(card) if card >= 0 else None for card in given] for given in row["given"]]
    return {
        "player_names": players,
        "rule_break": 0,
        "grand_tichu_hands": row["first"].tolist(),
        "start_hands": row["start"].tolist(),
        "given_schupf_cards": cards,
        "tichu_positions": row["tichu_position"].tolist(),
        "bomb_owners": [False] * 4,
        "history": rounds.history_of(i),
        "wish_value": int(row["wish"]),
        "dragon_recipient": int(row["dragon_recipient"]),
        "score_entry": row["score"].tolist(),
        "replayed_score": None,
    }
