"""`python -m tichu_pipeline.tools.chameleon_duel`: is a network the better judge of positions in the same time?

Two seats against two search with MaxNIS, a second a move, one pair with the network, the other with the evaluation of
the thesis.

The number of a game says who sits where in it, and how it begins. A call plays those that docs/chameleon.json does not
have yet, and writes them down game by game, so that the hours of it can be spread over several machines. A game ends
when all that live are of one agent: who wins is certain by then. Nothing else should run beside it, for a second is one
of the clock on the wall.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.algorithms.searcher import Budget, Searcher
from tichu_models.game import State
from tichu_models.games import champions
from tichu_models.games.agents import SearchingAgent, agent_of
from tichu_models.games.course import Asked, Played, course, key_of
from tichu_models.games.learning.evaluation import OPENING, match_options
from tichu_models.games.match import seatings
from tichu_models.games.registry import game
from tichu_models.runs.files import WEIGHTS
from tichu_models.whole_files import write_whole
from tichu_pipeline.commands.terminal import fail
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import json_object
from tichu_pipeline.tools.chameleon_page import DUELS, FACTS, summary, write_page

SEED = 40_000_000  # of games that nobody has trained on or chosen by
NETWORK, THESIS = "td:champion", "moves"


@dataclass(frozen=True)
class Task:
    """A game of the duel."""

    number: int
    evaluations: tuple[str, str]
    seconds: float
    runs: Path
    until: float = float("inf")  # of the monotonic clock: it does not begin later


class Timed:
    """A searching agent, with the depths that it reached and the time that its moves took."""

    def __init__(self, agent: SearchingAgent, state: State) -> None:
        self._searcher: Searcher = agent.searcher
        self._budget: Budget = agent.budget
        self._searcher.choose(state, Budget(depth=2))  # what has to be compiled or loaded costs no move its time
        self.depths, self.slowest = Counter[int](), 0.0

    def choose(self, asked: Asked) -> int:
        """Its move; one without a choice is not counted."""
        began = time.perf_counter()
        choice = self._searcher.choose(asked.state, self._budget)
        if choice.depth:
            self.slowest = max(self.slowest, time.perf_counter() - began)
            self.depths[choice.depth] += 1
        return choice.action


def play(task: Task) -> dict[str, Any] | None:
    """Plays a game. Returns the share of it that the network has won, and depths and times of both; None if it is too
    late for that."""
    if time.monotonic() > task.until:
        return None
    of = game("chameleon")
    options = match_options(of)
    players = [Timed(_agent(evaluation, task), of.new(options)) for evaluation in task.evaluations]
    ways = seatings(task.evaluations, len(of.seats))
    way = dict(zip(of.seats_of(options), ways[task.number % len(ways)], strict=True))
    going = course(of, options, key_of(np.uint64(SEED), task.number // len(ways)), OPENING)
    asked, moves = next(going), 0
    try:
        while len(alive := {agent for seat, agent in way.items() if of.kernels.takes_part(asked.state, seat)}) > 1:
            asked, moves = going.send(players[way[asked.seat]].choose(asked)), moves + 1
        share = float(0 in alive)
    except StopIteration as end:
        played: Played = end.value
        share, moves = float(sum(played.shares[seat] for seat, agent in way.items() if agent == 0)), moves + 1
    return {
        "number": task.number,
        "share": share,
        "moves": moves,
        "slowest": round(max(each.slowest for each in players), 4),
        "depths": [{str(depth): each.depths[depth] for depth in sorted(each.depths)} for each in players],
    }


def _agent(evaluation: str, task: Task) -> SearchingAgent:
    agent = agent_of(game("chameleon"), f"maxnis:seconds={task.seconds:g},evaluation={evaluation}", task.runs)
    assert isinstance(agent, SearchingAgent)
    return agent


def name_of(evaluations: tuple[str, str], seconds: float) -> str:
    """What a duel is called among the facts."""
    return f"{' : '.join(evaluations)}, {seconds:g} s"


def main(
    games: Annotated[int, typer.Option(help="Games that there shall be in the end.", min=6)] = 480,
    minutes: Annotated[float, typer.Option(help="No game begins after so many minutes.", min=0)] = 1e9,
    seconds: Annotated[float, typer.Option(help="Of a move.", min=0.001)] = 1.0,
    first: Annotated[str, typer.Option(help="How the first agent judges positions.")] = NETWORK,
    second: Annotated[str, typer.Option(help="How the other one does.")] = THESIS,
    workers: Annotated[int, typer.Option(help="Games at once, no more than cores.", min=1)] = 2,
    data: Annotated[Path, typer.Option(help="The data folder, for runs.", metavar="DIR")] = Path("data"),
    docs: Annotated[Path, typer.Option(help="Where page and facts are.", metavar="DIR")] = Path("docs"),
) -> None:
    """Plays the games that are missing."""
    from tichu_pipeline.storage.workers import Processes

    path, evaluations = docs / FACTS, (first, second)
    if first == second or not path.exists():
        fail("two evaluations are compared" if path.exists() else f"{path} does not exist; chameleon_page writes it")
    name, until = name_of(evaluations, seconds), time.monotonic() + 60 * minutes
    runs = DataPaths(data).board_games
    networks = [_digest(each, runs) for each in evaluations]
    begun = {"evaluations": evaluations, "seconds": seconds, "networks": networks, "games": []}
    duel = json_object(path).get(DUELS, {}).get(name, begun)
    if duel["networks"] != networks:
        fail(f"{name}: its games were played by other networks; remove it from {path} to begin anew")
    there = {each["number"] for each in duel["games"]}
    missing = [number for number in range(games) if number not in there]
    tasks = [Task(number, evaluations, seconds, runs, until) for number in missing]
    with Processes(workers) as processes:
        for played in filter(None, processes.map(play, tasks)):
            duel["games"] = sorted([*duel["games"], played], key=lambda each: each["number"])
            _keep(path, name, duel)
            typer.echo(f"{played['number']}: {played['share']:g} in {played['moves']} moves")
    if duel["games"]:
        found = summary(duel)
        low, high = found["interval"]
        typer.echo(f"{name}: {found['share']:.1%} ({low:.1%} .. {high:.1%}) of {found['games']} games")
    write_page(docs, json_object(path))


def _keep(path: Path, name: str, duel: Mapping[str, Any]) -> None:
    """Writes a duel among the facts as they are now: others may have been added meanwhile."""
    facts = json_object(path)
    facts[DUELS] = {**facts.get(DUELS, {}), name: duel}
    write_whole(path, json.dumps(facts) + "\n")


def _digest(evaluation: str, runs: Path) -> str:
    """The digest of a network's weights; empty of an evaluation without a network."""
    _, _, run = evaluation.partition(":")
    folder = champions.folder_of(runs, "chameleon", run) if run else None
    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()[:16] if folder else ""


if __name__ == "__main__":
    typer.run(main)
