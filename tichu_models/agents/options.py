"""The options of every agent, each documented beside its default. `registry` reads them from an agent's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tichu_models.networks.interface import DecisionRule
from tichu_models.options import OptionError, Options, option


@dataclass(frozen=True, kw_only=True)
class RandomOptions(Options):
    """RandomAgent has no options."""


@dataclass(frozen=True, kw_only=True)
class HeuristicOptions(Options):
    """Options of HeuristicAgent."""

    blunder: float = option(0.0, "share of plays that are a random legal one", least=0, most=1)


@dataclass(frozen=True, kw_only=True)
class NNetOptions(Options):
    """Options of every player with a network. Players that imitate draw plays only, others all their answers."""

    temperature: float = option(
        0.0, "0 gives the best answer; otherwise one is drawn from the softmax of score / temperature", least=0
    )
    top_k: int = option(0, "draws among this many best answers only; 0 draws among all", least=0)
    seed: int = option(0, "seed of these draws", least=0, most=2**31)
    decisions: bool = option(
        True, "lets networks answer all decisions other than plays; if false, rules of thumb answer them"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_k and not self.temperature:
            raise OptionError(f"top_k = {self.top_k}: without a temperature the best answer is given")


@dataclass(frozen=True, kw_only=True)
class ImitatorOptions(NNetOptions):
    """Options of every player whose networks imitate people."""

    announce: float | None = option(
        None,
        "announces if the chance to go out first is at least this, 0 to 1; by default, if a person would",
        least=0,
    )


@dataclass(frozen=True, kw_only=True)
class PolicyOptions(ImitatorOptions):
    """Options of players whose network has one output for each card."""

    rule: DecisionRule = option("sum", "decision rule: how the outputs for cards become the score of a move")


@dataclass(frozen=True, kw_only=True)
class GoalOptions(PolicyOptions):
    """Options of goal-conditioned players: the goal is what the network is asked to win."""

    margin: float = option(0.0, "points a round that are asked for beyond the expected ones", least=-400, most=400)
    value: str | None = option(
        None, "run of a ValueNet that predicts the expected points; by default the network's own value head"
    )
    goal: float | None = option(
        None,
        "points by which the round is to be won, whatever is expected; replaces margin and value",
        least=-400,
        most=400,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.goal is not None and (self.margin or self.value is not None):
            raise OptionError(f"goal = {self.goal:g}: it replaces margin and value; expected only one of them")


@dataclass(frozen=True, kw_only=True)
class GoalOfGameOptions(NNetOptions):
    """Options of goal-conditioned players that learned from self-play."""

    goal: float | None = option(
        None, "points by which the round is to be won; by default it is played to win the game", least=-400, most=400
    )
    score: bool = option(True, "plays to win the game, as its score demands; if false, for points alone")


@dataclass(frozen=True, kw_only=True)
class GainOptions(NNetOptions):
    """Options of players that learned from self-play which answers bring more than is expected."""

    margin: float | None = option(
        None,
        "points that a play is asked to gain beyond the expected ones; by default nothing is asked for",
        least=-400,
        most=400,
    )
    goal: float | None = option(
        None, "points by which the round is to be won, whatever is expected; replaces margin", least=-400, most=400
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.goal is not None and self.margin is not None:
            raise OptionError(f"goal = {self.goal:g}: it replaces margin; expected only one of them")


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """Options of MCTSAgent. The network that leads the search plays as it does without options."""

    simulations: int | None = option(None, "simulations for a play, over all deals together; 512 by default", least=1)
    seconds: float | None = option(
        None, "seconds for a play, instead of simulations; such games cannot be repeated exactly", least=0.001
    )
    deals: int = option(64, "deals that are drawn for a play", least=1, most=1024)
    exploration: float = option(1.5, "weight of the policy's priors in PUCT, beside the values found so far", least=0)
    caution: float = option(
        0.2, "first-play urgency: how much worse untried plays are assumed to be, in points / 100", least=0
    )
    width: int = option(8, "how many plays of a position are tried, the likeliest ones", least=2, most=256)
    solve: int = option(
        8,
        "the ending is solved exactly when all hands together hold at most this many cards; 0 for never",
        least=0,
        most=16,
    )
    trust: float = option(
        0.0, "how much the plays of the others count in the weight of a deal, 0 to 1", least=0, most=1
    )
    no_bombs: bool = option(False, "assumes that nobody else holds a bomb, as long as that is possible")
    leaf: Literal["rollout", "value"] = option(
        "rollout", "what evaluates a leaf of the tree: a rollout by rules of thumb, or a value network"
    )
    value: str | None = option(
        None, "run of the ValueNet for leaf=value; by default the network's own value head, or a run beside it"
    )
    root: Literal["even", "puct"] = option(
        "even", "even tries all plays at the root equally often, puct tries promising plays more often"
    )
    by: Literal["value", "visits"] = option(
        "value", "chooses the play with the best mean value, or the most visited one"
    )
    open: bool = option(False, "sees all hands, to measure what hidden cards are worth")
    decisions: bool = option(
        True, "lets networks answer all decisions other than plays; if false, rules of thumb answer them"
    )
    seed: int = option(0, "seed of the deals that are drawn", least=0, most=2**31)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.simulations is not None and self.seconds is not None:
            raise OptionError("simulations and seconds: expected one of them")


@dataclass(frozen=True, kw_only=True)
class LedSearchOptions(Options):
    """Options of MCTSRLAgent. The player that leads the search plays as it does without options."""

    deals: int | None = option(
        None, "deals that are drawn for a play at most; 128 by default, with seconds 4096", least=2, most=4096
    )
    simulations: int | None = option(
        None, "playouts for a play at most, over all deals and answers together, instead of deals", least=4
    )
    seconds: float | None = option(
        None, "seconds for a play at most, instead of deals; such games cannot be repeated exactly", least=0.001
    )
    early: bool = option(True, "draws no more deals for a play once they would hardly change the choice")
    width: int = option(5, "how many plays are tried, the likeliest ones", least=2, most=256)
    least: float = option(0.01, "a play that the policy finds less likely is not tried", least=0, most=1)
    certainty: float = option(
        2.0, "by how many standard errors a play must be better than the policy's own to replace it", least=0
    )
    leaf: Literal["end", "critic"] = option(
        "end", "plays deals on to the end, or for some plies, which the run's critic values"
    )
    plies: int = option(8, "open decisions before the critic is asked", least=0, most=200)
    solve: int = option(
        0, "an ending is solved exactly when all hands hold at most this many cards; 0 for never", least=0, most=16
    )
    trust: float = option(
        0.0, "how much the plays of the others count in the weight of a deal, 0 to 1", least=0, most=1
    )
    open: bool = option(False, "sees all hands, to measure what hidden cards are worth")
    seed: int = option(0, "seed of the deals that are drawn", least=0, most=2**31)

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(each is not None for each in (self.deals, self.simulations, self.seconds)) > 1:
            raise OptionError("deals, simulations and seconds: expected one of them")
