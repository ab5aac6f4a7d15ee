"""The lock-step loop: many tables side by side with any agents, whose pending decisions are answered in batches.

Each step gathers the pending decision of every table, groups them by agent and kind, lets each agent answer its group
as one batch, and performs the answers. A game depends on its fixture and its agents only, so that the number of tables
changes nothing. An invalid answer is never corrected: the `referee` decides what follows. `selfplay` plays the same
games faster, for built-in players alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tichu_models.arena.extras import extras_for
from tichu_models.arena.referee import Fault, Forfeit, IllegalAnswer, Referee, illegal_choice
from tichu_models.arena.selfplay import ROUNDS_A_CHUNK
from tichu_models.arena.table import (
    FIRST_DECISIONS,
    ROUND_OVER,
    TABLE,
    advance,
    answer,
    begin_fixture,
    fixtures_of,
    look,
    next_round,
    write_round,
)
from tichu_models.kernels import inner, kernel
from tichu_models.observation.turns import recall
from tichu_models.observation.view import VIEW
from tichu_models.players.base import Agent
from tichu_models.records.history import MAX_HISTORY, store
from tichu_models.records.schema import ROUND, Rounds, joined
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.rules.legal import Plays, new_buffer
from tichu_models.rules.scoring import NOT_OVER

TABLES_AT_ONCE = 1024
NO_ANSWER = -2  # in place of the kind where an agent gave no valid answer


@kernel
def _seat(tables: np.ndarray, places: np.ndarray, fixtures: np.ndarray) -> None:
    """Begins a fixture at each of the tables at these places."""
    for i in range(len(places)):
        begin_fixture(tables[places[i]], fixtures[i])
        next_round(tables[places[i]])


@kernel
def _next_decisions(tables: np.ndarray, views: np.ndarray, kinds: np.ndarray, plays: Plays, past: int) -> None:
    """Moves every table to its next decision, and fills its kind and its view, with the `past` latest turns; the kind
    is ROUND_OVER where a round has ended."""
    for i in range(len(tables)):
        kinds[i] = advance(tables[i], plays)
        if kinds[i] != ROUND_OVER:
            look(tables[i], views[i])
            if past:
                recall(tables[i].log, tables[i].log.length, past, views[i])


@kernel
def _perform(tables: np.ndarray, kinds: np.ndarray, choices: np.ndarray, codes: np.ndarray, plays: Plays) -> None:
    """Performs the answers, except where the kind says that there is none. `codes` are 0 for legal answers; illegal
    ones change nothing."""
    for i in range(len(tables)):
        codes[i] = answer(tables[i], choices[i], plays) if kinds[i] >= 0 else 0


@inner
def _write_rounds(tables: np.ndarray, rows: np.ndarray, history: np.ndarray) -> int:
    """Writes the rounds of the tables with their histories end to end; returns the length of all histories."""
    length = 0
    for i in range(len(tables)):
        write_round(tables[i], rows[i])
        rows[i].history_from = length
        length = store(tables[i].log, history, length)
        rows[i].history_to = length
    return length


@kernel
def _deal_next(tables: np.ndarray, chosen: np.ndarray) -> None:
    """Deals the next round at the chosen tables."""
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
    fixtures = fixtures_of(np.asarray(seating, dtype=np.int32), seed)
    try:
        for begin in range(0, len(fixtures), tables_at_once):
            yield play(agents, fixtures[begin : begin + tables_at_once], max_rounds, tables_at_once)
    except IllegalAnswer as error:
        raise IllegalAnswer(f"{error} (seed {seed})") from error


def play(
    agents: Sequence[Agent],
    fixtures: np.ndarray,
    max_rounds: int = ROUNDS_A_CHUNK,
    tables_at_once: int = TABLES_AT_ONCE,
    referee: Referee | None = None,
) -> Rounds:
    """Plays the games of an array of FIXTURE and returns their rounds, sorted. When a game ends, the next one gets its
    table."""
    hall = _Hall(agents, fixtures, max_rounds, tables_at_once, referee or Referee())
    while len(hall.tables):
        hall.step()
    return _in_order(hall.finished)


class _Hall:
    """The tables of a run, the fixtures that wait for one, and the rounds that are finished."""

    def __init__(
        self, agents: Sequence[Agent], fixtures: np.ndarray, max_rounds: int, tables_at_once: int, referee: Referee
    ) -> None:
        self.agents, self.max_rounds, self.referee = agents, max_rounds, referee
        self.past = max(agent.past for agent in agents)
        self.plays = new_buffer()
        self.finished: list[Rounds] = []
        self.waiting = fixtures
        self.tables = np.zeros(min(tables_at_once, len(fixtures)), dtype=TABLE)
        self._seat_next(np.arange(len(self.tables)))

    def step(self) -> None:
        """Answers the pending decision of each table; after a round, deals the next one or seats the next game."""
        tables, n = self.tables, len(self.tables)
        views, kinds = np.zeros(n, dtype=VIEW), np.empty(n, dtype=np.int64)
        _next_decisions(tables, views, kinds, self.plays, self.past)
        over = kinds == ROUND_OVER
        forfeited = self._answer(views, kinds)
        if not over.any() and not forfeited.any():
            return
        if over.any():
            self.finished.append(_rounds_of(tables[over]))
            self.referee.finish(self.finished[-1])
        ended = forfeited | over & ((tables["result"] != NOT_OVER) | (tables["round_index"] + 1 >= self.max_rounds))
        _deal_next(tables, over & ~ended)
        self._seat_next(np.flatnonzero(ended))

    def _answer(self, views: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        """Lets the agents answer, performs the answers, and returns which tables' games are forfeited."""
        tables, n = self.tables, len(self.tables)
        asked = np.take_along_axis(tables["agent"], tables["position"]["seat"][:, None].astype(np.int64), axis=1)[:, 0]
        choices, codes = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        faults: dict[int, Fault] = {}
        for agent in np.unique(asked):
            for kind in np.unique(kinds[asked == agent]):
                if kind != ROUND_OVER:
                    group = np.flatnonzero((asked == agent) & (kinds == kind))
                    who = self.agents[agent]
                    extras = extras_for(who, tables[group]) if kind == PLAY else {}
                    choices[group], wrong = self.referee.ask(who, int(kind), views[group], extras)
                    faults |= {int(group[place]): fault for place, fault in wrong.items()}
        kinds[list(faults)] = NO_ANSWER
        _perform(tables, kinds, choices, codes, self.plays)
        for place in np.flatnonzero(codes).tolist():
            faults[place] = illegal_choice(int(kinds[place]), int(choices[place]), int(codes[place]))
        for place in sorted(faults):
            forfeit = _forfeit(tables[place], self.agents[asked[place]].name, faults[place])
            self.referee.note(forfeit, _rounds_of(tables[place : place + 1]))
        forfeited = np.zeros(n, dtype=bool)
        forfeited[list(faults)] = True
        return forfeited

    def _seat_next(self, free: np.ndarray) -> None:
        """Seats waiting games at the free tables, and removes tables for which no game is left."""
        taken, left = free[: len(self.waiting)], free[len(self.waiting) :]
        _seat(self.tables, taken, self.waiting[: len(taken)])
        self.waiting = self.waiting[len(taken) :]
        if len(left):
            self.tables = np.delete(self.tables, left)


