"""Rounds of each player, played again: the same questions in the same order, the same answers."""

from __future__ import annotations

import difflib
import re

import pytest

from tests.makers.playthroughs import FOLDER, PLAYERS, RENEW, playthrough, policy_of_integers
from tichu_models.agents.neural import network
from tichu_models.rules.asking import KINDS


@pytest.mark.parametrize("name", PLAYERS)
def test_a_playthrough_is_played_again(name):
    """A player, the order of questions or the random numbers changed where nobody meant to: results of old tournaments
    cannot be had again."""
    golden = (FOLDER / f"{name}.txt").read_text()
    difference = difflib.unified_diff(golden.splitlines(), playthrough(PLAYERS[name]()).splitlines(), lineterm="", n=1)
    shown = [line for line, _ in zip(difference, range(20), strict=False)]
    assert not shown, "\n".join([f"{name}.txt differs. If that is meant: {RENEW}", *shown])


def test_the_playthroughs_are_whole():
    """A file of a player who is gone, which nobody compares any more; or a kind of question that none of them shows."""
    assert {path.stem for path in FOLDER.iterdir()} == {*PLAYERS}
    text = "\n".join(path.read_text() for path in FOLDER.iterdir())
    assert set(re.findall(r"^  [0-3] (\w+) ", text, re.MULTILINE)) == {*KINDS}


@pytest.mark.parametrize("fast", [False, True])
def test_the_network_plays_the_same_in_both_precisions(monkeypatch, fast):
    """A playthrough that holds on the machine only that it was written on."""
    monkeypatch.setattr(network, "has_fast_bf16", lambda: fast)
    assert playthrough(policy_of_integers()) == (FOLDER / "policy.txt").read_text()
