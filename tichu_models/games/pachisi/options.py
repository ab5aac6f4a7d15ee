"""Which rules a game of MADN or DOG has: one record of options for both, of which each game has its own switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import (
    AT_DISTANCE,
    AT_PLAYERS,
    AT_RULES,
    DICE,
    LEAST_DISTANCE,
    MOST_DISTANCE,
    MOST_PAST,
    PLAYERS,
    SEATS,
    SWITCHES,
)
from tichu_models.options import OptionError, Options, expected, option

MADN, DOG = "madn", "dog"
LEAST_BARRED = 5  # cells from start to start: with four, 16 pins may bar each other for good
# Switches that begin on. All others begin off; teams begin as DOG is played by four.
ON = {
    MADN: ("circular_board", "jump_in_goal_area", "must_traverse_start", "start_on_1", "bonus_turn_on_6"),
    DOG: (
        "circular_board", "start_blocking", "jump_in_goal_area", "must_traverse_start",
        "joker", "seven", "swap", "minus_four",
    ),
}  # fmt: skip
WORDS = {"1": True, "0": False, "true": True, "false": False, "on": True, "off": False, "yes": True, "no": False}


@dataclass(frozen=True, kw_only=True)
class RingOptions(Options):
    """The board, and the switches of both games. A switch that is None is as ON says."""

    players: int = option(4, "how many play", least=2, most=PLAYERS)
    distance: int = option(10, "cells from start to start", least=LEAST_DISTANCE, most=MOST_DISTANCE)
    history: int = option(0, "how many earlier positions observations have", least=0, most=MOST_PAST)
    teams: bool | None = option(None, "players opposite play together; who is done moves the partner's pins")
    initial_free_pin: bool | None = option(None, "one pin of each player begins on its start")
    circular_board: bool | None = option(None, "a pin may pass its goal, and go back behind its start")
    start_blocking: bool | None = option(None, "nobody passes a pin on its own start, or swaps it")
    jump_in_goal_area: bool | None = option(None, "pins in the goal may be jumped")
    friendly_fire: bool | None = option(None, "a pin may send home another one of the same player")
    must_traverse_start: bool | None = option(None, "the own start lies before the goal")
    start_on_1: bool | None = option(None, "a 1 leaves home, as a 6 does", of=(MADN,))
    bonus_turn_on_6: bool | None = option(None, "a 6 moves again", of=(MADN,))
    dice: bool | None = option(None, "a die instead of number cards", of=(MADN,))
    dice_rethrow: bool | None = option(None, "up to three throws for who can only leave home", of=(MADN,))
    joker: bool | None = option(None, "six jokers are in the pack", of=(DOG,))
    seven: bool | None = option(None, "eight sevens are in the pack", of=(DOG,))
    swap: bool | None = option(None, "eight swaps are in the pack", of=(DOG,))
    minus_four: bool | None = option(None, "a 4 may go backwards", of=(DOG,))
    perfect_information: bool | None = option(None, "all hands are open, and so is what is discarded", of=(DOG,))

    def array_for(self, game: str) -> np.ndarray:
        """The options as kernels read them; OptionError names those that do not go together."""
        on = {name: self._is_on(name, game) for name in SWITCHES}
        for name in SWITCHES:
            if getattr(self, name) is not None and name not in self.names_of(game):
                raise OptionError(f"{name}: no switch of {game}")
        if on["teams"] and self.players != PLAYERS:
            raise OptionError(f"teams, players = {self.players}: teams need four players")
        if on["start_blocking"] and self.distance < LEAST_BARRED:
            raise OptionError(
                f"start_blocking, distance = {self.distance}: barred ways need {LEAST_BARRED} cells or more"
            )
        if on["dice_rethrow"] and not on["dice"]:
            raise OptionError("dice_rethrow: there is nothing to throw again without dice")
        rules = sum(1 << i for i, name in enumerate(SWITCHES) if on[name])
        return np.array([self.players, self.distance, rules, self.history], dtype=np.int64)

    def _is_on(self, name: str, game: str) -> bool:
        given = getattr(self, name)
        if given is not None:
            return given
        return name in ON[game] or (name == "teams" and game == DOG and self.players == PLAYERS)


def read_options(words: Mapping[str, Any], game: str) -> np.ndarray:
    """Options by words such as distance=8 or teams=1; `players` is a number or the letters of the seats."""
    known = RingOptions.names_of(game)
    given: dict[str, Any] = {}
    for name, word in words.items():
        if name not in known:
            raise OptionError(f"unknown key '{name}'; {expected(name, known)}")
        given[name] = _players(word) if name == "players" else _value(name, word)
    return RingOptions(**RingOptions.fitted(given)).array_for(game)


def _players(word: Any) -> int:
    letters = str(word).upper()
    if letters and letters == SEATS[: len(letters)]:
        return len(letters)
    return _value("players", word)


def _value(name: str, word: Any) -> Any:
    if name in SWITCHES:
        if str(word).lower() not in WORDS:
            raise OptionError(f"{name} = {word}: expected 1 or 0")
        return WORDS[str(word).lower()]
    try:
        return int(word)
    except (TypeError, ValueError):
        raise OptionError(f"{name} = {word}: expected a number") from None


def unlike(learned: np.ndarray, asked: np.ndarray) -> str:
    """What is another board to a network, or another kind of luck; an empty text if neither is."""
    known, wanted = _board_of(learned), _board_of(asked)
    names = [name for name in known if known[name] != wanted[name]]
    told = [", ".join(f"{name}={each[name]}" for name in names) for each in (known, wanted)]
    return f"it has learned with {told[0]}; the game has {told[1]}" if names else ""


def _board_of(options: np.ndarray) -> dict[str, int]:
    has_dice = int(options[AT_RULES]) & DICE != 0
    return {"players": int(options[AT_PLAYERS]), "distance": int(options[AT_DISTANCE]), "dice": int(has_dice)}


def words_of(state: State, game: str) -> dict[str, Any]:
    """The options of a state, as JSON has them; the board itself has the players and the distance."""
    switches = [name for name in SWITCHES if name in RingOptions.names_of(game)]
    on = {name: bool(int(state.rules) >> SWITCHES.index(name) & 1) for name in switches}
    return {**on, "history": int(state.history)}
