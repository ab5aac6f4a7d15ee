"""What some agents are handed beside the views of plays: those that name it in `Agent.wants`.

`transcripts` is what everybody has seen of the round. `hands` are all cards on all hands: for players who are allowed
to cheat, to measure what hidden cards are worth; nobody else gets them. `rounds` is a random number of each round, the
same for all its turns and seats: for players who are somebody else in every round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import kernel
from tichu_models.observation.transcript import TRANSCRIPT
from tichu_models.players.base import Agent

ROUND_NUMBERS = 1 << 41  # counter of a game's key that they are drawn from, far behind its deals


@kernel
def _write_transcripts(tables, transcripts):
    for i in range(len(tables)):
        state, log, transcript = tables[i].position.state, tables[i].log, transcripts[i]
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
    return tables["position"]["state"]["hand"].copy()


@kernel
def _draw_rounds(tables, numbers):
    for i in range(len(tables)):
        numbers[i] = draw(tables[i].key, ROUND_NUMBERS + tables[i].round_index)


def rounds_of(tables: np.ndarray) -> np.ndarray:
    """(n,) a random number of each table's round; the cards cannot be told from it."""
    numbers = np.empty(len(tables), dtype=np.uint64)
    _draw_rounds(tables, numbers)
    return numbers


EXTRAS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "transcripts": transcripts_of,
    "hands": hands_of,
    "rounds": rounds_of,
}


def extras_for(agent: Agent, tables: np.ndarray) -> dict[str, np.ndarray]:
    """What an agent is handed beside the views of these tables."""
    return {name: EXTRAS[name](tables) for name in agent.wants}
