"""Extras: arrays that an agent gets beside the views of plays, because it names them in `Agent.wants`.

- `transcripts`: what everybody has seen of the round.
- `hands`: the cards on all hands, for agents that cheat to measure what hidden cards are worth.
- `rounds`: a random number of the round, the same for all its turns and seats, for agents that draw a new blunder rate
  each round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tichu_models.chance import draw
from tichu_models.kernels import kernel
from tichu_models.observation.transcript import TRANSCRIPT
from tichu_models.players.base import Agent

ROUND_NUMBERS = 1 << 41  # first counter of a game's key for `rounds`, far above those of its deals


@kernel
def _write_transcripts(tables: np.ndarray, transcripts: np.ndarray) -> None:
    """Fills in the transcript of each table's round."""
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
    """The transcript of each table's round, an array of TRANSCRIPT."""
    transcripts = np.zeros(len(tables), dtype=TRANSCRIPT)
    _write_transcripts(tables, transcripts)
    return transcripts


def hands_of(tables: np.ndarray) -> np.ndarray:
    """The cards on all hands of each table (n, 4)."""
    return tables["position"]["state"]["hand"].copy()


@kernel
def _draw_rounds(tables: np.ndarray, numbers: np.ndarray) -> None:
    """Draws a random number for each table's round from the key of its game."""
    for i in range(len(tables)):
        numbers[i] = draw(tables[i].key, ROUND_NUMBERS + tables[i].round_index)


def rounds_of(tables: np.ndarray) -> np.ndarray:
    """A random number for each table's round (n,). It tells nothing about the cards."""
    numbers = np.empty(len(tables), dtype=np.uint64)
    _draw_rounds(tables, numbers)
    return numbers


EXTRAS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "transcripts": transcripts_of,
    "hands": hands_of,
    "rounds": rounds_of,
}


def extras_for(agent: Agent, tables: np.ndarray) -> dict[str, np.ndarray]:
    """The extras that an agent wants beside the views of these tables."""
    return {name: EXTRAS[name](tables) for name in agent.wants}
