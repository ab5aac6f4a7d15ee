"""What can be set of the players that the registry makes, each option documented beside its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tichu_models.networks.interface import DecisionRule
from tichu_models.options import OptionError, Options, option


@dataclass(frozen=True, kw_only=True)
class RandomOptions(Options):
    """RandomAgent has none."""


@dataclass(frozen=True, kw_only=True)
class HeuristicOptions(Options):
    """HeuristicAgent."""

    blunder: float = option(0.0, "share of plays that are a random legal one", least=0, most=1)


@dataclass(frozen=True, kw_only=True)
class NNetOptions(Options):
    """Every player with a network."""

    temperature: float = option(
        0.0, "0 plays the best move; else by chance, by the softmax of score / temperature", least=0
    )
    top_k: int = option(0, "by chance among so many best moves only; 0 for all", least=0)
    seed: int = option(0, "of the chance", least=0, most=2**31)
    decisions: bool = option(True, "other decisions than plays by the networks beside the run, where there are any")
    announce: float | None = option(
        None, "announces where the chance to go out first is at least this; by default where a person would", least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_k and not self.temperature:
            raise OptionError(f"top_k = {self.top_k}: without a temperature the best move is played")


@dataclass(frozen=True, kw_only=True)
class PolicyOptions(NNetOptions):
    """Players whose network gives a number a card."""

    rule: DecisionRule = option("sum", "how numbers of cards become the score of a move: see networks.decision_rule")


@dataclass(frozen=True, kw_only=True)
class GoalOptions(PolicyOptions):
    """Players who are told what they are to win."""

    margin: float = option(0.0, "points that are wanted beyond the expected ones", least=-400, most=400)
    value: str | None = option(None, "run of a ValueNet that says what is expected; by default the own value head")
    goal: float | None = option(
        None, "points that the round is to be won by, whatever is to be expected", least=-400, most=400
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.goal is not None and (self.margin or self.value is not None):
            raise OptionError(f"goal = {self.goal:g}: it stands in the place of margin and value; expected one of them")


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """MCTSAgent. Its network plays as it does without options."""

    simulations: int | None = option(None, "positions judged for a play, all deals together; 512 by default", least=1)
    seconds: float | None = option(None, "or time for a play", least=0.001)
    deals: int = option(64, "deals that are supposed for a play", least=1, most=1024)
    exploration: float = option(1.5, "weight of the policy beside what was found", least=0)
    caution: float = option(0.2, "by how many hundred points untried plays are taken to be worse", least=0)
    width: int = option(8, "plays of a position that are tried, the likeliest ones", least=2, most=256)
    solve: int = option(8, "cards on all hands at which the ending is solved exactly; 0 for never", least=0, most=16)
    trust: float = option(0.0, "weight of what others have played in how likely a deal is; 0 for none", least=0, most=1)
    no_bombs: bool = option(False, "supposes that nobody else holds a bomb, while that is possible")
    leaf: Literal["rollout", "value"] = option("rollout", "what judges a position: a game by rules, or a value network")
    value: str | None = option(None, "run of a ValueNet; by default the own value head, or one beside the run")
    root: Literal["even", "puct"] = option("even", "tries all plays equally often, or what looks good")
    by: Literal["value", "visits"] = option("value", "the play that has the best mean value, or that was tried most")
    open: bool = option(False, "sees all hands: for measuring what hidden cards are worth")
    decisions: bool = option(True, "other decisions than plays by the networks beside the run, where there are any")
    seed: int = option(0, "of the chance", least=0, most=2**31)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.simulations is not None and self.seconds is not None:
            raise OptionError("simulations and seconds: expected one of them")
