"""What a seat may see when it is asked: its own cards and what lies open. A view holds nothing else.

Seats in a view are absolute, as on the table; agents look at them relative to `seat`. Which vector an agent makes of
a view does not belong here.
"""

from __future__ import annotations

import numpy as np

from tichu_models.kernels import inlined
from tichu_models.rules.cards import count
from tichu_models.rules.state import FIRST_SIZE, received

KINDS = ("grand", "tichu", "schupf", "small", "play", "bomb", "wish", "dragon")
GRAND_CALL, TICHU_CALL, SCHUPF, SMALL_CALL, PLAY, BOMB_THROW, WISH, DRAGON_GIFT = range(8)

HISTORY_MOST = 16  # turns that a view can hold

# fmt: off
VIEW = np.dtype([
    ("key", np.uint64),             # of all random numbers this decision may use
    ("hand", np.int64),             # own cards; the first eight when asked for a grand Tichu
    ("played", np.int64),           # all cards played in the round
    ("trick", np.int64),            # the play on top of the trick; 0 on an empty table
    ("trick_cards", np.int64),      # all cards that lie in the trick
    ("total", np.int32, 2),         # game score of each team before this round
    ("last", np.int16, 2),          # result of the previous round
    ("points", np.int16, 4),        # points each seat has collected
    ("turns", np.int16),            # plays and passes so far
    ("kind", np.int8),              # what is asked, an index of KINDS
    ("seat", np.int8),              # who is asked
    ("given", np.int8, 3),          # card index given to right opponent, partner, left opponent; -1 before
    ("received", np.int8, 3),       # card index got from right opponent, partner, left opponent; -1 before
    ("count", np.int8, 4),          # cards each seat holds
    ("call", np.int8, 4),           # 0 none, 1 small Tichu, 2 grand Tichu
    ("place", np.int8, 4),          # 1..3 in the order of going out; 0 while still in
    ("winner", np.int8),            # who went out first, or -1
    ("start_player", np.int8),      # who held the Mahjong after schupfen; -1 before
    ("turn", np.int8),              # who is on turn; -1 before the play
    ("owner", np.int8),             # who laid the top of the trick, or -1
    ("complete", np.int8),          # 1: all others have passed
    ("wish", np.int8),              # 0 none made, 2..14 open, -1 fulfilled
    ("dragon_recipient", np.int8),  # who got the Dragon's trick, or -1
    ("past", np.int16, HISTORY_MOST),  # the latest turns, where `blocks.recall` was asked for them
], align=True)
# fmt: on


@inlined
def see(state, seat, kind, key, view):
    """Fills the view of a seat that is asked this kind of decision."""
    view.key = key
    view.kind = kind
    view.seat = seat
    view.hand = state.first[seat] if kind == GRAND_CALL else state.hand[seat]
    view.played = state.played
    view.trick = state.trick
    view.trick_cards = state.trick_cards
    view.turns = state.turns
    view.winner = state.winner
    view.start_player = state.start_player
    view.turn = state.turn
    view.owner = state.owner
    view.complete = state.complete
    view.wish = state.wish
    view.dragon_recipient = state.dragon_recipient
    for team in range(2):
        view.total[team] = state.total[team]
        view.last[team] = state.last[team]
    for other in range(4):
        view.points[other] = state.points[other]
        view.count[other] = FIRST_SIZE if kind == GRAND_CALL else count(state.hand[other])
        view.call[other] = state.call[other]
        view.place[other] = state.place[other]
    for other in range(3):
        view.given[other] = state.given[seat, other]
        view.received[other] = received(state, seat, other)
