"""The split of games: stable, of the promised sizes, and the same one by one and by the array."""

from __future__ import annotations

import numpy as np

from tichu_models.records.split import PLAYERS, SPLITS, is_held_out, split_of, splits


def test_the_split_stays_what_it_is():
    """A changed hash would move games from test to train, and every figure of a trained network would be a lie."""
    assert [split_of(game, ["anna"]) for game in (7, 8, 9, 10, 11, 12)] == [
        "train", "test", "test", "train", "train", "validation",
    ]  # fmt: skip
    assert [name for name in (f"player{i}" for i in range(150)) if is_held_out(name)] == ["player66"]


def test_sizes_are_as_promised():
    """80, 10 and 10 percent of the games, 2 percent of the players; a game with one of these in any round is theirs."""
    ids = np.arange(200_000) + 2_000_000
    shares = np.bincount(splits(ids, np.zeros(len(ids), dtype=bool)), minlength=4) / len(ids)
    assert np.abs(shares - [0.8, 0.1, 0.1, 0.0]).max() < 0.005
    held_out = [name for name in (f"name {i}" for i in range(20_000)) if is_held_out(name)]
    assert abs(len(held_out) / 20_000 - 0.02) < 0.003
    assert split_of(5, ["anna", held_out[0]]) == SPLITS[PLAYERS] == "players"
    assert not is_held_out("")
