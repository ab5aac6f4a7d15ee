"""`python -m tichu_pipeline.tools.selfplay_study`: runs the arms of the study of self-play, and judges their players.

It trains each arm of selfplay_arms.toml as a run `arm_<name>` of a data folder, several at once, one core each; it
goes on where it was. Every arm is then played against the heuristic player on deals that none was trained or evaluated
on. `selfplay_page` draws the page.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer

from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.folders import DataPaths

PREFIX = "arm_"
JUDGED = "judged.json"  # in the folder of an arm
DEALS, SEED = 20_000, 30_000_000


def arms() -> dict[str, dict[str, Any]]:
    """The settings of every arm, those of `base` included, and what each is about."""
    text = (resources.files("tichu_pipeline.tools") / "selfplay_arms.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {name: {**tables["base"], **table} for name, table in tables.items()}


def run_arm(root: Path, name: str, settings: dict[str, Any]) -> str:
    """Trains an arm with one thread, judges its player, and says how it did in a line."""
    import torch

    from tichu_models.rl.settings import settings_of
    from tichu_models.rl.train import train

    torch.set_num_threads(1)
    paths = DataPaths(root)
    changes = {key: value for key, value in settings.items() if key not in ("about", "from")}
    start = settings.get("from")
    folder = paths.runs / f"{PREFIX}{name}"
    chosen = settings_of("laptop", [f"{key}={json.dumps(value)}" for key, value in changes.items()])
    begin_with = paths.runs / start if start else None
    trained = train(chosen, folder, start=begin_with)
    if not trained.reused:
        (folder / JUDGED).unlink(missing_ok=True)  # of another player
    if not (folder / JUDGED).exists():
        from tichu_models.rl.evaluation import duel
        from tichu_models.rl.players import player_of
        from tichu_models.rl.tasks import RULES

        result = duel(player_of(folder), RULES, DEALS, SEED)
        judged = {"points": result.mean, "error": result.error, "deals": DEALS, **result.calls()}
        write_whole(folder / JUDGED, json.dumps(judged, indent=1) + "\n")
    judged = json.loads((folder / JUDGED).read_text())
    return f"{name}: {judged['points']:+.1f} +- {judged['error']:.1f}, {trained.figures['minutes']:.1f} min"


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Arms; by default all.", show_default=False)] = None,
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    workers: Annotated[int, typer.Option(help="Arms at once.", min=1)] = 2,
) -> None:
    """Trains the arms of the study and judges them."""
    known = arms()
    chosen: Sequence[str] = names or list(known)
    if unknown := sorted(set(chosen) - set(known)):
        raise typer.BadParameter(f"no arm {', '.join(unknown)}; expected some of {', '.join(known)}")
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for line in pool.map(run_arm, [data] * len(chosen), chosen, [known[name] for name in chosen]):
            typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
