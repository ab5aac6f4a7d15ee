"""MaxN: every seat chooses what is best for itself. With immediate and shallow pruning, and Hypermax.

A template of a kernel: `tichu_models.game.bound` makes one for each game.

MaxN (Luckhart and Irani 1986): a position has a value for each seat; the mover takes the action with the highest value
of its own, the first of equals. Pruning (Sturtevant and Korf 2000) uses that values add up to ONE at most: nothing is
better than ONE, and when a position gives its mover at least what the parent's best leaves over, the parent will not
come here. It finds the same action and value.

Hypermax (Fridenfalk 2014) subtracts the mean, so that values add up to 0, and keeps what every seat has for sure on the
branch; it prunes when these add up to 0 or more. With more than two seats this may miss the action of MaxN.

A table remembers the values of positions that were searched to their end, so that those which several orders of moves
lead to are searched once. A position that was pruned has no value to remember; with Hypermax values depend on the
branch, and nothing is.
"""

from __future__ import annotations

import numpy as np

from tichu_models.algorithms.frames import LOWEST, Progress
from tichu_models.chance import draw
from tichu_models.game import MOST_SEATS, ONE, OVER, evaluate, legal, mover, position_key, step, takes_part

PLAIN, SHALLOW, HYPERMAX = range(3)  # how to prune


def search_maxn(
    states: np.ndarray,
    actions: np.ndarray,
    frames: np.ndarray,
    values: np.ndarray,
    table: np.ndarray,
    progress: Progress,
    depth: int,
    kind: int,
    pruning: int,
    budget: int,
) -> bool:
    """Searches from states[0], `depth` plies deep, until it is done or has evaluated `budget` more positions; whether
    it is done. A new search begins with `progress.ply` -1, an interrupted one goes on. The action and its values are in
    frames[0]. `kind` is that of the evaluation."""
    root = states[0]
    seats = 0
    for seat in range(MOST_SEATS):
        seats += takes_part(root, seat)
    ply = progress.ply
    if ply < 0:
        ply = 0
        frame = frames[0]
        frame.mover, frame.next, frame.chosen = mover(root), 0, -1
        frame.count = legal(root, actions[0])
        for seat in range(MOST_SEATS):
            frame.best[seat] = LOWEST
            frame.alpha[seat] = LOWEST if takes_part(root, seat) else 0
    stop = progress.leaves + budget
    remembers = len(table) > 0 and pruning != HYPERMAX
    last = np.uint64(len(table) - 1)
    while True:
        frame = frames[ply]
        if frame.next == frame.count:
            if ply == 0:
                progress.ply = 0
                return True
            for seat in range(MOST_SEATS):
                values[seat] = frame.best[seat]
            if remembers and frame.pruned == 0:
                entry = table[np.int64(frame.key & last)]
                entry.key = frame.key
                for seat in range(MOST_SEATS):
                    entry.values[seat] = values[seat]
            ply -= 1
            frame = frames[ply]
        else:
            if progress.leaves >= stop:
                progress.ply = ply
                return False
            states[ply + 1] = states[ply]
            child = states[ply + 1]
            step(child, actions[ply, frame.next])
            frame.next += 1
            who = mover(child)
            known = False
            if who != OVER and ply + 1 < depth:
                below = frames[ply + 1]
                if remembers:
                    below.key = draw(position_key(child) ^ progress.salt, depth - ply)
                    entry = table[np.int64(below.key & last)]
                    known = entry.key == below.key
                if not known:
                    ply += 1
                    below.mover, below.next, below.chosen, below.pruned = who, 0, -1, 0
                    below.count = legal(child, actions[ply])
                    for seat in range(MOST_SEATS):
                        below.best[seat] = LOWEST
                        below.alpha[seat] = frame.alpha[seat]
                    continue
                for seat in range(MOST_SEATS):
                    values[seat] = entry.values[seat]
            else:
                progress.leaves += 1
                progress.cut += who != OVER
                evaluate(child, kind, values)
            if pruning == HYPERMAX:
                total = 0
                for seat in range(MOST_SEATS):
                    total += values[seat]
                for seat in range(MOST_SEATS):
                    values[seat] = seats * values[seat] - total if takes_part(root, seat) else 0
        # An action of this frame has these values.
        who = frame.mover
        least = frame.alpha[who] if pruning == HYPERMAX else frame.best[who]
        if values[who] > least or frame.chosen < 0:
            frame.chosen = actions[ply, frame.next - 1]
            for seat in range(MOST_SEATS):
                frame.best[seat] = values[seat]
            if pruning == SHALLOW:
                enough = ONE
                if ply > 0 and frames[ply - 1].mover != who and frames[ply - 1].chosen >= 0:
                    enough -= frames[ply - 1].best[frames[ply - 1].mover]
                if values[who] >= enough and frame.next < frame.count:
                    frame.next, frame.pruned = frame.count, 1
            elif pruning == HYPERMAX:
                frame.alpha[who] = max(frame.alpha[who], values[who])
                total = 0
                for seat in range(MOST_SEATS):
                    total += frame.alpha[seat]
                if total >= 0:
                    frame.next = frame.count
