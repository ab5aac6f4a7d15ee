"""How good the networks of MuZero are at games that they have not learned from yet: whether the dynamics knows which
actions are legal after some steps, and whether values become worse by imagining."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from tichu_models.algorithms.muzero.losses import Windows
from tichu_models.algorithms.muzero.networks import MuZeroNet

LEAST = 16  # windows; of fewer there are no figures


class Quality(NamedTuple):
    """Figures of whole windows; NaN where there are too few of them."""

    legal_auc: float  # that a legal action is thought likelier to be legal than an illegal one, all steps but the first
    value_error: float  # mean square, of positions that are seen
    imagined_error: float  # likewise, of the same positions, imagined by K steps


UNKNOWN = Quality(float("nan"), float("nan"), float("nan"))


@torch.inference_mode()
def quality_of(network: MuZeroNet, windows: Windows, of_legal: bool) -> Quality:
    """The figures of some windows."""
    whole = windows.exists.all(dim=1)
    if int(whole.sum()) < LEAST:
        return UNKNOWN
    network.eval()
    words, windows = network.words, windows.only(whole)
    said = network(*windows.unrolled_by).said
    scores = (words.legal if of_legal else words.policy)(said[:, 1:])
    seen, aims = words.value(network.say(network.represent(windows.seen[:, -1]))), windows.values[:, -1]
    imagined = words.value(said[:, -1])
    return Quality(auc(scores, windows.legal[:, 1:]), _error(seen, aims), _error(imagined, aims))


def _error(found: Tensor, aims: Tensor) -> float:
    return float((found - aims).square().mean())


def auc(scores: Tensor, is_so: Tensor) -> float:
    """How likely something that is so has a higher score than something that is not; equal ones count half."""
    yes, no = scores[is_so].numpy(), np.sort(scores[~is_so].numpy())
    if not len(yes) or not len(no):
        return float("nan")
    below = np.searchsorted(no, yes, "left") + np.searchsorted(no, yes, "right")
    return float(below.mean() / 2 / len(no))
