"""How much is played, and which deals, where nobody says otherwise: by commands, stages and everybody else."""

from __future__ import annotations

DEALS = 500  # of each pairing, each played twice with the seats swapped
SEED = 1
