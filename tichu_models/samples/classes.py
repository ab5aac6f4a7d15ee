"""From labels to classes, by which training may be balanced: type and length of a play, called or not, and so on."""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import kernel
from tichu_models.observation.specs import (
    BOMB_LABEL,
    CALL_LABEL,
    CARDS_LABEL,
    DRAGON_LABEL,
    LABEL_NAMES,
    PASS_BIT,
    SCHUPF_LABEL,
    WISH_LABEL,
    Spec,
)
from tichu_models.records.tricks import LABEL
from tichu_models.rules.cards import CARD_OF_INDEX, NUM_CARDS, count
from tichu_models.rules.combinations import TYPE_AND_LENGTH, classify, combination_name, type_of
from tichu_models.rules.state import RIGHT

CLASS_NAMES = {
    CARDS_LABEL: tuple(combination_name(*label) for label in TYPE_AND_LENGTH),
    CALL_LABEL: ("not called", "called"),
    BOMB_LABEL: ("not thrown", "thrown"),
    SCHUPF_LABEL: ("schupf",),
    WISH_LABEL: LABEL_NAMES[WISH_LABEL],
    DRAGON_LABEL: LABEL_NAMES[DRAGON_LABEL],
}


@kernel
def _classify_labels(samples: np.ndarray, at: int, form: int, classes: np.ndarray) -> None:
    """Writes the class of each sample, whose label of this form is in word `at`."""
    for i in range(len(samples)):
        label = samples[i, at]
        if form == CARDS_LABEL:
            cards = 0
            if label != PASS_BIT:
                for index in range(NUM_CARDS):
                    if label >> index & 1:
                        cards |= CARD_OF_INDEX[index]
            classes[i] = LABEL[type_of(classify(cards)), count(cards)]
        elif form == WISH_LABEL:
            classes[i] = label - 2 if label else 13
        elif form == DRAGON_LABEL:
            classes[i] = label != RIGHT
        else:
            classes[i] = 0 if form == SCHUPF_LABEL else label


def classes_of_labels(labels: np.ndarray, form: int) -> np.ndarray:
    """The class of each unpacked label (n, labels), as an index of CLASS_NAMES."""
    if form in (WISH_LABEL, DRAGON_LABEL):
        return labels.argmax(axis=1).astype(np.int8)
    choices = (labels != 0) @ (np.int64(1) << np.arange(labels.shape[1])) if form == CARDS_LABEL else labels[:, 0] != 0
    classes = np.empty(len(labels), dtype=np.int8)
    _classify_labels(choices.astype(np.int64)[:, None], 0, form, classes)
    return classes


def classes_of(samples: np.ndarray, spec: Spec) -> np.ndarray:
    """The class of each packed sample, as an index of CLASS_NAMES."""
    classes = np.empty(len(samples), dtype=np.int8)
    _classify_labels(samples, spec.width, spec.label, classes)
    return classes
