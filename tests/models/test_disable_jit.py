"""The kernels as plain Python: NUMBA_DISABLE_JIT=1 shows the same rounds as the machine code plays."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.makers.positions import played
from tests.paths import ROOT

ROUNDS = 3

# Compiled kernels widen every integer they read; as plain Python they need records of wide integers for that.
SCRIPT = """
import warnings
import numpy as np
warnings.simplefilter("ignore", RuntimeWarning)  # masks and random numbers wrap around on purpose
from tichu_models.players.builtin import PLAYER
from tichu_models.arena.selfplay import play_round
from tichu_models.arena.table import TABLE, begin_game
from tichu_models.observation.view import VIEW
from tichu_models.records.history import MAX_HISTORY, store
from tichu_models.chance import draw
from tichu_models.rules.legal import PLAYS

def wide(dtype):
    if dtype.subdtype:
        return np.dtype((wide(dtype.subdtype[0]), dtype.shape))
    if dtype.names:
        return np.dtype([(name, wide(dtype.fields[name][0])) for name in dtype.names])
    return np.dtype(np.int64) if dtype.kind == "i" else dtype

def record(dtype, n=1):
    return np.zeros(n, dtype=wide(dtype)).view(np.recarray)

assert not hasattr(draw, "signatures"), "the kernels are compiled"
table, view, plays, players = record(TABLE)[0], record(VIEW)[0], record(PLAYS)[0], record(PLAYER, 3)
history = np.zeros(MAX_HISTORY, dtype=np.uint8)
players.rule, players.blunder = [1, 1, 0], [0, 0.2, 0]
begin_game(table, draw(np.uint64(6), 0), 0)
table.agent[:] = SEATS
for _ in range(ROUNDS):
    assert play_round(table, players, view, plays) == 0
    state = table.position.state
    print(history[: store(table.log, history, 0)].tobytes().hex(), *state.score, *state.called_at)
"""


def test_plain_python_plays_the_same_rounds():
    """An overflow or a type that only one of the two has makes kernels and their sources disagree."""
    chunk = played(1, 6, "HBRB", max_rounds=ROUNDS)
    expected = [
        [chunk.rounds.history_of(i).hex(), *row["score"].tolist(), *row["tichu_position"].tolist()]
        for i, row in enumerate(chunk.rounds.rows)
    ]
    script = SCRIPT.replace("SEATS", "[0, 1, 2, 1]").replace("ROUNDS", str(ROUNDS))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [str(value) for round_ in expected for value in round_]
