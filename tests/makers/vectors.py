"""Samples and decisions of rounds, for tests."""

from __future__ import annotations

import numpy as np

from tichu_models.observation.decisions import DECISION_BUFFER, DECISIONS_AT_ONCE, find_decisions
from tichu_models.observation.samples import Encoder, SoundRounds, as_records
from tichu_models.observation.specs import spec
from tichu_models.observation.walk import WALK, WHO_ACTS
from tichu_models.records.replay import check
from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before


def played(rounds: Rounds) -> SoundRounds:
    """Rounds with the outcomes of their replay."""
    outcomes, normal = check(rounds)
    return SoundRounds(
        normal.rows,
        scores_before(normal.rows),
        outcomes["winner_index"],
        outcomes["is_double_victory"],
        np.zeros(len(normal), dtype=np.int8),
        normal.history,
        np.arange(len(normal)),
    )


def samples(rounds: Rounds, name: str, observer: int = WHO_ACTS) -> np.ndarray:
    """The samples of all decisions of a spec, as rows of words."""
    return Encoder(spec(name)).samples(played(rounds), observer)


def records(rounds: Rounds, name: str, observer: int = WHO_ACTS) -> np.ndarray:
    """The same samples as records."""
    return as_records(samples(rounds, name, observer), spec(name))


def decisions(rounds: Rounds, kinds: int = 255, past: int = 0) -> np.ndarray:
    """The decisions of all rounds, as one array."""
    _, normal = check(rounds)
    scratch, found = np.zeros(1, dtype=WALK)[0], np.zeros(1, dtype=DECISION_BUFFER)[0]
    standings, parts, done = scores_before(normal.rows), [], 0
    while done < len(rounds):
        rows = normal.rows[done:]
        more, n = find_decisions(
            rows, standings[done:], normal.history, scratch, kinds, past, WHO_ACTS, DECISIONS_AT_ONCE, found
        )
        parts.append(found["at"][:n].copy())
        done += more
    return np.concatenate(parts)
