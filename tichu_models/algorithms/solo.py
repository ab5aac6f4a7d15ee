"""Many games for one player, a step each at a time: what reinforcement learning asks of an environment.

Templates of kernels: `tichu_models.game.bound` makes them for a game that has two functions more. `points` are those of
a state so far, `refuse` is what an action does that is not legal.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw
from tichu_models.game import CHANCE, OVER, State, begin, chance, legal, mover, observe, step


def points(state: State) -> int:
    """The points of the only player so far; 0 at the beginning, the score at the end."""
    raise NotImplementedError


def refuse(state: State) -> None:
    """What an illegal action does."""
    raise NotImplementedError


def let_chance_act(state: State) -> None:
    """Until the player has to act, or the game is over."""
    while mover(state) == CHANCE:
        chance(state)


def look(state: State, actions: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> None:
    """Writes what the player sees, and which actions are legal. If the only legal one has no place in the mask, all of
    them are 1, as they do the same; in a finished game none is."""
    observe(state, 0, observation)
    mask[:] = 0
    if mover(state) == OVER:
        return
    n, within = legal(state, actions), False
    for i in range(n):
        if actions[i] < len(mask):
            mask[actions[i]] = 1
            within = True
    if not within:
        mask[:] = 1


def begin_all(
    states: np.ndarray,
    options: np.ndarray,
    keys: np.ndarray,
    actions: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
) -> None:
    """Begins a game for each key. `actions` (int16) has room for those of one state."""
    for i in range(len(states)):
        begin(states[i], options, keys[i])
        let_chance_act(states[i])
        look(states[i], actions, observations[i], masks[i])


def step_all(
    states: np.ndarray,
    options: np.ndarray,
    keys: np.ndarray,
    actions: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    chosen: np.ndarray,
    penalty: float,
    again: bool,
    rewards: np.ndarray,
    ended: np.ndarray,
    invalid: np.ndarray,
) -> None:
    """Makes an action in each game: its reward is the points that it has brought, less the penalty if another one was
    legal. `invalid` counts the actions that were not. With `again` a game that has ended begins anew, with a key that
    follows from its own; observations and masks are of the new one then."""
    for i in range(len(states)):
        state = states[i]
        before, n, found = points(state), legal(state, actions), False
        for k in range(n):
            found = found or actions[k] == chosen[i]
        reward = 0.0
        if found:
            step(state, chosen[i])
        else:
            invalid[i] += 1
            if n > 1 or actions[0] < masks.shape[1]:
                reward -= penalty
            refuse(state)
        let_chance_act(state)
        rewards[i] = reward + points(state) - before
        ended[i] = mover(state) == OVER
        if ended[i] and again:
            keys[i] = draw(keys[i], 0)
            begin(state, options, keys[i])
            let_chance_act(state)
        look(state, actions, observations[i], masks[i])
