"""DTRLAgent: plays by a DTRLNet, which learned from self-play and reads the latest turns of its seat.

It keeps no sequence between two answers, but retraces the seat's earlier turns from the transcript of the round, so
that an answer depends on the question alone.
"""

from __future__ import annotations

import numpy as np
import torch

from tichu_models.agents.choosing import Moves
from tichu_models.agents.neural.network import TILE
from tichu_models.agents.neural.self_taught_agent import SelfTaughtAgent
from tichu_models.agents.neural.turn_sequences import lay_sequences
from tichu_models.agents.options import GainOptions
from tichu_models.networks.dtrl_net import DTRLNet, ask_for
from tichu_models.observation.transcript import RETRACE_OPTIONS, RETRACING
from tichu_models.observation.view import VIEW
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.beliefs import KNOWN, own_turns


class DTRLAgent(SelfTaughtAgent):
    """A player with a DTRLNet."""

    options: GainOptions
    wants = ("transcripts",)

    def scores(self, views: np.ndarray, moves: Moves, **extras: np.ndarray) -> np.ndarray:
        """The network's scores. Their softmax is the policy."""
        parts = [slice(begin, begin + TILE) for begin in range(0, len(views), TILE)]
        states = [self._states(views[part], extras["transcripts"][part]) for part in parts]
        return self.network.match_moves(np.concatenate(states), moves)

    def _states(self, views: np.ndarray, transcripts: np.ndarray) -> np.ndarray:
        """The outputs for the present turn of at most a tile of views."""
        network, options, n = self.network.module, self.options, len(views)
        assert isinstance(network, DTRLNet)
        seen, there, played = self._turns(views, transcripts, network.turns)
        parts = [state[: which.stop - which.start].clone() for which, state in self.network.states(seen)]
        states = torch.cat(parts)
        plain = (states.view(torch.int16) if states.dtype == torch.bfloat16 else states).numpy()
        laid = np.zeros((TILE, network.turns, network.features), dtype=plain.dtype)
        lay_sequences(plain, there, played, self.network.lookup, laid.reshape(-1))
        tokens = torch.from_numpy(laid).view(states.dtype)
        with torch.inference_mode():
            if options.goal is not None:
                ask_for(options.goal / VALUE_UNIT - network.policy_and_value(tokens).value[:n].float(), tokens)
            elif options.margin is not None:
                ask_for(torch.full((n,), options.margin / VALUE_UNIT), tokens)
            return network.states(tokens)[:n].float().numpy()

    def _turns(
        self, views: np.ndarray, transcripts: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each seat saw at its latest open turns, one after the other, and as `lay_sequences` takes it, at which
        places of its sequence they are and what it played there."""
        retrace_options = np.zeros(1, dtype=RETRACE_OPTIONS)[0]
        retrace_options["past"] = self.network.spec.history
        retrace_options["open"] = retrace_options["in_turn"] = 1
        seen, cards = np.zeros((len(views), most), dtype=VIEW), np.zeros((len(views), most), dtype=np.int64)
        counts = np.empty(len(views), dtype=np.int64)
        known, scratch = np.zeros(1, dtype=KNOWN)[0], np.zeros(1, dtype=RETRACING)[0]
        own_turns(views, transcripts, retrace_options, known, scratch, seen, cards, counts)
        is_first = np.arange(most) < counts[:, None]  # own_turns writes the earliest turn into the first place
        there = np.ascontiguousarray(is_first[:, ::-1])
        played = np.zeros_like(cards)
        played[there] = cards[is_first]
        return seen[is_first], there, played
