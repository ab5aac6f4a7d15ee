"""What a game promises to algorithms that know no game: a record as its state, and a few kernels that work on it.

The functions below stand for the kernels of a game, and say what each has to do. An algorithm imports and calls them;
`bound` makes kernels of it in which the game's own take their places, so that every game compiles by itself. Which
games there are is `tichu_models.games.registry`.

A state is one NumPy record and holds all there is: copying it forks the game. Chance comes by keyed counters that lie
in the state (`tichu_models.chance`), so that the same key gives the same game, whoever looks at it in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tichu_models.options import OptionError

State: TypeAlias = Any  # a record of the game's state

OVER, CHANCE = -1, -2  # in place of a seat, from `mover`
MOST_SEATS = 4
ONE = 1 << 40  # the whole of which `evaluate` gives shares


def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Starts a game. The options, int64, are what `Game.read_options` makes of words; a game without chance ignores the
    key."""
    raise NotImplementedError


def mover(state: State) -> int:
    """The seat that acts next, or OVER, or CHANCE."""
    raise NotImplementedError


def legal(state: State, out: np.ndarray) -> int:
    """Writes the codes of the mover's legal actions (int16), each once, and returns how many: at least one while the
    game lasts. Their order is fixed by the rules of the game."""
    raise NotImplementedError


def count(state: State) -> int:
    """How many actions `legal` would write."""
    raise NotImplementedError


def step(state: State, action: int) -> None:
    """Makes an action, which has to be legal."""
    raise NotImplementedError


def chance(state: State) -> None:
    """Lets chance act, when `mover` says so."""
    raise NotImplementedError


def returns(state: State, vector: np.ndarray) -> None:
    """Writes what each seat has won (float64): zeros until the game is over."""
    raise NotImplementedError


def observe(state: State, seat: int, out: np.ndarray) -> None:
    """Writes what a seat sees (float32, between 0 and 1), and nothing that is hidden from it."""
    raise NotImplementedError


def features(state: State, out: np.ndarray) -> int:
    """Writes the inputs of a network that are 1 (int16), and returns how many; all others are 0. As the next mover sees
    it: where seats have a symmetry, positions that it makes equal have the same inputs."""
    raise NotImplementedError


def evaluate(state: State, kind: int, values: np.ndarray) -> None:
    """Writes how each seat stands (int64): shares that add up to ONE or a little less, those of a finished game to its
    result. Whole numbers, so that equal positions are equal in whatever order an algorithm comes to them."""
    raise NotImplementedError


def takes_part(state: State, seat: int) -> bool:
    """Whether a seat is still in the game; `evaluate` gives nothing to one that is not, and it never comes back."""
    raise NotImplementedError


def position_key(state: State) -> np.uint64:
    """A number that any two positions have in common only if every game goes on from them alike."""
    raise NotImplementedError


def give_turn(state: State, seat: int) -> None:
    """Makes a seat that takes part the next one to act, for algorithms that let others miss their turns."""
    raise NotImplementedError


class Kernels(NamedTuple):
    """A game's kernels: what the functions of the same names say."""

    begin: Any
    mover: Any
    legal: Any
    count: Any
    step: Any
    chance: Any
    returns: Any
    observe: Any
    features: Any
    evaluate: Any
    takes_part: Any
    give_turn: Any


class IllegalAction(Exception):
    """An action that the rules do not allow now, or words that name none."""


@dataclass(frozen=True)
class Notation:
    """How a game's states and actions are written and drawn. Words that make no sense raise IllegalAction."""

    read_state: Callable[[Any], State]  # from JSON
    write_state: Callable[[State], Any]
    read_action: Callable[[State, Any], int]
    write_action: Callable[[State, int], Any]
    say_action: Callable[[State, int], str]  # for a person; `hear_action` reads it
    hear_action: Callable[[State, str], int]
    why_not: Callable[[State, int], str]  # why an action is illegal
    text: Callable[[State], str]
    svg: Callable[[State], str]


