"""The fused loop: games of built-in players in one kernel, the fastest way to many games.

They are bit for bit the games that `lockstep` plays with the same players and seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tichu_models.arena.table import (
    ROUND_OVER,
    TABLE,
    Table,
    advance,
    answer,
    begin_fixture,
    fixtures_of,
    look,
    next_round,
    write_round,
)
from tichu_models.kernels import inner, kernel
from tichu_models.observation.view import VIEW, View
from tichu_models.players.builtin import BuiltinAgent, choose
from tichu_models.players.heuristic import blunders
from tichu_models.records.history import MAX_HISTORY, MAX_TURNS, store
from tichu_models.records.schema import ROUND, Rounds
from tichu_models.rules.legal import Plays, new_buffer
from tichu_models.rules.scoring import NOT_OVER

ROUNDS_A_CHUNK = 4096
BYTES_A_ROUND = 160  # of history, for which a chunk has room on average


@dataclass(frozen=True)
class PlayedRounds:
    """Rounds of the fused loop, with their players and blunders."""

    rounds: Rounds
    agents: np.ndarray  # int32 (rounds, 4): the agent at each seat
    blunders: np.ndarray  # uint8 (rounds, MAX_TURNS): 1 where a turn was a blunder


@inner
def play_round(table: Table, players: np.ndarray, view: View, plays: Plays) -> int:
    """Deals a round and plays it to its end. Returns the code of an illegal answer, 0 if there was none."""
    next_round(table)
    while True:
        kind = advance(table, plays)
        if kind == ROUND_OVER:
            return 0
        look(table, view)
        player = players[table.agent[table.position.seat]]
        turn = table.position.state.turns
        choice = choose(player, view, plays)
        table.blunders[turn] = blunders(view, player.blunder)
        code = answer(table, choice, plays)
        if code:
            return code


@kernel
def play_games(
    fixtures: np.ndarray,
    substitutes: np.ndarray,
    max_rounds: int,
    players: np.ndarray,
    table: Table,
    view: View,
    plays: Plays,
    rows: np.ndarray,
    history: np.ndarray,
    agents: np.ndarray,
    flags: np.ndarray,
) -> tuple[int, int, int]:
    """Plays whole games while there is room for their rounds. Returns (games, rounds, bytes of history); -1 games after
    an illegal answer.

    From round substitutes[i, 0] of the i-th game on, player [i, 2] sits at seat [i, 1]. A game ends at 1000 points or
    after max_rounds. `flags` marks the turns that were blunders.
    """
    length = 0
    n = 0
    for i in range(len(fixtures)):
        begin_fixture(table, fixtures[i])
        start, start_length = n, length
        while table.result == NOT_OVER and table.round_index + 1 < max_rounds:
            if n == len(rows) or length + MAX_HISTORY > len(history):
                return i, start, start_length
            if table.round_index + 1 == substitutes[i, 0]:
                table.agent[substitutes[i, 1]] = substitutes[i, 2]
            if play_round(table, players, view, plays):
                return -1, n, length
            write_round(table, rows[n])
            rows[n].history_from = length
            length = store(table.log, history, length)
            rows[n].history_to = length
            for seat in range(4):
                agents[n, seat] = table.agent[seat]
            for turn in range(table.position.state.turns):
                flags[n, turn] = table.blunders[turn]
            n += 1
    return len(fixtures), n, length


def stream(
    agents: Sequence[BuiltinAgent],
    seating: np.ndarray,
    seed: int,
    max_rounds: int = ROUNDS_A_CHUNK,
    first_game: int = 0,
    substitutes: np.ndarray | None = None,
) -> Iterator[PlayedRounds]:
    """Plays one game for each row of `seating` (indices of agents, seats 0..3), in chunks of whole games.

    `substitutes` has (round, seat, agent) for each game: from that round on, the agent sits at the seat; round -1 for
    no substitute.
    """
    if substitutes is None:
        substitutes = np.full((len(seating), 3), -1, dtype=np.int32)
    yield from stream_fixtures(agents, fixtures_of(seating, seed, first_game), max_rounds, substitutes)


def stream_fixtures(
    agents: Sequence[BuiltinAgent], fixtures: np.ndarray, max_rounds: int, substitutes: np.ndarray
) -> Iterator[PlayedRounds]:
    """Plays the games of an array of FIXTURE, in chunks of whole games."""
    players = np.concatenate([agent.player for agent in agents])
    table, view, plays = np.zeros(1, dtype=TABLE), np.zeros(1, dtype=VIEW), new_buffer()
    begun = 0
    while begun < len(fixtures):
        rows = np.zeros(ROUNDS_A_CHUNK, dtype=ROUND)
        history = np.empty(ROUNDS_A_CHUNK * BYTES_A_ROUND + MAX_HISTORY, dtype=np.uint8)
        seats = np.empty((ROUNDS_A_CHUNK, 4), dtype=np.int32)
        flags = np.zeros((ROUNDS_A_CHUNK, MAX_TURNS), dtype=np.uint8)
        games, n, length = play_games(
            fixtures[begun:],
            substitutes[begun:],
            max_rounds,
            players,
            table[0],
            view[0],
            plays,
            rows,
            history,
            seats,
            flags,
        )
        if games < 0:
            who = agents[table["agent"][0][table["position"]["seat"][0]]].name
            raise AssertionError(f"{who} chose an illegal move in game {table['game'][0]}, key {table['key'][0]}")
        if games == 0:
            raise AssertionError(f"game {fixtures['game'][begun]} does not end within {ROUNDS_A_CHUNK} rounds")
        begun += games
        yield PlayedRounds(Rounds(rows[:n], history[:length]), seats[:n], flags[:n])