def _forfeit(table: np.void, agent: str, fault: Fault) -> Forfeit:
    """The forfeit of a table's game, at its pending decision."""
    position = table["position"]
    turn, decision = int(position["state"]["turns"]), int(table["decisions"]) & FIRST_DECISIONS - 1
    place = (int(table["game"]), int(table["round_index"]), turn, decision, int(position["seat"]))
    return Forfeit(*place, agent, KINDS[position["kind"]], fault.reason, fault.text, fault.details)


def _rounds_of(tables: np.ndarray) -> Rounds:
    """The rounds of the tables, as far as they were played."""
    rows, history = np.zeros(len(tables), dtype=ROUND), np.empty(len(tables) * MAX_HISTORY, dtype=np.uint8)
    return Rounds(rows, history[: _write_rounds(tables, rows, history)].copy())


def _in_order(parts: list[Rounds]) -> Rounds:
    """Rounds, in the order in which tables finished them, sorted by game and round."""
    rounds = joined(parts)
    rows = rounds.rows[np.lexsort((rounds.rows["round_index"], rounds.rows["game_id"]))]
    lengths, starts = rows["history_to"] - rows["history_from"], rows["history_from"].copy()
    rows["history_to"] = np.cumsum(lengths)
    rows["history_from"] = rows["history_to"] - lengths
    places = np.repeat(starts - rows["history_from"], lengths) + np.arange(len(rounds.history))
    return Rounds(rows, rounds.history[places])
