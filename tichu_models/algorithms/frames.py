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
    ],
    align=True,
)
PROGRESS = np.dtype(
    [
        ("ply", np.int64),  # the search is here
        ("leaves", np.int64),  # positions evaluated
        ("cut", np.int64),  # those of them where the game could go on
    ],
    align=True,
)

Frame: TypeAlias = Any
Progress: TypeAlias = Any
