"""Which cards the others may hold: deals drawn at random that contradict nothing that a seat knows.

It knows its own cards, what everybody has played, how many cards each has left, the cards it gave away and got, who led
first and so holds the Mahjong still, and who could not fulfil a wish. Every deal that fits is as likely as the other,
but for two things: who could not fulfil a wish with several cards at once shows only when the round is played again
(`transcript.retrace`), so that those deals are drawn anew; and what the others gave each other is guessed, partners
their better, opponents their worse cards. How likely a deal is by what the others have played does not belong here.
"""

from __future__ import annotations

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.kernels import inner, kernel
from tichu_models.observation.transcript import retrace
from tichu_models.records.history import PASS_ENTRY, PLAY_ENTRY, cards_in, kind_of, seat_of
from tichu_models.rules.cards import CARD_OF_INDEX, DECK, INDEX_OF_BIT, MAHJONG, count, lowest_bit, of_rank
from tichu_models.rules.combinations import BOMB, SINGLE, cards_of, classify, on_trick, rank_of, type_of
from tichu_models.rules.legal import has_bomb
from tichu_models.rules.state import ALL_SEATS, PARTNER

MOST_TRIES = 4096  # deals that are drawn for one that fits
DRAW_OF_DEALS = 3  # counter of a decision's draw that its deals come from; players use those below
DRAWS = 256  # counters of random numbers that a deal may use

# What a seat knows of the cards of each.
KNOWN = np.dtype(
    [
        ("played", np.int64, 4),  # has played
        ("pinned", np.int64, 4),  # is known to hold: given by who looks, and not played yet
        ("barred", np.int64, 4),  # cannot hold: a wish that was not fulfilled
        ("free", np.int64),  # cards of which nobody knows who of the others has them
    ],
    align=True,
)


@inner
def know(view, transcript, known):
    """Draws the conclusions from a view of a play and what everybody saw before."""
    for seat in range(4):
        known.played[seat] = known.pinned[seat] = known.barred[seat] = 0
    log = transcript.log
    wish = trick = 0
    for at in range(log.length):
        entry = log.entry[at]
        kind, seat, cards = kind_of(entry), seat_of(entry), cards_in(entry)
        if kind != PASS_ENTRY and kind != PLAY_ENTRY:
            trick = 0
            continue
        play = on_trick(classify(cards), trick)
        if wish and of_rank(cards, wish) == 0 and type_of(play) != BOMB:
            if trick == 0 or (type_of(trick) == SINGLE and rank_of(trick) < wish):
                known.barred[seat] |= of_rank(DECK, wish)
        if kind == PASS_ENTRY:
            continue
        known.played[seat] |= cards
        if wish and of_rank(cards, wish):
            wish = 0
        if cards & MAHJONG:
            wish = transcript.wish
        trick = play if rank_of(play) else 0  # the Dog is no trick
    known.free = DECK & ~view.hand & ~view.played
    for to in range(3):
        card = CARD_OF_INDEX[view.given[to]] & known.free
        known.pinned[(view.seat + 1 + to) & 3] |= card
        known.free &= ~card
    if known.free & MAHJONG:  # who had to lead holds it still
        known.pinned[view.start_player] |= MAHJONG
        known.free &= ~MAHJONG


@inner
def suppose(view, known, key, deal):
    """Draws a deal; whether there was room for every card."""
    me = view.seat
    room = np.empty(4, dtype=np.int64)
    for seat in range(4):
        deal.start[seat] = known.played[seat] | known.pinned[seat]
        room[seat] = 0 if seat == me else view.count[seat] - count(known.pinned[seat])
    deal.start[me] |= view.hand
    barred = (known.barred[0] | known.barred[1] | known.barred[2] | known.barred[3]) & known.free
    for part in range(2):
        cards = barred if part == 0 else known.free & ~barred
        while cards:
            card = cards & -cards
            cards ^= card
            total = 0
            for seat in range(4):
                total += 0 if known.barred[seat] & card else room[seat]
            if total == 0:
                return False
            left = draw_below(key, lowest_bit(card), total)
            for seat in range(4):
                if known.barred[seat] & card == 0:
                    left -= room[seat]
                    if left < 0:
                        deal.start[seat] |= card
                        room[seat] -= 1
                        break
    _undo_exchange(view, key, deal)
    return True


