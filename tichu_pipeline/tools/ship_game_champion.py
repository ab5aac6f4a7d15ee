"""`python -m tichu_pipeline.tools.ship_game_champion GAME METHOD:RUN`: makes a run the champion of a game, which ships.

Its weights are rounded to float16 and written into the package, with a record of where they come from and what they are
worth. A challenger that does not surely beat the present champion, in games kept for this, is refused.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.algorithms.solo_batch import keys_of
from tichu_models.game import Game
from tichu_models.games import champions
from tichu_models.games.agents import GameAgent, SideBySide, agent_of
from tichu_models.games.learning.evaluation import OPENING, match_options
from tichu_models.games.learning.manifest import read_arrays, read_manifest, write_arrays
from tichu_models.games.learning.methods import run_folder
from tichu_models.games.learning.run import player_of
from tichu_models.games.match import Z, match
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
LEVEL = 0.5  # the share of the games of who is as good


def ship(of: Game, text: str, runs: Path, games: int, command: str) -> dict[str, Any]:
    """Judges the player of a run, and writes it and its record into the package. Returns the record."""
    method, _, run = text.partition(":")
    folder, to = run_folder(runs, of.name, run), champions.shipped_folder(of.name)
    if f"{method}:{champions.CHAMPION}" not in champions.AGENTS.get(of.name, ""):
        fail(f"{of.name}: no player by {method} can ship; {', '.join(champions.AGENTS.values())} do")
    if not (folder / FIGURES).exists():
        fail(f"{text}: no finished run of {of.name} in {runs}")
    new = to.with_name(f"{to.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    _round(folder, new)
    challenger = player_of(of, method, new, "challenger", {})
    if champions.has_champion(of.name):
        _refuse_unless_better(of, challenger, method, games)
    trained = {key: value for key, value in json_object(folder / FIGURES).items() if key != "results"}
    record = {"command": command, "trained": trained, "worth": _worth(of, challenger, text, games)}
    write_whole(new / champions.RECORD, json.dumps(record, indent=1) + "\n")
    if (size := sum(path.stat().st_size for path in new.iterdir())) > BYTES_MOST:
        shutil.rmtree(new)
        fail(f"{text}: {size:,} bytes; at most {BYTES_MOST:,} can ship: train a smaller network")
    shutil.rmtree(to, ignore_errors=True)
    new.rename(to)
    return record


def _round(folder: Path, to: Path) -> None:
    """Writes the weights of a run, as float16."""
    manifest = read_manifest(folder)
    weights, notes = read_arrays(folder / WEIGHTS, manifest)
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    if wrong := [name for name, array in halves.items() if not np.isfinite(array).all()]:
        fail(f"{folder}: {', '.join(wrong)}: too large for float16")
    write_whole(to / MANIFEST, manifest.text())
    write_arrays(to / WEIGHTS, halves, manifest, notes)


def _refuse_unless_better(of: Game, challenger: GameAgent, method: str, games: int) -> None:
    """Ends the command if the challenger does not beat the champion. One that cannot be loaded any more is none."""
    options = match_options(of)
    try:
        champion = player_of(of, method, champions.shipped_folder(of.name), champions.CHAMPION, {})
    except CheckpointError as error:
        typer.echo(f"no champion to beat: {error}", err=True)
        return
    if isinstance(challenger, SideBySide) and isinstance(champion, SideBySide):
        keys = keys_of(np.uint64(TRIAL_SEED), games)
        gains = challenger.scores(options, keys)[0] - champion.scores(options, keys)[0]
        half = Z * float(gains.std()) / len(gains) ** 0.5
        if gains.mean() <= half:
            fail(f"{gains.mean():+.1f} +- {half:.1f} points more than the champion, which stays")
        return
    mine = _facts(of, [challenger, champion], games, TRIAL_SEED)
    if mine["interval"][0] <= LEVEL:
        low, high = mine["interval"]
        fail(f"{mine['share']:.1%} ({low:.1%} .. {high:.1%}) of the games against the champion, which stays")


def _worth(of: Game, player: GameAgent, text: str, games: int) -> list[dict[str, Any]]:
    """What the network is worth by itself, as it ships."""
    sides, found = len(of.sides(match_options(of))), []
    for opponent in OPPONENTS[of.name] or (None,):
        others = [] if opponent is None else [agent_of(of, opponent)] * (sides - 1)
        facts = _facts(of, [player, *others], games, SEED)
        kept = ("share", "interval") if opponent else ("score_mean", "score_interval")
        about = {"of": text.partition(":")[0], "against": opponent, "games": games, "seed": SEED}
        found.append({**about, **{key: facts[key] for key in kept}})
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
    except (UnknownGame, CheckpointError) as error:
        fail(str(error))
    typer.echo(json.dumps(record, indent=1))


if __name__ == "__main__":
    typer.run(main)
