"""Damaged logs: whatever the bytes, the reader ends, and rounds that were not touched are read as before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tichu_pipeline.brettspielwelt.games import Games, Reader
from tichu_pipeline.brettspielwelt.inflate import Chunk

LOG = (Path(__file__).parents[2] / "golden" / "sound_game.tch").read_bytes()
HEADER = b"---------------Gr.Tichukarten"


def read(reader: Reader, log: bytes) -> Games:
    """One game."""
    data = np.frombuffer(log, dtype=np.uint8)
    return reader.read(Chunk(data, np.array([0]), np.array([len(log)]), np.array([1]), ()))


def damaged(log: bytes, rng: np.random.Generator) -> tuple[bytes, int, int]:
    """The log with one place changed, and the bytes of the original that were touched."""
    at = int(rng.integers(len(log)))
    end = min(len(log), at + int(rng.integers(1, 40)))
    kind = rng.integers(5)
    if kind == 0:
        new = rng.integers(0, 256, end - at, dtype=np.uint8).tobytes()
    elif kind == 1:
        new = b""
    elif kind == 2:
        new = log[at:end] * 3
    elif kind == 3:
        new = bytes([int(rng.choice([0, 9, 10, 13, 32, 40, 41, 45, 58, 255]))])
        end = at + 1
    else:
        begin = int(rng.integers(len(log)))
        new = log[begin : begin + 60]
    return log[:at] + new + log[end:], at, end


def fuzz(mutations: int, seed: int) -> None:
    """Reads so many damaged logs; at most two rounds and what is cut loose between them may be lost."""
    reader, rng = Reader(), np.random.default_rng(seed)
    sound = read(reader, LOG)
    begins = sound.origins["begin"].tolist()
    scores = sound.rounds.rows["score"].tolist()
    assert not sound.outcomes["rule_break"].any()
    for _ in range(mutations):
        log, at, end = damaged(LOG, rng)
        games = read(reader, log)
        spare = [score for begin, score in zip(begins, scores, strict=True) if begin >= end]
        untouched_before = sum(b <= at for b in begins) - 1
        clean = games.rounds.rows["score"][games.outcomes["rule_break"] == 0].tolist()
        assert len(clean) >= max(untouched_before - 1, 0) + max(len(spare) - 1, 0), (at, end)
        assert len(games.rounds) + len(games.fragments) <= log.count(HEADER) + 2 + log.count(b"Ergebnis")


def test_damage_costs_only_the_round_it_hits():
    """A crash, a hang, or a game lost for one byte."""
    fuzz(2_000, seed=1)


@pytest.mark.fuzz
def test_damage_costs_only_the_round_it_hits_a_hundred_thousand_times():
    """As above, for `make fuzz`."""
    fuzz(100_000, seed=2)
