"""TD(lambda) on afterstates, against NumPy; and that it learns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.game import OVER, Game
from tichu_models.games.agents import LearnedAgent, agent_of
from tichu_models.games.match import match
from tichu_models.games.registry import game

GAME = game("chameleon")
NAMES = ("first", "bias", "second", "last")


class Plain:
    """The same network in NumPy, with double precision."""

    def __init__(self, network: TDNetwork) -> None:
        self.first, self.bias, self.second, self.last = (getattr(network, name).astype(float) for name in NAMES)

    def forward(self, active: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Hidden numbers and probabilities."""
        hidden = np.maximum(self.bias + self.first[active].sum(0), 0)
        scores = self.second @ hidden + self.last
        return hidden, np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()

    def learn(self, active: list[int], target: np.ndarray, rate: float) -> None:
        """A step down the gradient of the cross-entropy."""
        hidden, values = self.forward(active)
        error = rate * (values - target)
        slopes = (error @ self.second) * (hidden > 0)
        self.second -= np.outer(error, hidden)
        self.last -= error
        self.bias -= slopes
        self.first[active] -= slopes


def seen(of: Game, state) -> list[int]:
    """The active inputs of a position."""
    out = np.zeros(of.most_active, dtype=np.int16)
    return out[: of.kernels.features(state, out)].tolist()


def by_hand(network: TDNetwork, options: np.ndarray, trace: float, rate: float) -> Plain:
    """What a network should have learned from one greedy game."""
    plain, past, state = Plain(network), [], GAME.new(options)
    while (who := GAME.kernels.mover(state)) != OVER:
        GAME.step(state, network.choose(state))
        who = GAME.kernels.mover(state)
        if who != OVER:
            past.append((who, seen(GAME, state), np.roll(plain.forward(seen(GAME, state))[1], who)))
    result = GAME.returns(state)
    for who, active, value in reversed(past):
        plain.learn(active, np.roll(result, -who), rate)
        result = trace * result + (1 - trace) * value
    return plain


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
def test_a_game_is_learned_as_by_hand(trace):
    """A return of the wrong seat, lambda off by a move, a gradient with the wrong sign."""
    options = options_of(GAME, players="RY" if trace else "RGYB", limit="60")
    network = TDNetwork(GAME, 6, seed=3)
    network.second[:] = np.random.default_rng(1).normal(size=network.second.shape) / 4
    expected = by_hand(network, options, trace, 0.05)
    network.learn(options, np.uint64(1), 1, 0.0, 0.05, trace, 1000)
    for name in NAMES:
        np.testing.assert_allclose(getattr(network, name), getattr(expected, name), atol=2e-4)


def turned(written: dict) -> dict:
    """A position of Chameleon Chess, turned by a quarter: every colour and player becomes the next one."""
    following = dict(zip("RGYB", "GYBR", strict=True))
    first_row, last_row, first_column, last_column = written["limits"]
    return {
        "pawns": [
            {
                "player": following[pawn["player"]],
                "knight_field": following[pawn["knight_field"]],
                "row": 7 - pawn["col"],
                "col": pawn["row"],
            }
            for pawn in written["pawns"]
        ],
        "limits": [7 - last_column, 7 - first_column, first_row, last_row],
        "turn": following[written["turn"]],
    }


def test_a_turned_board_looks_the_same():
    """A network that has to learn every position four times, or takes different ones for one."""
    state = GAME.new(options_of(GAME))
    for action in random_game(GAME, options_of(GAME), 5).actions[:-1]:
        GAME.step(state, action)
        written = GAME.notation.write_state(state)
        for _ in range(3):
            written = turned(written)
            again = GAME.notation.read_state(written)
            assert len(GAME.legal(again)) == len(GAME.legal(state))
            assert sorted(seen(GAME, again)) == sorted(seen(GAME, state))


def test_it_learns_to_beat_chance():
    """A network whose games go by without a trace."""
    network = TDNetwork(GAME, 40)
    network.learn(options_of(GAME), np.uint64(1), 600, 0.1, 0.05, 0.7, 1000)
    agents = [LearnedAgent("td", network), *[agent_of(GAME, "random")] * 3]
    learned = match(GAME, options_of(GAME, limit="100"), agents, 120, 1, 4)["agents"][0]
    assert learned["interval"][0] > 0.3  # by chance it would win a quarter
