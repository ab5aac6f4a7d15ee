"""Beliefs: random deals that agree with all that a seat knows.

A seat knows its own cards, what everybody has played, how many cards each seat has left, the cards that it gave and
received, who led first and so still holds the Mahjong, and who did not fulfil a wish.

Deals are drawn by rejection sampling. `propose` places the unknown cards at random, within the numbers of cards and the
single cards that a seat cannot hold. `transcript.retrace` replays the round with that deal; it is rejected if a seat
could have fulfilled a wish with several cards and did not. All deals that fit are equally likely, except that
the cards that the others gave each other are guessed: good ones to partners, bad ones to opponents.

`likelihood_of` weighs a deal by how well a policy explains what the others have played.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tichu_models.chance import draw, draw_below
from tichu_models.kernels import inner, kernel
from tichu_models.observation.transcript import retrace
from tichu_models.observation.view import View
from tichu_models.records.history import PASS_ENTRY, PLAY_ENTRY, cards_in, kind_of, seat_of
from tichu_models.rules.cards import CARD_OF_INDEX, DECK, INDEX_OF_BIT, MAHJONG, count, lowest_bit, of_rank
from tichu_models.rules.combinations import BOMB, SINGLE, cards_of, classify, on_trick, rank_of, type_of
from tichu_models.rules.legal import has_bomb
from tichu_models.rules.state import ALL_SEATS, PARTNER, State

MOST_TRIES = 4096  # deals that are proposed before none is found
DRAW_OF_DEALS = 3  # counter of a decision's key for the key of its deals; players use the counters below it
DRAWS = 256  # counters that one proposed deal may use

# What a seat knows of each seat's cards.
KNOWN = np.dtype(
    [
        ("played", np.int64, 4),  # cards that the seat has played
        ("pinned", np.int64, 4),  # cards that it must hold: the observer gave them, and they are not played yet
        ("barred", np.int64, 4),  # cards that it cannot hold: it did not fulfil a wish for their rank
        ("free", np.int64),  # cards that any of the others may hold
    ],
    align=True,
)
Known: TypeAlias = Any  # a record of KNOWN


@inner
def know(view: View, transcript: Any, known: Known) -> None:
    """Fills in what the seat of a view knows from it and from the transcript of the round."""
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
    if known.free & MAHJONG:  # whoever had to lead still holds it
        known.pinned[view.start_player] |= MAHJONG
        known.free &= ~MAHJONG


@inner
def propose(view: View, known: Known, key: np.uint64, deal: Any) -> bool:
    """Draws a deal by what is known; False if a card was left that no seat could take.

    `deal.start` first holds each seat's cards after schupfen; at the end, those before."""
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
def _undo_exchange(view: View, key: np.uint64, deal: Any) -> None:
    """Guesses what the others gave each other, and takes the cards of `deal.start` back to before schupfen."""
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
def _any_of(cards: int, key: np.uint64, counter: int) -> np.int64:
    """The index of a random card of a mask."""
    for _ in range(draw_below(key, counter, count(cards))):
        cards &= cards - 1
    return np.int64(INDEX_OF_BIT[lowest_bit(cards)])


@inner
def draw_deal(
    view: View, transcript: Any, known: Known, key: np.uint64, no_bombs: bool, options: Any, scratch: Any
) -> tuple[int, int]:
    """Proposes deals until one fits, and leaves it in the scratch with the present state and the trace that `options`
    (RETRACE_OPTIONS) asks for.

    Returns (plays and passes in the trace, tries); 0 tries if none of MOST_TRIES fitted. With `no_bombs`, deals in
    which another seat still holds a bomb are rejected during the first half of the tries."""
    for tries in range(1, MOST_TRIES + 1):
        if not propose(view, known, draw(key, tries * DRAWS), scratch.deal):
            continue
        n, code = retrace(scratch.deal, view, transcript, options, scratch.state, scratch.plays, scratch.trace)
        if code:
            continue
        if no_bombs and tries < MOST_TRIES // 2 and _others_hold_bomb(view, scratch.state):
            continue
        return n, tries
    return 0, 0


