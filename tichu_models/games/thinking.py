"""Agents of games that look a little ahead: by rules of thumb, and by expectimax where dice decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tichu_models.algorithms.chance_search import FRAME, MOST_DEPTH, MOST_FRAMES
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.chance import Key
from tichu_models.game import MOST_SEATS, Game, State
from tichu_models.options import OptionError, Options, expected, option

# The agents, and the kernel that a game needs for each.
KERNEL_OF = {"rules": "choose_by_worth", "expectimax": "search_expectimax"}
DEFAULT_DEPTH = 2


@dataclass(frozen=True, kw_only=True)
class ExpectimaxOptions(Options):
    """Options of expectimax."""

    depth: int = option(DEFAULT_DEPTH, "actions to look ahead", least=1, most=MOST_DEPTH)
    evaluation: str | None = option(None, "how positions are judged, td:RUN by a network; by default the game's first")


class RulesAgent:
    """Takes the action after which it stands best by the game's rules of thumb."""

    def __init__(self, game: Game) -> None:
        self.name, self._kernel = "rules", game.algorithms["choose_by_worth"]
        self._states = np.zeros(2, dtype=game.state).view(np.recarray)
        self._actions = np.zeros(game.most_actions, dtype=np.int16)

    def choose(self, state: State, key: Key) -> int:
        """Looks an action ahead."""
        self._states[0] = state
        return int(self._kernel(self._states, self._actions))


class ExpectimaxAgent:
    """Takes the action that is best on the average of all throws, if everybody does so."""

    def __init__(self, game: Game, name: str, depth: int, evaluation: int | TDNetwork) -> None:
        self.name, self._depth = name, depth
        self._kind: Any
        if isinstance(evaluation, TDNetwork):
            self._kernel, self._kind = evaluation.expectimax_kernel, evaluation.as_evaluation
        else:
            self._kernel, self._kind = game.algorithms["search_expectimax"], evaluation
        self._states = np.zeros(MOST_FRAMES, dtype=game.state).view(np.recarray)
        self._actions = np.zeros((MOST_FRAMES, game.most_actions), dtype=np.int16)
        self._frames = np.zeros(MOST_FRAMES, dtype=FRAME).view(np.recarray)
        self._values = np.zeros(MOST_SEATS, dtype=np.int64)

    def choose(self, state: State, key: Key) -> int:
        """Searches as deep as was asked for."""
        return self.search(state)[0]

    def search(self, state: State) -> tuple[int, list[int]]:
        """The best action, and its values for the seats."""
        self._states[0] = state
        found = self._kernel(self._states, self._actions, self._frames, self._values, self._depth, self._kind)
        return int(found), self._frames[0].values.tolist()


def thinking_agent(
    game: Game, text: str, given: dict[str, object], network_of: Callable[[str], TDNetwork | None]
) -> RulesAgent | ExpectimaxAgent:
    """The agent that a text names, with its options; OptionError says what is wrong with them. `network_of` gives the
    network of a run by a text, if it is one that judges positions."""
    name = text.partition(":")[0]
    if KERNEL_OF[name] not in game.algorithms:
        raise OptionError(f"it does not play {game.name}")
    if name == "rules":
        if given:
            raise OptionError(f"{', '.join(given)}: it has no such option")
        return RulesAgent(game)
    options = ExpectimaxOptions(**ExpectimaxOptions.fitted(given))
    kind = options.evaluation or game.evaluations[0]
    if ":" in kind:
        network = network_of(kind)
        if network is None or network.expectimax_kernel is None:
            raise OptionError(f"evaluation={kind}: it cannot search with it; expected td:RUN")
        return ExpectimaxAgent(game, text, options.depth, network)
    if kind not in game.evaluations:
        raise OptionError(f"evaluation: {expected(kind, list(game.evaluations))}")
    return ExpectimaxAgent(game, text, options.depth, game.evaluations.index(kind))
