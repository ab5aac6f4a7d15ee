"""How fast the engine is: absolute figures, and ratios to plain Python in the same run. `make bench` prints them.

A shared machine is noisy: a figure is the best of several, and a test fails below 0.7 of its target.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks.figures import best_seconds, report
from tests.oracles import reference
from tichu_models.arena.selfplay import stream
from tichu_models.kernels import kernel
from tichu_models.players.builtin import BuiltinAgent, HeuristicAgent, RandomAgent
from tichu_models.records.history import PASS_ENTRY, PLAY_ENTRY, kind_of, load, seat_of
from tichu_models.records.replay import OUTCOME, SCRATCH, begin, replay_rounds, step
from tichu_models.records.schema import Rounds
from tichu_models.rules.cards import labels
from tichu_models.rules.legal import legal_plays, new_buffer
from tichu_models.rules.state import begin_round

pytestmark = pytest.mark.bench


def rounds_of(agent: BuiltinAgent, games: int) -> Rounds:
    """Rounds of self-play, one a game."""
    parts = [played.rounds for played in stream([agent], np.zeros((games, 4)), seed=7, max_rounds=1)]
    lengths = np.cumsum([0, *(len(part.history) for part in parts)])
    for part, offset in zip(parts, lengths, strict=False):
        part.rows["history_from"] += offset
        part.rows["history_to"] += offset
    return Rounds(np.concatenate([part.rows for part in parts]), np.concatenate([part.history for part in parts]))


@pytest.mark.parametrize(("agent", "target"), [(RandomAgent(), 140_000), (HeuristicAgent(), 30_000)])
def test_fused_self_play(agent, target):
    """Corpora and tournaments that take hours instead of minutes."""
    games = 40_000
    seconds = best_seconds(lambda: [None for _ in stream([agent], np.zeros((games, 4)), seed=7, max_rounds=1)])
    report(f"fused self-play, {agent.name}, rounds", games / seconds, target)


def test_replay():
    """Ingest and features that are bound by the rules instead of the disk."""
    rounds = rounds_of(HeuristicAgent(), 40_000)
    outcomes, scratch = np.zeros(len(rounds), dtype=OUTCOME), np.zeros(1, dtype=SCRATCH)[0]
    target = np.empty(2 * len(rounds.history), dtype=np.uint8)
    seconds = best_seconds(lambda: replay_rounds(rounds.rows, rounds.history, scratch, target, outcomes))
    turns = int(outcomes["num_turns"].sum())
    what = f"replay with validation ({turns / len(rounds):.0f} turns a round), rounds"
    report(what, len(rounds) / seconds, 1_000_000)
    print(f"  {turns / seconds:,.0f} turns/s")


@kernel
def positions(rows, history, scratch, hands, tricks, wishes):
    """Fills in what the player of each turn holds and sees; returns how many turns."""
    n = 0
    for i in range(len(rows)):
        load(scratch.log, history, rows[i])
        begin_round(scratch.state, rows[i].first, rows[i].start, 0, 0, 0, 0)
        begin(scratch.state, rows[i])
        for at in range(scratch.log.length):
            entry = scratch.log.entry[at]
            if n < len(hands) and (kind_of(entry) == PASS_ENTRY or kind_of(entry) == PLAY_ENTRY):
                hands[n], tricks[n] = scratch.state.hand[seat_of(entry)], scratch.state.trick
                wishes[n] = scratch.state.wish
                n += 1
            if step(scratch.state, rows[i], scratch.log, at, scratch.plays):
                break
    return n


@kernel
def count_plays(hands, tricks, wishes, buffer):
    """All legal plays of all positions, counted."""
    total = 0
    for i in range(len(hands)):
        total += legal_plays(hands[i], tricks[i], wishes[i], buffer)
    return total


def test_legal_plays():
    """Players and search that wait for the rules."""
    rounds = rounds_of(HeuristicAgent(), 15_000)
    size = 500_000
    hands, tricks, wishes = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    n = positions(rounds.rows, rounds.history, np.zeros(1, dtype=SCRATCH)[0], hands, tricks, wishes)
    buffer = new_buffer()
    seconds = best_seconds(lambda: count_plays(hands[:n], tricks[:n], wishes[:n], buffer))
    small = [labels(int(hand)) for hand in hands[:n] if 0 < int(hand).bit_count() <= 8][:100]
    plain = len(small) / best_seconds(lambda: [reference.plays(frozenset(hand), None, 0) for hand in small], 1)
    report("legal plays, positions", n / seconds, 8_000_000, plain)
