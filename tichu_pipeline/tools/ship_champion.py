"""`python -m tichu_pipeline.tools.ship_champion RUN`: makes the player of a run of self-play the champion that ships.

Its weights are rounded to bfloat16, the type in which players are run, and written into the package with a record of
where they come from and what they are worth. A challenger that does not beat the champion on fresh deals is refused.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tichu_models.rules.asking import KINDS
from tichu_models.runs.files import CHAMPION, WEIGHTS
from tichu_models.runs.folders import of_critic
from tichu_models.runs.manifest import CheckpointError
from tichu_models.whole_files import write_whole
from tichu_pipeline.commands.terminal import fail
from tichu_pipeline.storage.folders import DataPaths

if TYPE_CHECKING:
    from tichu_models.rl.evaluation import Duel
    from tichu_models.rl.tasks import RunTasks

RECORD = "champion.json"
DEALS, SEED = 100_000, 100_000_000  # of the figures; no choice is made by these deals
TRIAL_DEALS, TRIAL_SEED = 20_000, 40_000_000  # by which a challenger has to beat the champion
BYTES_MOST = 6_000_000


def ship(run: Path, to: Path, command: str, run_tasks: RunTasks = map, deals: int = DEALS) -> dict[str, Any]:
    """Judges the player of a run's folder, and writes it and its record into a folder. Returns the record."""
    from tichu_models.rl.evaluation import duel
    from tichu_models.rl.players import player_of
    from tichu_models.rl.tasks import RULES
    from tichu_models.runs import checkpoint

    player = player_of(run)
    if (to / RECORD).exists():
        trial = duel(player, player_of(to), TRIAL_DEALS, TRIAL_SEED, run_tasks)
        if trial.mean <= trial.error:
            fail(f"{run}: {trial.mean:+.1f} +- {trial.error:.1f} points a round against the champion, which stays")
    result = duel(player, RULES, deals, SEED, run_tasks)
    loaded = checkpoint.load(run)
    record = {
        "command": command,
        "commit": _commit(),
        "seed": loaded.manifest.seed,
        "trained": dict(loaded.notes),
        "against_heuristic": {**_figures(result), "first_seed": SEED, **result.calls()},
    }
    folders = [run, *(run / kind for kind in KINDS), of_critic(run)]
    new = to.with_name(f"{to.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    for folder in (each for each in folders if (each / WEIGHTS).exists()):
        part = checkpoint.load(folder)
        weights = {name: tensor.bfloat16() for name, tensor in part.network.state_dict().items()}
        checkpoint.save_tensors(new / folder.relative_to(run), weights, part.manifest, part.notes)
    write_whole(new / RECORD, json.dumps(record, indent=1) + "\n")
    size = sum(path.stat().st_size for path in new.rglob("*") if path.is_file())
    if size > BYTES_MOST:
        shutil.rmtree(new)
        fail(f"{run}: {size:,} bytes; at most {BYTES_MOST:,} can ship: train smaller networks")
    shutil.rmtree(to, ignore_errors=True)
    new.rename(to)
    return record


def _figures(result: Duel) -> dict[str, Any]:
    return {
        "points_per_round": round(result.mean, 2),
        "interval": [round(result.mean - result.error, 2), round(result.mean + result.error, 2)],
        "deals": len(result.margins),
    }


def _commit() -> str:
    """The commit of the code that trained; empty outside a repository."""
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main(
    run: Annotated[str, typer.Argument(help="The run.")],
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    command: Annotated[str, typer.Option(help="The command that trained it, for the record.")] = "make champion",
    workers: Annotated[int, typer.Option(help="Processes that play.", min=1)] = 2,
) -> None:
    """Makes the player of a run the champion of the package."""
    from tichu_pipeline.storage.workers import Processes

    try:
        with Processes(workers) as processes:
            record = ship(DataPaths(data).runs / run, CHAMPION, command, processes.map)
    except CheckpointError as error:
        fail(str(error))
    typer.echo(json.dumps(record, indent=1))


if __name__ == "__main__":
    typer.run(main)
