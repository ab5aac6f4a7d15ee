"""The answers among which a policy chooses, by kind of decision, and the place of each among its outputs.

Plays and bombs are packed plays, which the networks read. Schupfen is three decisions in a row: for the right opponent,
the partner and the left opponent, each with the cards that are left; their answers are card indices. Where an answer is
drawn by chance, each of the three has a counter of its own, from PICK on.
"""

from __future__ import annotations

from tichu_models.kernels import inlined, inner
from tichu_models.observation.view import View
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH
from tichu_models.rules.cards import ACE, CARD_OF_INDEX, INDEX_OF_BIT, NUM_CARDS, lowest_bit
from tichu_models.rules.legal import Plays, answers, bombs
from tichu_models.rules.state import LEFT, RIGHT

PICKS = 3  # decisions of which schupfen consists
PICK = 2  # counter of the draw that picks an answer; built-in players use the counters below it


@inlined
def give(view: View, pick: int, card: int) -> None:
    """Makes a view that of the next pick: the card has left the hand."""
    view.hand &= ~CARD_OF_INDEX[card]
    view.given[pick] = card


@inner
def choices(view: View, kind: int, plays: Plays) -> int:
    """Writes the answers to choose from; returns how many there are."""
    if kind == PLAY:
        return answers(view.hand, view.trick, view.wish, plays)
    if kind == BOMB_THROW:
        n = bombs(view.hand, view.trick, plays, 0)
        plays.move[n] = 0
        return n + 1
    n = 0
    if kind == SCHUPF:
        hand = view.hand
        while hand:
            plays.move[n] = INDEX_OF_BIT[lowest_bit(hand)]
            hand &= hand - 1
            n += 1
    elif kind == WISH:
        for rank in range(2, ACE + 1):
            plays.move[n] = rank
            n += 1
        plays.move[n] = 0
        n += 1
    elif kind == DRAGON_GIFT:
        plays.move[0], plays.move[1] = RIGHT, LEFT
        n = 2
    else:
        plays.move[0], plays.move[1] = 0, 1
        n = 2
    return n


@inlined
def place_of(kind: int, pick: int, choice: int) -> int:
    """The place of a choice among the outputs of a decision net."""
    if kind == SCHUPF:
        return pick * NUM_CARDS + choice
    if kind == WISH:
        return choice - 2 if choice else ACE - 1
    if kind == DRAGON_GIFT:
        return 0 if choice == RIGHT else 1
    return choice
