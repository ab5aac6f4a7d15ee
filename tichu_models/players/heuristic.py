"""The heuristic player: it follows rules of thumb and is deterministic except for its blunders.

- Schupf: a card of the highest rank to the partner, the two lowest cards to the opponents (the lowest to the right
  one). With a strong hand the right opponent gets the Dog. Bombs are not broken up while three other cards are left.
- Announcements: by a strength index of the hand.
- Lead: the Dog if the partner still holds cards, else the longest combination that contains the lowest card.
- Follow: the cheapest play that beats the trick; a pass if the partner owns the trick.
- Bombs: only against an opponent with few cards, or for a rich trick.
- A partner who has called is never beaten to going out first.

With a `blunder` rate, that share of its plays is a random legal one, which makes players of different strength.
"""

from __future__ import annotations

from tichu_models.chance import draw_unit
from tichu_models.kernels import inlined, inner
from tichu_models.observation.view import View
from tichu_models.players.random import choose_by_chance
from tichu_models.rules.asking import (
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    PLAY,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
    schupf_answer,
)
from tichu_models.rules.cards import (
    ACE,
    BIT_OF_INDEX,
    DOG,
    DRAGON,
    INDEX_OF_BIT,
    MAHJONG,
    NATURAL,
    PHOENIX,
    RANKS,
    count,
    lowest_bit,
    points,
    rank_counts,
    rank_of_bit,
    ranks_present,
)
from tichu_models.rules.combinations import BOMB, MIN_STREET, RUN, bomb_strength, cards_of, rank_of, type_of
from tichu_models.rules.legal import Plays, bombs, has_bomb, legal_plays
from tichu_models.rules.state import GRAND, LEFT, NO_CALL, NOBODY, RIGHT, partner

SMALL_FROM, GRAND_FROM = 7, 12  # least strength for a small and for a grand Tichu
EARLY_CAUTION = 3  # added to the threshold for a small Tichu before schupfen
SCORE_STEP, MAX_SHIFT = 400, 2  # the threshold rises by 1 for each SCORE_STEP that the team leads, falls if it trails
STRONG_HAND = 3
FEW_CARDS = 5
RICH_TRICK = 20
BLUNDER_DRAW = 1  # counter of the draw that decides whether to blunder; the blunder itself draws with counter 0
LAST_RANK = 1 << 52  # bit of the ace's rank


@inlined
def blunders(view: View, rate: float) -> bool:
    """Whether this play is a blunder, a random legal one."""
    return view.kind == PLAY and rate > 0 and draw_unit(view.key, BLUNDER_DRAW) < rate


@inner
def choose_by_rule(view: View, rate: float, plays: Plays) -> int:
    """The answer of the heuristic player, with this blunder rate, to a view of any kind."""
    kind = view.kind
    if kind == PLAY:
        if blunders(view, rate):
            return choose_by_chance(view, plays)
        return cards_of(_choose_play(view, plays))
    if kind == BOMB_THROW:
        n = bombs(view.hand, view.trick, plays, 0)
        return cards_of(_choose_bomb(view, plays, n))
    if kind == SCHUPF:
        return _choose_schupf(view.hand)
    if kind == WISH:
        return _choose_wish(view)
    if kind == DRAGON_GIFT:
        right, left = view.count[(view.seat + RIGHT) & 3], view.count[(view.seat + LEFT) & 3]
        return RIGHT if right > left else LEFT
    return _choose_call(view, plays)


@inner
def strength(hand: int) -> int:
    """The strength index of a hand, which decides on announcements."""
    counts = rank_counts(hand)
    present = ranks_present(hand) & RANKS
    lone = present & counts & ~(counts >> 1) & (LAST_RANK >> 8) - 1  # one card of a rank below the queen
    street = _longest_street(ranks_present(hand))
    index = 2 * count(hand & (15 * LAST_RANK))
    if hand & DRAGON:
        index += 6
    if hand & PHOENIX:
        index += 6
    if has_bomb(hand):
        index += 5
    if street:
        index += 1
    if hand & DOG:
        index -= 2
    return index - count(lone & ~street)


@inner
def _longest_street(present: int) -> int:
    """The ranks of the longest street without the Phoenix; the highest one of that length; 0 if there is none."""
    best = 0
    size = MIN_STREET
    starts = present & (present >> 4) & (present >> 8) & (present >> 12) & (present >> 16)
    while starts:
        highest = 0
        rest = starts
        while rest:
            highest = lowest_bit(rest)
            rest &= rest - 1
        best = RUN[size] << highest
        starts &= present >> (4 * size)
        size += 1
    return best


@inner
def _choose_call(view: View, plays: Plays) -> int:
    """1 to announce, if the hand is strong enough at this game score and the partner has not called; else 0."""
    seat = view.seat
    if view.call[partner(seat)] != NO_CALL or view.winner != NOBODY:
        return 0
    team = seat & 1
    lead = (view.total[team] - view.total[1 - team]) // SCORE_STEP
    threshold = SMALL_FROM + min(max(lead, -MAX_SHIFT), MAX_SHIFT)
    if view.kind == GRAND_CALL:
        threshold += GRAND_FROM - SMALL_FROM
    elif view.kind == TICHU_CALL:
        threshold += EARLY_CAUTION
    if strength(view.hand) < threshold:
        return 0
    # A small Tichu on the own turn is called together with the first play; before a pass it can wait.
    return 1 if view.kind != SMALL_CALL or _choose_play(view, plays) else 0


