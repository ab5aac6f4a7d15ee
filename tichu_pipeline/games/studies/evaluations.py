"""Which evaluation is the best one inside a search: each of them against the default, and the thesis' in all orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tichu_models.games.agents import agent_of
from tichu_models.games.learning.evaluation import OPENING, match_options
from tichu_models.games.match import match
from tichu_models.games.registry import game
from tichu_pipeline.games.studies.sessions import ORDERS
from tichu_pipeline.games.studies.study import Study, Table
from tichu_pipeline.storage.folders import DataPaths

SEED = 11
# Sessions of a second a move: wins of 96 games.
PUBLISHED = {"roles": 13, "pawns": 29, "few-roles": 29, "moves": 19}
ABOUT = {
    "roles": "100 for a pawn, and the worth of its role",
    "pawns": "the number of pawns",
    "few-roles": "10 for a pawn, and the worth of its role",
    "moves": "100 for a pawn, 1 for a move: the thesis' own",
    "size": "100 for a pawn, 1 for a field within the limits",
    "variety": "100 for a pawn, 10 for each different role",
    "spread": "100 for a pawn, 1 for each row and column over which the pawns are spread",
}


def find(_: DataPaths, size: Mapping[str, Any]) -> dict[str, Any]:
    """Matches of two seats against two, and games of the four in all orders."""
    of, depth = game("chameleon"), size["depth"]
    default, *others = of.evaluations
    pairs = []
    for name in others:
        agents = [agent_of(of, f"maxnis:depth={depth},evaluation={each}") for each in (name, default)]
        played: Any = match(of, match_options(of), agents, size["games"], SEED, OPENING)
        mine = played["agents"][0]
        pairs.append({"name": name, "share": mine["share"], "interval": mine["interval"], "games": size["games"]})
    wins = dict.fromkeys(PUBLISHED, 0)
    for each in range(1, depth + 1):
        agents = [agent_of(of, f"maxnis:depth={each},evaluation={name}") for name in PUBLISHED]
        in_all_orders: Any = match(of, match_options(of), agents, ORDERS, SEED, 0)
        for name, facts in zip(PUBLISHED, in_all_orders["agents"], strict=True):
            wins[name] += facts["wins"]
    return {"depth": depth, "pairs": pairs, "orders": {"games": ORDERS * depth, "wins": wins}}


def tables(facts: Mapping[str, Any]) -> list[Table]:
    """The matches, and the orders beside the published ones."""
    depth, orders = facts["depth"], facts["orders"]
    rows = [
        (
            each["name"],
            ABOUT[each["name"]],
            f"{each['share']:.1%}",
            f"{100 * each['interval'][0]:.1f} .. {100 * each['interval'][1]:.1f}",
            str(each["games"]),
        )
        for each in facts["pairs"]
    ]
    about = f"Two seats against two with `roles`, {ABOUT['roles']}; MaxN with pruning, {depth} plies; level is 50 %."
    found = [Table(about, ("evaluation", "points", "share of games", "95 %", "games"), rows)]
    wins = [(name, str(orders["wins"][name]), str(PUBLISHED[name])) for name in PUBLISHED]
    about = f"The thesis' four in all orders at depths 1 to {depth}: wins of {orders['games']} games."
    return [*found, Table(about, ("evaluation", "wins", "published, of 96 with a second a move"), wins)]


STUDY = Study(
    "How positions are judged best, without a network",
    {"smoke": {"depth": 1, "games": 6}, "demo": {"depth": 2, "games": 24}, "laptop": {"depth": 4, "games": 480}},
    find,
    tables,
)
