"""Who plays games: by chance, by a search, or by a network that has learned.

An agent is named by a text: a name, a colon, options as key=value.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from tichu_models.algorithms.searcher import RULES, Budget, Searcher
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.chance import Key, draw_below
from tichu_models.game import Game, State
from tichu_models.games.champions import AGENTS as CHAMPIONS
from tichu_models.games.champions import CHAMPION, folder_of, has_champion
from tichu_models.games.learning import methods
from tichu_models.games.thinking import KERNEL_OF, thinking_agent
from tichu_models.options import OptionError, Options, expected, option
from tichu_models.runs.files import CheckpointError

NAMES = ("random", "greedy", *RULES, *KERNEL_OF, *methods.NAMES, CHAMPION)
DEFAULT_SECONDS = 1.0


class GameAgent(Protocol):
    """Anything that plays a game."""

    name: str

    def choose(self, state: State, key: Key) -> int:
        """The action of the seat that moves. The key is of this decision; who needs no chance ignores it."""


@runtime_checkable
class SideBySide(Protocol):
    """An agent that plays many games for one at once."""

    def scores(self, options: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of a game for each key, and how many actions it had, as by `choose`."""


class Advice(NamedTuple):
    """What an agent thinks of an action."""

    value: float  # the higher, the better
    text: str  # in the agent's own terms


