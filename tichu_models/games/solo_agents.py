"""Who plays games for one player with a network that has learned: by what positions are worth, or by a policy."""

from __future__ import annotations

import numpy as np

from tichu_models.algorithms.afterstate_player import AfterstatePlayer
from tichu_models.algorithms.expectimax import Expectimax
from tichu_models.algorithms.masked_policy import MaskedPlayer, PlayedGames
from tichu_models.chance import Key
from tichu_models.game import State
from tichu_models.games.agents import Advice


class PointsAgent:
    """Takes the action after which its network expects most points."""

    def __init__(self, name: str, player: AfterstatePlayer) -> None:
        self.name, self._player = name, player

    def choose(self, state: State, key: Key) -> int:
        """Looks at all afterstates; the key is of the chances that it supposes, if it does."""
        if isinstance(self._player, Expectimax):
            self._player.key = key
        return self._player.choose(state)

    def advice(self, state: State) -> dict[int, Advice]:
        """What each action is thought to be worth: the points of the game at its end."""
        totals = self._player.totals(self._player.batch_of(state))
        codes = self._player.codes[: len(totals)].tolist()
        found = zip(codes, totals.tolist(), strict=True)
        return {code: Advice(total, f"{total:.1f}") for code, total in found if np.isfinite(total)}

    def scores(self, options: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of a game for each key, played side by side, and how many actions it had."""
        return self._player.scores(options, keys)


class PolicyAgent:
    """Takes the likeliest action of its policy."""

    def __init__(self, name: str, player: MaskedPlayer) -> None:
        self.name, self._player = name, player

    def choose(self, state: State, key: Key) -> int:
        """Needs no chance."""
        return self._player.choose(state)

    def advice(self, state: State) -> dict[int, Advice]:
        """How likely it is to take each action."""
        shares = self._player.probabilities(state)
        return {action: Advice(share, f"{100 * share:.1f}%") for action, share in shares.items()}

    def scores(self, options: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of a game for each key, played side by side, and how many actions it had."""
        played = self._player.play(options, keys)
        return played.scores, played.steps

    def play(self, options: np.ndarray, keys: np.ndarray, mask: bool = True) -> PlayedGames:
        """A game for each key; without `mask` by the likeliest of all actions, legal or not."""
        return self._player.play(options, keys, mask)
