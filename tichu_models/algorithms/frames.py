"""What a tree search keeps: one frame for each ply of the branch that it is on, and how far it has come.

A search needs no recursion, so it can stop anywhere and go on later: that is how a budget of time is kept, because
kernels have no clock.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.game import MOST_SEATS, ONE

MOST_PLIES = 64
LOWEST = -(MOST_SEATS + 1) * ONE  # below every value

FRAME = np.dtype(
    [
        ("best", np.int64, MOST_SEATS),  # values of the best action so far, or only the first one of them
        ("alpha", np.int64, MOST_SEATS),  # what each seat has for sure on this branch, or alpha and beta
        ("count", np.int64),  # how many actions there are
        ("next", np.int64),  # the one to be tried next
        ("mover", np.int64),  # who chooses among them
        ("chosen", np.int64),  # the best one, or -1
        ("key", np.uint64),  # of the position and its depth, in the table
        ("pruned", np.int8),  # 1: some of its actions were not tried
    ],
    align=True,
)
# What a search remembers of a position that it may come to again in another order of moves.
ENTRY = np.dtype([("key", np.uint64), ("values", np.int64, MOST_SEATS)])
PROGRESS = np.dtype(
    [
        ("ply", np.int64),  # the search is here
        ("leaves", np.int64),  # positions evaluated
        ("cut", np.int64),  # those of them where the game could go on
        ("salt", np.uint64),  # of the keys of this search: what others have left in the table counts for nothing
    ],
    align=True,
)

Frame: TypeAlias = Any
Progress: TypeAlias = Any
