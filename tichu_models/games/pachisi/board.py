"""The board of MADN and DOG: a ring, a goal and a home for each of up to four players, and where their pins may go.

The ring has 4 * d cells, of which 0, d, 2d and 3d are the starts of players 0 to 3; the cell before a player's start is
the entry of its goal. Cells of the ring come first, then four for the goal of each player, from the entry inwards; a
pin at home is on none (HOME). Two and three players have the first starts, side by side, as their goals have.

A pin moves forward along the ring. Where its steps end in the goal it goes there, if the cell is free and the way to it
is not barred; else it goes on along the ring. With `must_traverse_start` the own start lies between entry and goal.
Ways are counted from the own start on, so that the board is alike for all.
"""

from __future__ import annotations

import numpy as np

from tichu_models.game import State
from tichu_models.kernels import inlined, inner

PLAYERS, PINS = 4, 4
SEATS = "ABCD"
HOME = NOWHERE = -1
LEAST_DISTANCE, MOST_DISTANCE = 4, 24
MOST_CELLS = PLAYERS * (MOST_DISTANCE + PINS)
MOST_PAST = 4  # earlier positions that can be kept
FULL_GOAL = (1 << PINS) - 1

# Switches of the rules, a bit each in `rules` of a state. Games have the first ones and some of the others.
SWITCHES = (
    "teams", "initial_free_pin", "circular_board", "start_blocking", "jump_in_goal_area", "friendly_fire",
    "must_traverse_start", "start_on_1", "bonus_turn_on_6", "dice", "dice_rethrow", "joker", "seven", "swap",
    "minus_four", "perfect_information",
)  # fmt: skip
(
    TEAMS, INITIAL_FREE_PIN, CIRCULAR, BLOCKING, JUMPING, FRIENDLY_FIRE, TRAVERSE, START_ON_1, BONUS_TURN, DICE,
    RETHROW, JOKER, SEVEN, SWAP, MINUS_FOUR, OPEN,
) = (1 << i for i in range(len(SWITCHES)))  # fmt: skip
# Places in the options of a game.
AT_PLAYERS, AT_DISTANCE, AT_RULES, AT_HISTORY = range(4)

# fmt: off
BOARD: list[tuple] = [
    ("key", np.uint64),
    ("draws", np.int64),                           # random numbers used so far
    ("rules", np.int64),                           # the switches that are on
    ("pins", np.int8, (PLAYERS, PINS)),            # the cell of each pin, or HOME
    ("at", np.int8, MOST_CELLS),                   # the pin on each cell, PINS * player + pin, or NOWHERE
    ("past", np.int8, (MOST_PAST, PLAYERS, PINS)),  # pins after each of the last actions, the newest first
    ("players", np.int8),
    ("distance", np.int8),                         # from start to start
    ("ring", np.int8),                             # cells of the ring
    ("history", np.int8),                          # how many earlier positions are kept
    ("turn", np.int8),                             # who acts next
    ("own", np.int8),                              # whose pins that player moves: the partner's when its own are done
    ("finished", np.int8),                         # a bit for each player with four pins in the goal
    ("won", np.int8),                              # a bit for each player who has won; 0 while the game lasts
]
# fmt: on


@inner
def begin_board(state: State, options: np.ndarray, key: np.uint64) -> None:
    """All pins at home; with `initial_free_pin` the first of each player on its start."""
    state.key = key
    state.draws = 0
    state.players, state.distance = options[AT_PLAYERS], options[AT_DISTANCE]
    state.rules, state.history = options[AT_RULES], options[AT_HISTORY]
    state.ring = PLAYERS * options[AT_DISTANCE]
    state.turn = state.own = state.finished = state.won = 0
    for cell in range(MOST_CELLS):
        state.at[cell] = NOWHERE
    for player in range(PLAYERS):
        for pin in range(PINS):
            state.pins[player, pin] = HOME
            for i in range(MOST_PAST):
                state.past[i, player, pin] = HOME
    if state.rules & INITIAL_FREE_PIN:
        for player in range(state.players):
            put(state, player, 0, start_of(state, player))


@inlined
def start_of(state: State, player: int) -> int:
    """The cell on which a player's pins leave home."""
    return state.distance * player


@inlined
def goal_of(state: State, player: int) -> int:
    """The first cell of a player's goal."""
    return state.ring + PINS * player


@inlined
def is_own(state: State, cell: int, player: int) -> bool:
    """Whether a pin of this player is on a cell."""
    return state.at[cell] >= 0 and state.at[cell] >> 2 == player


