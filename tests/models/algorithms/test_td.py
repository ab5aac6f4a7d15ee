"""TD(lambda) on afterstates, against NumPy; and that it learns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.algorithms.td import RANDOM, RULES
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.chance import draw, draw_below
from tichu_models.game import CHANCE, OVER, Game
from tichu_models.games.agents import LearnedAgent, agent_of
from tichu_models.games.match import match
from tichu_models.games.pachisi.dog.inputs import hands
from tichu_models.games.pachisi.madn.inputs import fields, reach
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


def seen(of: Game, state, kernel=None) -> list[int]:
    """The active inputs of a position, by the kernel of an encoding."""
    out = np.zeros(400, dtype=np.int16)
    return out[: (kernel or of.kernels.features)(state, out)].tolist()


def by_hand(
    of: Game, network: TDNetwork, options: np.ndarray, trace: float, rate: float, key: int = 0, kernel=None
) -> Plain:
    """What a network should have learned from one greedy game."""
    plain, past, state = Plain(network), [], of.new(options, key)
    while of.kernels.mover(state) != OVER:
        if of.kernels.mover(state) == CHANCE:
            of.kernels.chance(state)
            continue
        actor = int(of.kernels.mover(state))
        of.step(state, network.choose(state))
        if of.kernels.mover(state) != OVER:
            who = actor if of.name == "dog" else int(state.turn)
            past.append((who, seen(of, state, kernel), np.roll(plain.forward(seen(of, state, kernel))[1], who)))
    result = of.returns(state)
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
    expected = by_hand(GAME, network, options, trace, 0.05)
    network.learn(options, np.uint64(1), 1, 0.0, 0.05, trace, 1000)
    for name in NAMES:
        np.testing.assert_allclose(getattr(network, name), getattr(expected, name), atol=2e-4)


@pytest.mark.parametrize(
    ("name", "kind", "kernel", "words"),
    [
        ("madn", "reach", reach, {"players": "2", "distance": "4", "dice": "1", "dice_rethrow": "1"}),
        ("madn", "fields", fields, {"teams": "1", "distance": "4", "dice": "1"}),
        ("dog", "hands", hands, {"distance": "5"}),
        ("dog", "hands", hands, {"players": "2", "distance": "5", "perfect_information": "1"}),
    ],
)
def test_a_game_with_chance_is_learned_as_by_hand(name, kind, kernel, words):
    """Throws and deals that are learned as if a player had chosen them; positions after them in the place of those
    before; values that are counted from another seat than inputs are seen from."""
    of = game(name)
    options, network = options_of(of, **words), TDNetwork(of, 6, 3, (kind, "relu"))
    # A player of some skill, since one by chance needs thousands of moves.
    network.learn(options, np.uint64(7), 40, 0.1, 0.02, 0.7, 20_000)
    expected = by_hand(of, network, options, 0.7, 0.02, int(draw(np.uint64(draw(np.uint64(1), 0)), 0)), kernel)
    before = {each: getattr(network, each).copy() for each in NAMES}
    assert network.learn(options, np.uint64(1), 1, 0.0, 0.02, 0.7, 20_000) > 20
    for each in NAMES:
        found, change = getattr(network, each), getattr(expected, each) - before[each]
        np.testing.assert_allclose(found - before[each], change, atol=0.02 * np.abs(change).max())


@pytest.mark.parametrize(("name", "kind"), [("madn", "reach"), ("dog", "hands"), ("chameleon", "fields")])
def test_guided_games_are_those_of_the_rules_of_thumb(name, kind):
    """A network that is told to learn from others and plays by itself, or the other way round."""
    of = game(name)
    words = {} if name == "chameleon" else {"distance": "5"}
    options, network = options_of(of, **words), TDNetwork(of, 6, 1, (kind, "relu"))
    rules, key, lengths = agent_of(of, "rules" if words else "greedy"), np.uint64(3), []
    for number in range(2):
        state, moves = of.new(options, int(draw(np.uint64(draw(key, number)), 0))), 0
        while of.kernels.mover(state) != OVER:
            if of.kernels.mover(state) == CHANCE:
                of.kernels.chance(state)
                continue
            of.kernels.step(state, rules.choose(state, key))
            moves += 1
        lengths.append(moves)
    assert network.learn(options, key, 1, 0.0, 0.05, 0.7, 10_000, 1) == lengths[0]
    both = TDNetwork(of, 6, 1, (kind, "relu"))
    assert both.learn(options, key, 2, 0.0, 0.05, 0.7, 10_000, 1) != sum(lengths)


@pytest.mark.parametrize("rival", [RANDOM, RULES])
@pytest.mark.parametrize("players", ["RGYB", "GB", "RGY"])
def test_a_rival_has_all_seats_but_one(rival, players):
    """A network that is said to learn from others, and plays all seats itself, or none."""
    options, key = options_of(GAME, players=players), np.uint64(5)
    network, greedy = TDNetwork(GAME, 6), agent_of(GAME, "greedy")
    game_key = np.uint64(draw(key, 0))
    seats = sorted(GAME.seats_of(options))
    learner = seats[int(draw_below(game_key, -1, len(seats)))]
    state, moves = GAME.new(options), 0
    while (seat := int(GAME.kernels.mover(state))) != OVER:
        legal = GAME.legal(state)
        if seat == learner:
            action = network.choose(state)
        elif rival == RULES:
            action = greedy.choose(state, key)
        else:
            action = legal[int(draw_below(game_key, 2 * moves + 2, len(legal)))]
        GAME.step(state, action)
        moves += 1
    assert network.learn(options, key, 1, 0.0, 0.05, 0.7, 1000, 0, rival) == moves


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