@inner
def bomb_cards(hand: int) -> int:
    """The cards of a hand that belong to a bomb."""
    natural = hand & NATURAL
    pairs = natural & (natural >> 1)
    result = (pairs & (pairs >> 2) & RANKS) * 15
    starts = natural & (natural >> 4) & (natural >> 8) & (natural >> 12) & (natural >> 16)
    return result | starts | (starts << 4) | (starts << 8) | (starts << 12) | (starts << 16)


@inner
def _choose_schupf(hand: int) -> int:
    """The answer to schupf."""
    free = hand & NATURAL & ~bomb_cards(hand)
    if count(free) < 3:
        free = hand & NATURAL
    highest = 0
    rest = free
    while rest:
        highest = rest & -rest
        rest ^= highest
    high_rank = free & (15 << (lowest_bit(highest) & ~3))
    to_partner = high_rank & -high_rank
    free ^= to_partner
    strong = count(hand & (DRAGON | PHOENIX | (15 * LAST_RANK)))
    to_right = DOG if hand & DOG and strong >= STRONG_HAND else free & -free
    free &= ~to_right
    to_left = free & -free
    return schupf_answer(
        INDEX_OF_BIT[lowest_bit(to_right)], INDEX_OF_BIT[lowest_bit(to_partner)], INDEX_OF_BIT[lowest_bit(to_left)]
    )


@inner
def _choose_wish(view: View) -> int:
    """The rank given to the right opponent; the ace if that was a special card or an opponent called a grand Tichu."""
    for other in (RIGHT, LEFT):
        if view.call[(view.seat + other) & 3] == GRAND:
            return ACE
    bit = BIT_OF_INDEX[view.given[0]]
    return rank_of_bit(bit) if bit > 3 else ACE


@inner
def _partner_is_going(view: View) -> bool:
    """Whether the partner has called and nobody is out yet: going out first would break the call."""
    return view.call[partner(view.seat)] != NO_CALL and view.winner == NOBODY


@inner
def _choose_bomb(view: View, plays: Plays, n: int) -> int:
    """The lowest of n bombs if the rules of thumb throw one now, else 0."""
    seat = view.seat
    if n == 0 or view.owner == partner(seat) or view.owner == seat:
        return 0
    lowest = plays.move[0]
    finishing = 0
    for i in range(n):
        if cards_of(plays.move[i]) == view.hand:
            finishing = plays.move[i]
        if bomb_strength(plays.move[i]) < bomb_strength(lowest):
            lowest = plays.move[i]
    if _partner_is_going(view):
        if finishing:
            return 0
    elif finishing:
        return finishing
    for other in (RIGHT, LEFT):
        if 0 < view.count[(seat + other) & 3] <= FEW_CARDS:
            return lowest
    return lowest if points(view.trick_cards) >= RICH_TRICK else 0


@inner
def _choose_play(view: View, plays: Plays) -> int:
    """The packed play to lay, 0 to pass."""
    n = legal_plays(view.hand, view.trick, view.wish, plays)
    if n == 1:
        return plays.move[0]
    for i in range(n):
        if cards_of(plays.move[i]) == view.hand:
            if not _partner_is_going(view):
                return plays.move[i]
            n -= 1  # any other legal play lets the partner go out first; the pass stays last
            for k in range(i, n):
                plays.move[k] = plays.move[k + 1]
            break
    return _choose_lead(view, plays, n) if view.trick == 0 else _choose_follow(view, plays, n)


@inner
def _choose_lead(view: View, plays: Plays, n: int) -> int:
    """Which of n plays to lead."""
    seat = view.seat
    lowest = view.hand & (NATURAL | MAHJONG)
    lowest &= -lowest
    lowest |= view.hand & (15 << (lowest_bit(lowest) & ~3)) & (NATURAL | MAHJONG) if lowest else 0
    best, best_worth = plays.move[0], -1 << 20
    for i in range(n):
        cards = cards_of(plays.move[i])
        if cards == DOG:
            if view.count[partner(seat)]:
                return plays.move[i]
            continue
        worth = 64 * count(cards) - rank_of(plays.move[i])
        if cards & PHOENIX:
            worth -= 32
        if type_of(plays.move[i]) == BOMB:
            worth -= 1 << 18
        if cards & lowest == 0:
            worth -= 1 << 14
        if worth > best_worth or (worth == best_worth and plays.move[i] < best):
            best, best_worth = plays.move[i], worth
    return best


@inner
def _cost(play: int) -> int:
    """Cost of a play on a trick: twice its rank, plus 1 with the Phoenix; the Phoenix alone costs more than an ace."""
    if cards_of(play) == PHOENIX:
        return 2 * ACE + 1
    return 2 * rank_of(play) + (1 if play & PHOENIX else 0)


@inner
def _choose_follow(view: View, plays: Plays, n: int) -> int:
    """Which of n plays to lay on the trick; the pass is the last of them where it is legal."""
    seat = view.seat
    may_pass = plays.move[n - 1] == 0
    if may_pass and view.owner == partner(seat):
        right = view.count[(seat + RIGHT) & 3]
        if right == 0 or right > count(cards_of(view.trick)):
            return 0
    best, lowest_cost = 0, 1 << 20
    num_bombs = 0
    for i in range(n):
        play = plays.move[i]
        if play == 0:
            continue
        if type_of(play) == BOMB:
            plays.move[num_bombs] = play
            num_bombs += 1
        elif _cost(play) < lowest_cost or (_cost(play) == lowest_cost and play < best):
            best, lowest_cost = play, _cost(play)
    if best:
        return best
    bomb = _choose_bomb(view, plays, num_bombs)
    return plays.move[0] if bomb == 0 and not may_pass else bomb
