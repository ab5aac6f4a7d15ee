"""The kernels of games beside Tichu in parts that can be compiled side by side: a part for each game.

`kernel_parts` lists them with all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tichu_models.algorithms.lockstep_batch import LockstepBatch
    from tichu_models.game import Game


def chameleon() -> None:
    """Chameleon Chess, and the algorithms that are bound to it."""
    from tichu_models.algorithms.searcher import RULES, Budget, Searcher
    from tichu_models.algorithms.td_network import TDNetwork
    from tichu_models.games.registry import game

    of = game("chameleon")
    states, actions = np.zeros(3, dtype=of.state), np.zeros((3, of.most_actions), dtype=np.int16)
    states[0] = state = of.new(of.read_options({}))
    of.algorithms["perft"](states, actions, np.zeros((3, 2), dtype=np.int64), 2)
    for rule in RULES:
        of.step(state, Searcher(of, rule).choose(state, Budget(depth=2)).action)
    network = TDNetwork(of, 8)
    network.learn(of.read_options({}), np.uint64(1), 1, 0.1, 0.05, 0.7, 1000)
    of.step(state, network.choose(state))


def clever() -> None:
    """Ganz schön clever and its prototype, its simple players, and the algorithms that are bound to them."""
    from tichu_models.algorithms.expectimax import Expectimax
    from tichu_models.algorithms.solo_batch import keys_of
    from tichu_models.algorithms.solo_ppo import SoloPPO, SoloPPOSettings
    from tichu_models.algorithms.solo_td import SoloTD, SoloTDSettings
    from tichu_models.games.clever import simple
    from tichu_models.games.registry import game

    for name in ("clever-prototype", "clever"):
        of = game(name)
        options, actions = of.read_options({}), np.zeros(of.most_actions, dtype=np.int16)
        made, widths = np.zeros(of.bound, dtype=np.int16), np.zeros(of.bound, dtype=np.int64)
        of.algorithms["play_random"](of.blank(), options, np.uint64(0), of.bound, actions, made, widths)
        states, masks = np.zeros(1, dtype=of.state).view(np.recarray), np.zeros((1, of.actions), dtype=np.int8)
        shared = (states, options, np.zeros(1, dtype=np.uint64), actions, np.zeros((1, of.observation), np.float32))
        of.algorithms["begin_all"](*shared, masks)
        chosen, ended = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)
        of.algorithms["step_all"](*shared, masks, chosen, 0.0, True, np.zeros(1), ended, chosen.copy())
        training = SoloTD(of, options, SoloTDSettings(at_once=1, hidden=(8,)))
        training.iterate(0.0)
        Expectimax(of, training.network, rolls=1).play(options, keys_of(np.uint64(0), 1))
        SoloPPO(of, options, masks.shape[1], SoloPPOSettings(games=1, horizon=4, hidden=(8,))).iterate(0.0)
    states = np.zeros(2, dtype=of.state).view(np.recarray)
    simple.play_simple_games(states, options, np.uint64(0), simple.WORTH, False, actions, np.zeros(1))


def madn() -> None:
    """MADN, and the algorithms that are bound to it."""
    from tichu_models.algorithms.td_network import TDNetwork
    from tichu_models.games.registry import game
    from tichu_models.games.thinking import ExpectimaxAgent

    _ring_game("madn", {"dice": "1"}, ("rules", "expectimax"))
    of, key = game("madn"), np.zeros(1, dtype=np.uint64)
    batch = _side_by_side(of)
    for encoding in ("fields", "reach"):
        network = TDNetwork(of, 8, kind=(encoding, "relu"))
        network.learn(batch.options, np.uint64(1), 1, 0.1, 0.05, 0.7, 1000)
        network.choose(batch.states[0])
        ExpectimaxAgent(of, "expectimax", 1, network).choose(batch.states[0], key[0])


def dog() -> None:
    """DOG, and the algorithms that are bound to it."""
    from tichu_models.algorithms.td_network import TDNetwork
    from tichu_models.game import CHANCE
    from tichu_models.games.registry import game

    _ring_game("dog", {"distance": "5"}, ("rules",))
    of = game("dog")
    _side_by_side(of)
    options, network = of.read_options({}), TDNetwork(of, 8, kind=("hands", "relu"))
    network.learn(options, np.uint64(1), 1, 0.1, 0.05, 0.7, 10)
    state = of.new(options)
    while of.kernels.mover(state) == CHANCE:
        of.kernels.chance(state)
    network.choose(state)


def _side_by_side(of: Game) -> LockstepBatch:
    """A game for networks that play many of them together."""
    from tichu_models.algorithms.lockstep_batch import LockstepBatch, Sight

    batch = LockstepBatch(of, of.read_options({"players": "2"}), 1, 1)
    batch.begin(np.zeros(1, dtype=np.uint64))
    sight = Sight(of, batch.inputs)
    numbers = sight.look(batch.states)[1].argmax(axis=1)
    sight.meant_by(batch.states, numbers)
    batch.guided()
    batch.step(numbers)
    return batch


def _ring_game(name: str, words: dict[str, str], agents: tuple[str, ...]) -> None:
    """Random games, a match, and what is seen, written and drawn of a position."""
    from tichu_models.algorithms.counting import random_games
    from tichu_models.game import CHANCE
    from tichu_models.games.agents import agent_of
    from tichu_models.games.registry import game

    of = game(name)
    options, key = of.read_options(words), np.uint64(0)
    random_games(of, options, 1, 0)
    state, seen = of.new(options), np.zeros(of.observation, dtype=np.float32)
    while of.kernels.mover(state) == CHANCE:
        of.kernels.chance(state)
    of.kernels.observe(state, 0, seen)
    of.kernels.features(state, np.zeros(of.most_active, dtype=np.int16))
    of.kernels.evaluate(state, 0, np.zeros(len(of.seats), dtype=np.int64))
    of.legal(of.notation.read_state(of.notation.write_state(state)))
    for agent in agents:
        of.step(state, agent_of(of, agent).choose(of.as_known_to(int(state.turn), state), key))
        while of.kernels.mover(state) == CHANCE:
            of.kernels.chance(state)
    of.returns(state)


def muzero() -> None:
    """The search of MuZero, and its targets."""
    from tichu_models.algorithms.muzero import targets
    from tichu_models.algorithms.muzero.search import Imagined, Search

    one = np.ones(1, dtype=np.float32)
    policy = np.zeros((1, 2), dtype=np.float32)
    legal, said = np.ones((1, 2), dtype=np.bool_), Imagined(one, one, one, policy)
    Search(1, 2, 2).run(one, policy, legal, policy, lambda *_: said)
    sides, number = np.zeros(1, dtype=np.int64), np.zeros((1, 2), dtype=np.int64)
    targets.value_targets(np.zeros(1), np.zeros(1), sides, sides + 1, 1, 1.0, 1.0, np.zeros(1))
    rows = np.zeros((1, 2), dtype=np.int8)
    targets.windows(sides, sides, sides + 1, rows, number, number[:, 1:].copy())


def tichu_as_game() -> None:
    """Tichu for what knows no game."""
    _ring_game("tichu", {}, ())
