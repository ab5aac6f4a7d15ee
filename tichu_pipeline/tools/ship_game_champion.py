"""`python -m tichu_pipeline.tools.ship_game_champion GAME METHOD:RUN`: makes a run the champion of a game, which ships.

Its weights are rounded to float16 and written into the package, with a record of where they come from and what they are
worth. A challenger that does not beat the present champion on games of its own is refused.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.game import Game
from tichu_models.games import champions
from tichu_models.games.agents import GameAgent, UnknownAgent, agent_of
from tichu_models.games.learning.evaluation import OPENING, match_options
from tichu_models.games.learning.manifest import read_arrays, read_manifest, write_arrays
from tichu_models.games.match import match
from tichu_models.games.registry import UnknownGame, game
from tichu_models.runs.files import FIGURES, MANIFEST, WEIGHTS, CheckpointError
from tichu_models.whole_files import write_whole
from tichu_pipeline.commands.terminal import fail
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.stamps import json_object

# One side of the player against all others of each of these; nobody in a game for one.
OPPONENTS = {"chameleon": ("random", "maxn:depth=1", "maxn:depth=2"), "clever": (), "dog": ("random", "rules")}
SEED, TRIAL_SEED = 900_001, 900_002  # of the games of the record, and of the trial
BYTES_MOST = 2_000_000


def ship(of: Game, text: str, runs: Path, games: int, command: str) -> dict[str, Any]:
    """Judges the player of a run, and writes it and its record into the package. Returns the record."""
    method, _, run = text.partition(":")
    folder = champions.folder_of(runs, of.name, run)
    if folder is None or not (folder / FIGURES).exists():
        fail(f"{text}: no finished run of {of.name} in {runs}")
    if of.name not in champions.AGENTS:
        fail(f"{of.name}: none can ship; {', '.join(champions.AGENTS)} have champions")
    challenger, to = agent_of(of, text, runs), champions.shipped_folder(of.name)
    if champions.has_champion(of.name):
        _try(of, challenger, agent_of(of, f"{method}:{champions.CHAMPION}"), games)
    manifest = read_manifest(folder)
    weights, notes = read_arrays(folder / WEIGHTS, manifest)
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    new = to.with_name(f"{to.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    write_whole(new / MANIFEST, manifest.text())
    write_arrays(new / WEIGHTS, halves, manifest, notes)
    if (size := sum(path.stat().st_size for path in new.iterdir())) > BYTES_MOST:
        shutil.rmtree(new)
        fail(f"{text}: {size:,} bytes; at most {BYTES_MOST:,} can ship: train a smaller network")
    shutil.rmtree(to, ignore_errors=True)
    new.rename(to)
    trained = {key: value for key, value in json_object(folder / FIGURES).items() if key != "results"}
    record = {"command": command, "trained": trained, "worth": _worth(of, f"{method}:{champions.CHAMPION}", games)}
    write_whole(to / champions.RECORD, json.dumps(record, indent=1) + "\n")
    return record


def _try(of: Game, challenger: GameAgent, champion: GameAgent, games: int) -> None:
    """Ends the command if the challenger does not beat the champion."""
    options = match_options(of)
    if len(of.sides(options)) == 1:
        (mine, other) = (_facts(of, [agent], games, TRIAL_SEED) for agent in (challenger, champion))
        if mine["score_mean"] <= other["score_mean"]:
            fail(f"{mine['score_mean']:.1f} points; the champion has {other['score_mean']:.1f} and stays")
        return
    mine = _facts(of, [challenger, champion], games, TRIAL_SEED)
    if mine["interval"][0] <= 0.5:
        low, high = mine["interval"]
        fail(f"{mine['share']:.1%} ({low:.1%} .. {high:.1%}) of the games against the champion, which stays")


def _worth(of: Game, text: str, games: int) -> list[dict[str, Any]]:
    """What the player is worth as it ships."""
    player, sides, found = agent_of(of, text), len(of.sides(match_options(of))), []
    for opponent in OPPONENTS[of.name] or (None,):
        others = [] if opponent is None else [agent_of(of, opponent)] * (sides - 1)
        facts = _facts(of, [player, *others], games, SEED)
        kept = ("share", "interval") if opponent else ("score_mean", "score_interval")
        found.append({"against": opponent, "games": games, "seed": SEED, **{key: facts[key] for key in kept}})
    return found


def _facts(of: Game, agents: list[GameAgent], games: int, seed: int) -> dict[str, Any]:
    """The first agent in a match."""
    played: Any = match(of, match_options(of), agents, games, seed, OPENING)
    return played["agents"][0]


def main(
    name: Annotated[str, typer.Argument(help="The game.", metavar="GAME")],
    run: Annotated[str, typer.Argument(help="The run, with its method.", metavar="METHOD:RUN")],
    command: Annotated[str, typer.Option(help="The command that trained it, for the record.")],
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    games: Annotated[int, typer.Option(help="Games of each match.", min=2)] = 2_000,
) -> None:
    """Makes the player of a run the champion of a game."""
    try:
        record = ship(game(name), run, DataPaths(data).board_games, games, command)
    except (UnknownGame, UnknownAgent, CheckpointError) as error:
        fail(str(error))
    typer.echo(json.dumps(record, indent=1))


if __name__ == "__main__":
    typer.run(main)
