"""Searches of one against all others, with alpha-beta pruning: Paranoid, and Best-Reply Search.

A template of a kernel: `tichu_models.game.bound` makes one for each game.

Paranoid (Sturtevant and Korf 2000): all others play against the seat at the root, whose value is its share less theirs.
Best-Reply Search (Schadd and Winands 2011): between two turns of the root only one of the others acts, the one with the
strongest reply; the rest miss their turns. So it sees more of the root's own turns at the same depth, in positions of
which some cannot occur.
"""

from __future__ import annotations

import numpy as np

from tichu_models.algorithms.frames import LOWEST, Progress
from tichu_models.game import MOST_SEATS, OVER, State, evaluate, give_turn, legal, mover, step, takes_part

PARANOID, BEST_REPLY = range(2)
ALPHA, BETA = 0, 1  # in a frame


def list_actions(state: State, root: int, replies: bool, actions: np.ndarray, movers: np.ndarray) -> int:
    """Writes the actions of the mover, or, among replies, those of all who take part but the root; and whose they
    are."""
    if not replies:
        n = legal(state, actions)
        movers[:n] = mover(state)
        return n
    first, n = mover(state), 0
    for offset in range(MOST_SEATS):
        seat = (first + offset) % MOST_SEATS
        if seat != root and takes_part(state, seat):
            give_turn(state, seat)
            added = legal(state, actions[n:])
            movers[n : n + added] = seat
            n += added
    return n


def search_paranoid(
    states: np.ndarray,
    actions: np.ndarray,
    movers: np.ndarray,
    frames: np.ndarray,
    values: np.ndarray,
    progress: Progress,
    depth: int,
    kind: int,
    rule: int,
    budget: int,
) -> bool:
    """Searches from states[0], `depth` plies deep, until it is done or has evaluated `budget` more positions; whether
    it is done. A new search begins with `progress.ply` -1, an interrupted one goes on. The action and the root's value
    are in frames[0]. `kind` is that of the evaluation. `list_actions` is the game's."""
    root = mover(states[0])
    ply = progress.ply
    if ply < 0:
        ply = 0
        frame = frames[0]
        frame.mover, frame.next, frame.chosen = root, 0, -1
        frame.alpha[ALPHA], frame.alpha[BETA], frame.best[0] = LOWEST, -LOWEST, LOWEST
        frame.count = list_actions(states[0], root, False, actions[0], movers[0])
    stop = progress.leaves + budget
    while True:
        frame = frames[ply]
        if frame.next == frame.count:
            if ply == 0:
                progress.ply = 0
                return True
            value = frame.best[0]
            ply -= 1
            frame = frames[ply]
        else:
            if progress.leaves >= stop:
                progress.ply = ply
                return False
            states[ply + 1] = states[ply]
            child = states[ply + 1]
            if rule == BEST_REPLY:
                give_turn(child, movers[ply, frame.next])
            step(child, actions[ply, frame.next])
            frame.next += 1
            who = mover(child)
            goes_on = who != OVER and takes_part(child, root)
            if goes_on and ply + 1 < depth:
                replies = rule == BEST_REPLY and frame.mover == root
                if rule == BEST_REPLY and frame.mover != root:
                    give_turn(child, root)
                    who = root
                ply += 1
                below = frames[ply]
                below.mover, below.next, below.chosen = -1 if replies else who, 0, -1
                below.count = list_actions(child, root, replies, actions[ply], movers[ply])
                below.alpha[ALPHA], below.alpha[BETA] = frame.alpha[ALPHA], frame.alpha[BETA]
                below.best[0] = LOWEST if who == root and not replies else -LOWEST
                continue
            progress.leaves += 1
            progress.cut += goes_on
            evaluate(child, kind, values)
            value = values[root]
            for seat in range(MOST_SEATS):
                if seat != root:
                    value -= values[seat]
        # An action of this frame has this value for the root.
        if frame.mover == root:
            if value > frame.best[0]:
                frame.best[0], frame.chosen = value, actions[ply, frame.next - 1]
                frame.alpha[ALPHA] = max(frame.alpha[ALPHA], value)
        elif value < frame.best[0]:
            frame.best[0], frame.chosen = value, actions[ply, frame.next - 1]
            frame.alpha[BETA] = min(frame.alpha[BETA], value)
        if frame.alpha[ALPHA] >= frame.alpha[BETA]:
            frame.next = frame.count
