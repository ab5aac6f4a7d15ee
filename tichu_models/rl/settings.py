"""The settings of self-play, each documented beside its default, and the presets. Works without torch."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from tichu_models.observation.goals import GoalTerms
from tichu_models.observation.specs import SpecError, spec
from tichu_models.options import OptionError, Options, option
from tichu_models.presets import changed
from tichu_models.rules.asking import KINDS, PLAY

PRESETS = ("smoke", "demo", "laptop", "full")
DEFAULT_PRESET = "laptop"
WITH_GOALS = "GCPolicyRLNet"
OF_GOALS = ("goal_share", "game_share", "goal_bonus", "goal_beyond")


@dataclass(frozen=True, kw_only=True)
class SelfplaySettings(Options):
    """How players learn from self-play."""

    network: Literal["CandidateRLNet", "PolicyRLNet", "GCPolicyRLNet", "DTRLNet"] = option(
        "CandidateRLNet", "the network for plays; with GCPolicyRLNet all networks read a goal"
    )
    vector: str = option("play-375", "the vector of plays that it reads")
    body: tuple[int, ...] = option((512, 512), "neurons in each hidden layer of the network for plays", least=1)
    move: tuple[int, ...] = option((128,), "neurons in each hidden layer that reads a move, of CandidateRLNet", least=1)
    width: int = option(128, "numbers in the embeddings of state and move, of CandidateRLNet", least=1)
    turns: int = option(16, "turns in a sequence, of DTRLNet", least=1, most=200)
    d_model: int = option(64, "numbers in a token, of DTRLNet", least=1)
    layers: int = option(1, "number of transformer layers, of DTRLNet", least=1, most=100)
    decision: tuple[int, ...] = option((256, 256), "neurons in each hidden layer of the other networks", least=1)
    critic: tuple[int, ...] = option((512, 512, 256), "neurons in each hidden layer of the critic", least=1)
    open_hands: bool = option(True, "whether the critic sees all hands")
    kinds: tuple[str, ...] = option(
        ("grand", "tichu", "schupf", "small", "play", "bomb", "wish", "dragon"),
        "the decisions that are learned; rules of thumb make the others",
    )

    seed: int = option(0, "seed of all random numbers of the run", least=0, most=2**31)
    iterations: int = option(1000, "iterations: rounds are played, then learned from", least=1)
    rounds: int = option(2048, "rounds of an iteration", least=1, most=1_000_000)
    against: float = option(0.0, "share of the rounds that are played against the pool", least=0, most=1)
    twins: float = option(
        0.25, "share of the rounds that are twins: the round before again, but for one announcement", least=0, most=0.5
    )
    plays_first: float = option(
        0.0, "share of the iterations in which only plays and bombs are learned, before the others", least=0, most=1
    )
    pool_every: int = option(100, "iterations after which the present player joins the pool", least=1)
    pool_most: int = option(8, "former selves in the pool; the oldest leaves", least=1, most=100)

    goal_share: float = option(
        0.5, "share of teams and rounds, but those played for a game, with a goal in points", least=0, most=1
    )
    game_share: float = option(0.4, "share of the rounds that are played to win a game", least=0, most=1)
    goal_bonus: float = option(GoalTerms.bonus, "what it is worth to reach a goal, in points", least=0, most=1000)
    goal_beyond: float = option(
        GoalTerms.beyond, "what a point beyond the goal is worth: 1 as any other, 0 nothing", least=-1, most=1
    )

    taught: float = option(
        0.9,
        "share of the iterations in which a DTRLNet learns from the run it starts from; then from its own rounds",
        least=0,
        most=1,
    )
    hindsight: float = option(
        0.25, "share of the plays it is taught that are asked for the gain they brought, in hindsight", least=0, most=1
    )
    taught_values: float = option(0.1, "weight of the error of its values, while it is taught", least=0)
    learning_rate: float = option(1e-3, "learning rate of Adam at the start", least=1e-9, most=1)
    last_learning_rate: float = option(1e-4, "and at the end; it falls geometrically", least=1e-9, most=1)
    rare_rate: float = option(
        2e-4, "learning rate of the networks for bombs, wish and Dragon at the start; they see few decisions", least=0
    )
    entropy: float = option(0.02, "weight of the entropy of plays at the start", least=1e-9)
    last_entropy: float = option(0.002, "and at the end; it falls geometrically", least=1e-9)
    decision_entropy: float = option(0.02, "weight of the entropy of other decisions at the start", least=1e-9)
    last_decision_entropy: float = option(0.002, "and at the end; it falls geometrically", least=1e-9)
    clip: float = option(0.15, "a probability counts only as far as it changed by this share", least=0, most=1)
    epochs: int = option(2, "epochs over the decisions of an iteration", least=1)
    batch: int = option(8192, "plays in a minibatch", least=1)
    decision_batch: int = option(2048, "other decisions in a minibatch", least=1)
    sure: float = option(0.98, "decisions that were made with a higher probability are sure", least=1e-6, most=1)
    sure_share: float = option(0.1, "share of the sure decisions that is learned from", least=0, most=1)
    trace: float = option(1.0, "lambda of the returns: 1 is the result of the round", least=0, most=1)
    magnet: float = option(0.0, "weight of the divergence from the magnet, an earlier self", least=0)
    magnet_every: int = option(250, "iterations after which the present player becomes the magnet", least=1)
    critic_rate: float = option(
        1e-3, "learning rate of the critic at the start; it falls as that of the others", least=0
    )
    critic_batch: int = option(8192, "decisions in a minibatch of the critic", least=1)
    critic_share: float = option(
        0.25, "share of the player's own decisions that the critic learns from", least=0, most=1
    )
    softness: float = option(0.3, "factor of the last layer's random weights at the start, of other networks", least=0)
    start_softness: float = option(
        0.15, "factor of the scores of moves at the start from an imitation, which is too sure to explore", least=1e-3
    )
    call_unit: float = option(
        0.2, "expected gain of an announcement, in points / 100, that makes its log-odds 1", least=1e-3
    )
    call_bias: float = option(-2.0, "log-odds of an announcement at the start", least=-100, most=100)
    calls_by: Literal["critic", "twins", "ppo"] = option(
        "critic",
        "what announcements are learned from: the critic's values, the results of twins, or by PPO as all else",
    )
    call_batch: int = option(512, "decisions in a minibatch of the networks for announcements", least=1)
    call_labels: int = option(
        4096, "decisions on each kind of announcement that the critic judges in an iteration", least=1
    )
    call_rate: float = option(
        1e-3, "learning rate of the networks for announcements at the start; it falls to a tenth", least=0, most=1
    )
    average: float = option(
        0.0,
        "weights of the player are a mean over about 1 / (1 - average) iterations; 0 for the present ones",
        least=0,
        most=1,
    )

    evaluate_every: int = option(50, "iterations between two evaluations", least=1)
    evaluation_deals: int = option(4096, "deals of an evaluation, each played twice", least=2, most=1_000_000)
    save_every: int = option(20, "iterations between two saved states", least=1)

    @property
    def goals(self) -> bool:
        """Whether the networks read goals."""
        return self.network == WITH_GOALS

    def plain(self) -> dict[str, Any]:
        """The settings as plain data; those of goals only where the networks read goals."""
        unread = () if self.goals else OF_GOALS
        return {name: value for name, value in super().plain().items() if name not in unread}

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind in self.kinds:
            if kind not in KINDS:
                raise OptionError(f"kinds = {kind!r}: expected some of {', '.join(KINDS)}")
        if "play" not in self.kinds:
            raise OptionError("kinds: expected play among them")
        if self.goals and self.trace < 1:
            raise OptionError(f"trace = {self.trace:g}: expected 1 with goals, by which both teams can win a round")
        try:
            if spec(self.vector).kinds != (PLAY,) or spec(self.vector).rtg or spec(self.vector).goal:
                raise OptionError(f"vector = {self.vector!r}: expected a vector of plays without a goal, as play-375")
        except SpecError as error:
            raise OptionError(f"vector: {error}") from None


def settings_of(preset: str, changes: Iterable[str] = ()) -> SelfplaySettings:
    """The settings of a preset, changed by each `key=value`."""
    if preset not in PRESETS:
        raise OptionError(f"preset '{preset}': expected one of {', '.join(PRESETS)}")
    text = (resources.files("tichu_models.rl") / "presets.toml").read_text(encoding="utf-8")
    return changed(SelfplaySettings, tomllib.loads(text)[preset], changes, f"preset {preset}")
