"""A player that looks one roll ahead: what the best actions of a choice lead to by several rolls, and the best action
after each of them.

The network says which actions are looked at, and what the positions after the next choice are worth. Chances are drawn
for the purpose; those that the game will have are not known to it.
"""

from __future__ import annotations

import numpy as np

from tichu_models.algorithms.afterstate_player import AfterstatePlayer, PointsNet
from tichu_models.algorithms.afterstates import candidates
from tichu_models.chance import Key, draw
from tichu_models.game import Game

GAMES_AT_ONCE = 64


class Expectimax(AfterstatePlayer):
    """An afterstate player whose totals are means over `rolls` chances, of at most `width` actions of each choice that
    are worse than the best one by at most `margin` points. The others have none: -inf. If no other one is as good, the
    total of the best stays what the network says."""

    def __init__(self, game: Game, network: PointsNet, rolls: int = 32, width: int = 4, margin: float = 8.0) -> None:
        super().__init__(game, network)
        self.rolls, self.width, self.margin = rolls, width, margin
        self.key: Key = np.uint64(0)  # of the chances; the next choice has the next one
        self._ahead = AfterstatePlayer(game, network)

    def totals(self, states: np.ndarray) -> np.ndarray:
        """The totals of all afterstates of these games."""
        plain = super().totals(states)
        game_of_row = np.repeat(np.arange(len(states)), self.counts[: len(states)])
        rows = np.zeros(len(states) * self.width, dtype=np.int64)
        rows = rows[: candidates(self.counts[: len(states)], plain, self.width, self.margin, rows)]
        games = game_of_row[rows]
        found = np.where(np.isin(game_of_row, games), np.float32(-np.inf), plain)
        self.key = np.uint64(draw(self.key, 0))
        for first in range(0, len(states), GAMES_AT_ONCE):
            here = (games >= first) & (games < first + GAMES_AT_ONCE)
            if here.any():
                found[rows[here]] = self._means(states, games[here], self.codes[rows[here]])
        return found

    def _means(self, states: np.ndarray, games: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The mean of the best totals that these actions lead to, each in its game."""
        number = len(games) * self.rolls
        ahead = np.zeros(number, dtype=self.game.state).view(np.recarray)
        best = np.zeros(number, dtype=np.float32)
        made = np.zeros(number, dtype=np.int64)
        roll_ahead = self.game.algorithms["roll_ahead"]
        roll_ahead(states, games, codes, self.rolls, self.key, self._actions, ahead, best, made)
        totals = self._ahead.totals(ahead)
        counts = self._ahead.counts[:number]
        going = np.flatnonzero(counts)
        begins = np.cumsum(counts) - counts
        if len(going):
            best[going] = np.maximum.reduceat(totals, begins[going])
        return best.reshape(-1, self.rolls).mean(axis=1)
