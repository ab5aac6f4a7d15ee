"""Tournaments of built-in players: 20,000 duplicate deals on one core, counted in processor time.

Printed beside the target; the test fails where the figure falls clearly below what has been reached.
"""

from __future__ import annotations

import time

import pytest

from tichu_models.agents.registry import agent_from
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import Order, play, warm_up

pytestmark = pytest.mark.bench
TARGET, LIMIT = 60.0, 6.0  # seconds


def test_twenty_thousand_duplicate_deals():
    """A comparison that one thinks twice about before asking for it."""
    warm_up()
    order = Order(("heuristic", "heuristic:blunder=.1"), 20_000, seed=1)
    started = time.process_time()
    played = play(order, agent_from)
    after_play = time.process_time()
    summary(played)
    seconds = time.process_time() - started
    print(f"\nduplicate deals: {after_play - started:.2f} s, with all figures {seconds:.2f} s (target {TARGET} s)")
    assert seconds < LIMIT
