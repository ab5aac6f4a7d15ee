"""Rollouts: rounds of players with networks at thousands of tables, and a record of every decision of theirs.

Tables wait for their network. In each step the player and kind of decision for which most tables wait are answered in
one batch, so that batches stay large. A network is always run on tiles of as many rows, whoever else is asked: a round
depends on its fixture and its players only, on neither the number of tables nor that of processes. With the same
tile it is, bit for bit, the round that `arena.lockstep` plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from tichu_models.agents.choosing import Moves, score_answers
from tichu_models.agents.neural.move_scores import move_scores
from tichu_models.agents.neural.network import TILE
from tichu_models.algorithms.answers import log_probabilities
from tichu_models.arena.table import TABLE
from tichu_models.networks.move_net import MoveNet
from tichu_models.observation.encode import PLAN, ROW, plan_of
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec
from tichu_models.observation.view import VIEW
from tichu_models.rl.hall import (
    COUNTS,
    DECISION,
    ENDED,
    FORK,
    NUM_KINDS,
    OPEN_WIDTH,
    PLAYER,
    SEATED,
    carry_out,
    choose,
    options_of,
    proceed,
)
from tichu_models.rl.readers import Reader, reader_of
from tichu_models.rules.legal import MAX_PLAYS, new_buffer

TABLES_AT_ONCE = 2048
USUAL_DECISIONS, USUAL_OPTIONS = 80, 7  # of a round, and of a decision: room grows where there are more


@dataclass(frozen=True)
class Seating:
    """A player of a rollout: its networks by kind of decision, on the CPU in the type they are run in."""

    networks: Mapping[int, nn.Module]
    specs: Mapping[int, Spec]  # of the vectors that they read
    scaling: Scaling
    greedy: bool = False
    recorded: bool = True  # whether the critic's vectors are recorded
    blunder: float = 0.0  # of the rules of thumb, which answer where there is no network
    seed: int = 0


@dataclass(frozen=True)
class Experience:
    """What happened in a rollout."""

    decisions: np.ndarray  # DECISION (n,)
    seen: np.ndarray  # int64 (n, width): what the networks read, packed
    opened: np.ndarray  # int64 (n, words of OPEN): what the critic reads, packed
    options: np.ndarray  # int64 (m,): those of all decisions end to end
    ended: np.ndarray  # ENDED (rounds,), in the order of the fixtures


def no_forks(rounds: int) -> np.ndarray:
    """Rounds none of which has a twin."""
    forks = np.zeros(rounds, dtype=FORK)
    forks["kind"] = -1
    return forks


class Rollout:
    """Tables, the records of their decisions, and the networks that make them."""

    def __init__(
        self,
        players: Sequence[Seating],
        fixtures: np.ndarray,
        forks: np.ndarray | None = None,
        tables_at_once: int = TABLES_AT_ONCE,
        tile: int = TILE,
    ) -> None:
        self.players, self.tile = players, tile
        self.cast = np.zeros(len(players), dtype=PLAYER)
        for place, player in enumerate(players):
            self.cast[place]["kinds"] = sum(1 << kind for kind in player.networks)
            for name in ("blunder", "greedy", "seed", "recorded"):
                self.cast[place][name] = getattr(player, name)
        groups = len(players) * NUM_KINDS
        self.plans = np.zeros(groups, dtype=PLAN)
        self.readers: dict[int, Reader] = {}
        for place, player in enumerate(players):
            for kind, network in player.networks.items():
                group, dtype = place * NUM_KINDS + kind, next(network.parameters()).dtype
                self.plans[group] = plan_of(player.specs[kind])
                self.readers[group] = reader_of(network, player.specs[kind], player.scaling, dtype)
        self.fixtures = fixtures
        self.forks = no_forks(len(fixtures)) if forks is None else forks
        n = min(tables_at_once, len(fixtures))
        self.tables, self.seated = np.zeros(n, dtype=TABLE), np.zeros(n, dtype=SEATED)
        self.seated["round"] = -1
        self.counts = np.zeros(1, dtype=COUNTS)[0]
        self.ended = np.zeros(len(fixtures), dtype=ENDED)
        self.width = max((reader.spec.width for reader in self.readers.values()), default=1)
        rooms = len(fixtures) * USUAL_DECISIONS + n
        self.decisions = np.zeros(rooms, dtype=DECISION)
        self.seen = np.empty((rooms, self.width), dtype=np.int64)
        self.opened = np.empty((rooms, OPEN_WIDTH), dtype=np.int64)
        self.options = np.empty(rooms * USUAL_OPTIONS + MAX_PLAYS, dtype=np.int64)
        self.queue, self.waiting = np.zeros((groups, n), dtype=np.int64), np.zeros(groups, dtype=np.int64)
        self._plays, self._view, self._row = new_buffer(), np.zeros(1, dtype=VIEW)[0], np.zeros(1, dtype=ROW)[0]
        self._found, self._counts = np.empty(0, dtype=np.int64), np.empty(n, dtype=np.int64)

    def play(self) -> Experience:
        """Plays all rounds."""
        with torch.inference_mode():
            self._proceed(np.arange(len(self.tables)))
            while True:
                group = int(self.waiting.argmax())
                n = int(self.waiting[group])
                if n == 0:
                    break
                rows = self.queue[group, :n].copy()
                self.waiting[group] = 0
                self._decide(group, rows)
        n, m = int(self.counts["decisions"]), int(self.counts["options"])
        return Experience(self.decisions[:n], self.seen[:n], self.opened[:n], self.options[:m], self.ended)

    def _proceed(self, who: np.ndarray) -> None:
        """Moves tables on, and makes room for their decisions where there is too little."""
        while len(who):
            moved = proceed(
                *(who, self.tables, self.seated, self.fixtures, self.forks, self.ended, self.cast, self.plans),
                *(self.decisions, self.seen, self.opened, self.options, self.queue, self.waiting, self.counts),
                *(self._plays, self._view, self._row),
            )
            if self.counts["illegal"]:
                raise AssertionError("a rollout chose an illegal answer")
            who = who[moved:]
            if len(who):
                more = len(self.decisions) // 2
                self.decisions = np.concatenate([self.decisions, np.zeros(more, dtype=DECISION)])
                self.seen = np.concatenate([self.seen, np.empty((more, self.width), dtype=np.int64)])
                self.opened = np.concatenate([self.opened, np.empty((more, OPEN_WIDTH), dtype=np.int64)])
                room = np.empty(len(self.options) // 2 + MAX_PLAYS, dtype=np.int64)
                self.options = np.concatenate([self.options, room])

    def _decide(self, group: int, rows: np.ndarray) -> None:
        """Lets a network make these decisions, and moves their tables on."""
        player, kind = divmod(group, NUM_KINDS)
        scores = self.scores(self.players[player].networks[kind], self.readers[group], rows, kind)
        counts = self._counts[: len(rows)]
        logs = np.empty(len(scores))
        log_probabilities(scores, counts, logs)
        choose(rows, self.decisions, scores, self.tables, self.cast, logs)
        who = np.empty(len(rows), dtype=np.int64)
        carry_out(rows, self.decisions, self.options, self.tables, self.seated, self._plays, self.counts, who)
        self._proceed(who)

    def scores(self, network: nn.Module, reader: Reader, rows: np.ndarray, kind: int) -> np.ndarray:
        """The score of every option of these decisions, which are of this kind."""
        counts = self._counts[: len(rows)]
        m = options_of(rows, self.decisions, self.options, self._found, counts)
        if m > len(self._found):
            self._found = np.empty(2 * m, dtype=np.int64)
            options_of(rows, self.decisions, self.options, self._found, counts)
        found = self._found[:m]
        made = self.decisions[: self.counts["decisions"]]
        state = reader.states(rows, made, self.seen, self.options, self.tile)
        if isinstance(network, MoveNet):
            states = torch.cat([network.states(part).float() for part in state.split(self.tile)]).numpy()
            return move_scores(network, states, Moves(found, counts), reader.lookup, self.tile)
        outputs = torch.cat([network(part).float() for part in state.split(self.tile)]).numpy()
        kind, scores = int(self.decisions["kind"][rows[0]]), np.empty(m, dtype=np.float32)
        score_answers(outputs, kind, self.decisions["pick"][rows], found, counts, scores)
        return scores


def play(players: Sequence[Seating], fixtures: np.ndarray, **settings: Any) -> Experience:
    """Plays a round for each fixture; `agent` in it is the place of a player at each seat. A round with a fork is the
    round of an equal fixture up to the fork; there another answer is given."""
    return Rollout(players, fixtures, **settings).play()