@dataclass(frozen=True)
class Game:
    """A game as programs see it, whatever it is."""

    name: str
    rules: str  # as a text, with all that deviates from the published ones
    state: np.dtype
    seats: str  # a letter for each seat that there can be
    actions: int  # their codes are below this
    most_actions: int  # that can be legal at once
    observation: int  # how many numbers `observe` writes
    inputs: int  # what `features` writes is below this
    most_active: int  # inputs that can be 1 at once
    bound: int  # random games are over before so many actions; a match breaks off one that is not
    total: float | None  # what the returns of a finished game add up to; None: each seat has a score of its own
    evaluations: tuple[str, ...]  # the kinds of `evaluate`
    kernels: Kernels
    algorithms: Mapping[str, Any]  # the algorithms' kernels, bound to this game
    complexity: Callable[[Game, int, int], dict[str, object]]  # (game, random games, seed): how large the game is
    read_options: Callable[[Mapping[str, str]], np.ndarray]  # ValueError says which word is wrong
    seats_of: Callable[[np.ndarray], tuple[int, ...]]  # who plays, by the options, in the order of turns
    notation: Notation
    # By the options, who wins together; None: everybody alone. Where there are sides, `returns` share what they win.
    sides_of: Callable[[np.ndarray], tuple[tuple[int, ...], ...]] | None = None
    hide: Callable[[State, int], None] | None = None  # takes from a state what a seat does not know
    open: Callable[[np.ndarray], np.ndarray] | None = None  # the options with all that is hidden opened
    close: Callable[[State], None] | None = None  # hides what `open` opens
    is_secret: Callable[[State, int], bool] | None = None  # whether only who makes an action sees which one it is
    # Why who has learned by the first of two options cannot play by the second, an empty text if it can; None: it can.
    unlike: Callable[[np.ndarray, np.ndarray], str] | None = None

    def new(self, options: np.ndarray, key: int = 0) -> State:
        """A game at its beginning."""
        state = self.blank()
        self.kernels.begin(state, options, np.uint64(key))
        return state

    def blank(self) -> State:
        """A record of zeros."""
        return np.zeros(1, dtype=self.state).view(np.recarray)[0]

    def copy(self, state: State) -> State:
        """A fork of the game."""
        forks = np.zeros(1, dtype=self.state)
        forks[0] = state
        return forks.view(np.recarray)[0]

    def as_known_to(self, seat: int, state: State) -> State:
        """A fork of the game with nothing in it that a seat does not know."""
        fork = self.copy(state)
        if self.hide is not None:
            self.hide(fork, seat)
        return fork

    def closed_to(self, seat: int, state: State) -> State:
        """Likewise, and without what a seat sees only because an option has opened it."""
        fork = self.copy(state)
        if self.close is not None:
            self.close(fork)
        return self.as_known_to(seat, fork)

    def opened(self, options: np.ndarray) -> np.ndarray:
        """The options with all that is hidden opened; OptionError where nothing is hidden."""
        if self.open is None:
            raise OptionError(f"opened: {self.name} has no hidden cards")
        return self.open(options)

    def say_openly(self, state: State, action: int) -> str:
        """An action as everybody may hear it, before it is made."""
        is_secret = self.is_secret is not None and self.is_secret(state, action)
        return "an action that nobody else sees" if is_secret else self.notation.say_action(state, action)

    def sides(self, options: np.ndarray) -> tuple[tuple[int, ...], ...]:
        """Who wins together, in the order of turns."""
        if self.sides_of is not None:
            return self.sides_of(options)
        return tuple((seat,) for seat in self.seats_of(options))

    def legal(self, state: State) -> list[int]:
        """The legal actions; none when the game is over."""
        if self.kernels.mover(state) < 0:
            return []
        out = np.zeros(self.most_actions, dtype=np.int16)
        return out[: self.kernels.legal(state, out)].tolist()

    def step(self, state: State, action: int) -> None:
        """Makes an action. One that is not legal raises IllegalAction and changes nothing."""
        if action not in self.legal(state):
            over = self.kernels.mover(state) == OVER
            raise IllegalAction("the game is over" if over else self.notation.why_not(state, action))
        self.kernels.step(state, action)

    def returns(self, state: State) -> np.ndarray:
        """What each seat has won."""
        vector = np.zeros(len(self.seats))
        self.kernels.returns(state, vector)
        return vector


def bound(algorithm: Any, module: str, kernel: Any, kernels: Kernels, called: str = "", **others: Any) -> Any:
    """A kernel of an algorithm for one game: its calls of the functions above, and of the `others` that are named, go
    to the game's. `module` is the game's module that keeps it, `kernel` the decorator; `called` is its name there,
    where the module binds an algorithm more than once."""
    names = {**algorithm.__globals__, **kernels._asdict(), **others}
    name = called or algorithm.__name__
    copy = FunctionType(algorithm.__code__, names, name)
    copy.__module__, copy.__qualname__ = module, name
    return kernel(copy)
