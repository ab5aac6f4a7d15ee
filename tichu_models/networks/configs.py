"""The size of every network, each number documented beside its default, which is the concept's (chapter 5).

How many features a network reads is no setting: its spec says so. How a network is trained does not belong here.
"""

from __future__ import annotations

from dataclasses import dataclass

from tichu_models.options import OptionError, Options, option

NEURONS_MOST = 1 << 16


@dataclass(frozen=True, kw_only=True)
class PolicyConfig(Options):
    """PolicyNet: one stack of layers from the state to the cards."""

    hidden: tuple[int, ...] = option((512, 512, 256), "neurons of each hidden layer", least=1, most=NEURONS_MOST)
    dropout: float = option(0.2, "share dropped in training after every hidden layer but the last", least=0, most=0.9)
    hierarchical: bool = option(False, "a gate {play, pass} by softmax, and cards given that it plays")


@dataclass(frozen=True, kw_only=True)
class GCPolicyConfig(Options):
    """GCPolicyNet: a shared body, a policy head that also reads the return to go, a value head that does not."""

    body: tuple[int, ...] = option((1024, 1024), "neurons of the shared body's layers", least=1, most=NEURONS_MOST)
    policy: tuple[int, ...] = option((512,), "neurons of the policy head's hidden layers", least=1, most=NEURONS_MOST)
    value: tuple[int, ...] = option((256,), "neurons of the value head's hidden layers", least=1, most=NEURONS_MOST)
    dropout: float = option(0.2, "share dropped in training after every layer of the body", least=0, most=0.9)
    hierarchical: bool = option(False, "a gate {play, pass} by softmax, and cards given that it plays")


@dataclass(frozen=True, kw_only=True)
class ValueConfig(Options):
    """ValueNet: one stack of layers from the state to the difference that the round ends with, in points / 100."""

    hidden: tuple[int, ...] = option((512, 512, 256), "neurons of each hidden layer", least=1, most=NEURONS_MOST)
    dropout: float = option(0.2, "share dropped in training after every hidden layer but the last", least=0, most=0.9)


@dataclass(frozen=True, kw_only=True)
class DTConfig(Options):
    """DTNet: a causal transformer over the turns of one seat."""

    turns: int = option(20, "how many turns it looks back, the present one included", least=1, most=200)
    d_model: int = option(512, "width of a token", least=1, most=NEURONS_MOST)
    layers: int = option(4, "encoder layers", least=1, most=100)
    heads: int = option(8, "attention heads of a layer; they share d_model", least=1, most=64)
    feedforward: int = option(2048, "neurons of a layer's feed-forward part", least=1, most=NEURONS_MOST)
    dropout: float = option(0.1, "share dropped in training of what each half of a layer adds", least=0, most=0.9)
    merged: bool = option(False, "return and state in one token: two tokens a turn, not three")
    direct: bool = option(False, "the policy head reads the state itself as well: for narrow tokens")
    policy: tuple[int, ...] = option((256,), "neurons of the policy head's hidden layers", least=1, most=NEURONS_MOST)
    value: tuple[int, ...] = option((256,), "neurons of the value head's hidden layers", least=1, most=NEURONS_MOST)
    hierarchical: bool = option(False, "a gate {play, pass} by softmax, and cards given that it plays")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_model % self.heads:
            raise OptionError(f"d_model = {self.d_model}: expected a multiple of heads = {self.heads}")


@dataclass(frozen=True, kw_only=True)
class DecisionConfig(Options):
    """A decision net: one stack of layers from the state to the answers of one kind of question."""

    hidden: tuple[int, ...] = option((256, 128), "neurons of each hidden layer", least=1, most=NEURONS_MOST)
    dropout: float = option(0.1, "share dropped in training after every hidden layer but the last", least=0, most=0.9)


@dataclass(frozen=True, kw_only=True)
class CandidateConfig(Options):
    """CandidatePolicyNet: a body over the state, an embedding of each legal move, and their product."""

    body: tuple[int, ...] = option((512, 512), "neurons of the body's hidden layers", least=1, most=NEURONS_MOST)
    move: tuple[int, ...] = option((128,), "neurons of a move's hidden layers", least=1, most=NEURONS_MOST)
    width: int = option(128, "numbers in which state and move meet", least=1, most=NEURONS_MOST)
    dropout: float = option(0.2, "share dropped in training after every hidden layer of the body", least=0, most=0.9)
