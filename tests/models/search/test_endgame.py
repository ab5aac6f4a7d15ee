"""Endings: the questions of a search are those of the table, and the solver finds what trying everything finds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tichu_models.arena.table import TABLE, advance, answer, begin_game, look, next_round
from tichu_models.chance import draw, draw_below
from tichu_models.kernels import kernel
from tichu_models.observation.view import VIEW
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.players.random import choose_by_chance
from tichu_models.rules.asking import (
    BOMB_THROW,
    DRAGON_GIFT,
    PLAY,
    POSITION,
    ROUND_OVER,
    SMALL_CALL,
    WISH,
    next_question,
    perform,
)
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.legal import PLAYS, answers, bombs, new_buffer
from tichu_models.search.endgame import SOLVING, UNSOLVED, WORST, solve
from tichu_models.search.position import QUESTIONS, cards_left, choices

DEPTH, MOVES = 220, 8192
TRIED_MOST = 2_000_000


@kernel
def ask(table, plays):
    """Moves a table on; compiled once for all that step tables here, which takes most of the time of these tests."""
    return advance(table, plays)


@kernel
def reply(table, choice, plays):
    """Answers, likewise."""
    return answer(table, choice, plays)


@kernel
def play_until(table, game, left, by_chance, view, plays):
    """Plays rounds of a game until a seat has to play and at most so many cards are left."""
    begin_game(table, draw(np.uint64(5), game), game)
    next_round(table)
    while True:
        kind = ask(table, plays)
        if kind == ROUND_OVER:
            next_round(table)
            continue
        if kind == PLAY and cards_left(table.position.state) <= left:
            return
        look(table, view)
        reply(table, choose_by_chance(view, plays) if by_chance else choose_by_rule(view, 0.0, plays), plays)


@kernel
def try_everything(stack, moves, plays, most):
    """Minimax without cuts, on tables: the points of team 20 less those of team 31, or UNSOLVED after so many."""
    best = np.zeros(len(stack), dtype=np.int64)
    ends = np.zeros(len(stack) + 1, dtype=np.int64)
    at = np.zeros(len(stack), dtype=np.int64)
    depth, tried = 0, 0
    entering = True
    while True:
        table = stack[depth]
        value = 0
        leaving = False
        if entering:
            tried += 1
            if tried > most or depth + 2 >= len(stack):
                return UNSOLVED
            kind = ask(table, plays)
            begin = ends[depth]
            if kind == ROUND_OVER:
                value = np.int64(table.position.state.score[0]) - table.position.state.score[1]
                leaving = True
            else:
                n = 1
                plays_hand = table.position.state.hand[table.position.seat]
                if kind == PLAY:
                    n = answers(plays_hand, table.position.state.trick, table.position.state.wish, plays)
                elif kind == BOMB_THROW:
                    n = bombs(plays_hand, table.position.state.trick, plays, 0) + 1
                    plays.move[n - 1] = 0
                elif kind == DRAGON_GIFT:
                    n = 2
                    plays.move[0], plays.move[1] = 1, 3
                elif kind == WISH:
                    n = 14
                    for i in range(14):
                        plays.move[i] = 0 if i == 0 else i + 1
                else:
                    plays.move[0] = 0
                for i in range(n):
                    moves[begin + i] = cards_of(plays.move[i])
                ends[depth + 1] = begin + n
                at[depth] = begin
                best[depth] = -WORST if table.position.seat & 1 == 0 else WORST
        if not leaving:
            if at[depth] < ends[depth + 1]:
                stack[depth + 1] = table
                reply(stack[depth + 1], moves[at[depth]], plays)
                at[depth] += 1
                depth += 1
                entering = True
                continue
            value = best[depth]
        if depth == 0:
            return value
        depth -= 1
        entering = False
        if stack[depth].position.seat & 1 == 0:
            best[depth] = max(best[depth], value)
        else:
            best[depth] = min(best[depth], value)


@kernel
def first_difference(table, position, game, plays, buffer):
    """Plays a round to its end on a table and as a position, by the same chance; how many questions were the same, and
    whether all were."""
    asked = 0
    while True:
        kind = ask(table, plays)
        while kind == SMALL_CALL:
            reply(table, 0, plays)
            kind = ask(table, plays)
        other = next_question(position, QUESTIONS, buffer)
        if kind == ROUND_OVER or other < 0:
            same = kind == ROUND_OVER and other < 0
            for team in range(2):
                same = same and table.position.state.score[team] == position.state.score[team]
            return asked, same
        if kind != other or table.position.seat != position.seat:
            return asked, False
        n = choices(position, buffer)
        choice = buffer.move[draw_below(draw(np.uint64(7), game), asked, n)]
        if reply(table, cards_of(choice) if kind == PLAY or kind == BOMB_THROW else choice, plays):
            return asked, False
        perform(position, choice)
        asked += 1


class Bench:
    """Tables and scratch for endings."""

    def __init__(self) -> None:
        self.stack = np.zeros(DEPTH, dtype=TABLE)
        self.view, self.plays, self.moves = np.zeros(1, dtype=VIEW)[0], new_buffer(), np.zeros(MOVES, dtype=np.int64)
        self.position, self.scratch = np.zeros(1, dtype=POSITION), np.zeros(1, dtype=SOLVING)

    def ending(self, game: int, left: int, by_chance: bool) -> None:
        """An ending on the first table, and as a position."""
        play_until(self.stack[0], game, left, by_chance, self.view, self.plays)
        self.position[0] = self.stack["position"][0]


def check_endings(games: range, most: int) -> tuple[Counter[int], Counter[int]]:
    """How many endings were solved as by trying everything, and how many could not be tried, by cards on all hands."""
    bench, solved, skipped = Bench(), Counter[int](), Counter[int]()
    for game in games:
        bench.ending(game, 3 + game % (most - 2), by_chance=game % 2 == 0)
        cards = sum(int(hand).bit_count() for hand in bench.stack["position"]["state"]["hand"][0])
        found = solve(bench.position[0], -WORST, WORST, 1 << 40, bench.scratch[0])
        expected = try_everything(bench.stack, bench.moves, bench.plays, TRIED_MOST)
        if expected == UNSOLVED:
            skipped[cards] += 1
        else:
            assert found == expected, f"game {game}"
            solved[cards] += 1
    return solved, skipped


def test_a_search_is_asked_what_a_table_asks():
    """A search would look ahead in another game than the one that is played."""
    bench, asked = Bench(), 0
    for game in range(300):
        bench.ending(game, 56, by_chance=True)
        questions, same = first_difference(
            bench.stack[0], bench.position[0], game, new_buffer(), np.zeros(1, dtype=PLAYS)[0]
        )
        assert same, f"game {game}, question {questions}"
        asked += questions
    assert asked > 10_000


def test_the_solver_is_exact():
    """A cut too many would cost games in the very endings that are said to be solved."""
    solved, skipped = check_endings(range(100), 10)
    assert solved.total() >= 90, skipped


@pytest.mark.proof
def test_the_solver_is_exact_on_a_thousand_endings():
    """As above, on endings of up to twelve cards."""
    solved, skipped = check_endings(range(1000, 2400), 12)
    print(f"\n{solved.total()} endings solved as by trying everything, {skipped.total()} too large to try; cards:")
    print(
        ", ".join(f"{cards}: {solved[cards]} of {solved[cards] + skipped[cards]}" for cards in sorted(solved | skipped))
    )
    assert solved.total() >= 1000
    assert solved[12] > 0
