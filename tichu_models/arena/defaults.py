"""The default number of deals of a tournament and its default seed, for commands and stages alike."""

from __future__ import annotations

DEALS = 500  # of each pairing; every deal is played twice, with the teams' seats swapped
SEED = 1
