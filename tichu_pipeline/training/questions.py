"""What `tichu explain` is asked: which decisions of a log. And the facts of a decision in its answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tichu_models.networks.interface import DecisionRule
from tichu_models.rules.asking import KINDS


@dataclass(frozen=True)
class Question:
    """Which decisions of a log; None for all of the round."""

    file: Path
    round_index: int
    turn: int | None = None
    seat: int | None = None
    rtg: float | None = None  # in points, for networks that read one
    rule: DecisionRule = "sum"

    def asks(self, turn: int, seat: int) -> bool:
        """Whether a decision of the round is one of them."""
        return self.turn in (None, turn) and self.seat in (None, seat)

    def nothing(self, kinds: tuple[int, ...], name: str) -> str:
        """The message that none of them is of these kinds, which the network `name` answers."""
        where = f"round {self.round_index}" + (f", turn {self.turn}" if self.turn is not None else "")
        where += f", seat {self.seat}" if self.seat is not None else ""
        named = " or ".join(KINDS[kind] for kind in kinds)
        return f"{self.file}: {where} holds no decision of kind {named}, which {name} answers"


def facts_of(
    network: str, round_index: int, turn: int, seat: int, kind: int, forced: bool, played: Any
) -> dict[str, Any]:
    """A decision and the answer that was given. The turn is None before the play."""
    return {
        "network": network,
        "round": round_index,
        "turn": None if turn < 0 else turn,
        "seat": seat,
        "kind": KINDS[kind],
        "forced": forced,
        "played": played,
    }
