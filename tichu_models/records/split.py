"""The split of a game: train, validation, test, or the games of held-out players.

It depends on the game's id and its players' names only, so that a new month moves no old game, and all stages that fit
something leave out the same games.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from tichu_models.chance import GOLDEN, MIX_1, MIX_2, S27, S30, S31

TRAIN, VALIDATION, TEST, PLAYERS = range(4)
SPLITS = ("train", "validation", "test", "players")
PERCENT_TRAIN, PERCENT_VALIDATION = 80, 10  # the rest is for the test
ONE_PLAYER_IN = 50  # one of so many players is held out


def is_held_out(name: str) -> bool:
    """Whether no game of this player is used for training. A player without a name is never held out."""
    return name != "" and int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) % ONE_PLAYER_IN == 0


def splits(game_ids: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """The split of each game; `held_out`: whether a held-out player took part in any of its rounds."""
    with np.errstate(over="ignore"):
        z = (game_ids.astype(np.uint64) + np.uint64(1)) * GOLDEN
        z = (z ^ (z >> S30)) * MIX_1
        z = (z ^ (z >> S27)) * MIX_2
    percent = ((z ^ (z >> S31)) % np.uint64(100)).astype(np.int64)
    split = (percent >= PERCENT_TRAIN).astype(np.int8) + (percent >= PERCENT_TRAIN + PERCENT_VALIDATION)
    return np.where(held_out, PLAYERS, split).astype(np.int8)


def split_of(game_id: int, names: Iterable[str]) -> str:
    """The name of one game's split; `names` are the players of all its rounds."""
    held_out = any(is_held_out(name) for name in names)
    return SPLITS[splits(np.array([game_id]), np.array([held_out]))[0]]
