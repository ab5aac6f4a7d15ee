"""`python -m tichu_pipeline.tools.winning_table`: the chance to win a game from its score, as players reckon with it.

Writes tichu_models/observation/winning.csv from rounds that the champion plays against itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tichu_models.observation.winning import FILE, SCORES, table_of
from tichu_models.whole_files import write_whole

SEED = 60_000_000
PLACE = Path("tichu_models") / "observation" / FILE


def scores_of(rounds: int) -> np.ndarray:
    """How rounds of the champion against itself end: (rounds, teams)."""
    from tichu_models.arena.table import fixtures_of
    from tichu_models.rl.players import player_of
    from tichu_models.rl.tasks import play_task, tasks_of
    from tichu_models.runs.files import CHAMPION

    fixtures = fixtures_of(np.zeros((rounds, 4), dtype=np.int64), SEED)
    parts = [play_task(task) for task in tasks_of([player_of(CHAMPION)], fixtures, only_results=True)]
    return np.concatenate([part.ended["score"] for part in parts]).astype(np.int64)


def text_of(chances: np.ndarray, rounds: int) -> str:
    """The table as it lies in the package."""
    head = f"# Chance to win; own score (rows) and the other's: {', '.join(f'{score:g}' for score in SCORES)}\n"
    head += f"# From {rounds:,} rounds of the champion against itself.\n"
    return head + "".join(",".join(f"{chance:.4f}" for chance in row) + "\n" for row in chances)


def main(
    rounds: Annotated[int, typer.Option(help="Rounds to play.", min=2)] = 50_000,
    to: Annotated[Path, typer.Option(help="The file.")] = PLACE,
) -> None:
    """Plays rounds and writes the table that follows from them."""
    write_whole(to, text_of(table_of(scores_of(rounds)), rounds))
    typer.echo(f"{to}: {rounds:,} rounds")


if __name__ == "__main__":
    typer.run(main)
