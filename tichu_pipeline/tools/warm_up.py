"""Compiles all kernels once, for processes that start side by side: `python -m tichu_pipeline.tools.warm_up`.

Every process that finds no compiled kernels compiles them for itself, and a test run has several. What is compiled,
and where it is kept, is told in `tichu_models.kernels`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep, tournament
from tichu_models.arena.selfplay import stream
from tichu_models.observation.specs import spec
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.records.replay import check
from tichu_models.samples.loader import Loader
from tichu_models.samples.sources import RoundsSource
from tichu_models.statistics import bootstrap
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.rounds.round_facts import rounds_and_seats
from tichu_pipeline.scaling.gather import count_variables
from tichu_pipeline.storage.folders import DataPaths, month_file


def warm_up_play() -> None:
    """Compiles self-play, replay and tournaments."""
    for played in stream([HeuristicAgent(blunder=0.1), RandomAgent()], np.array([[0, 1, 0, 1]]), seed=1):
        check(played.rounds)
    request = tournament.TournamentRequest(("random", "heuristic"), 1)
    tournament.play(request, agent_from)
    lockstep.play([agent_from(name) for name in request.agents], tournament.fixtures_of_deals(request, 0, 0, 1), 1)
    bootstrap(np.zeros(1), np.ones(1))


def warm_up_data() -> None:
    """Compiles what leads from logs to batches."""
    with tempfile.TemporaryDirectory() as folder:
        paths = DataPaths(Path(folder))
        generate(paths.raw, 4, ["2024-01"], seed=1)
        ingest(paths.raw, paths)
        rounds_and_seats(paths, ["2024-01"])
        count_variables(paths, ["2024-01"])
        source = RoundsSource([month_file(paths.rounds, "2024-01")], spec("play-376+history-1"))
        for _ in Loader(source, 64):
            pass


if __name__ == "__main__":
    started = time.perf_counter()
    warm_up_play()
    warm_up_data()
    print(f"kernels ready after {time.perf_counter() - started:.1f} s")
