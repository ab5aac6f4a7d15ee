"""What some players are handed beside their views: those who say so in an attribute `wants`.

`transcripts` is what everybody has seen of the round. `hands` are all cards on all hands: for players who are allowed
to cheat, to measure what hidden cards are worth; nobody else gets them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tichu_models.agents.base import Agent
from tichu_models.kernels import kernel
from tichu_models.observation.transcript import TRANSCRIPT


@kernel
def _write_transcripts(tables, transcripts):
    for i in range(len(tables)):
        state, log, transcript = tables[i].state, tables[i].log, transcripts[i]
        transcript.log.length = log.length
        for at in range(log.length):
            transcript.log.entry[at] = log.entry[at]
        for seat in range(4):
            transcript.called_at[seat] = state.called_at[seat]
        transcript.wish = tables[i].wish
        transcript.dragon_recipient = state.dragon_recipient


def transcripts_of(tables: np.ndarray) -> np.ndarray:
    """An array of TRANSCRIPT."""
    transcripts = np.zeros(len(tables), dtype=TRANSCRIPT)
    _write_transcripts(tables, transcripts)
    return transcripts


def hands_of(tables: np.ndarray) -> np.ndarray:
    """(n, 4) the cards on each hand."""
    return tables["state"]["hand"].copy()


WANTED: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {"transcripts": transcripts_of, "hands": hands_of}


def heard_by(agent: Agent, tables: np.ndarray) -> dict[str, np.ndarray]:
    """What an agent is handed beside the views of these tables."""
    return {name: WANTED[name](tables) for name in getattr(agent, "wants", ())}
