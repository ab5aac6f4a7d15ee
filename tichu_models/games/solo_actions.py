"""How many actions the environments of games for one player have, as their masks have them."""

from __future__ import annotations

ACTIONS = {"clever": 247, "clever-prototype": 16}
