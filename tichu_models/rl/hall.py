"""The kernels of a rollout: tables move from one open decision of a network to the next, and every one is recorded.

Forced answers and those of rules of thumb are given on the way. A record holds what the network reads (packed), what
the critic reads, the options, which of them was chosen and how likely it was. Tables, questions and answers are those
of the arena.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.algorithms.answers import pick
from tichu_models.arena.table import ROUND_OVER, Table, advance, answer, begin_fixture, look, next_round
from tichu_models.chance import draw, draw_unit
from tichu_models.kernels import inner, kernel
from tichu_models.observation.choices import PICK, PICKS, choices, give, place_of
from tichu_models.observation.encode import encode
from tichu_models.observation.fields import Row
from tichu_models.observation.turns import recall
from tichu_models.observation.view import View
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.rules.asking import BOMB_THROW, KINDS, PLAY, SCHUPF, giving
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.legal import MAX_PLAYS, Plays
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.open_hands import OPEN_GOAL, add_goal, encode_open

NUM_KINDS = len(KINDS)
OPEN_WIDTH = OPEN_GOAL.width

# fmt: off
# Who sits at the tables: the kinds of decisions that networks answer (bit k: kind k); rules of thumb answer the others.
PLAYER = np.dtype([
    ("kinds", np.int64),
    ("blunder", np.float64),        # of the rules of thumb
    ("greedy", np.int64),           # 1: plays the likeliest answer, 0: draws
    ("seed", np.int64),             # of these draws
    ("recorded", np.int64),         # 1: what the critic reads is recorded as well
], align=True)

DECISION = np.dtype([
    ("first", np.int64),            # of its options among all
    ("round", np.int32),            # place of its round among those of the rollout
    ("table", np.int32),
    ("options", np.int32),          # how many there are
    ("chosen", np.int32),           # which of them
    ("log", np.float32),            # logarithm of its probability
    ("order", np.int16),            # of the decisions of its round
    ("turn", np.int16),             # plays and passes before it
    ("seat", np.int8),
    ("kind", np.int8),
    ("player", np.int8),
    ("pick", np.int8),              # of schupfen, else 0
    ("fork", np.int8),              # 1: another answer than the one that was drawn is given: the round leaves its twin
], align=True)

# A decision at which a round leaves its twin: the nth of this kind that the seat makes. Kind -1: none.
FORK = np.dtype([("kind", np.int8), ("seat", np.int8), ("nth", np.int16)], align=True)

# How a round ended.
ENDED = np.dtype([
    ("score", np.int16, 2),
    ("call", np.int8, 4),
    ("winner", np.int8),
    ("double", np.int8),
    ("turns", np.int16),
    ("fork", np.int16),             # order of the decision at which it left its twin, or one of the numbers below
    ("worth", np.float32, 2),       # of the round to each team, in points / 100: what it has won, unless it has a goal
], align=True)

NO_TWIN, NOT_REACHED = -2, -1  # a round that was not to leave another; one that was, but never came to the fork

# What a rollout counts: decisions, options, rounds that have begun.
COUNTS = np.dtype([("decisions", np.int64), ("options", np.int64), ("begun", np.int64), ("illegal", np.int64)])
# A table's round, the cards given so far of a schupf that is under way, and how often the question of its fork was put.
SEATED = np.dtype(
    [("round", np.int64), ("decisions", np.int64), ("picks", np.int64), ("given", np.int64), ("asked", np.int64)]
)
# fmt: on
Counts: TypeAlias = Any  # a record of COUNTS


@inner
def _to_open_decision(table: Table, players: np.ndarray, view: View, plays: Plays, counts: Counts) -> int:
    """Moves a table to the next decision that a network has to make, with a view of it, and returns the number of
    options, which are in `plays`; 0 at the end of the round."""
    while True:
        kind = advance(table, plays)
        if kind == ROUND_OVER:
            return 0
        look(table, view)
        player = players[table.agent[table.position.seat]]
        if player.kinds >> kind & 1:
            n = choices(view, kind, plays)
            if n > 1:
                return n
            choice = cards_of(plays.move[0])
        else:
            choice = choose_by_rule(view, player.blunder, plays)
        counts.illegal |= answer(table, choice, plays)


@inner
def _end(table: Table, ended: Any) -> None:
    """Notes how a round ended."""
    state = table.position.state
    for team in range(2):
        ended.score[team] = state.score[team]
        ended.worth[team] = (state.score[team] - state.score[1 - team]) / np.float32(VALUE_UNIT)
    for seat in range(4):
        ended.call[seat] = state.call[seat]
    ended.winner, ended.double, ended.turns = state.winner, state.double, state.turns


@kernel
def proceed(
    who: np.ndarray,
    tables: np.ndarray,
    seated: np.ndarray,
    fixtures: np.ndarray,
    forks: np.ndarray,
    ended: np.ndarray,
    players: np.ndarray,
    plans: np.ndarray,
    decisions: np.ndarray,
    seen: np.ndarray,
    opened: np.ndarray,
    all_options: np.ndarray,
    queue: np.ndarray,
    waiting: np.ndarray,
    counts: Counts,
    plays: Plays,
    view: View,
    row: Row,
) -> int:
    """Moves tables to their next open decision, which is recorded and joins the queue of its player and kind. Returns
    how many of the tables have moved: all, or as many as there was room for. A table whose round is over begins the
    next fixture; without one it is left alone."""
    for i in range(len(who)):
        if counts.decisions == len(decisions) or counts.options + MAX_PLAYS > len(all_options):
            return i
        at = seated[who[i]]
        table = tables[who[i]]
        if at.picks:
            look(table, view)
            for pick in range(at.picks):
                give(view, pick, at.given >> (8 * pick) & 255)
            n = choices(view, SCHUPF, plays)
        else:
            n = 0 if at.round < 0 else _to_open_decision(table, players, view, plays, counts)
        while n == 0:
            if at.round >= 0:
                _end(table, ended[at.round])
            at.round = -1
            if counts.begun == len(fixtures):
                break
            at.round, at.decisions, at.asked = counts.begun, 0, 0
            ended[at.round].fork = NO_TWIN if forks[at.round].kind < 0 else NOT_REACHED
            begin_fixture(table, fixtures[counts.begun])
            next_round(table)
            counts.begun += 1
            n = _to_open_decision(table, players, view, plays, counts)
        if n == 0:
            continue
        place, seat, kind = counts.decisions, np.int64(view.seat), np.int64(view.kind)
        player = table.agent[seat]
        made = decisions[place]
        made.first, made.options, made.round, made.table = counts.options, n, at.round, who[i]
        made.order, made.turn = at.decisions, view.turns
        made.seat, made.kind, made.player, made.pick = seat, kind, player, at.picks
        made.fork = 0
        fork = forks[at.round]
        if kind == fork.kind and seat == fork.seat:
            at.asked += made.pick == 0
            if at.asked == fork.nth:
                made.fork = 1
                if made.pick == 0:
                    ended[at.round].fork = at.decisions
        for k in range(n):
            all_options[counts.options + k] = plays.move[k]
        group = player * NUM_KINDS + kind
        plan = plans[group]
        if plan.history:
            recall(table.log, table.log.length, plan.history, view)
        encode(view, 0, plan, row)
        for word in range(plan.width):
            seen[place, word] = row.word[word]
        if players[player].recorded:
            encode_open(table.position.state, seat, kind, row)
            add_goal(view.goal, row)
            for word in range(OPEN_WIDTH):
                opened[place, word] = row.word[word]
        queue[group, waiting[group]] = place
        waiting[group] += 1
        counts.decisions += 1
        counts.options += n
        at.decisions += 1
    return len(who)


@kernel
def gather(rows: np.ndarray, source: np.ndarray, width: int, target: np.ndarray) -> None:
    """Copies the first words of these rows."""
    for i in range(len(rows)):
        for word in range(width):
            target[i, word] = source[rows[i], word]


@kernel
def options_of(
    rows: np.ndarray, decisions: np.ndarray, all_options: np.ndarray, found: np.ndarray, counts: np.ndarray
) -> int:
    """The options of these decisions end to end, and how many each has. Returns how many there are; writes none if
    there is too little room."""
    n = 0
    for i in range(len(rows)):
        counts[i] = decisions[rows[i]].options
        n += counts[i]
    if n > len(found):
        return n
    at = 0
    for i in range(len(rows)):
        first = decisions[rows[i]].first
        for k in range(counts[i]):
            found[at + k] = all_options[first + k]
        at += counts[i]
    return n


@kernel
def places_of(
    rows: np.ndarray, decisions: np.ndarray, found: np.ndarray, counts: np.ndarray, places: np.ndarray
) -> None:
    """The place of every option among the outputs of its decision net."""
    at = 0
    for i in range(len(rows)):
        kind, pick = np.int64(decisions[rows[i]].kind), np.int64(decisions[rows[i]].pick)
        for k in range(at, at + counts[i]):
            places[k] = place_of(kind, pick, found[k])
        at += counts[i]


@kernel
def choose(
    rows: np.ndarray,
    decisions: np.ndarray,
    scores: np.ndarray,
    tables: np.ndarray,
    players: np.ndarray,
    logs: np.ndarray,
) -> None:
    """Chooses an option for each of these decisions: the best, or one drawn from the softmax of the scores. `logs` are
    the logarithms of all probabilities."""
    at = 0
    for i in range(len(rows)):
        made = decisions[rows[i]]
        table, player = tables[made.table], players[made.player]
        end = at + made.options
        unit = draw_unit(draw(draw(table.key, table.decisions), PICK + made.pick), player.seed)
        best = pick(scores, at, end, 0.0 if player.greedy else 1.0, unit)
        if made.fork and made.options == 2:
            best = 2 * at + 1 - best
        elif made.fork:
            unit = draw_unit(draw(draw(table.key, table.decisions), PICK + PICKS + made.pick), player.seed)
            best = pick(scores, at, end, 1.0, unit)
        made.chosen = best - at
        made.log = logs[best]
        at = end


@kernel
def carry_out(
    rows: np.ndarray,
    decisions: np.ndarray,
    all_options: np.ndarray,
    tables: np.ndarray,
    seated: np.ndarray,
    plays: Plays,
    counts: Counts,
    who: np.ndarray,
) -> None:
    """Carries out the chosen options at their tables, which are written into `who`."""
    for i in range(len(rows)):
        made = decisions[rows[i]]
        table, at = tables[made.table], seated[made.table]
        who[i] = made.table
        option = all_options[made.first + made.chosen]
        if made.kind == SCHUPF:
            at.given |= giving(option, np.int64(made.pick))
            at.picks += 1
            if at.picks < PICKS:
                continue
            option = at.given
            at.picks = at.given = 0
        elif made.kind == PLAY or made.kind == BOMB_THROW:
            option = cards_of(option)
        counts.illegal |= answer(table, option, plays)
