"""A loader's arrays arrive as they are, in epochs that end where the run was planned to."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tichu_models.learning.losses import split_schupf
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.observation.specs import spec
from tichu_models.rules.cards import LABELS
from tichu_models.samples.arrays import ArrayBatch
from tichu_models.samples.feed import EmptyError, Epochs, Tensors

NAMES = ["current_turn.me", "played_cards.Hu", "played_cards.S2", "points.me", "rtg", "hand_cards.S9"]


def _arrays(features, mask, labels=None):
    """A loader's batch, whose returns to go are 0, 1, 2 .."""
    features = np.array(features, dtype=np.float32)
    shape = features.shape[:-1]
    numbers = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    labels = np.zeros((*shape, 57), dtype=np.float32) if labels is None else labels
    return ArrayBatch(features, labels, value=100 * numbers, rtg=numbers, mask=np.array(mask))


def test_single_decisions():
    """The return among the features would tell a value head what it shall predict."""
    tensors = Tensors(NAMES)
    batch = tensors(_arrays([[1, 1, 0, 0.5, 9, 1], [0, 1, 1, 0.25, 9, 0]], [[True], [True]]))
    assert tensors.inputs == 5
    assert batch.state.tolist() == [[1, 1, 0, 0.5, 1], [0, 1, 1, 0.25, 0]]
    assert batch.cards_played.tolist() == [1, 2]
    assert batch.value.tolist() == batch.rtg.tolist() == [0, 1]
    assert batch.weight.tolist() == [1, 1]


def test_turns_that_are_none_go_to_the_end():
    """Before the others, a causal network would look back at them."""
    features = np.arange(2 * 3 * 2).reshape(2, 3, 2)
    batch = Tensors(["a", "b"])(_arrays(features, [[False, True, True], [True, True, True]]))
    assert batch.state[0, :2].tolist() == [[2, 3], [4, 5]]
    assert batch.state[1].tolist() == [[6, 7], [8, 9], [10, 11]]
    assert batch.rtg[0, :2].tolist() == [1, 2]
    assert batch.weight.tolist() == [[1, 1, 0], [1, 1, 1]]
    assert batch.target.shape == (2, 3, 57)


def test_legal_moves_go_with_their_turn():
    """Moves of one turn that are scored in the state of another."""
    arrays = _arrays(np.zeros((2, 3, 2)), [[False, True, True], [True, True, True]])
    moves = np.array([0, 11, 12, 13, 21, 22, 23, 24])
    arrays = arrays._replace(moves=moves, move_counts=np.array([1, 1, 2, 1, 1, 2]))
    candidates = Tensors(["a", "b"])(arrays).candidates
    assert candidates.rows == 6
    assert candidates.plays[candidates.row < 3].tolist()[:3] == [11, 12, 13]
    assert candidates.plays[candidates.row >= 3].tolist() == [21, 22, 23, 24]


def test_bfloat16_comes_as_its_bits():
    """Read as whole numbers, they would be features of 16,000."""
    values = torch.tensor([[1.0, -0.5]], dtype=torch.bfloat16)
    arrays = _arrays([[0, 0]], [[True]])._replace(features=values.view(torch.int16).numpy())
    assert torch.equal(Tensors(["a", "b"])(arrays).state, values)


class _Counting:
    """A loader of some batches an epoch, each the number of its epoch and its place."""

    def __init__(self, batches):
        self.batches, self.epoch, self.at = batches, 0, 0

    def __iter__(self):
        while self.at < self.batches:
            self.at += 1
            yield self.epoch, self.at - 1
        self.epoch, self.at = self.epoch + 1, 0

    def state_dict(self):
        return {"epoch": self.epoch, "at": self.at}

    def load_state_dict(self, state):
        self.epoch, self.at = state["epoch"], state["at"]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7])
def test_epochs_of_equal_length(length):
    """Batches at the loader's end would come twice, or never."""
    epochs = Epochs(_Counting(3), length, lambda arrays: arrays)
    found = [batch for _ in range(4) for batch in epochs]
    assert len(epochs) == length
    assert found == [(i // 3, i % 3) for i in range(4 * length)]


@pytest.mark.parametrize("done", range(12))
def test_taken_up_again_anywhere(done):
    """A run that goes on would learn from other batches than one that was never stopped."""
    stopped = Epochs(_Counting(3), 4, lambda arrays: arrays)
    state, taken = stopped.state_dict(), 0
    for batch in (each for _ in range(3) for each in stopped):  # noqa: B007
        if taken == done:
            break
        taken, state = taken + 1, stopped.state_dict()
    again = Epochs(_Counting(3), 4, lambda arrays: arrays)
    again.load_state_dict(state)
    assert batch == next(iter(again)) == (done // 3, done % 3)
    assert again.done == done % 4 + 1


def test_an_empty_loader_is_an_error():
    """It would be asked for its next batch forever."""
    with pytest.raises(EmptyError, match="no whole batch of samples: expected more rounds"):
        next(iter(Epochs(_Counting(0), 2, lambda arrays: arrays)))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_network_fits_its_spec(name):
    """A spec whose labels stand in another order would be learned as something else."""
    architecture = ARCHITECTURES[name]
    read = spec(architecture.spec)
    labels = read.label_names
    if architecture.outputs is None:
        assert labels == (*LABELS, "pass")
        assert Tensors(read.names).inputs == 375
        assert [name.split(".")[0] for name in read.names[Tensors(read.names).played]] == ["played_cards"] * 56
    else:
        assert len(labels) == architecture.outputs
    if architecture.objective == "calls":
        assert labels == ("called", "first_out")
    if architecture.objective == "schupf":
        values = split_schupf(torch.arange(66)[None])
        assert [labels[i] for i in values[0][0, :, 9]] == ["right.9", "partner.9", "left.9"]
        assert [labels[i] for i in values[1][0, :, 4]] == ["right.none", "partner.none", "left.none"]
