"""The decisions of one log with their features by name, for `tichu features` and `tichu explain`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.observation.samples import Encoder, SoundRounds, as_records, features_of
from tichu_models.observation.scaling import Scaling, scaled
from tichu_models.observation.specs import (
    CARDS_LABEL,
    DRAGON_LABEL,
    NUMBER,
    PASS_BIT,
    RTG,
    SCHUPF_LABEL,
    WISH_LABEL,
    Spec,
)
from tichu_models.observation.walk import WHO_ACTS
from tichu_models.records.scores import scores_before
from tichu_models.rules.asking import KINDS, given_cards
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import DESCENDING, LABELS
from tichu_models.rules.state import RIGHT
from tichu_pipeline.brettspielwelt.archives.inflate import chunk_of, file_content
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT
from tichu_pipeline.brettspielwelt.text.reader import Games, Reader


class LogError(Exception):
    """A file that is not a log, or a round that it does not hold."""


@dataclass(frozen=True)
class DecisionFilter:
    """Selects decisions; None selects all. `seat` is the observer, by default the seat that acts."""

    round_index: int | None = None
    turn: int | None = None
    seat: int | None = None


def read_log(path: Path) -> Games:
    """Reads a log and replays its rounds."""
    try:
        content = file_content(path.resolve(), SIZE_LIMIT)
    except OSError as error:
        raise LogError(f"{path}: cannot be read ({error.strerror or error}); expected a .tch file") from error
    games = Reader().read(chunk_of(content))
    if len(games.rounds) == 0:
        raise LogError(f"{path}: no round with a result; expected a .tch file of Brettspielwelt")
    return games


def decisions_of(path: Path, spec: Spec, chosen: DecisionFilter, scaling: Scaling | None) -> Iterator[dict[str, Any]]:
    """The chosen decisions of a log with their features. Broken rounds are left out."""
    rows, played = _played(path, chosen.round_index)
    encoder = Encoder(spec)
    observer = WHO_ACTS if chosen.seat is None else chosen.seat
    for i in rows:
        samples = encoder.samples(played[i : i + 1], observer)
        for sample, facts in zip(samples, as_records(samples, spec), strict=True):
            if chosen.turn in (None, int(facts["turn"])):
                yield _described(sample, facts, int(played.rows["round_index"][i]), spec, scaling)


def round_of(path: Path, round_index: int) -> SoundRounds:
    """One sound round of a log."""
    rows, played = _played(path, round_index)
    return played[rows[0] : rows[0] + 1]


def _played(path: Path, round_index: int | None) -> tuple[list[int], SoundRounds]:
    """The indices of the chosen sound rounds of a log, and all its rounds."""
    games = read_log(path)
    rows, outcomes = games.rounds.rows, games.outcomes
    chosen = [i for i in range(len(rows)) if round_index in (None, int(rows["round_index"][i]))]
    if not chosen:
        raise LogError(f"{path}: there is no round {round_index}; expected 0..{len(rows) - 1}")
    if round_index is not None and (code := int(outcomes["rule_break"][chosen[0]])):
        line = int(games.origins["break_line"][chosen[0]])
        raise LogError(
            f"{path}, line {line}: round {round_index} is broken ({RuleBreak(code).name}); expected a sound one"
        )
    unknown = np.zeros(len(rows), dtype=np.int8)  # a split matters for whole games only
    facts = (
        outcomes["winner_index"],
        outcomes["is_double_victory"],
        unknown,
        games.rounds.history,
        np.arange(len(rows)),
    )
    return [i for i in chosen if not outcomes["rule_break"][i]], SoundRounds(rows, scores_before(rows), *facts)


def _described(
    sample: np.ndarray, facts: np.void, round_index: int, spec: Spec, scaling: Scaling | None
) -> dict[str, Any]:
    """A decision as a JSON object."""
    return {
        "round": round_index,
        "turn": None if facts["turn"] < 0 else int(facts["turn"]),
        "seat": int(facts["seat"]),
        "kind": KINDS[facts["kind"]],
        "forced": bool(facts["forced"]),
        "out_of_turn": bool(facts["out_of_turn"]),
        "label": label_of(int(facts["label"]), spec),
        "rtg": int(facts["rtg"]) / RTG.unit,
        "features": _in_range(features_of(sample, spec), spec, scaling),
    }


def _in_range(features: dict[str, int], spec: Spec, scaling: Scaling | None) -> dict[str, float]:
    """The features as a network reads them. Scaling can turn a number 0 into another, so all numbers are scaled."""
    shown: dict[str, float] = dict(features)
    for group in spec.table:
        if group.kind == NUMBER:
            for name in group.names:
                value = float(scaled(np.array(features.get(name, 0)), group, scaling))
                shown[name] = int(value) if value.is_integer() else value
    return {name: shown[name] for name in spec.names if shown.get(name)}


def label_of(label: int, spec: Spec) -> Any:
    """A label for people: cards (none for a pass), three cards, a rank, a side, or true and false."""
    if spec.label == CARDS_LABEL:
        return [] if label & PASS_BIT else [LABELS[index] for index in DESCENDING if label >> index & 1]
    if spec.label == SCHUPF_LABEL:
        return [LABELS[card] for card in given_cards(label)]
    if spec.label == WISH_LABEL:
        return label
    if spec.label == DRAGON_LABEL:
        return "right" if label == RIGHT else "left"
    return bool(label)