@inlined
def taken_of(state: State, player: int) -> int:
    """A bit for each cell of a player's goal that is taken."""
    goal, taken = goal_of(state, player), 0
    for place in range(PINS):
        taken |= (state.at[goal + place] >= 0) << place
    return taken


@inlined
def is_barred(state: State, cell: int, steps: int, moving: int) -> bool:
    """Whether so many steps from a cell, backwards if they are less than 0, come to a start on which a pin of its own
    player is. The start of player `moving` bars nobody, since its pin moves at the same time."""
    for player in range(state.players):
        start = start_of(state, player)
        ahead = start - cell if steps > 0 else cell - start
        if ahead < 0:
            ahead += state.ring
        if 0 < ahead <= abs(steps) and player != moving and is_own(state, start, player):
            return True
    return False


@inlined
def is_open(state: State, place: int, taken: int, first: int) -> bool:
    """Whether a pin may come to a place in the goal that passes those from `first` on."""
    if state.rules & JUMPING:
        return taken >> place & 1 == 0
    return taken & ((2 << place) - (1 << first)) == 0


@inlined
def way_to(state: State, player: int, cell: int, steps: int, taken: int, moving: int) -> int:
    """The cell to which a pin on the ring comes by so many steps forward, whoever is there, or NOWHERE. `taken` are the
    places in the goal that are not free."""
    way = cell - start_of(state, player)
    if way < 0:
        way += state.ring
    way += steps
    through = (state.rules & TRAVERSE) != 0
    place = way - state.ring - through
    to, on_ring = NOWHERE, steps
    if 0 <= place < PINS and is_open(state, place, taken, 0):
        to = goal_of(state, player) + place
        on_ring = steps - place - 1
    elif state.rules & CIRCULAR or way < state.ring:
        to = cell + steps
        if to >= state.ring:
            to -= state.ring
    if to != NOWHERE and state.rules & BLOCKING and is_barred(state, cell, on_ring, moving):
        to = NOWHERE
    return to


@inlined
def destination(state: State, player: int, cell: int, steps: int, taken: int) -> int:
    """Where a pin that is out comes to by so many steps forward, or NOWHERE."""
    if cell >= state.ring:
        goal = goal_of(state, player)
        place = cell - goal + steps
        if place < PINS and is_open(state, place, taken, place - steps + 1):
            return goal + place
        return NOWHERE
    to = way_to(state, player, cell, steps, taken, NOWHERE)
    if to != NOWHERE and state.rules & FRIENDLY_FIRE == 0 and to < state.ring and is_own(state, to, player):
        return NOWHERE
    return to


@inlined
def backwards(state: State, player: int, cell: int, steps: int) -> int:
    """Where a pin on the ring comes to by so many steps back, or NOWHERE."""
    way = cell - start_of(state, player)
    if way < 0:
        way += state.ring
    if way < steps and state.rules & CIRCULAR == 0:
        return NOWHERE
    to = cell - steps
    if to < 0:
        to += state.ring
    if state.rules & FRIENDLY_FIRE == 0 and is_own(state, to, player):
        return NOWHERE
    if state.rules & BLOCKING and is_barred(state, cell, -steps, NOWHERE):
        return NOWHERE
    return to


@inlined
def put(state: State, player: int, pin: int, to: int) -> None:
    """Puts a pin on a cell. Whoever was there goes home."""
    cell, other = state.pins[player, pin], state.at[to]
    if cell != HOME:
        state.at[cell] = NOWHERE
    if other >= 0:
        state.pins[other >> 2, other & 3] = HOME
    state.pins[player, pin] = to
    state.at[to] = PINS * player + pin


@inlined
def note_goal(state: State, player: int) -> None:
    """Notes it if a player has four pins in the goal, and who has won by that."""
    if taken_of(state, player) == FULL_GOAL:
        state.finished |= 1 << player
        side = 1 << player
        if state.rules & TEAMS:
            side |= 1 << (player ^ 2)
        if state.finished & side == side:
            state.won = side


@inlined
def turn_to(state: State, player: int) -> None:
    """Makes a player the next to act."""
    state.turn = player
    state.own = player
    if state.rules & TEAMS and state.finished >> player & 1:
        state.own = player ^ 2


@inner
def remember(state: State) -> None:
    """Keeps the position as the newest of the past."""
    for i in range(state.history - 1, -1, -1):
        for player in range(PLAYERS):
            for pin in range(PINS):
                before = state.pins[player, pin] if i == 0 else state.past[i - 1, player, pin]
                state.past[i, player, pin] = before