@inner
def _others_hold_bomb(view: View, state: State) -> bool:
    for seat in range(4):
        if seat != view.seat and has_bomb(state.hand[seat]):
            return True
    return False


@kernel
def own_turns(
    views: np.ndarray,
    transcripts: np.ndarray,
    options: Any,
    known: Known,
    scratch: Any,
    turns: np.ndarray,
    cards: np.ndarray,
    counts: np.ndarray,
) -> None:
    """What the seat of each view saw (`turns`) and played (`cards`) at its turns of this round, the earliest first.

    Both are (n, most). The present turn comes last, with no cards; the earliest turns are left out if there are more
    than `most`. `counts` says how many turns each view has."""
    most = turns.shape[1]
    for i in range(len(views)):
        view, transcript = views[i], transcripts[i]
        know(view, transcript, known)
        for seat in range(4):
            known.barred[seat] = 0  # any deal will do: views show only how many cards the others hold
        propose(view, known, np.uint64(0), scratch.deal)
        options.seats = 1 << view.seat
        n, _ = retrace(scratch.deal, view, transcript, options, scratch.state, scratch.plays, scratch.trace)
        first = max(0, n - (most - 1))
        for k in range(first, n):
            turns[i, k - first] = scratch.trace.at[k].seen
            cards[i, k - first] = scratch.trace.at[k].cards
        turns[i, n - first] = view
        cards[i, n - first] = 0
        counts[i] = n - first + 1


@kernel
def draw_deals(
    views: np.ndarray,
    transcripts: np.ndarray,
    hands: np.ndarray,
    seed: int,
    first_deal: int,
    deals: int,
    no_bombs: bool,
    options: Any,
    known: Known,
    scratch: Any,
    states: np.ndarray,
    tries: np.ndarray,
    turns: np.ndarray,
    cards: np.ndarray,
    counts: np.ndarray,
) -> int:
    """Draws `deals` deals for each view, the one with number `first_deal` first. `hands` (n, 4) are hands that are
    known, 0 where one is not.

    Writes for each deal the present state (`states`), how many deals were proposed for it (`tries`, 0 if none fitted),
    and end to end what the others saw (`turns`) and played (`cards`) when they had a choice, `counts` of each deal. The
    earliest turns are left out where there is no room. Returns how many turns there are."""
    n = 0
    most = len(turns) // len(states)
    for i in range(len(views)):
        view, transcript = views[i], transcripts[i]
        know(view, transcript, known)
        for seat in range(4):
            if hands[i, seat] and seat != view.seat:
                known.pinned[seat] = hands[i, seat]
                known.free &= ~hands[i, seat]
        options.seats = ALL_SEATS & ~(1 << view.seat)
        for d in range(i * deals, (i + 1) * deals):
            key = draw(draw(view.key, DRAW_OF_DEALS), seed << 16 | (first_deal + d - i * deals))
            made, tries[d] = draw_deal(view, transcript, known, key, no_bombs, options, scratch)
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
def likelihood_of(
    plays: np.ndarray,
    counts: np.ndarray,
    log_shares: np.ndarray,
    cards: np.ndarray,
    turns_of_deal: np.ndarray,
    likelihoods: np.ndarray,
) -> None:
    """The log-likelihood of each deal: the sum of the policy's log-probabilities of what was played.

    `plays` and `log_shares` are the legal plays of all turns end to end, `counts` of each turn; `cards` is what was
    played at each turn; `turns_of_deal` says how many turns each deal has."""
    first = turn = 0
    for d in range(len(turns_of_deal)):
        likelihoods[d] = 0.0
        for _ in range(turns_of_deal[d]):
            for k in range(first, first + counts[turn]):
                if cards_of(plays[k]) == cards[turn]:
                    likelihoods[d] += log_shares[k]
            first += counts[turn]
            turn += 1
