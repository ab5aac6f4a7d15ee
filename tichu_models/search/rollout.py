"""Rollouts: positions played to the end by the rules of thumb. Each seat sees its own cards only."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel
from tichu_models.observation.view import View, see
from tichu_models.players.heuristic import choose_by_rule
from tichu_models.rules.asking import BOMB_THROW, PLAY, ROUND_OVER, next_question, perform
from tichu_models.rules.combinations import classify, on_trick
from tichu_models.rules.legal import Plays
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.position import QUESTIONS, lead_of_team_20


@kernel
def roll_out(
    trees: np.ndarray, nodes: np.ndarray, position: np.ndarray, seen: View, plays: Plays, values: np.ndarray
) -> None:
    """Values of the leaves that `tree.select` has found: points / 100 for the team that is asked there. `position` is
    an array of one position, which is overwritten, as are `seen` and `plays`."""
    n = 0
    for t in range(len(trees)):
        if trees[t].leaf < 0:
            continue
        position[0] = nodes[t, trees[t].leaf].position
        at = position[0]
        sign = 1 - 2 * (at.seat & 1)
        while True:
            kind = next_question(at, QUESTIONS, plays)
            if kind == ROUND_OVER:
                break
            see(at.state, at.seat, kind, np.uint64(0), seen)
            choice = choose_by_rule(seen, 0.0, plays)
            perform(at, on_trick(classify(choice), at.state.trick) if kind == PLAY or kind == BOMB_THROW else choice)
        values[n] = sign * lead_of_team_20(at.state) / VALUE_UNIT
        n += 1
