"""Many tables in lock-step, any four agents at each: a batch of states asks a batch of decisions.

Every round of the loop gathers the pending decision of each table, groups them by agent and kind, lets each agent
answer its group at once, and performs the answers. A game depends on its seed, its number and its players only, so the
number of tables at once changes nothing. An illegal answer is an error that names agent, table and move; nothing is
ever repaired. Built-in players alone are faster in `selfplay`, which plays the same games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tichu_models.agents.base import Agent
from tichu_models.arena.selfplay import ROUNDS_A_CHUNK
from tichu_models.arena.table import (
    ROUND_OVER,
    TABLE,
    advance,
    answer,
    begin_game,
    look,
    next_round,
    write_round,
)
from tichu_models.kernels import inner, kernel
from tichu_models.observation.blocks import recall
from tichu_models.observation.view import BOMB_THROW, KINDS, PLAY, VIEW
from tichu_models.records.history import MAX_HISTORY, store
from tichu_models.records.schema import ROUND, Rounds
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import labels
from tichu_models.rules.chance import draw
from tichu_models.rules.legal import new_buffer
from tichu_models.rules.scoring import NOT_OVER

TABLES_AT_ONCE = 1024


class IllegalAnswer(Exception):
    """An agent chose what the rules do not allow."""


@kernel
def _begin(tables, seed, first_game):
    for i in range(len(tables)):
        begin_game(tables[i], draw(seed, first_game + i), first_game + i)
        next_round(tables[i])


@kernel
def _next_decisions(tables, views, kinds, plays, past):
    """Moves every table to its next decision and fills its view, with so many turns of the past; the kind is
    ROUND_OVER where a round has ended."""
    for i in range(len(tables)):
        kinds[i] = advance(tables[i], plays)
        if kinds[i] != ROUND_OVER:
            look(tables[i], views[i])
            if past:
                recall(tables[i].log, tables[i].log.length, past, views[i])


@kernel
def _perform(tables, kinds, choices, plays):
    """Performs the answers. Returns the first table whose answer is illegal and its code, or (-1, 0)."""
    for i in range(len(tables)):
        if kinds[i] != ROUND_OVER:
            code = answer(tables[i], choices[i], plays)
            if code:
                return i, int(code)
    return -1, 0


@inner
def _write_rounds(tables, rows, history):
    """Writes the rounds of tables where one is over; returns the length of their histories."""
    length = 0
    for i in range(len(tables)):
        write_round(tables[i], rows[i])
        rows[i].history_from = length
        length = store(tables[i].log, history, length)
        rows[i].history_to = length
    return length


@kernel
def _deal_next(tables, chosen):
    for i in range(len(tables)):
        if chosen[i]:
            next_round(tables[i])


def play_games(
    agents: Sequence[Agent],
    seating: np.ndarray,
    seed: int,
    max_rounds: int = ROUNDS_A_CHUNK,
    tables_at_once: int = TABLES_AT_ONCE,
) -> Iterator[Rounds]:
    """Plays one game for each row of `seating` (indices of agents, seats 0..3) and yields their rounds in order.

    A game ends at 1000 points or after max_rounds.
    """
    seats = np.asarray(seating, dtype=np.int32)
    for begin in range(0, len(seats), tables_at_once):
        yield from _play_batch(agents, seats[begin : begin + tables_at_once], seed, begin, max_rounds)


def _play_batch(
    agents: Sequence[Agent], seats: np.ndarray, seed: int, first_game: int, max_rounds: int
) -> Iterator[Rounds]:
    tables = np.zeros(len(seats), dtype=TABLE)
    tables["agent"] = seats
    _begin(tables, np.uint64(seed), first_game)
    finished: list[Rounds] = []
    running = tables
    while len(running):
        running = _play_one_decision(agents, running, seed, finished, max_rounds)
    yield _in_order(finished)


def _play_one_decision(
    agents: Sequence[Agent], tables: np.ndarray, seed: int, finished: list[Rounds], max_rounds: int
) -> np.ndarray:
    """Asks the pending decision of each table, or deals its next round; returns the tables whose game goes on."""
    views, kinds, plays = (
        np.zeros(len(tables), dtype=VIEW),
        np.empty(len(tables), dtype=np.int64),
        new_buffer(),
    )
    _next_decisions(tables, views, kinds, plays, max(getattr(agent, "past", 0) for agent in agents))
    asked = np.take_along_axis(tables["agent"], tables["seat"][:, None].astype(np.int64), axis=1)[:, 0]
    choices = np.zeros(len(tables), dtype=np.int64)
    for agent in np.unique(asked):
        for kind in np.unique(kinds[asked == agent]):
            if kind != ROUND_OVER:
                group = np.flatnonzero((asked == agent) & (kinds == kind))
                choices[group] = _answers(agents[agent], int(kind), views[group])
    wrong, code = _perform(tables, kinds, choices, plays)
    if wrong >= 0:
        raise IllegalAnswer(_complaint(agents[asked[wrong]], tables[wrong], int(choices[wrong]), code, seed))
    over = kinds == ROUND_OVER
    if not over.any():
        return tables
    finished.append(_rounds_of(tables[over]))
    goes_on = ~over | ((tables["result"] == NOT_OVER) & (tables["round_index"] + 1 < max_rounds))
    _deal_next(tables, over & goes_on)
    return tables if goes_on.all() else tables[goes_on]


def _complaint(agent: Agent, table: np.void, choice: int, code: int, seed: int) -> str:
    is_cards = table["kind"] in (PLAY, BOMB_THROW) and choice > 0
    return (
        f"agent '{agent.name}' at seat {table['seat']} answered {KINDS[table['kind']]} with "
        f"'{' '.join(labels(choice)) if is_cards else choice}' ({RuleBreak(code).name}) in game {table['game']}, "
        f"round {table['round_index']}, turn {table['state']['turns']}, seed {seed}: expected a legal choice"
    )


def _answers(agent: Agent, kind: int, views: np.ndarray) -> np.ndarray:
    choices = np.asarray(agent.decide(kind, views))
    if choices.shape != (len(views),) or choices.dtype != np.int64:
        raise IllegalAnswer(
            f"agent '{agent.name}' answered {len(views)} questions of kind {KINDS[kind]} with an array of shape "
            f"{choices.shape} and type {choices.dtype}: expected ({len(views)},) of int64"
        )
    return choices


def _rounds_of(tables: np.ndarray) -> Rounds:
    rows, history = np.zeros(len(tables), dtype=ROUND), np.empty(len(tables) * MAX_HISTORY, dtype=np.uint8)
    return Rounds(rows, history[: _write_rounds(tables, rows, history)].copy())


def _in_order(parts: list[Rounds]) -> Rounds:
    """Rounds as the tables finished them, sorted by game and round."""
    rows, histories = np.concatenate([part.rows for part in parts]), np.concatenate([part.history for part in parts])
    lengths = rows["history_to"] - rows["history_from"]
    starts = np.cumsum(lengths) - lengths
    order = np.lexsort((rows["round_index"], rows["game_id"]))
    rows, lengths, starts = rows[order], lengths[order], starts[order]
    rows["history_to"] = np.cumsum(lengths)
    rows["history_from"] = rows["history_to"] - lengths
    places = np.repeat(starts - rows["history_from"], lengths) + np.arange(len(histories))
    return Rounds(rows, histories[places])
