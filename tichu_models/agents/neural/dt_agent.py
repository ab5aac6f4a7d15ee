"""DTAgent: what a person would play who has played so in this round and still wins as much as is hoped for (2.1.3).

It keeps no sequence: from what everybody has seen of the round, and its own cards, it finds its earlier turns anew, so
that an answer hangs on nothing but the question. The return to go is what it expects with the return left open and a
margin, or what is missing to a goal or to what a ValueNet expects; at earlier turns, what was to come from there.
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
    """A player with a DTNet, and a ValueNet if it is given one."""

    options: GoalOptions
    judge: Network | None = None
    wants = ("transcripts",)

    def outputs(self, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """Asks for the whole sequence of every view; what counts is the present turn."""
        config = self.network.manifest.config
        assert isinstance(config, DTConfig)
        turns, cards, counts = self._turns(views, extras["transcripts"], config.turns)
        steps = np.arange(config.turns) < counts[:, None]
        leads = np.where(steps, collected_lead(turns.reshape(-1)).reshape(turns.shape), 0) / VALUE_UNIT
        final = goals_of(self.options, self.judge, views)
        parts = []
        for begin in range(0, len(views), SEQUENCES_AT_ONCE):
            part = slice(begin, begin + SEQUENCES_AT_ONCE)
            goals = None if final is None else final[part]
            parts.append(self._ask(turns[part], cards[part], leads[part], goals, counts[part]))
        return np.concatenate(parts)

    def _turns(
        self, views: np.ndarray, transcripts: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each seat saw and played at its latest turns, the earliest first, and how many there are."""
        goals_of = np.zeros(1, dtype=RETRACE_OPTIONS)[0]
        goals_of["past"] = self.network.spec.history
        goals_of["open"] = self.network.manifest.training.get("data", {}).get("drop_forced", True)
        turns, cards = np.zeros((len(views), most), dtype=VIEW), np.zeros((len(views), most), dtype=np.int64)
        counts = np.empty(len(views), dtype=np.int64)
        known, scratch = np.zeros(1, dtype=KNOWN)[0], np.zeros(1, dtype=RETRACING)[0]
        own_turns(views, transcripts, goals_of, known, scratch, turns, cards, counts)
        return turns, cards, counts

    def _ask(
        self, turns: np.ndarray, cards: np.ndarray, leads: np.ndarray, final: np.ndarray | None, counts: np.ndarray
    ) -> np.ndarray:
        """The outputs at the present turn of a few sequences, filled up to SEQUENCES_AT_ONCE."""
        net, n, most = self.network.module, len(turns), turns.shape[1]
        assert isinstance(net, DTNet)
        filled = (SEQUENCES_AT_ONCE, most)
        laid = np.zeros(filled, dtype=np.int64)
        laid[:n] = cards
        last = torch.zeros(SEQUENCES_AT_ONCE, dtype=torch.long)
        last[:n] = torch.from_numpy(counts - 1)
        rows = torch.arange(SEQUENCES_AT_ONCE)
        lead = torch.zeros(filled)
        lead[:n] = torch.from_numpy(leads)
        with torch.inference_mode():
            ((_, state),) = self.network.states(turns.reshape(-1))
            states = state.view(*filled, -1)
            played = card_bits(torch.from_numpy(laid.reshape(-1)))
            action = torch.cat([played, ~played.any(1, keepdim=True)], dim=1).view(*filled, -1).to(state.dtype)
            if final is None:
                nothing = torch.zeros(filled, dtype=state.dtype)
                blind = net(nothing, states, action, torch.zeros(SEQUENCES_AT_ONCE, dtype=torch.bool))
                goal = blind.value.float()[rows, last] + lead[rows, last] + self.options.margin / VALUE_UNIT
            else:
                goal = torch.zeros(SEQUENCES_AT_ONCE)
                goal[:n] = torch.from_numpy(final)
            rtg: Tensor = (goal[:, None] - lead).to(state.dtype)
            seen = net(rtg, states, action, torch.ones(SEQUENCES_AT_ONCE, dtype=torch.bool))
            return seen.policy.float()[rows, last][:n].numpy()
