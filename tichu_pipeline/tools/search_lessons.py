"""`python -m tichu_pipeline.tools.search_lessons RUN NAME`: a generation of learning from search.

It looks for plays of a run that a search is sure to better (`tichu_models.rl.lessons`), teaches them to the run's
network for plays, and writes the pupil as the run NAME. Pupil and teacher then play duplicate deals. What was found
lies in parts in `runs/NAME/lessons/`; the same command goes on where it was, and more rounds add parts.
"""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tichu_models.options import OptionError
from tichu_models.presets import changed
from tichu_models.rl.lessons import LESSON, LessonOptions, Lessons, lessons_of
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.runs.files import MANIFEST
from tichu_models.whole_files import write_whole
from tichu_pipeline.commands.terminal import fail
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.run_folders import RunError

ROUNDS_A_PART = 512
SEED = 50_000_000  # of the rounds in which lessons are looked for, by part
DEALS, DEALS_SEED = 20_000, 60_000_000  # of the judgement
RECORD = "lessons.json"


def collect(run: str, runs: Path, folder: Path, options: LessonOptions, part: int) -> Path:
    """Writes one part of the lessons, unless it is there."""
    path = folder / f"{part:04}.npz"
    if not path.exists():
        import torch

        torch.set_num_threads(1)
        found = lessons_of(run, runs, options, ROUNDS_A_PART, SEED + part)
        with path.with_suffix(".part").open("wb") as file:
            np.savez(file, rows=found.rows.view(np.uint8), tried=found.tried, looked_better=found.looked_better)
        path.with_suffix(".part").rename(path)
    return path


def read(paths: list[Path]) -> Lessons:
    """The lessons of some parts as one."""
    rows, tried, looked_better = [], 0, 0
    for path in paths:
        with np.load(path, allow_pickle=False) as part:
            rows.append(part["rows"].view(LESSON))
            tried, looked_better = tried + int(part["tried"]), looked_better + int(part["looked_better"])
    return Lessons(np.concatenate(rows), tried, looked_better)


def facts_of(lessons: Lessons, rounds: int) -> dict[str, Any]:
    """How many lessons there are, and what they are worth."""
    verified = lessons.rows[lessons.verified]
    gain = float(verified["gain"].mean()) if len(verified) else 0.0
    return {
        "rounds": rounds,
        "plays_tried": lessons.tried,
        "looked_better": lessons.looked_better,
        "lessons": len(verified),
        "points_a_lesson": round(gain, 1),
        "points_a_round_and_team": round(gain * len(verified) / max(rounds, 1) / 2, 1),
    }


def main(
    run: Annotated[str, typer.Argument(help="The run that is taught: CandidateRLNet or PolicyRLNet, or champion.")],
    name: Annotated[str, typer.Argument(help="The name of the pupil.")],
    rounds: Annotated[int, typer.Option(help="Rounds in which lessons are looked for.", min=1)] = 8192,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the learning, as leash=2.", metavar="KEY=VALUE")
    ] = None,
    data: Annotated[Path, typer.Option(help="The data folder.", metavar="DIR")] = Path("data"),
    workers: Annotated[int, typer.Option(help="Processes at once.", min=1)] = 2,
) -> None:
    """Learns from search, and judges the pupil."""
    from tichu_models.rl.evaluation import duel
    from tichu_models.rl.from_lessons import LearningOptions, LessonLearner
    from tichu_models.rl.players import player_of
    from tichu_models.runs import checkpoint
    from tichu_models.runs.folders import of_critic
    from tichu_pipeline.selfplay.runs import SelfplayRequest, start_of
    from tichu_pipeline.storage.workers import Processes

    paths = DataPaths(data)
    try:
        options = changed(LearningOptions, {}, settings or (), "learning")
        begun = start_of(paths, SelfplayRequest(name, start=run))
    except (OptionError, RunError) as error:
        fail(str(error))
    assert begun is not None
    teacher = begun.folder
    folder, found = paths.runs / name, paths.runs / name / "lessons"
    found.mkdir(parents=True, exist_ok=True)
    parts = range(-(-rounds // ROUNDS_A_PART))
    with Processes(workers) as processes:
        work = partial(collect, run, paths.runs, found, LessonOptions())
        lessons = read(list(processes.map(work, parts)))
        facts = facts_of(lessons, len(parts) * ROUNDS_A_PART)
        typer.echo(json.dumps(facts, indent=1))
        learner = LessonLearner(teacher, lessons, options)
        figures = learner.learn(lambda figures: typer.echo("  ".join(f"{k} {v:.4g}" for k, v in figures.items())))
        loaded = checkpoint.load(teacher)
        checkpoint.save(folder, learner.student.network, loaded.manifest, loaded.notes)
        for kind in (*(each for number, each in enumerate(KINDS) if number != PLAY), of_critic(Path()).name):
            if (teacher / kind / MANIFEST).exists():
                shutil.copytree(teacher / kind, folder / kind, dirs_exist_ok=True)
        result = duel(player_of(folder), player_of(teacher), DEALS, DEALS_SEED, processes.map)
    record = {"teacher": run, "found": facts, "learned": figures, "settings": options.plain(), "against": result.row()}
    write_whole(folder / RECORD, json.dumps(record, indent=1) + "\n")
    typer.echo(f"{name}: {result.mean:+.1f} +- {result.error:.1f} points a round against {run}, {DEALS:,} deals")


if __name__ == "__main__":
    typer.run(main)
