"""Playouts: supposed deals played on to the end by one player at all four seats, many of them side by side.

A seat sees what it would see at the table, never the other hands; the player is asked in large batches. `branch` makes
the positions to play on: each supposed deal once for each answer that is tried, so that answers are compared on the
same deals. Questions of all kinds may be tried, and are asked on the way; small Tichus only if `calls` says so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import kernel
from tichu_models.observation.view import VIEW, see
from tichu_models.players.base import Agent
from tichu_models.rules.asking import (
    ALL_KINDS,
    ASK_PLAY,
    BOMB_THROW,
    KINDS,
    PLAY,
    POSITION,
    ROUND_OVER,
    next_question,
    perform,
)
from tichu_models.rules.combinations import classify, on_trick
from tichu_models.rules.legal import PLAYS, Plays
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.endgame import SOLVING, UNSOLVED, WORST, Solving, solve
from tichu_models.search.position import QUESTIONS, cards_left, choices, lead_of_team_20

SOLVER_LIMIT = 20_000  # positions

# Values of positions for the team of the seat that is asked, in points / 100.
Judge = Callable[[np.ndarray], np.ndarray]


def on_turn(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Positions in which these seats are asked for a play."""
    positions = np.zeros(len(states), dtype=POSITION)
    positions["state"], positions["seat"] = states, seats
    positions["kind"], positions["phase"] = PLAY, ASK_PLAY
    return positions


@kernel
def branch(asked: np.ndarray, answers: np.ndarray, counts: np.ndarray, deals: int, positions: np.ndarray) -> None:
    """Positions after each answer that is tried, in each supposed deal: by answer, then by deal.

    `asked` has the question in the `deals` deals of every decision, `answers` those that are tried end to end (packed
    plays, where it is about cards), `counts` of each decision."""
    at = first = 0
    for i in range(len(counts)):
        for k in range(first, first + counts[i]):
            for d in range(i * deals, (i + 1) * deals):
                positions[at] = asked[d]
                perform(positions[at], answers[k])
                at += 1
        first += counts[i]


@kernel
def to_choices(
    positions: np.ndarray,
    who: np.ndarray,
    keys: np.ndarray,
    ply: int,
    kinds: int,
    most_solved: int,
    values: np.ndarray,
    views: np.ndarray,
    plays: Plays,
    solving: Solving,
) -> int:
    """Moves these positions to their next question with several answers, and returns how many came to one: they are
    the first in `who`, their views in `views`. The others have their value for team 20, by the score of the round or by
    the endgame solver, which is called where at most `most_solved` cards are left. Small Tichus and bombs are asked for
    as `kinds` says."""
    n = 0
    for i in range(len(who)):
        position = positions[who[i]]
        while True:
            if cards_left(position.state) <= most_solved:
                points = solve(position, -WORST, WORST, SOLVER_LIMIT, solving)
                if points != UNSOLVED:
                    values[who[i]] = points / VALUE_UNIT
                    break
            kind = next_question(position, kinds, plays)
            if kind == ROUND_OVER:
                values[who[i]] = lead_of_team_20(position.state) / VALUE_UNIT
                break
            if kind < PLAY or choices(position, plays) > 1:
                see(position.state, position.seat, kind, draw(keys[who[i]], ply), views[n])
                who[n] = who[i]
                n += 1
                break
            perform(position, plays.move[0])
    return n


@kernel
def give_answers(positions: np.ndarray, who: np.ndarray, answers: np.ndarray) -> None:
    """Carries out an answer to the pending question of each of these positions."""
    for i in range(len(who)):
        position = positions[who[i]]
        if position.kind == PLAY or position.kind == BOMB_THROW:
            perform(position, on_trick(classify(answers[i]), position.state.trick))
        else:
            perform(position, answers[i])


class Playouts:
    """Plays positions on by a player. With a judge, only for some answers: then the judge values them. With `calls`,
    the player is asked for small Tichus; otherwise nobody announces any."""

    def __init__(
        self, player: Agent, judge: Judge | None = None, plies: int = 0, most_solved: int = 0, calls: bool = False
    ) -> None:
        self.player, self.judge, self.plies, self.most_solved = player, judge, plies, most_solved
        self.kinds = ALL_KINDS if calls else QUESTIONS
        self._plays, self._solving = np.zeros(1, dtype=PLAYS)[0], np.zeros(1, dtype=SOLVING)[0]

    def play(self, positions: np.ndarray, keys: np.ndarray | None = None) -> np.ndarray:
        """What positions were worth for team 20, in points / 100. They are overwritten. `keys` (uint64) are those of
        the player's draws in each of them, if it draws; by default all differ."""
        assert positions.dtype == POSITION
        values = np.zeros(len(positions))
        who, views = np.arange(len(positions)), np.zeros(len(positions), dtype=VIEW)
        keys = who.astype(np.uint64) if keys is None else keys
        ply = 0
        while True:
            asking = (who, keys, ply, self.kinds, self.most_solved)
            n = to_choices(positions, *asking, values, views, self._plays, self._solving)
            who, asked = who[:n], views[:n]
            if n == 0:
                return values
            if self.judge is not None and ply == self.plies:
                values[who] = self.judge(positions[who]) * (1 - 2 * (positions["seat"][who] & 1))
                return values
            give_answers(positions, who, self.answers(asked))
            ply += 1

    def answers(self, views: np.ndarray) -> np.ndarray:
        """The player's answers to questions of all kinds."""
        answers = np.empty(len(views), dtype=np.int64)
        for kind in range(len(KINDS)):
            rows = np.flatnonzero(views["kind"] == kind)
            if len(rows):
                answers[rows] = self.player.decide(kind, views[rows])
        return answers
