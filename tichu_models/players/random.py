"""The random player: every legal play, every choice of cards to schupf and every wish has the same probability.

It never announces: random calls would only measure how often calls fail.
"""

from __future__ import annotations

from tichu_models.chance import draw_below
from tichu_models.kernels import inlined, inner
from tichu_models.observation.view import View
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH, giving
from tichu_models.rules.cards import ACE, INDEX_OF_BIT, count, lowest_bit
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.legal import Plays, answers, bombs
from tichu_models.rules.state import LEFT, RIGHT


@inlined
def choose_by_chance(view: View, plays: Plays) -> int:
    """The answer of the random player to a view of any kind."""
    kind = view.kind
    if kind == PLAY:
        n = answers(view.hand, view.trick, view.wish, plays)
        if n == 1:
            return cards_of(plays.move[0])
        return cards_of(plays.move[draw_below(view.key, 0, n)])
    if kind == BOMB_THROW:
        n = bombs(view.hand, view.trick, plays, 0)
        plays.move[n] = 0
        return cards_of(plays.move[draw_below(view.key, 0, n + 1)])
    if kind == SCHUPF:
        return _three_cards(view)
    if kind == WISH:
        chosen = draw_below(view.key, 0, ACE)
        return 0 if chosen == 0 else chosen + 1
    if kind == DRAGON_GIFT:
        return LEFT if draw_below(view.key, 0, 2) else RIGHT
    return 0


@inner
def _three_cards(view: View) -> int:
    """Three random cards of the hand, as an answer to schupf."""
    hand, choice = view.hand, 0
    for to in range(3):
        card = hand
        for _ in range(draw_below(view.key, to, count(hand))):
            card &= card - 1
        bit = lowest_bit(card)
        hand &= ~(1 << bit)
        choice |= giving(INDEX_OF_BIT[bit], to)
    return choice
