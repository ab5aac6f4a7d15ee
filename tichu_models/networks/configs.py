"""The size of every network, each number documented beside its default. Defaults are the concept's (chapter 5).

The number of features that a network reads is not set here: it follows from its spec.
"""

from __future__ import annotations

from dataclasses import dataclass

from tichu_models.options import OptionError, Options, option

NEURONS_MOST = 1 << 16


@dataclass(frozen=True, kw_only=True)
class PolicyConfig(Options):
    """PolicyNet: a stack of layers from the state to the cards."""

    hidden: tuple[int, ...] = option(
        (512, 512, 256), "neurons in each hidden layer, first to last", least=1, most=NEURONS_MOST
    )
    dropout: float = option(
        0.2, "share of neurons dropped in training, after every hidden layer but the last", least=0, most=0.9
    )
    hierarchical: bool = option(
        False, "first decides between play and pass by a softmax, then predicts the cards of a play"
    )


@dataclass(frozen=True, kw_only=True)
class GCPolicyConfig(Options):
    """GCPolicyNet: a shared body, a policy head that also reads the return to go, and a value head that does not."""

    body: tuple[int, ...] = option((1024, 1024), "neurons in each layer of the shared body", least=1, most=NEURONS_MOST)
    policy: tuple[int, ...] = option(
        (512,), "neurons in each hidden layer of the policy head", least=1, most=NEURONS_MOST
    )
    value: tuple[int, ...] = option(
        (256,), "neurons in each hidden layer of the value head", least=1, most=NEURONS_MOST
    )
    dropout: float = option(
        0.2, "share of neurons dropped in training, after every layer of the body", least=0, most=0.9
    )
    hierarchical: bool = option(
        False, "first decides between play and pass by a softmax, then predicts the cards of a play"
    )


@dataclass(frozen=True, kw_only=True)
class ValueConfig(Options):
    """ValueNet: a stack of layers from the state to the points by which the own team wins the round."""

    hidden: tuple[int, ...] = option(
        (512, 512, 256), "neurons in each hidden layer, first to last", least=1, most=NEURONS_MOST
    )
    dropout: float = option(
        0.2, "share of neurons dropped in training, after every hidden layer but the last", least=0, most=0.9
    )


@dataclass(frozen=True, kw_only=True)
class DTConfig(Options):
    """DTNet: a causal transformer over the turns of one seat."""

    turns: int = option(20, "turns in a sequence, the present one included", least=1, most=200)
    d_model: int = option(512, "numbers in a token", least=1, most=NEURONS_MOST)
    layers: int = option(4, "number of transformer layers", least=1, most=100)
    heads: int = option(8, "attention heads in each layer; d_model must be a multiple", least=1, most=64)
    feedforward: int = option(2048, "neurons in the feed-forward part of each layer", least=1, most=NEURONS_MOST)
    dropout: float = option(
        0.1, "share of neurons dropped in training, in what attention and feed-forward part add", least=0, most=0.9
    )
    merged: bool = option(
        False, "puts return to go and state into one token, so that a turn has two tokens in place of three"
    )
    direct: bool = option(False, "lets the policy head also read the state itself, which narrow tokens cannot hold")
    policy: tuple[int, ...] = option(
        (256,), "neurons in each hidden layer of the policy head", least=1, most=NEURONS_MOST
    )
    value: tuple[int, ...] = option(
        (256,), "neurons in each hidden layer of the value head", least=1, most=NEURONS_MOST
    )
    hierarchical: bool = option(
        False, "first decides between play and pass by a softmax, then predicts the cards of a play"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_model % self.heads:
            raise OptionError(f"d_model = {self.d_model}: expected a multiple of heads = {self.heads}")


@dataclass(frozen=True, kw_only=True)
class DecisionConfig(Options):
    """DecisionNet: a stack of layers from the state to the answers to one kind of question."""

    hidden: tuple[int, ...] = option(
        (256, 128), "neurons in each hidden layer, first to last", least=1, most=NEURONS_MOST
    )
    dropout: float = option(
        0.1, "share of neurons dropped in training, after every hidden layer but the last", least=0, most=0.9
    )


@dataclass(frozen=True, kw_only=True)
class CandidateConfig(Options):
    """CandidatePolicyNet: embeddings of the state and of each legal move, and their product."""

    body: tuple[int, ...] = option(
        (512, 512), "neurons in each hidden layer of the body, which reads the state", least=1, most=NEURONS_MOST
    )
    move: tuple[int, ...] = option(
        (128,), "neurons in each hidden layer of the part that reads a move", least=1, most=NEURONS_MOST
    )
    width: int = option(
        128, "numbers in the embeddings of state and move, whose product is the score", least=1, most=NEURONS_MOST
    )
    dropout: float = option(
        0.2, "share of neurons dropped in training, after every hidden layer of the body", least=0, most=0.9
    )


@dataclass(frozen=True, kw_only=True)
class CandidateRLConfig(Options):
    """CandidateRLNet, GCPolicyRLNet, BombRLNet: embeddings of the state and of each legal move, and their product."""

    body: tuple[int, ...] = option(
        (512, 512), "neurons in each hidden layer of the body, which reads the state", least=1, most=NEURONS_MOST
    )
    move: tuple[int, ...] = option(
        (128,), "neurons in each hidden layer of the part that reads a move", least=1, most=NEURONS_MOST
    )
    width: int = option(
        128, "numbers in the embeddings of state and move, whose product is the score", least=1, most=NEURONS_MOST
    )


@dataclass(frozen=True, kw_only=True)
class PolicyRLConfig(Options):
    """PolicyRLNet: a stack of layers from the state to the cards."""

    hidden: tuple[int, ...] = option(
        (512, 512, 256), "neurons in each hidden layer, first to last", least=1, most=NEURONS_MOST
    )


@dataclass(frozen=True, kw_only=True)
class DTRLConfig(Options):
    """DTRLNet: a transformer over the latest turns of one seat, and a stack of layers to the cards."""

    turns: int = option(16, "turns in a sequence, the present one included", least=1, most=200)
    d_model: int = option(64, "numbers in a token", least=1, most=NEURONS_MOST)
    layers: int = option(1, "number of transformer layers", least=1, most=100)
    heads: int = option(4, "attention heads in each layer; d_model must be a multiple", least=1, most=64)
    feedforward: int = option(128, "neurons in the feed-forward part of each layer", least=1, most=NEURONS_MOST)
    dropout: float = option(0.0, "share of neurons dropped in training", least=0, most=0)
    hidden: tuple[int, ...] = option(
        (512, 512), "neurons in each hidden layer of the policy head", least=1, most=NEURONS_MOST
    )
    value: tuple[int, ...] = option((64,), "neurons in each hidden layer of the value head", least=1, most=NEURONS_MOST)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_model % self.heads:
            raise OptionError(f"d_model = {self.d_model}: expected a multiple of heads = {self.heads}")


@dataclass(frozen=True, kw_only=True)
class DecisionRLConfig(Options):
    """GrandRLNet .. DragonRLNet: a stack of layers from the state to the answers to one kind of question."""

    hidden: tuple[int, ...] = option(
        (256, 256), "neurons in each hidden layer, first to last", least=1, most=NEURONS_MOST
    )
    dropout: float = option(0.0, "share of neurons dropped in training", least=0, most=0)


@dataclass(frozen=True, kw_only=True)
class CriticConfig(Options):
    """CriticRLNet: a stack of layers from a state with all hands to the points by which the own team wins."""

    hidden: tuple[int, ...] = option(
        (512, 512, 256), "neurons in each hidden layer, first to last", least=1, most=NEURONS_MOST
    )
