"""How an agent plays Ganz schön clever: a table of points and bonuses, the distribution of its scores, and one of its
games move by move. Files in `reports/games/`."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.chance import draw
from tichu_models.game import State
from tichu_models.games.agents import GameAgent
from tichu_models.games.clever.play_facts import GameFacts, as_json, play
from tichu_models.games.registry import game
from tichu_pipeline.games.game_page import Move, game_page, move_of
from tichu_pipeline.html import pages
from tichu_pipeline.storage.folders import DataPaths

BARS = 40


@dataclass(frozen=True)
class CleverReport:
    """What was found, and where it lies."""

    facts: dict[str, Any]
    page: Path
    game: Path  # the page of one game
    picture: Path


def make_report(
    paths: DataPaths, agent: GameAgent, games: int, seed: int, report: Callable[[int], None] = lambda _: None
) -> CleverReport:
    """Plays so many games and writes the pages; the first game is the one that is shown. `report` is called after every
    game."""
    of = game("clever")
    options = of.read_options({})
    name = f"clever-{re.sub(r'[^A-Za-z0-9_.-]+', '-', agent.name)}"
    folder = paths.reports / "games"
    folder.mkdir(parents=True, exist_ok=True)
    moves: list[Move] = []
    found: list[GameFacts] = []

    def keep(state: State, action: int) -> None:
        if not found:  # the first game
            moves.append(move_of(of, agent, state, action))

    for number in range(games):
        found.append(play(of, agent, options, np.uint64(draw(np.uint64(seed), number)), keep))
        report(1)
    facts = {"agent": agent.name, "seed": seed, **as_json(found)}
    made = CleverReport(facts, folder / f"{name}.html", folder / f"{name}-game.html", folder / f"{name}.png")
    _draw(found, agent.name, made.picture)
    pages.write(made.game, _page_of_game(agent.name, moves, found[0]))
    pages.write(made.page, _page(made, seed))
    return made


def _page_of_game(name: str, moves: list[Move], facts: GameFacts) -> str:
    of = game("clever")
    end = of.copy(moves[-1].state)
    of.step(end, moves[-1].action)
    return game_page(of, f"{name} plays Ganz schön clever: {facts.score} points", moves, end)


def tables(facts: dict[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The facts as tables, each with its heading."""
    low, high = facts["score_interval"]
    score = [("mean", f"{facts['score_mean']:.1f}"), ("95% interval", f"{low:.1f} .. {high:.1f}")]
    score += [("standard deviation", f"{facts['score_sd']:.1f}")]
    score += [(f"{q}% quantile", f"{value:.0f}") for q, value in facts["quantiles"].items()]
    areas = [(area, f"{mean:.1f}") for area, mean in facts["areas"].items()]
    areas += [("foxes", f"{facts['fox_points']:.1f}"), ("number of foxes", f"{facts['foxes']:.2f}")]
    uses = [(use, f"{mean:.2f}") for use, mean in facts["uses"].items()]
    tiers = [(f"{tier} points", f"{share:.1%}") for tier, share in facts["at_least"].items()]
    named = {"Score": score, "Points by area": areas, "Bonuses used, and lost": uses}
    return list({**named, "Share of games with at least": tiers}.items())


def _page(made: CleverReport, seed: int) -> str:
    facts = made.facts
    first = pages.link(made.game, made.page, "Its first game")
    parts = [
        f"<p>Means of {facts['games']:,} games alone (seed {seed}). {first} move by move.</p>",
        pages.picture(made.picture, made.page, "distribution of the scores"),
    ]
    for heading, rows in tables(facts):
        parts += [
            f"<h2>{html.escape(heading)}</h2>",
            pages.table(("", "points" if heading == "Score" else "mean"), rows),
        ]
    return pages.page(f"{facts['agent']} plays Ganz schön clever", "\n".join(parts))


def _draw(found: list[GameFacts], name: str, path: Path) -> None:
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import COLOUR, save

    scores = [each.score for each in found]
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.hist(scores, bins=BARS, color=COLOUR, edgecolor="white", linewidth=0.3)
    axes.set(title=f"{name}: {len(scores):,} games, mean {np.mean(scores):.1f}", xlabel="points", ylabel="games")
    save(figure, path)
