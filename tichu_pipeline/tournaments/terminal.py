"""A tournament on the terminal: the ladder, the cross table, failures; and the moves of a replayed table."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tichu_models.arena.tournament import TournamentPart, TournamentRequest
from tichu_models.records.schema import Rounds
from tichu_pipeline.rounds.showing import show_round
from tichu_pipeline.tournaments.facts import TIMES, cell, cross_cells, deals_of, ladder, who_answers

COLUMNS = (
    "tichu, grand: calls that were made / called. double: double victories. failed: illegal and late answers, crashes."
)
SHOWN_FORFEITS = 10
USUAL_NAME = "latest"


def show(console: Console, facts: dict[str, Any], name: str) -> None:
    """Prints the results of a tournament of this name."""
    console.print(agents_table(facts))
    console.print(Text(f"{COLUMNS} {TIMES}", style="dim"))
    console.print()
    console.print(Text(f"Points a round of each agent (row) against each other; {deals_of(facts)}, 95 % intervals"))
    console.print(_fitting_cross_table(console, facts))
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
                f"{pairing['a']} : {pairing['b']}  {points} without luck, as {pairing['control']} estimates it; luck "
                f"explains {of_deals:.1%} of the variance of deals, {of_rounds:.1%} of that of single rounds",
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
    if facts["decisions"]:
        console.print("\nRuns that answer the decisions of agents with networks, by kind:")
    for entry in facts["decisions"]:
        console.print(Text(f"  {entry['name']}: {who_answers(entry['answered_by'])}"))
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


def _fitting_cross_table(console: Console, facts: dict[str, Any]) -> Table:
    """The cross table; one that is wider than the terminal has the intervals in a second line."""
    table = cross_table(facts)
    fits = console.measure(table, options=console.options.update(max_width=10_000)).maximum <= console.width
    return table if fits else cross_table(facts, in_two_lines=True)


def cross_table(facts: dict[str, Any], in_two_lines: bool = False) -> Table:
    """Points a round of the agent of the row against that of the column; the ladder above has their numbers. A cell may
    have its interval in a second line."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    rows = [cells for _, cells in cross_cells(facts)]
    for number in range(1, len(rows) + 1):
        table.add_column(str(number), justify="right", overflow="fold")
    for number, cells in enumerate(rows, start=1):
        table.add_row(str(number), *(cell.replace(" ± ", "\n± ") if in_two_lines else cell for cell in cells))
    return table


def agents_table(facts: dict[str, Any]) -> Table:
    """The ladder: what each agent did in all its rounds together, best agent first. Calls are shown as made/called."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("agent", overflow="fold")
    for heading in ("rating", "tichu", "grand", "double", "bombs", "failed", "p50", "p99"):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, line in enumerate(ladder(facts), start=1):
        table.add_row(
            str(number),
            Text(line.name + (" (timed)" if line.timed else "")),
            line.rating,
            *(f"{made:,}/{called:,}" for made, called in (line.tichu, line.grand)),
            *(f"{count:,}" for count in (line.double_victories, line.bombs, line.failed)),
            line.p50,
            line.p99,
        )
    return table


def show_replay(console: Console, request: TournamentRequest, table: int, part: TournamentPart) -> None:
    """Prints the rounds of one table, and how agents failed."""
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
    """A round of a tournament as the row that `show_round` takes."""
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
