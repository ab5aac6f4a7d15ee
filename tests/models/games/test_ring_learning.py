"""MADN as TD learns it: what its network reads, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.games.learning.methods import method_of
from tichu_models.games.learning.run import train
from tichu_models.games.learning.settings import settings_of
from tichu_models.games.pachisi.madn.learners import fields
from tichu_models.games.pachisi.madn.views import INPUTS, MOST_ACTIVE
from tichu_models.games.registry import game
from tichu_models.options import OptionError

MADN = game("madn")


@pytest.mark.parametrize("words", [{"players": "2", "distance": "4"}, {"players": "3"}, {"teams": "1"}])
def test_what_is_read_tells_positions_apart(words):
    """A network that takes the player a quarter ahead for the one three quarters ahead, whose value is another one; an
    input beyond those that there are."""
    options, out = options_of(MADN, **words), np.zeros(MOST_ACTIVE, dtype=np.int16)
    known: dict[tuple, tuple] = {}
    for key in range(3):
        state = MADN.new(options, key)
        for action in random_game(MADN, options, key).actions[:150]:
            active = out[: fields(state, out)].tolist()
            assert len(set(active)) == len(active)
            assert 0 <= min(active) <= max(active) < INPUTS
            turn, ring, distance = int(state.turn), 4 * int(state.distance), int(state.distance)
            told = {}
            for seat in MADN.seats_of(options):
                pins = [int(pin) for pin in state.pins[seat]]
                seen = [
                    pin if pin < 0 else (pin - distance * turn) % ring if pin < ring else pin - 4 * seat for pin in pins
                ]
                told[(seat - turn) % 4] = (sorted(seen), state.hands[seat].tolist())
            assert known.setdefault(tuple(sorted(active)), told) == told
            MADN.step(state, action)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [("rules=players=2,dice=1", "without chance"), ('encoding="attacks"', "it has fields, relu")],
)
def test_what_td_cannot_learn_is_refused(tmp_path, change, complaint):
    """Throws of the die that are taken for moves; a traceback for an encoding of another game."""
    settings = settings_of(method_of("madn", "td").settings, "madn", "td", "smoke", (change,))
    with pytest.raises(OptionError, match=complaint):
        train(MADN, "td", settings, tmp_path / "run")
