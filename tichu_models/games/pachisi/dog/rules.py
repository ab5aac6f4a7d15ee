"""DOG

Two to four players, or two teams, move four pins each round a ring of 4 * d cells into their goals, by cards.

1. The board is that of MADN (`tichu_models.games.pachisi.board`): `distance` d, 10 by default, 4 to 24; the goal of
   player i has the cells 4d + 4i to 4d + 4i + 3; a pin at home is on no cell (-1).
2. 110 cards: six jokers, eight each of swap, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1|11, 12 and 13. Deals have 6, 5, 4, 3 and 2
   cards for each, then 6 again. All are shuffled when the pack has too few for a deal. Of the first deal player 0 plays
   first, of each other one the next player.
3. With `teams`, of four players, those opposite play together. After a deal each chooses a card for the partner, one
   after another, the first player first; when all have chosen the cards change hands. Who is done moves the partner's
   pins, by the own cards; a team wins when both are done. Without teams who is done first wins.
4. Players with cards play one each in turn. Who has no legal play discards the hand, unseen. When no cards
   are left there is a new deal.
5. A card moves a pin forward by its number, 1|11 by 1 or by 11, a 4 also by 4 backwards on the ring. 1|11 and 13 may
   take a pin from home to its start instead, unless a pin of its own is there. Whoever is on the cell to which a pin
   comes goes home, the partner's too; a pin of its own only with `friendly_fire`, otherwise the move is illegal.
6. A pin whose steps end in its goal goes there if the cell is free; with `must_traverse_start` its start is a step
   between entry and goal. In the goal it goes forward only. Without `jump_in_goal_area` the cells on the way have to be
   free as well. A pin that does not come in goes on round the ring; without `circular_board` it neither passes its
   entry nor goes back behind its start.
7. A swap changes a pin on the ring with any other player's pin on the ring.
8. A 7 is split over the pins that are not at home, which move at the same time
   (`tichu_models.games.pachisi.dog.sevens`): every pin that is passed goes home, the player's own too.
9. With `start_blocking` nobody passes a pin that is on the start of its own player, or comes to it; such a pin is not
   swapped.
10. A joker is any other card.
11. With `initial_free_pin` one pin of each player begins on its start. Without `joker`, `seven` or `swap` those cards
    are not in the pack, without `minus_four` a 4 goes forward only. With `perfect_information` all hands are open, and
    so is what is discarded.

Actions: `tichu_models.games.pachisi.dog.actions` has the table; 0 to 805 with four players and d = 10, 806 discards.

By default teams (of four), circular_board, start_blocking, jump_in_goal_area, must_traverse_start, joker, seven, swap
and minus_four are on, friendly_fire, initial_free_pin and perfect_information off. Refused: teams of two or three
players, start_blocking with a distance of 4 (all pins may bar each other for good).

Deviations: what is left of a seven when a player is done is not played with the partner's pins. In the published
program a pin enters the goal only from a cell with a smaller number than its entry, and who is done plays the partner's
cards; here all starts are alike, and cards are one's own.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw_below
from tichu_models.game import CHANCE, OVER, State
from tichu_models.games.pachisi.board import (
    BOARD,
    JOKER,
    NOWHERE,
    PLAYERS,
    SEVEN,
    SWAP,
    TEAMS,
    begin_board,
    note_goal,
    remember,
    turn_to,
)
from tichu_models.games.pachisi.dog.actions import (
    DISCARD,
    GIVE,
    JOKER_CARD,
    KINDS,
    SEVEN_CARD,
    SWAP_CARD,
    cells_of,
    half_of,
    kind_of,
    rest_of,
)
from tichu_models.games.pachisi.dog.plays import card_of, make_play, write_plays
from tichu_models.kernels import inlined, inner

COPIES, JOKERS = 8, 6
PACK = np.array([JOKERS] + [COPIES] * (KINDS - 1), dtype=np.int8)
ALL_CARDS = int(PACK.sum())
DEALS = np.array([6, 5, 4, 3, 2], dtype=np.int64)
MOST_HELD = 6
MOST_ACTIONS = 440  # with a joker and one card of each kind
DEALING, EXCHANGE, PLAYING = range(3)  # phases

# fmt: off
STATE = np.dtype([
    *BOARD,
    ("hands", np.int8, (PLAYERS, KINDS)),   # how many cards of each kind a player has
    ("held", np.int8, PLAYERS),             # how many in all
    ("deck", np.int8, KINDS),               # cards still to be dealt
    ("played", np.int8, KINDS),             # seen by all since they were shuffled
    ("thrown", np.int8, (PLAYERS, KINDS)),  # discarded by each player, who alone knows them
    ("gave", np.int8, PLAYERS),             # the card given to the partner in this deal, or NOWHERE
    ("phase", np.int8),
    ("deal", np.int8),                      # the place of the next deal among DEALS
    ("starter", np.int8),                   # who plays first
    ("last", np.int8),                      # who has acted last
], align=True)
# fmt: on


@inner
def begin(state: State, options: np.ndarray, key: np.uint64) -> None:
    """Options: players, distance, switches and how much history is kept."""
    begin_board(state, options, key)
    state.phase = state.deal = state.last = 0
    state.starter = state.players - 1
    for player in range(PLAYERS):
        state.held[player] = 0
        state.gave[player] = NOWHERE
        for card in range(KINDS):
            state.hands[player, card] = 0
    shuffle(state)


@inlined
def shuffle(state: State) -> None:
    """All cards to the pack, when there are none in hands."""
    for card in range(KINDS):
        state.deck[card] = PACK[card]
        state.played[card] = 0
        for player in range(PLAYERS):
            state.thrown[player, card] = 0
    if state.rules & JOKER == 0:
        state.deck[JOKER_CARD] = 0
    if state.rules & SEVEN == 0:
        state.deck[SEVEN_CARD] = 0
    if state.rules & SWAP == 0:
        state.deck[SWAP_CARD] = 0


@inlined
def mover(state: State) -> int:
    """Who acts, or CHANCE before a deal, or OVER."""
    if state.won:
        return OVER
    return CHANCE if state.phase == DEALING else state.turn


@inner
def chance(state: State) -> None:
    """Deals."""
    size, left = DEALS[state.deal], 0
    for card in range(KINDS):
        left += state.deck[card]
    if left < size * state.players:
        shuffle(state)
        left = 0
        for card in range(KINDS):
            left += state.deck[card]
    for player in range(state.players):
        state.gave[player] = NOWHERE
        for _ in range(size):
            above = draw_below(state.key, state.draws, left)
            state.draws += 1
            card = 0
            while above >= state.deck[card]:
                above -= state.deck[card]
                card += 1
            state.deck[card] -= 1
            state.hands[player, card] += 1
            left -= 1
        state.held[player] = size
    state.deal = (state.deal + 1) % len(DEALS)
    state.starter = (state.starter + 1) % state.players
    state.phase = EXCHANGE if state.rules & TEAMS else PLAYING
    turn_to(state, state.starter)


@inner
def legal(state: State, out: np.ndarray) -> int:
    """The actions in the order of their codes."""
    half, n = half_of(cells_of(state)), 0
    if state.phase == EXCHANGE:
        for card in range(KINDS):
            if state.hands[state.turn, card] > 0:
                out[n] = 2 * half + card
                n += 1
        return n
    if state.hands[state.turn, JOKER_CARD] > 0:
        n = write_plays(state, True, 0, out, n)
    n = write_plays(state, False, half, out, n)
    if n == 0:
        out[0] = 2 * half + KINDS
        n = 1
    return n


@inner
def count(state: State) -> int:
    """How many actions are legal."""
    return legal(state, np.empty(MOST_ACTIONS, dtype=np.int16))


@inner
def step(state: State, action: int) -> None:
    """Plays a card, gives one to the partner, or discards the hand."""
    if state.history > 0:
        remember(state)
    player, cells = state.turn, cells_of(state)
    state.last = player
    kind, rest = kind_of(cells, action), rest_of(cells, action)
    if kind == GIVE:
        _give(state, player, rest)
        return
    if kind == DISCARD:
        for card in range(KINDS):
            state.thrown[player, card] += state.hands[player, card]
            state.hands[player, card] = 0
        state.held[player] = 0
    else:
        card = JOKER_CARD if action < half_of(cells) else card_of(kind, rest)
        state.hands[player, card] -= 1
        state.held[player] -= 1
        state.played[card] += 1
        make_play(state, kind, rest, cells)
        note_goal(state, state.own)
    _go_on(state, player)


@inlined
def _give(state: State, player: int, card: int) -> None:
    state.hands[player, card] -= 1
    state.held[player] -= 1
    state.gave[player] = card
    following = (player + 1) % state.players
    if following == state.starter:
        for each in range(state.players):
            if state.gave[each ^ 2] != NOWHERE:  # who looks ahead may not know it
                state.hands[each, state.gave[each ^ 2]] += 1
            state.held[each] += 1
        state.phase = PLAYING
    turn_to(state, following)


@inlined
def _go_on(state: State, player: int) -> None:
    """The next player who has cards, or the next deal."""
    for offset in range(1, state.players + 1):
        following = (player + offset) % state.players
        if state.held[following] > 0:
            turn_to(state, following)
            return
    state.phase = DEALING
    turn_to(state, (state.starter + 1) % state.players)