@runtime_checkable
class Adviser(Protocol):
    """An agent that can say what it thinks of actions."""

    def advice(self, state: State) -> dict[int, Advice]:
        """What it thinks of each action that it has considered."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """Options of every agent that searches. Without depth, seconds and positions it has one second."""

    depth: int | None = option(None, "plies to look ahead", least=1, most=60)
    seconds: float | None = option(None, "time for a decision", least=0.001, most=3600)
    positions: int | None = option(None, "positions to evaluate for a decision", least=1, most=10**12)
    evaluation: str | None = option(
        None, "how positions at the end of a search are judged; by default the game's first"
    )
    table: bool = option(
        False, "whether maxn and maxnis remember positions: the same actions, sooner where few pawns are left"
    )


class RandomAgent:
    """Takes a random legal action."""

    def __init__(self, game: Game) -> None:
        self.name, self._game = "random", game

    def choose(self, state: State, key: Key) -> int:
        """All legal actions are equally likely."""
        legal = self._game.legal(state)
        return legal[int(draw_below(key, 0, len(legal)))]


class SearchingAgent:
    """Takes the action that a search finds."""

    def __init__(
        self, game: Game, name: str, rule: str, evaluation: int | TDNetwork, budget: Budget, remembers: bool = False
    ) -> None:
        self.name, self.budget = name, budget
        self.searcher = Searcher(game, rule, evaluation, remembers)

    def choose(self, state: State, key: Key) -> int:
        """The best action that the budget allows to find."""
        return self.searcher.choose(state, self.budget).action


class LearnedAgent:
    """Takes the action after which a network thinks that it stands best. With `is_blind` it does not look at what an
    option of the game has opened."""

    def __init__(self, name: str, network: TDNetwork, is_blind: bool = False) -> None:
        self.name, self.network, self.is_blind = name, network, is_blind

    def choose(self, state: State, key: Key) -> int:
        """Looks at all afterstates."""
        if self.is_blind:
            game = self.network.game
            state = game.closed_to(int(game.kernels.mover(state)), state)
        return self.network.choose(state)


class UnknownAgent(Exception):
    """No agent of a game is called so, or it has no such option."""


def agent_of(game: Game, text: str, runs: Path | None = None, by: np.ndarray | None = None) -> GameAgent:
    """The agent of a game that a text names. `runs` is the folder of what games have learned; `by` are the options by
    which it is to play."""
    name, _, rest = text.strip().partition(":")
    try:
        if name not in NAMES:
            raise OptionError(f"unknown name '{name}'; {expected(name, list(NAMES))}")
        if name == CHAMPION:
            return _champion(game, rest, by)
        if name in KERNEL_OF:
            return thinking_agent(game, text.strip(), _read(rest), lambda run: _network(game, run, runs, by))
        if name in methods.NAMES:
            return _learned(game, name, rest, runs, by)
        if name != "random" and "search_maxn" not in game.algorithms:
            raise OptionError(f"it does not play {game.name}; random does")
        given = _read(rest)
        if name in ("random", "greedy") and given.keys() - ({"evaluation"} if name == "greedy" else set()):
            raise OptionError(f"{', '.join(given)}: it has no such option")
        if name == "random":
            return RandomAgent(game)
        options = SearchOptions(**SearchOptions.fitted(given))
        kind = _evaluation(game, name, options.evaluation, runs, by)
        if name == "greedy":
            return SearchingAgent(game, text.strip(), "maxn", kind, Budget(depth=1))
        return SearchingAgent(game, text.strip(), name, kind, _budget(options), options.table)
    except (OptionError, CheckpointError) as error:
        raise UnknownAgent(f"agent '{text}': {error}") from None


def _champion(game: Game, rest: str, by: np.ndarray | None) -> GameAgent:
    """The strongest player that ships for a game, whatever runs there are."""
    if not has_champion(game.name):
        raise OptionError(f"none ships for {game.name}")
    if rest:
        raise OptionError(f"{rest}: it has no options; it is {CHAMPIONS[game.name]}")
    agent = agent_of(game, CHAMPIONS[game.name], by=by)
    agent.name = CHAMPION
    return agent


def _learned(game: Game, method: str, rest: str, runs: Path | None, by: np.ndarray | None) -> GameAgent:
    """The player of a run: its name, then options of the method."""
    from tichu_models.games.learning.run import player_of

    run, *others = [part.strip() for part in rest.split(",")]
    folder = folder_of(runs, game.name, run)
    if not run:
        raise OptionError(f"expected a run, as {method}:RUN")
    if folder is None:
        raise OptionError(f"no data folder was named in which the run {run} could be")
    if method not in methods.methods_of(game.name):
        raise OptionError(f"no network learns {game.name} by {method}; {methods.offer(game.name)}")
    pairs = [other.partition("=") for other in others if other]
    if wrong := [key for key, equals, _ in pairs if not equals]:
        raise OptionError(f"'{wrong[0]}': expected key=value")
    options = {key.strip(): value.strip() for key, _, value in pairs}
    return player_of(game, method, folder, f"{method}:{rest.strip()}", options, by)


def _evaluation(game: Game, rule: str, text: str | None, runs: Path | None, by: np.ndarray | None) -> int | TDNetwork:
    """How an agent judges positions: by one of the game's evaluations, or by the network of a run, `td:RUN`."""
    if text is None:
        return 0
    if ":" not in text:
        if text not in game.evaluations:
            raise OptionError(f"evaluation: {expected(text, [*game.evaluations, 'td:RUN'])}")
        return game.evaluations.index(text)
    network = _network(game, text, runs, by)
    if network is None or RULES.get(rule, ("search_maxn",))[0] != "search_maxn":
        raise OptionError(f"evaluation={text}: {rule} cannot search with it; maxn, maxnis and hypermax can with td:RUN")
    return network


def _network(game: Game, text: str, runs: Path | None, by: np.ndarray | None) -> TDNetwork | None:
    """The network of a run that judges positions, or None if the text names no such run."""
    method, _, run = text.partition(":")
    player = _learned(game, method, run, runs, by) if method in methods.NAMES else None
    return player.network if isinstance(player, LearnedAgent) else None


def _budget(options: SearchOptions) -> Budget:
    has_budget = any(each is not None for each in (options.depth, options.seconds, options.positions))
    limits: dict[str, Any] = {} if options.depth is None else {"depth": options.depth}
    return Budget(**limits, seconds=options.seconds if has_budget else DEFAULT_SECONDS, positions=options.positions)


# How the values of options are read; all others are whole numbers.
_VALUES: dict[str, Any] = {"evaluation": str, "seconds": float, "table": {"true": True, "false": False}.__getitem__}


def _read(text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise OptionError(f"'{part}': expected key=value")
        try:
            given[key] = _VALUES.get(key, int)(value)
        except (KeyError, ValueError):
            right = "true or false" if key == "table" else "a number"
            raise OptionError(f"{key} = {value}: expected {right}") from None
    return given
