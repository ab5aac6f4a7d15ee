"""What the network of TD reads of DOG: only what the seat that has acted knows, and where pins can be hit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.algorithms.td_network import TDNetwork
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.agents import LearnedAgent, agent_of
from tichu_models.games.learning.methods import method_of
from tichu_models.games.learning.settings import settings_of
from tichu_models.games.match import match
from tichu_models.games.pachisi.board import OPEN
from tichu_models.games.pachisi.dog import inputs
from tichu_models.games.pachisi.exposure import COUNTED, DEGREES, OF_PLAYER, ZONES
from tichu_models.games.registry import game
from tichu_models.options import OptionError

DOG = game("dog")
KEY = np.uint64(1)
CASES = [
    {"distance": "6"},
    {"distance": "6", "perfect_information": "1"},
    {"players": "3", "distance": "5", "perfect_information": "1"},
    {"players": "2", "distance": "8"},
]


def active_of(state: State) -> list[int]:
    """The inputs of a position."""
    out = np.zeros(inputs.MOST_ACTIVE, dtype=np.int16)
    return out[: inputs.hands(state, out)].tolist()


def decisions(words: dict[str, str], key: int, most: int = 400) -> Iterator[tuple[State, int]]:
    """Positions of a random game in which somebody chooses, and what is chosen."""
    options = options_of(DOG, **words)
    state = DOG.new(options, key)
    for action in random_game(DOG, options, key).actions[:most]:
        while DOG.kernels.mover(state) == CHANCE:
            DOG.kernels.chance(state)
        yield state, action
        DOG.kernels.step(state, action)


@pytest.mark.parametrize("words", CASES)
def test_an_action_looks_the_same_to_who_knows_less(words):
    """A network that learns by hidden cards, and plays without them: cards of others, or the one that the partner will
    have given; an input twice, or beyond those that there are."""
    compared = Counter()
    for key in range(3):
        for state, _ in decisions(words, key):
            known = DOG.as_known_to(int(state.turn), state)
            for action in DOG.legal(state)[:6]:
                afters = [DOG.copy(state), DOG.copy(known)]
                for after in afters:
                    DOG.kernels.step(after, action)
                found = active_of(afters[0])
                assert found == active_of(afters[1])
                assert len(set(found)) == len(found)
                assert 0 <= min(found) <= max(found) < inputs.INPUTS
                compared[int(state.phase), int(afters[0].phase)] += 1
    if "players" not in words:
        assert compared[1, 2] > 10  # the last one of an exchange


def test_who_is_blind_sees_what_it_would_with_hidden_cards():
    """What hidden cards cost, measured on a player that looks at them, or that takes open hands for empty ones."""
    network = TDNetwork(DOG, 8, 1, ("hands", "relu"))
    network.learn(options_of(DOG), np.uint64(1), 300, 0.1, 0.1, 0.9, 5_000, guided=300)
    sighted, blind = (LearnedAgent("td", network, is_blind) for is_blind in (False, True))
    apart = 0
    for state, _ in decisions({"perfect_information": "1"}, 2):
        hidden = DOG.copy(state)
        hidden.rules &= ~OPEN
        seat, before = int(state.turn), state.tobytes()
        shown = DOG.as_known_to(seat, state)
        assert blind.choose(shown, KEY) == sighted.choose(DOG.as_known_to(seat, hidden), KEY)
        apart += blind.choose(shown, KEY) != sighted.choose(shown, KEY)
        assert state.tobytes() == before
    assert apart > 10


def test_it_learns_to_beat_who_guides_it():
    """Hands that are read and not made use of, or a network that does what it has seen and no better."""
    options = options_of(DOG, perfect_information="1")
    network = TDNetwork(DOG, 16, 1, ("hands", "relu"))
    network.learn(options, np.uint64(1), 4_000, 0.05, 0.1, 0.95, 5_000, guided=4_000)
    found = match(DOG, options, [LearnedAgent("td", network), agent_of(DOG, "rules")], 60, 1, 4)["agents"][0]
    assert found["illegal"] == 0
    assert found["interval"][0] > 0.5


def can_hit(state: State, other: int, pins_of: int, cell: int, hand: list[int] | None) -> bool:
    """Whether a player may hit a pin on a cell, by cards one by one; None are unknown ones."""
    ring, start = 4 * int(state.distance), int(state.distance) * pins_of
    steps = {card: {card} for card in range(2, 14)} | {1: set(), 11: {1, 11}, 7: set(range(1, 8))}
    forward: set[int] = set()
    leaves = back = False
    for card in range(14) if hand is None else hand:
        forward |= set(range(1, 14)) if card == 0 else steps.get(card, set())
        leaves |= card in (0, 11, 13)
        back |= card in (0, 4) and hand is not None
    for pin in state.pins[pins_of].tolist():
        if pin < 0 and leaves and cell == start:
            return True
        if 0 <= pin < ring and ((cell - pin) % ring or ring) in forward:
            return True
        if 0 <= pin < ring and back and (pin - cell) % ring == 4 and ring - 4 > 13:
            return True
    return False


@pytest.mark.parametrize("words", CASES)
def test_pins_are_exposed_to_the_cards_that_are_known(words):
    """A pin that nobody can hit and the network fears for; a partner that is taken for an opponent, or pins of a player
    who is done for those that it moves."""
    seen = 0
    for state, action in decisions(words, 5, 3_000):
        after = DOG.copy(state)
        DOG.kernels.step(after, action)
        if after.phase != 2 or DOG.kernels.mover(after) == OVER or inputs.is_fresh(after):
            continue
        seat, players, ring = int(after.last), int(after.players), 4 * int(after.distance)
        is_open, teams = "perfect_information" in words, players == 4
        expected: Counter[int] = Counter()
        for player in range(players):
            for cell in after.pins[player].tolist():
                degree = 0
                for other in range(players):
                    if other == player or (teams and other == player ^ 2) or not after.held[other]:
                        continue
                    counts = after.hands[other].tolist()
                    hand = [card for card in range(14) if counts[card]] if is_open or other == seat else None
                    pins_of = other ^ 2 if teams and int(after.finished) >> other & 1 else other
                    if 0 <= cell < ring and can_hit(after, other, pins_of, cell, hand):
                        degree = max(degree, 2 if other == int(after.turn) else 1)
                if degree:
                    zone = ZONES * ((cell - int(after.distance) * player) % ring) // ring
                    expected[(player - seat) % 4 * OF_PLAYER + COUNTED * (DEGREES * zone + degree - 1)] += 1
        wanted = {inputs.EXPOSED_INPUTS + first + k for first, n in expected.items() for k in range(min(n, COUNTED))}
        assert {each for each in active_of(after) if each >= inputs.EXPOSED_INPUTS} == wanted
        seen += len(wanted)
    assert seen > 100


def test_hands_are_open_in_the_first_part_of_a_run():
    """Further training that goes on with open hands, or that never had them."""

    def weights_of(*changes: str, iterations: int = 2) -> bytes:
        settings = settings_of(method_of("dog", "td").settings, "dog", "td", "smoke", ("rules=distance=5", *changes))
        trainer = method_of("dog", "td").trainer(DOG, settings)
        for iteration in range(iterations):
            trainer.iterate(iteration, iteration / 2)
        return b"".join(array.tobytes() for array in trainer.weights().values())

    closed, opened, half = weights_of(), weights_of("opened=1"), weights_of("opened=0.5")
    assert len({closed, opened, half}) == 3
    assert opened == weights_of("rules=distance=5,perfect_information=1")
    assert weights_of("opened=0.5", iterations=1) == weights_of("opened=1", iterations=1)
    with pytest.raises(OptionError, match="in teams"):
        weights_of("rival=random")
    settings = settings_of(method_of("madn", "td").settings, "madn", "td", "smoke", ("opened=0.5",))
    with pytest.raises(OptionError, match="madn has no hidden cards"):
        method_of("madn", "td").trainer(game("madn"), settings)
