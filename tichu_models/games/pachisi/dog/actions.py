"""The actions of DOG as numbers, both ways.

With c = 4d + 4p cells of p players, in this order:

| Codes | How many | d = 10, p = 4 | d = 10, p = 2 | Action |
| --- | ---: | ---: | ---: | --- |
| joker as swap | 4c | 0 - 223 | 0 - 191 | pin * c + the cell of the other pin |
| joker as seven | 120 | 224 - 343 | 192 - 311 | the place of the split among SPLITS |
| joker as move | 48 | 344 - 391 | 312 - 359 | 12 * pin + the place among MOVES |
| joker as -4 | 4 | 392 - 395 | 360 - 363 | pin |
| swap, seven, move, -4 | 4c + 172 | 396 - 791 | 364 - 727 | likewise, by the card itself |
| give | 14 | 792 - 805 | 728 - 741 | the card that the partner gets |
| discard | 1 | 806 | 742 | the hand, if no play is legal |

So there are 806 codes that do something, 792 of them plays. The notes from which the game comes print the second half
for four players as 392 - 788, which overlaps the joker's -4, and give 728 codes for two players, that is without the
exchange. Their pin has 157 actions with d = 16; it has 109 with d = 10.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tichu_models.game import State
from tichu_models.games.pachisi.board import MOST_CELLS, PINS
from tichu_models.kernels import inlined

CARDS = ("joker", "swap", "2", "3", "4", "5", "6", "7", "8", "9", "10", "1|11", "12", "13")
KINDS = len(CARDS)
JOKER_CARD, SWAP_CARD, FOUR, SEVEN_CARD, ACE = 0, 1, 4, 7, 11
MOVES = (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13)
LEAVING = (1, 11, 13)  # moves that leave home
BACK = 4  # steps backwards
WHOLE_SEVEN = 7
SPLITS = np.array(
    [
        (a, b, c, WHOLE_SEVEN - a - b - c)
        for a in range(WHOLE_SEVEN + 1)
        for b in range(WHOLE_SEVEN + 1 - a)
        for c in range(WHOLE_SEVEN + 1 - a - b)
    ],
    dtype=np.int64,
)
STEPS_OF = np.array(MOVES, dtype=np.int64)
CARD_OF = np.array([ACE if steps == 1 else steps for steps in MOVES], dtype=np.int64)
LEAVES = np.array([steps in LEAVING for steps in MOVES])
# What a code is. SWAPS, SEVENS, STEPS and BACKS may be a joker's.
SWAPS, SEVENS, STEPS, BACKS, GIVE, DISCARD = range(6)
AFTER_SWAPS = len(SPLITS) + PINS * len(MOVES) + PINS
MOST_CODES = 2 * (PINS * MOST_CELLS + AFTER_SWAPS) + KINDS + 1


@inlined
def half_of(cells: int) -> int:
    """How many codes plays have without a joker, or with one."""
    return PINS * cells + AFTER_SWAPS


@inlined
def cells_of(state: State) -> int:
    """The cells of the ring and of the goals that there are."""
    return state.ring + PINS * state.players


@inlined
def kind_of(cells: int, code: int) -> int:
    """What a code is."""
    half = half_of(cells)
    if code >= 2 * half:
        return GIVE if code < 2 * half + KINDS else DISCARD
    rest = code % half - PINS * cells
    if rest < 0:
        return SWAPS
    if rest < len(SPLITS):
        return SEVENS
    return STEPS if rest < len(SPLITS) + PINS * len(MOVES) else BACKS


@inlined
def rest_of(cells: int, code: int) -> int:
    """The place of a code among those of its kind, with a joker or without."""
    half, kind = half_of(cells), kind_of(cells, code)
    if kind >= GIVE:
        return code - 2 * half if kind == GIVE else 0
    rest = code % half
    if kind > SWAPS:
        rest -= PINS * cells
    if kind > SEVENS:
        rest -= len(SPLITS)
    if kind > STEPS:
        rest -= PINS * len(MOVES)
    return rest


class Action(NamedTuple):
    """An action: what it is, with a joker or not, and which pin with what (a cell, or steps), which split or card."""

    kind: int
    joker: bool = False
    pin: int = 0
    value: int = 0  # the cell of a swap, the steps of a move, -4
    split: tuple[int, ...] = ()
    card: int = 0  # that is given

    @property
    def played(self) -> int:
        """The card that is played."""
        if self.joker:
            return JOKER_CARD
        if self.kind == STEPS:
            return ACE if self.value == 1 else self.value
        return {SWAPS: SWAP_CARD, SEVENS: SEVEN_CARD, BACKS: FOUR}[self.kind]


def decode(cells: int, code: int) -> Action:
    """The action of a code on a board of so many cells."""
    half = PINS * cells + AFTER_SWAPS
    if not 0 <= code < 2 * half + KINDS + 1:
        raise ValueError(f"{code}: expected an action from 0 to {2 * half + KINDS}")
    kind, rest = int(kind_of(cells, code)), int(rest_of(cells, code))
    joker = code < half
    if kind == SWAPS:
        return Action(kind, joker, *divmod(rest, cells))
    if kind == SEVENS:
        return Action(kind, joker, split=tuple(SPLITS[rest].tolist()))
    if kind == STEPS:
        return Action(kind, joker, rest // len(MOVES), MOVES[rest % len(MOVES)])
    if kind == BACKS:
        return Action(kind, joker, rest, -BACK)
    return Action(kind, card=rest if kind == GIVE else 0)


def encode(cells: int, action: Action) -> int:
    """The code of an action; the inverse of `decode`."""
    half = PINS * cells + AFTER_SWAPS
    if action.kind == GIVE:
        return 2 * half + action.card
    if action.kind == DISCARD:
        return 2 * half + KINDS
    at_sevens = PINS * cells
    at_moves = at_sevens + len(SPLITS)
    if action.kind == SWAPS:
        code = action.pin * cells + action.value
    elif action.kind == SEVENS:
        code = at_sevens + SPLITS.tolist().index(list(action.split))
    elif action.kind == STEPS:
        code = at_moves + action.pin * len(MOVES) + MOVES.index(action.value)
    else:
        code = at_moves + PINS * len(MOVES) + action.pin
    return code if action.joker else half + code
