"""Duels of players of self-play on duplicate deals, by rollouts: what `tichu tournament` plays, at twice its speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tichu_models.arena.table import FIRST_DECISIONS, FIXTURE, fixtures_of
from tichu_models.rl.hall import ENDED
from tichu_models.rl.tasks import PlayerOfTask, RunTasks, play_task, tasks_of


@dataclass(frozen=True)
class Duel:
    """Results of two players on duplicate deals: each deal is played twice, with the teams' seats swapped."""

    margins: np.ndarray  # float64 (deals,): points a round by which the first player won
    first: np.ndarray  # ENDED (deals,): where the first player holds seats 0 and 2
    second: np.ndarray  # ENDED (deals,): where it holds seats 1 and 3

    @property
    def mean(self) -> float:
        """Points a round by which the first player is better."""
        return float(self.margins.mean())

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval of the mean."""
        return float(1.96 * self.margins.std(ddof=1) / np.sqrt(len(self.margins)))

    def row(self) -> dict[str, float]:
        """The result as a row of the journal."""
        low, high = self.mean - self.error, self.mean + self.error
        return {"points_per_round": self.mean, "low": low, "high": high, "deals": len(self.margins), **self.calls()}

    def calls(self) -> dict[str, float]:
        """The first player's announcements a round, and the share of them that were made."""
        sides = ((self.first, (0, 2)), (self.second, (1, 3)))
        result = {}
        for value, name in ((1, "small"), (2, "grand")):
            called = made = 0
            for ended, seats in sides:
                for seat in seats:
                    announced = ended["call"][:, seat] == value
                    called += int(announced.sum())
                    made += int((announced & (ended["winner"] == seat)).sum())
            result[f"{name}_a_round"] = called / (2 * len(self.margins))
            result[f"{name}_made"] = made / max(called, 1)
        return result


def deals_of(deals: int, seed: int, first_deal: int = 0) -> np.ndarray:
    """The fixtures of duplicate deals between the players 0 and 1: all first tables, then all second ones. They are the
    deals and the draws of `arena.tournament` with this seed."""
    first = fixtures_of(np.tile([0, 1, 0, 1], (deals, 1)), seed, first_deal)
    second = fixtures_of(np.tile([1, 0, 1, 0], (deals, 1)), seed, first_deal)
    second["first_decision"] = FIRST_DECISIONS
    return np.concatenate([first, second]).astype(FIXTURE)


def duel(
    one: PlayerOfTask, other: PlayerOfTask, deals: int, seed: int, run_tasks: RunTasks = map, first_deal: int = 0
) -> Duel:
    """Plays duplicate deals."""
    tasks = tasks_of([one, other], deals_of(deals, seed, first_deal), only_results=True)
    ended = np.concatenate([part.ended for part in run_tasks(play_task, tasks)]).astype(ENDED)
    lead = ended["score"][:, 0].astype(np.float64) - ended["score"][:, 1]
    return Duel((lead[:deals] - lead[deals:]) / 2, ended[:deals], ended[deals:])
