"""How closely decisions are judged. Imports nothing: stamps of reviews are read without loading a network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JudgeSettings:
    """How closely decisions are judged."""

    deals: int = 48  # of the first look
    more: int = 96  # other ones, of what may have cost something
    again: int = 480  # others again, by which a loss is measured, of what may have cost something after both looks
    width: int = 5  # answers that are tried at a decision
    least: float = 0.02  # an answer that the referee finds less likely is not tried
    solve: int = 6  # an ending is solved exactly when all hands together hold at most this many cards
    seed: int = 0

    @property
    def closer_looks(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The deals of the second look and of the judgement, and the numbers of their first deals."""
        return (self.more, self.deals), (self.again, self.deals + self.more)


DEEP = JudgeSettings(deals=256, more=256, again=1536)