@inner
def _undo_exchange(view, key, deal):
    """From the cards after schupfen to those before: who may have given whom what."""
    me = view.seat
    counter = 64
    for away in range(3):
        deal.given[me, away] = view.given[away]
        deal.given[(me + 1 + away) & 3, 2 - away] = view.received[away]
    for seat in range(4):
        if seat == me:
            continue
        rest = deal.start[seat] & ~CARD_OF_INDEX[view.given[(seat - me - 1) & 3]]
        for away in range(1, 4):
            giver = (seat + away) & 3
            if giver != me:
                one, other = _any_of(rest, key, counter), _any_of(rest, key, counter + 1)
                counter += 2
                index = max(one, other) if away == PARTNER else min(one, other)
                rest &= ~CARD_OF_INDEX[index]
                deal.given[giver, (seat - giver - 1) & 3] = index
    for seat in range(4):
        for to in range(3):
            deal.start[(seat + 1 + to) & 3] &= ~CARD_OF_INDEX[deal.given[seat, to]]
    for seat in range(4):
        for to in range(3):
            deal.start[seat] |= CARD_OF_INDEX[deal.given[seat, to]]


@inner
def _any_of(cards, key, counter):
    for _ in range(draw_below(key, counter, count(cards))):
        cards &= cards - 1
    return np.int64(INDEX_OF_BIT[lowest_bit(cards)])


@inner
def draw_deal(view, transcript, known, key, no_bombs, wanted, scratch):
    """Draws deals until one fits; it is in the scratch then, with the state it leads to and the trace that is wanted.
    Returns (plays and passes in the trace, tries), tries 0 if none of MOST_TRIES fitted. With `no_bombs`, deals in
    which another seat still holds a bomb are passed over while there are other ones."""
    for tries in range(1, MOST_TRIES + 1):
        if not suppose(view, known, draw(key, tries * DRAWS), scratch.deal):
            continue
        n, code = retrace(scratch.deal, view, transcript, wanted, scratch.state, scratch.plays, scratch.trace)
        if code:
            continue
        if no_bombs and tries < MOST_TRIES // 2 and _others_hold_bomb(view, scratch.state):
            continue
        return n, tries
    return 0, 0


@inner
def _others_hold_bomb(view, state):
    for seat in range(4):
        if seat != view.seat and has_bomb(state.hand[seat]):
            return True
    return False


@kernel
def own_turns(views, transcripts, wanted, known, scratch, turns, cards, counts):
    """The turns of each view's seat in this round, the earliest first and the present one last: what it saw (n, most)
    and played. As many of the latest as there is room for; `counts` says how many."""
    most = turns.shape[1]
    for i in range(len(views)):
        view, transcript = views[i], transcripts[i]
        know(view, transcript, known)
        for seat in range(4):
            known.barred[seat] = 0  # of the others' cards, how many there are is all that shows
        suppose(view, known, np.uint64(0), scratch.deal)
        wanted.seats = 1 << view.seat
        n, _ = retrace(scratch.deal, view, transcript, wanted, scratch.state, scratch.plays, scratch.trace)
        first = max(0, n - (most - 1))
        for k in range(first, n):
            turns[i, k - first] = scratch.trace.at[k].seen
            cards[i, k - first] = scratch.trace.at[k].cards
        turns[i, n - first] = view
        cards[i, n - first] = 0
        counts[i] = n - first + 1


@kernel
def draw_deals(
    views, transcripts, hands, seed, deals, no_bombs, wanted, known, scratch, states, tries, turns, cards, counts
):
    """Draws so many deals for each view: `states` is what each leads to, `tries` how many were drawn for it, 0 if none
    fitted. Hands (n, 4) that are known are held; 0 is an unknown one.

    The plays and passes of the others that were no forced ones stand end to end in `turns` and `cards`, the first ones
    of a round left out where there is no room; `counts` says how many of each deal there are. Returns how many all
    have."""
    n = 0
    most = len(turns) // len(states)
    for i in range(len(views)):
        view, transcript = views[i], transcripts[i]
        know(view, transcript, known)
        for seat in range(4):
            if hands[i, seat] and seat != view.seat:
                known.pinned[seat] = hands[i, seat]
                known.free &= ~hands[i, seat]
        wanted.seats = ALL_SEATS & ~(1 << view.seat)
        for d in range(i * deals, (i + 1) * deals):
            key = draw(draw(view.key, DRAW_OF_DEALS), seed << 16 | (d - i * deals))
            made, tries[d] = draw_deal(view, transcript, known, key, no_bombs, wanted, scratch)
            if tries[d]:
                states[d] = scratch.state
            first = max(0, made - most)
            for k in range(first, made):
                turns[n] = scratch.trace.at[k].seen
                cards[n] = scratch.trace.at[k].cards
                n += 1
            counts[d] = made - first
    return n


@kernel
def likelihood_of(plays, counts, log_shares, cards, of_deal, likelihoods):
    """Adds up for each deal the logarithms of how likely the cards were that were played; `of_deal` says how many
    turns each has."""
    first = turn = 0
    for d in range(len(of_deal)):
        likelihoods[d] = 0.0
        for _ in range(of_deal[d]):
            for k in range(first, first + counts[turn]):
                if cards_of(plays[k]) == cards[turn]:
                    likelihoods[d] += log_shares[k]
            first += counts[turn]
            turn += 1
