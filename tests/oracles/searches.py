"""The searches as they are written in papers: recursive, in plain Python, without any budget. They know a game only by
`tichu_models.game.Game`, and its evaluation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.game import OVER, Game, State

INFINITY = float("inf")


class Found(NamedTuple):
    """What a search has found."""

    value: list[int]  # of all seats, or only the root's
    action: int | None


class Search:
    """Searches of one game with one evaluation, which count the positions that they evaluate."""

    def __init__(self, game: Game, kind: int) -> None:
        self.game, self.kind, self.leaves = game, kind, 0

    def after(self, state: State, action: int, turn: int | None = None) -> State:
        """The position after an action, of `turn` if it is not whose turn it is."""
        child = self.game.copy(state)
        if turn is not None:
            self.game.kernels.give_turn(child, turn)
        self.game.kernels.step(child, action)
        return child

    def values(self, state: State) -> list[int]:
        """The shares of all seats."""
        out = np.zeros(4, dtype=np.int64)
        self.game.kernels.evaluate(state, self.kind, out)
        self.leaves += 1
        return out.tolist()

    def takes_part(self, state: State, seat: int) -> bool:
        """Whether a seat is still in the game."""
        return bool(self.game.kernels.takes_part(state, seat))

    def maxn(self, state: State, depth: int) -> Found:
        """Every seat chooses what is best for itself."""
        who = self.game.kernels.mover(state)
        if depth == 0 or who == OVER:
            return Found(self.values(state), None)
        best = Found([-1] * 4, None)
        for action in self.game.legal(state):
            value = self.maxn(self.after(state, action), depth - 1).value
            if value[who] > best.value[who]:
                best = Found(value, action)
        return best

    def hypermax(self, state: State, depth: int, players: list[int], alpha: dict[int, float]) -> Found:
        """As above, of values that add up to 0, and pruned when what all have for sure does not add up to less."""
        who = self.game.kernels.mover(state)
        if depth == 0 or who == OVER:
            shares = self.values(state)
            return Found([len(players) * shares[p] - sum(shares) if p in players else 0 for p in range(4)], None)
        alpha, best = dict(alpha), None
        for action in self.game.legal(state):
            value = self.hypermax(self.after(state, action), depth - 1, players, alpha).value
            if best is None or value[who] > alpha[who]:
                best = Found(value, action)
            alpha[who] = max(alpha[who], value[who])
            if sum(alpha.values()) >= 0:
                break
        assert best is not None
        return best

    def published_paranoid(self, state: State, depth: int, root: int) -> Found:
        """Paranoid with the fault of the published one: where another seat acts, the first action never counts unless
        it is the only one."""
        who = self.game.kernels.mover(state)
        if depth == 0 or who == OVER or not self.takes_part(state, root):
            shares = self.values(state)
            return Found([2 * shares[root] - sum(shares)], None)
        legal = self.game.legal(state)
        counted = legal if who == root else legal[1:] or legal
        found = [
            Found(self.published_paranoid(self.after(state, action), depth - 1, root).value, action)
            for action in counted
        ]
        return (max if who == root else min)(found, key=lambda each: each.value[0])

    def one_against_all(self, state: State, depth: int, root: int, best_reply: bool, replies: bool = False) -> Found:
        """Paranoid, or Best-Reply Search, without any pruning."""
        over = self.game.kernels.mover(state) == OVER or not self.takes_part(state, root)
        if depth == 0 or over:
            shares = self.values(state)
            return Found([2 * shares[root] - sum(shares)], None)
        who = self.game.kernels.mover(state)
        turns = [who]
        if best_reply:
            others = [seat % 4 for seat in range(who, who + 4) if seat % 4 != root and self.takes_part(state, seat % 4)]
            turns = others if replies else [root]
        best = None
        for turn in turns:
            fork = self.game.copy(state)
            self.game.kernels.give_turn(fork, turn)
            for action in self.game.legal(fork):
                child = self.after(fork, action)
                found = self.one_against_all(child, depth - 1, root, best_reply, not replies).value[0]
                if best is None or (found > best.value[0] if turn == root else found < best.value[0]):
                    best = Found([found], action)
        assert best is not None
        return best
