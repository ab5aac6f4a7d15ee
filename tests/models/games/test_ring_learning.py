"""MADN as TD learns it: what its network reads, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.game import CHANCE
from tichu_models.games.learning.methods import method_of
from tichu_models.games.learning.run import train
from tichu_models.games.learning.settings import settings_of
from tichu_models.games.pachisi.madn.learners import ENCODINGS
from tichu_models.games.registry import game
from tichu_models.options import OptionError

MADN = game("madn")


def let_chance_act(state) -> None:
    """Throws the die if it has to be thrown."""
    if MADN.kernels.mover(state) == CHANCE:
        MADN.kernels.chance(state)


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize(
    "words", [{"players": "2", "distance": "4"}, {"players": "3"}, {"teams": "1"}, {"players": "2", "dice": "1"}]
)
def test_what_is_read_tells_positions_apart(words, encoding):
    """A network that takes the player a quarter ahead for the one three quarters ahead, whose value is another one; an
    input beyond those that there are."""
    kernel, inputs, most = ENCODINGS[encoding]
    options, out = options_of(MADN, **words), np.zeros(most, dtype=np.int16)
    known: dict[tuple, tuple] = {}
    for key in range(3):
        state = MADN.new(options, key)
        let_chance_act(state)
        for action in random_game(MADN, options, key).actions[:150]:
            active = out[: kernel(state, out)].tolist()
            assert len(set(active)) == len(active)
            assert 0 <= min(active) <= max(active) < inputs
            turn, ring, distance = int(state.turn), 4 * int(state.distance), int(state.distance)
            told = {}
            for seat in MADN.seats_of(options):
                pins = [int(pin) for pin in state.pins[seat]]
                seen = [
                    pin if pin < 0 else (pin - distance * turn) % ring if pin < ring else pin - 4 * seat for pin in pins
                ]
                told[(seat - turn) % 4] = (sorted(seen), state.hands[seat].tolist(), int(state.die))
            assert known.setdefault(tuple(sorted(active)), told) == told
            MADN.step(state, action)
            let_chance_act(state)


@pytest.mark.parametrize(
    ("of", "options", "complaint"),
    [
        ("dog", {"blind": "yes"}, "true or false"),
        ("dog", {"x": "1"}, "no such"),
        ("madn", {"blind": "true"}, "no such"),
    ],
)
def test_wrong_options_of_a_player_are_named(of, options, complaint):
    """A player that looks at cards which it was told not to look at."""
    method = method_of(of, "td")
    settings = settings_of(method.settings, of, "td", "smoke")
    with pytest.raises(OptionError, match=complaint):
        method.player(game(of), settings, {}, "td:x", options)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [('encoding="hands"', "it has fields, relu; reach, relu"), ('activation="sigmoid"', "it has fields, relu")],
)
def test_what_td_cannot_learn_is_refused(tmp_path, change, complaint):
    """A traceback for an encoding of another game, or one that is not there."""
    settings = settings_of(method_of("madn", "td").settings, "madn", "td", "smoke", (change,))
    with pytest.raises(OptionError, match=complaint):
        train(MADN, "td", settings, tmp_path / "run")
