"""The player of a run's folder, with rules of thumb for some kinds of decisions."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tichu_models.observation.scaling import Scaling
from tichu_models.rl.tasks import PlayerOfTask, frozen
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.runs import checkpoint
from tichu_models.runs.files import WEIGHTS


def player_of(folder: Path, by_rule: Collection[str] = ()) -> PlayerOfTask:
    """The player of a run's folder, which plays the likeliest answers. Rules of thumb make the decisions of the kinds
    `by_rule`, and those for which the run has no network."""
    networks = {}
    loaded = checkpoint.load(folder)
    scaling = Scaling.of(loaded.manifest.scaling)
    for number, kind in enumerate(KINDS):
        place = folder if number == PLAY else folder / kind
        if kind in by_rule or not (place / WEIGHTS).exists():
            continue
        run = checkpoint.load(place)
        networks[number] = frozen(
            run.network.state_dict(), run.manifest.network, run.manifest.config, run.manifest.spec.name
        )
    return PlayerOfTask(networks, scaling, greedy=True, recorded=False)
