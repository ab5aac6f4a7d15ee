"""`python -m tichu_pipeline.tools.clever_study`: trains what the thesis trained, and writes docs/clever.md with its
pictures redrawn from these runs.

Runs are those of `tichu games train`, in the data folder: one that is finished is not trained again. Facts are kept in
docs/clever.json, from which `clever_page` makes the page; parts that are not asked for stay as they are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.algorithms.solo_batch import keys_of
from tichu_models.games.agents import SideBySide, agent_of
from tichu_models.games.clever.prototype.optimum import optimum
from tichu_models.games.registry import game
from tichu_models.games.solo_agents import PolicyAgent
from tichu_models.runs.files import ITERATIONS
from tichu_models.runs.journal import rows_of
from tichu_models.whole_files import write_whole
from tichu_pipeline.games.runs import GameRun, GameRunRequest
from tichu_pipeline.games.train import train_run
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tools.clever_page import FACTS, write_page

SEED = 30_000_000  # of the games that judge, which nobody has trained on
Z = 1.96
EPISODES = 20  # of the thesis' small pictures: 200 steps
PROTOTYPES = [(dice, mask) for dice in (2, 4) for mask in (True, False)]
MORE = 5  # times as many games judge longer runs
MOST_LOST = 1_000  # games of the last picture
FULL = "study"  # the run of the whole game by ppo
BINS = list(range(0, 361, 10))

app = typer.Typer(add_completion=False)


def judged(scores: np.ndarray) -> dict[str, float]:
    """The mean of scores with its interval."""
    mean, half = float(scores.mean()), Z * float(scores.std()) / len(scores) ** 0.5
    return {"games": len(scores), "mean": mean, "low": mean - half, "high": mean + half}


def history(run: GameRun, name: str) -> list[float]:
    """A figure of every iteration."""
    return [round(float(row[name]), 3) for row in rows_of(run.path / ITERATIONS)]


def prototype(paths: DataPaths, preset: str, dice: int, mask: bool, games: int, suffix: str = "") -> dict[str, Any]:
    """A policy for the prototype, with its games against the exact optimum."""
    name = f"study-{dice}-{'mask' if mask else 'free'}{suffix}"
    settings = (f"rules=dice={dice}", f"mask={'true' if mask else 'false'}")
    run = train_run(paths, GameRunRequest("clever-prototype", "ppo", name, preset, settings))
    agent = agent_of(game("clever-prototype"), f"ppo:{name}", paths.board_games)
    assert isinstance(agent, PolicyAgent)
    options = game("clever-prototype").read_options({"dice": str(dice)})
    played = agent.play(options, keys_of(np.uint64(SEED), games), mask)
    exact = optimum(dice)
    return {
        "dice": dice,
        "mask": mask,
        **judged(played.scores),
        "invalid": float(played.invalid.mean()),
        "best": float((played.scores == 86).mean()),
        "optimum": exact.optimum,
        "random": exact.random,
        "invalid_at_best": exact.invalid_per_game,
        "steps": int(history(run, "steps")[-1]),
        "scores": played.scores[:EPISODES].tolist(),
        "invalid_moves": played.invalid[:EPISODES].tolist(),
        "history": history(run, "score"),
    }


def whole_game(paths: DataPaths, preset: str, games: int) -> dict[str, Any]:
    """A policy for the whole game."""
    run = train_run(paths, GameRunRequest("clever", "ppo", FULL, preset))
    agent = agent_of(game("clever"), f"ppo:{FULL}", paths.board_games)
    assert isinstance(agent, PolicyAgent)
    played = agent.play(game("clever").read_options({}), keys_of(np.uint64(SEED), games))
    lost = lost_rolls(agent, min(games, MOST_LOST))
    return {
        **judged(played.scores),
        "illegal": int(played.invalid.sum()),
        "actions": float(played.steps.mean()),
        "lost": float(np.mean(lost)),
        "lost_counts": np.bincount(lost).tolist(),
        "steps": int(history(run, "steps")[-1]),
        "minutes": float(run.figures["minutes"]),
        "bars": np.histogram(played.scores, BINS)[0].tolist(),
        "history": history(run, "score"),
    }


def lost_rolls(agent: PolicyAgent, games: int) -> list[int]:
    """In how many rolls of each game nothing could be entered: the thesis' invalid moves."""
    from tichu_models.games.clever.play_facts import play

    of = game("clever")
    keys = keys_of(np.uint64(SEED), games)
    return [play(of, agent, of.read_options({}), key).uses["rolls lost"] for key in keys]


def player(paths: DataPaths, text: str, games: int) -> dict[str, Any]:
    """The scores of an agent."""
    agent = agent_of(game("clever"), text, paths.board_games)
    assert isinstance(agent, SideBySide)
    scores, made = agent.scores(game("clever").read_options({}), keys_of(np.uint64(SEED), games))
    bars = np.histogram(scores, BINS)[0].tolist()
    return {"agent": text, **judged(scores), "actions": float(made.mean()), "bars": bars}


@app.command()
def main(
    data: Annotated[Path, typer.Option(help="The data folder, for the runs.")] = Path("data"),
    docs: Annotated[Path, typer.Option(help="Where the page is written.")] = Path("docs"),
    games: Annotated[int, typer.Option(help="Games that judge each policy.", min=100)] = 20_000,
    preset: Annotated[str, typer.Option(help="Of the runs.", metavar="PRESET")] = "demo",
    longer: Annotated[str, typer.Option(help="Of longer runs of the prototype.", metavar="PRESET")] = "laptop",
    part: Annotated[str, typer.Option(help="prototype, longer, whole, players or page.", metavar="PART")] = "",
    agents: Annotated[str, typer.Option(help="Agents for the part players, separated by spaces.")] = "",
) -> None:
    """Trains what is missing, judges, and writes the page."""
    paths, path = DataPaths(data), docs / FACTS
    facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    parts: dict[str, Callable[[], Any]] = {
        "prototype": lambda: [prototype(paths, preset, *each, games) for each in PROTOTYPES],
        "longer": lambda: [prototype(paths, longer, *each, MORE * games, "-long") for each in PROTOTYPES],
        "whole": lambda: whole_game(paths, preset, games),
        "players": lambda: [player(paths, text, games) for text in agents.split()] or facts.get("players", []),
    }
    if part not in ("", "page", *parts):
        raise typer.BadParameter(f"{part}: expected page, {', '.join(parts)}", param_hint="--part")
    for name, find in parts.items():
        if part in ("", name):
            facts[name] = find()
            write_whole(path, json.dumps(facts) + "\n")
    write_page(docs, facts)


if __name__ == "__main__":
    app()
