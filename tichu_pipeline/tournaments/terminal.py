"""A tournament on the terminal: the cross table, what each agent did, what went wrong; and one table of it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tichu_models.arena.tournament import Order, Part
from tichu_models.records.schema import Rounds
from tichu_pipeline.rounds.showing import show_round

SHOWN_FORFEITS = 10
USUAL_NAME = "latest"
# Nobody is asked alone: what is measured is the time of a batch, parted among its decisions.
TIME = "time a decision, of a batch"
TIMES = f"p50, p99: {TIME}; of two built-in players the mean of all turns"


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


def cell(points: float, interval: list[float]) -> str:
    """Points a round with half the width of their interval."""
    return f"{points:+.1f} ± {(interval[1] - interval[0]) / 2:.1f}"


def cross_table(facts: dict[str, Any]) -> Table:
    """Points a round of the agent of the row against that of the column; the table of agents has their numbers."""
    names = [rating["name"] for rating in facts["ratings"]]
    cells = {
        (pairing["a"], pairing["b"]): cell(pairing["points_per_round"], pairing["interval"])
        for pairing in facts["pairings"]
    }
    cells |= {
        (pairing["b"], pairing["a"]): cell(-pairing["points_per_round"], pairing["interval"])
        for pairing in facts["pairings"]
    }
    deals = max(pairing["deals"] for pairing in facts["pairings"])
    unit = "pairs of games" if facts["whole_games"] else "duplicate deals"
    table = Table(title=f"points a round, {deals:,} {unit} a pairing, 95 % intervals", box=None, padding=(0, 1, 0, 0))
    table.add_column("")
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, own in enumerate(names, start=1):
        table.add_row(str(number), *(cells.get((own, other), "") for other in names))
    return table


def agents_table(facts: dict[str, Any]) -> Table:
    """What each agent did in all its rounds together, best first: calls made of those announced, and so on."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    for heading in ("", "rating", "tichu", "grand", "double", "bombs", "failed", "p50", "p99"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=bool(heading), overflow="fold")
    times = {entry["name"]: entry for entry in facts["times"]}
    for number, rating in enumerate(facts["ratings"], start=1):
        name = rating["name"]
        done = side_sums(facts, name)
        table.add_row(
            Text(f"{number} {name}" + (" (timed)" if times[name]["timed"] else "")),
            f"{rating['mu']:.0f} ± {2 * rating['sigma']:.0f}",
            f"{done['tichu_made']:,}/{done['tichu_called']:,}",
            f"{done['grand_made']:,}/{done['grand_called']:,}",
            *(f"{done[key]:,}" for key in ("double_victories", "bombs")),
            f"{done['illegal'] + done['crashes'] + done['timeouts']:,}",
            duration(times[name]["p50"]),
            duration(times[name]["p99"]),
        )
    return table


def who_answers(answered_by: Mapping[str, str | None]) -> str:
    """Which runs answer which decisions of a player, and which are left to rules of thumb, these last."""
    kinds: dict[str | None, list[str]] = {}
    for kind, run in sorted(answered_by.items(), key=lambda entry: entry[1] is None):
        kinds.setdefault(run, []).append(kind)
    return "; ".join(f"{', '.join(of_run)} by {run or 'rules of thumb'}" for run, of_run in kinds.items())


def side_sums(facts: dict[str, Any], name: str) -> dict[str, int]:
    """The counts of an agent over all its pairings."""
    sides = [side for pairing in facts["pairings"] for side in pairing["sides"] if side["name"] == name]
    return {key: sum(side[key] for side in sides) for key in sides[0] if key != "name"}


def duration(seconds: float | None) -> str:
    """A time for people."""
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def show_replay(console: Console, order: Order, table: int, part: Part) -> None:
    """Prints the rounds of one table, and where an agent failed, how."""
    names = order.names(int(part.results["pairing"][0]))
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
