"""The names of the files in a run's folder, `runs/<name>/`.

    manifest.json         from the start: the network, what it reads and is trained on (`runs.manifest`)
    model.safetensors     the weights with the lowest validation loss so far (`runs.checkpoint`)
    last.safetensors      of a finished run: the weights of its last step
    metrics.csv           epoch, step, name, value (`learning.journal`)
    events.out.*          the same for TensorBoard
    resume.ckpt           the state of an unfinished run, saved every `checkpoint_steps` steps and after every epoch
    figures.json          of a finished run: the figures of its best weights
    trial.json            preset, settings, time and device of the training (`tichu_pipeline.training`)
    learning_curves.png   loss and main figure by step; written last by a training
    reliability.png       of networks that answer yes or no: predicted probabilities against frequencies
    calibration.json      of networks that take a goal: the points they win for each goal
    calibration.png       the same as a picture
    games.json            of networks that know the score: whole games that began at some scores, by score

A run of self-play (`tichu_models.rl.train`) has several networks, each with a manifest and weights. The one for plays
lies in the run's folder, those for other decisions in subfolders of the names of their kinds (`runs.folders`):
`grand/`, `tichu/`, `schupf/`, `small/`, `bomb/`, `wish/`, `dragon/`. Where one is missing, a player answers by rules
of thumb. `critic/` is for training alone: no player loads it. In the run's folder

    metrics.csv           a row for each evaluation against one opponent
    iterations.csv        a row for each iteration
    resume.safetensors    the state of an unfinished run
    learning_curves.png   points against minutes and rounds, and how the networks learn

A run of another game (`tichu_models.games.learning.run`) has the same four files, and a manifest of its own kind.

`final_test.jsonl` is beside the runs: who used the test split, when, for what, and the figures. The champion, the
strongest player, ships with the package: a run of self-play in `tichu_models/champion/`.
"""

from __future__ import annotations

from pathlib import Path

MANIFEST = "manifest.json"
WEIGHTS, LAST_WEIGHTS = "model.safetensors", "last.safetensors"
METRICS = "metrics.csv"
EVENTS = "events.out.*"  # a pattern: TensorBoard names its files itself
RESUME, FIGURES = "resume.ckpt", "figures.json"
ITERATIONS, RESUME_SELFPLAY = "iterations.csv", "resume.safetensors"
CRITIC = "critic"
TRIAL = "trial.json"
CURVES, RELIABILITY = "learning_curves.png", "reliability.png"
CALIBRATION, CALIBRATION_PICTURE = "calibration.json", "calibration.png"

GAMES = "games.json"

FINAL_TEST = "final_test.jsonl"
CHAMPION = Path(__file__).parents[1] / "champion"


class CheckpointError(ValueError):
    """A file of a run that is missing, damaged, or not the expected one."""
