"""Many games of two sides, an action each at a time: what a search that plays all of them together asks.

Templates of kernels: `tichu_models.game.bound` makes them for a game. What is seen is `features`, as the next mover
sees it, or what the game puts in its place: a network that imagines what an action does has to see apart what actions
tell apart. Actions may have other numbers for networks, by `seen_as`; those of one number do the same.

Where chance acts between two actions, the position before it is seen as well, and what chance has done then is known by
a number. Who moves next has to be known before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.game import (
    CHANCE,
    MOST_SEATS,
    OVER,
    Kernels,
    State,
    begin,
    bound,
    chance,
    features,
    legal,
    mover,
    returns,
    step,
)


class LockstepKernels(NamedTuple):
    """The kernels for a game, and what the networks read: by the options, how many inputs there are, and how many
    outcomes chance has, 0 without chance; and how many inputs can be 1 at once."""

    inputs_of: Callable[[np.ndarray], int]
    outcomes_of: Callable[[np.ndarray], int]
    most_active: int
    look_at_games: Any
    mean_by_numbers: Any
    guide_games: Any
    open_games: Any
    step_games: Any


def seen_as(state: State, action: int) -> int:
    """The number of an action as its mover sees the position, below `Game.actions`."""
    raise NotImplementedError


def guide(states: np.ndarray, actions: np.ndarray) -> int:
    """What rules of thumb do in states[0], as by `greedy.choose_by_worth`."""
    raise NotImplementedError


def outcome_of(state: State) -> int:
    """The number of what chance has done just now, below `outcomes_of`."""
    raise NotImplementedError


def let_chance_act(state: State) -> None:
    """Until somebody has to act, or the game is over."""
    while mover(state) == CHANCE:
        chance(state)


def see(state: State, active: np.ndarray, seen: np.ndarray) -> None:
    """Writes what the next mover sees as 0 and 1. In a game by other options than the network is made for, inputs that
    it does not have are left out."""
    seen[:] = 0
    for i in range(features(state, active)):
        if active[i] < len(seen):
            seen[active[i]] = 1


def look(state: State, actions: np.ndarray, active: np.ndarray, seen: np.ndarray, mask: np.ndarray) -> None:
    """Writes what the mover sees, and which numbers of actions are legal."""
    see(state, active, seen)
    mask[:] = False
    for i in range(legal(state, actions)):
        mask[seen_as(state, actions[i])] = True


def meant_by(state: State, number: int, actions: np.ndarray) -> int:
    """The first legal action that is seen as this number."""
    for i in range(legal(state, actions)):
        if seen_as(state, actions[i]) == number:
            return actions[i]
    return actions[0]


def look_at_games(
    states: np.ndarray, actions: np.ndarray, active: np.ndarray, seen: np.ndarray, masks: np.ndarray
) -> None:
    """`look` of each game. `actions` and `active` (int16) have room for those of one state."""
    for i in range(len(states)):
        look(states[i], actions, active, seen[i], masks[i])


def mean_by_numbers(states: np.ndarray, numbers: np.ndarray, actions: np.ndarray, chosen: np.ndarray) -> None:
    """The action of each game that a number means."""
    for i in range(len(states)):
        chosen[i] = meant_by(states[i], numbers[i], actions)


def guide_games(states: np.ndarray, room: np.ndarray, actions: np.ndarray, numbers: np.ndarray) -> None:
    """The number of what rules of thumb do in each game. `room` has two states."""
    for i in range(len(states)):
        room[0] = states[i]
        numbers[i] = seen_as(states[i], guide(room, actions))


def open_game(state: State, options: np.ndarray, key: np.uint64, opening: int, actions: np.ndarray) -> None:
    """Begins a game, with up to so many random actions, as the key says."""
    begin(state, options, key)
    let_chance_act(state)
    own = np.uint64(draw(key, 0))
    for made in range(draw_below(own, 0, opening + 1)):
        n = legal(state, actions)
        step(state, actions[draw_below(own, 1 + made, n)])
        let_chance_act(state)
        if mover(state) == OVER:
            begin(state, options, key)
            let_chance_act(state)


def open_games(
    states: np.ndarray,
    options: np.ndarray,
    keys: np.ndarray,
    opening: int,
    side_of: np.ndarray,
    actions: np.ndarray,
    active: np.ndarray,
    seen: np.ndarray,
    masks: np.ndarray,
    sides: np.ndarray,
) -> None:
    """Begins a game for each key, and looks at it. `side_of` has the side of each seat; `sides` gets who moves."""
    for i in range(len(states)):
        open_game(states[i], options, keys[i], opening, actions)
        look(states[i], actions, active, seen[i], masks[i])
        sides[i] = side_of[mover(states[i])]


def step_games(
    states: np.ndarray,
    options: np.ndarray,
    keys: np.ndarray,
    opening: int,
    side_of: np.ndarray,
    numbers: np.ndarray,
    actions: np.ndarray,
    active: np.ndarray,
    vector: np.ndarray,
    seen: np.ndarray,
    masks: np.ndarray,
    sides: np.ndarray,
    rewards: np.ndarray,
    relations: np.ndarray,
    afters: np.ndarray,
    outcomes: np.ndarray,
) -> None:
    """Makes in each game the action that a number means. Where chance acts then, `afters` gets what is seen before it
    does, and `outcomes` what it has done. The relation is 1 if the same side moves again, -1 if the other one does, 0
    if the game is over: then the reward says whether the mover's side has won (1), lost (-1) or neither, and a new game
    begins, with a key that follows from its own."""
    for i in range(len(states)):
        state = states[i]
        step(state, meant_by(state, numbers[i], actions))
        if mover(state) == CHANCE:
            see(state, active, afters[i])
            let_chance_act(state)
            outcomes[i] = outcome_of(state)
        rewards[i] = 0
        if mover(state) == OVER:
            returns(state, vector)
            won = 0.0
            for seat in range(MOST_SEATS):
                won += vector[seat] if side_of[seat] == sides[i] else -vector[seat]
            rewards[i] = 1 if won > 0 else -1 if won < 0 else 0
            relations[i] = outcomes[i] = 0
            afters[i][:] = 0
            keys[i] = draw(keys[i], 1)
            open_game(state, options, keys[i], opening, actions)
        else:
            relations[i] = 1 if side_of[mover(state)] == sides[i] else -1
        look(state, actions, active, seen[i], masks[i])
        sides[i] = side_of[mover(state)]


def lockstep_of(
    module: str,
    kernels: Kernels,
    inner: Any,
    kernel: Any,
    *,
    guide: Any,
    features: Any,
    seen_as: Any,
    outcome_of: Any,
    **told: Any,
) -> LockstepKernels:
    """Binds all kernels above to a game. `module` is the game's module that keeps them, `inner` and `kernel` are the
    decorators, and `told` the fields that are not kernels."""

    def of(template: Any, kind: Any, **others: Any) -> Any:
        return bound(template, module, kind, kernels, **others)

    acting = of(let_chance_act, inner)
    seeing = of(see, inner, features=features)
    looking, meant = of(look, inner, see=seeing, seen_as=seen_as), of(meant_by, inner, seen_as=seen_as)
    opened = of(open_game, inner, let_chance_act=acting)
    of_step = {"let_chance_act": acting, "meant_by": meant, "open_game": opened, "outcome_of": outcome_of}
    return LockstepKernels(
        look_at_games=of(look_at_games, kernel, look=looking),
        mean_by_numbers=of(mean_by_numbers, kernel, meant_by=meant),
        guide_games=of(guide_games, kernel, guide=guide, seen_as=seen_as),
        open_games=of(open_games, kernel, open_game=opened, look=looking),
        step_games=of(step_games, kernel, see=seeing, look=looking, **of_step),
        **told,
    )
