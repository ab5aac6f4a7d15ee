"""DTAgent: plays as a person who played the seat's earlier turns and reaches a goal, by a DTNet (concept 2.1.3).

It keeps no sequence between two answers. It retraces the seat's earlier turns from the transcript of the round, so that
an answer depends on the question alone. The goal is a fixed number of points, or the expected number and a margin; the
expectation is a ValueNet's, or the network's own when the return to go is left open. The return to go of each turn is
the goal less what the team had collected by then.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tichu_models.agents.neural.gc_agent import collected_lead, goals_of
from tichu_models.agents.neural.network import SEQUENCES_AT_ONCE, Network
from tichu_models.agents.neural.policy_agent import PolicyAgent
from tichu_models.agents.options import GoalOptions
from tichu_models.networks.candidates import card_bits
from tichu_models.networks.configs import DTConfig
from tichu_models.networks.dt_net import DTNet
from tichu_models.observation.transcript import RETRACE_OPTIONS, RETRACING
from tichu_models.observation.view import VIEW
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.beliefs import KNOWN, own_turns


class DTAgent(PolicyAgent):
    """A player with a DTNet; `value_net` is a ValueNet that replaces its value head."""

    options: GoalOptions
    value_net: Network | None = None
    wants = ("transcripts",)

    def outputs(self, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """The policy's outputs at the present turn, which the network reads as the end of a sequence of turns."""
        config = self.network.manifest.config
        assert isinstance(config, DTConfig)
        turns, cards, counts = self._turns(views, extras["transcripts"], config.turns)
        steps = np.arange(config.turns) < counts[:, None]
        leads = np.where(steps, collected_lead(turns.reshape(-1)).reshape(turns.shape), 0) / VALUE_UNIT
        goals = goals_of(self.options, self.value_net, views)
        parts = []
        for begin in range(0, len(views), SEQUENCES_AT_ONCE):
            part = slice(begin, begin + SEQUENCES_AT_ONCE)
            goals_of_part = None if goals is None else goals[part]
            parts.append(self._ask(turns[part], cards[part], leads[part], goals_of_part, counts[part]))
        return np.concatenate(parts)

    def _turns(
        self, views: np.ndarray, transcripts: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each seat saw and played at its latest turns, the earliest first, and how many turns it has had."""
        retrace_options = np.zeros(1, dtype=RETRACE_OPTIONS)[0]
        retrace_options["past"] = self.network.spec.history
        retrace_options["open"] = self.network.manifest.training.get("data", {}).get("drop_forced", True)
        turns, cards = np.zeros((len(views), most), dtype=VIEW), np.zeros((len(views), most), dtype=np.int64)
        counts = np.empty(len(views), dtype=np.int64)
        known, scratch = np.zeros(1, dtype=KNOWN)[0], np.zeros(1, dtype=RETRACING)[0]
        own_turns(views, transcripts, retrace_options, known, scratch, turns, cards, counts)
        return turns, cards, counts

    def _ask(
        self, turns: np.ndarray, cards: np.ndarray, leads: np.ndarray, goals: np.ndarray | None, counts: np.ndarray
    ) -> np.ndarray:
        """The outputs at the present turn of a few sequences, padded to SEQUENCES_AT_ONCE."""
        net, n, most = self.network.module, len(turns), turns.shape[1]
        assert isinstance(net, DTNet)
        shape = (SEQUENCES_AT_ONCE, most)
        laid = np.zeros(shape, dtype=np.int64)
        laid[:n] = cards
        last = torch.zeros(SEQUENCES_AT_ONCE, dtype=torch.long)
        last[:n] = torch.from_numpy(counts - 1)
        rows = torch.arange(SEQUENCES_AT_ONCE)
        lead = torch.zeros(shape)
        lead[:n] = torch.from_numpy(leads)
        with torch.inference_mode():
            ((_, state),) = self.network.states(turns.reshape(-1))
            states = state.view(*shape, -1)
            played = card_bits(torch.from_numpy(laid.reshape(-1)))
            action = torch.cat([played, ~played.any(1, keepdim=True)], dim=1).view(*shape, -1).to(state.dtype)
            if goals is None:
                nothing = torch.zeros(shape, dtype=state.dtype)
                unasked = net(nothing, states, action, torch.zeros(SEQUENCES_AT_ONCE, dtype=torch.bool))
                goal = unasked.value.float()[rows, last] + lead[rows, last] + self.options.margin / VALUE_UNIT
            else:
                goal = torch.zeros(SEQUENCES_AT_ONCE)
                goal[:n] = torch.from_numpy(goals)
            rtg: Tensor = (goal[:, None] - lead).to(state.dtype)
            outputs = net(rtg, states, action, torch.ones(SEQUENCES_AT_ONCE, dtype=torch.bool))
            return outputs.policy.float()[rows, last][:n].numpy()
