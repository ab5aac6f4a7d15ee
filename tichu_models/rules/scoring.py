"""The score of a finished round, and the winner of a game."""

from __future__ import annotations

from tichu_models.kernels import inner, kernel
from tichu_models.rules.cards import points
from tichu_models.rules.state import GAME_GOAL, GRAND, NO_CALL, State

DOUBLE_VICTORY = 200
SMALL_BONUS, GRAND_BONUS = 100, 200
ROUND_POINTS = 100  # what the cards of a deal are worth together
POINT_STEP = 5
VALUE_UNIT = 100.0  # networks and search count in hundreds of points
NOT_OVER, TEAM_20, TEAM_31, DRAW = -1, 0, 1, 2


@inner
def bonus(call: int, is_first: bool) -> int:
    """Points of an announcement for its team."""
    if call == NO_CALL:
        return 0
    worth = GRAND_BONUS if call == GRAND else SMALL_BONUS
    return worth if is_first else -worth


@inner
def score_round(state: State) -> None:
    """Writes the score of a round that is over and whose last trick is collected."""
    state.score[0] = state.score[1] = 0
    if state.double:
        state.score[state.winner & 1] = DOUBLE_VICTORY
    else:
        for seat in range(4):
            team = state.winner & 1 if seat == state.loser else seat & 1
            state.score[team] += state.points[seat]
        state.score[(state.loser + 1) & 1] += points(state.hand[state.loser])
    for seat in range(4):
        state.score[seat & 1] += bonus(state.call[seat], seat == state.winner)


@kernel
def game_result(total_20: int, total_31: int) -> int:
    """The team that has won the game (0: team 20, 1: team 31), 2 for a draw, -1 while it goes on."""
    if total_20 < GAME_GOAL and total_31 < GAME_GOAL:
        return NOT_OVER
    if total_20 == total_31:
        return DRAW
    return TEAM_20 if total_20 > total_31 else TEAM_31
