"""The legal plays of a hand: as a lead, on a trick, under a wish, and bombs out of turn.

Each set of cards is one play, in the highest reading of its Phoenix. Kernels write packed plays into a buffer of
MAX_PLAYS and return their number. A legal pass is the play 0, the last one.

Each `_name(hand, .., plays, n)` appends its plays from place n on and returns the new n.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from tichu_models.kernels import inlined, inner, kernel
from tichu_models.rules.cards import (
    ACE,
    DOG,
    DRAGON,
    DRAGON_RANK,
    MAHJONG,
    NATURAL,
    PHOENIX,
    RANKS,
    Mask,
    count,
    lowest_bit,
    of_rank,
    rank_counts,
    rank_of_bit,
    ranks_present,
)
from tichu_models.rules.combinations import (
    BOMB,
    FULLHOUSE,
    MIN_STREET,
    PAIR,
    RUN,
    SINGLE,
    STAIR,
    STREET,
    TRIPLE,
    PackedPlay,
    beats,
    cards_of,
    is_flush,
    lower_reading,
    on_trick,
    pack,
    rank_of,
    type_of,
)

MAX_PLAYS = 4096
# A record like all scratch of kernels: arrays are reference-counted at every call down a call tree.
PLAYS = np.dtype([("move", np.int64, MAX_PLAYS)])
Plays: TypeAlias = Any  # a record of PLAYS

# SUBSETS[size, nibble, i]: the i-th subset of `size` cards of one rank; NUM_SUBSETS[size, nibble]: their number.
NUM_SUBSETS = np.zeros((4, 16), dtype=np.int64)
SUBSETS = np.zeros((4, 16, 6), dtype=np.int64)
for _size in range(1, 4):
    for _nibble in range(16):
        _bits = [bit for bit in range(4) if _nibble >> bit & 1]
        for _i, _chosen in enumerate(combinations(_bits, _size)):
            SUBSETS[_size, _nibble, _i] = sum(1 << bit for bit in _chosen)
            NUM_SUBSETS[_size, _nibble] = _i + 1


def new_buffer() -> np.record:
    """A buffer for the plays of any hand, in its field `move`."""
    return np.zeros(1, dtype=PLAYS)[0]


@inner
def _multiply(hand: Mask, bit: int, size: int, plays: Plays, start: int, n: int) -> int:
    """Replaces each card set in plays[start:n] by its unions with every `size` cards of the rank at `bit`."""
    nibble = (hand >> bit) & 15
    choices = NUM_SUBSETS[size, nibble]
    end = n
    for k in range(1, choices):
        extra = SUBSETS[size, nibble, k] << bit
        for i in range(start, n):
            plays.move[end] = plays.move[i] | extra
            end += 1
    first = SUBSETS[size, nibble, 0] << bit
    for i in range(start, n):
        plays.move[i] |= first
    return end


@inner
def _label(kind: int, rank: int, plays: Plays, start: int, n: int) -> int:
    """Turns the card sets in plays[start:n] into plays."""
    for i in range(start, n):
        plays.move[i] = pack(plays.move[i], kind, rank)
    return n


@inlined
def _singles(hand: Mask, trick: PackedPlay, plays: Plays, n: int) -> int:
    """Singles that beat a trick of one card, or lead (0)."""
    if trick == 0:
        if hand & DOG:
            plays.move[n] = pack(DOG, SINGLE, 0)
            n += 1
        if hand & MAHJONG:
            plays.move[n] = pack(MAHJONG, SINGLE, 1)
            n += 1
        rank, above = 1, hand & NATURAL
    else:
        rank = rank_of(trick)
        above = hand & NATURAL & (-1 << (4 * rank)) if rank < ACE else 0
    while above:
        card = above & -above
        above ^= card
        plays.move[n] = pack(card, SINGLE, rank_of_bit(lowest_bit(card)))
        n += 1
    if rank < DRAGON_RANK:
        if hand & PHOENIX:
            plays.move[n] = pack(PHOENIX, SINGLE, rank)
            n += 1
        if hand & DRAGON:
            plays.move[n] = pack(DRAGON, SINGLE, DRAGON_RANK)
            n += 1
    return n


@inlined
def _ranks_with(size: int, hand: Mask) -> Mask:
    """The bits of ranks 2..14 of which the hand holds at least 1, 2 or 3 cards."""
    counts = rank_counts(hand)
    if size == 1:
        return ranks_present(hand) & RANKS
    if size == 2:
        return ((counts >> 1) | (counts >> 2)) & RANKS
    return ((counts & (counts >> 1)) | (counts >> 2)) & RANKS


@inner
def _alike(hand: Mask, size: int, above: int, plays: Plays, n: int) -> int:
    """Pairs (size 2) or triples (size 3) above the given rank."""
    eligible = _ranks_with(size - 1 if hand & PHOENIX else size, hand) & (-1 << (4 * above))
    while eligible:
        bit = lowest_bit(eligible)
        eligible &= eligible - 1
        nibble = (hand >> bit) & 15
        start = n
        for k in range(NUM_SUBSETS[size, nibble]):
            plays.move[n] = SUBSETS[size, nibble, k] << bit
            n += 1
        if hand & PHOENIX:
            for k in range(NUM_SUBSETS[size - 1, nibble]):
                plays.move[n] = PHOENIX | SUBSETS[size - 1, nibble, k] << bit
                n += 1
        _label(size, rank_of_bit(bit), plays, start, n)
    return n


@inner
def _full_house(
    hand: Mask, triple_bit: int, triple_size: int, pair_bit: int, pair_size: int, phoenix: Mask, plays: Plays, n: int
) -> int:
    """Full houses of two ranks, with so many natural cards of each, and the Phoenix if it completes one of them."""
    plays.move[n] = phoenix
    end = _multiply(hand, triple_bit, triple_size, plays, n, n + 1)
    end = _multiply(hand, pair_bit, pair_size, plays, n, end)
    return _label(FULLHOUSE, rank_of_bit(triple_bit), plays, n, end)


@inner
def _full_houses(hand: Mask, above: int, plays: Plays, n: int) -> int:
    """Full houses whose triple is above the given rank."""
    present, twice, thrice = _ranks_with(1, hand), _ranks_with(2, hand), _ranks_with(3, hand)
    phoenix = hand & PHOENIX
    triples = (twice if phoenix else thrice) & (-1 << (4 * above))
    while triples:
        triple = triples & -triples
        triples ^= triple
        t = lowest_bit(triple)
        others = (present if phoenix else twice) & ~triple
        while others:
            other = others & -others
            others ^= other
            p = lowest_bit(other)
            if thrice & triple:
                if twice & other:
                    n = _full_house(hand, t, 3, p, 2, 0, plays, n)
                if phoenix:
                    n = _full_house(hand, t, 3, p, 1, PHOENIX, plays, n)
            if phoenix and twice & other and other < triple:  # of two pairs the higher is the triple
                n = _full_house(hand, t, 2, p, 2, PHOENIX, plays, n)
    return n


@inner
def _run(hand: Mask, low: int, high: int, size: int, stand_in: int, plays: Plays, n: int) -> int:
    """Sets with `size` cards of each rank low..high; at rank `stand_in` (0: none) the Phoenix replaces one card."""
    plays.move[n] = PHOENIX if stand_in else 0
    end = n + 1
    for rank in range(low, high + 1):
        naturals = size - 1 if rank == stand_in else size
        if naturals:
            end = _multiply(hand & ~(DOG | PHOENIX | DRAGON), 4 * (rank - 1), naturals, plays, n, end)
    return end


@inner
def _stairs(hand: Mask, length: int, above: int, plays: Plays, n: int) -> int:
    """Stairs of this many cards (0: any) that end above the given rank."""
    twice = _ranks_with(2, hand)
    phoenix = hand & PHOENIX
    usable = _ranks_with(1, hand) if phoenix else twice
    shortest, longest = (length // 2, length // 2) if length else (2, ACE)
    starts = usable  # of runs of that many usable ranks
    pairs = 1
    while pairs < longest:
        starts &= usable >> (4 * pairs)
        pairs += 1
        if starts == 0:
            return n
        if pairs < shortest:
            continue
        rest = starts & (-1 << (4 * max(above + 1 - pairs, 0)))
        while rest:
            bit = lowest_bit(rest)
            rest &= rest - 1
            low = rank_of_bit(bit)
            high = low + pairs - 1
            shape = RUN[pairs] << bit
            lone = shape & ~twice
            if lone == 0:
                start = n
                n = _label(STAIR, high, plays, start, _run(hand, low, high, 2, 0, plays, n))
                if phoenix:
                    for rank in range(low, high + 1):
                        n = _label(STAIR, high, plays, n, _run(hand, low, high, 2, rank, plays, n))
            elif lone & (lone - 1) == 0:
                rank = rank_of_bit(lowest_bit(lone))
                n = _label(STAIR, high, plays, n, _run(hand, low, high, 2, rank, plays, n))
    return n


@inner
def _streets(hand: Mask, length: int, above: int, plays: Plays, n: int) -> int:
    """Streets of this length (0: any) that end above the given rank, without those of one colour, which are bombs."""
    present = ranks_present(hand)
    phoenix = hand & PHOENIX
    longest = count(present) + (1 if phoenix else 0)
    if longest < MIN_STREET or longest < length:
        return n
    if not phoenix and present & (present >> 4) & (present >> 8) & (present >> 12) & (present >> 16) == 0:
        return n
    if length:
        longest = length
    for high in range(max(above + 1, length, MIN_STREET), ACE + 1):
        gaps = 0
        for low in range(high, max(0, high - longest), -1):
            if present & (1 << (4 * (low - 1))) == 0:
                gaps += 1
                if gaps > 1 or not phoenix:
                    break
            size = high - low + 1
            if size < MIN_STREET or size < length:
                continue
            shape = RUN[size] << (4 * (low - 1))
            if gaps:
                gap = rank_of_bit(lowest_bit(shape & ~present))
                # A gap at the low end is the lower reading, unless the street cannot go on above the ace.
                if gap >= 2 and (gap != low or high == ACE):
                    n = _label(STREET, high, plays, n, _run(hand, low, high, 1, gap, plays, n))
                continue
            start = n
            for i in range(n, _run(hand, low, high, 1, 0, plays, n)):
                if not is_flush(plays.move[i], shape):
                    plays.move[n] = plays.move[i]
                    n += 1
            _label(STREET, high, plays, start, n)
            if phoenix:
                for rank in range(max(low, 2), high + 1):
                    if rank != low or high == ACE:
                        n = _label(STREET, high, plays, n, _run(hand, low, high, 1, rank, plays, n))
    return n


@inlined
def has_bomb(hand: Mask) -> bool:
    """Whether the hand holds four of a kind, or five of one colour in a row."""
    natural = hand & NATURAL
    flush = natural & (natural >> 4) & (natural >> 8) & (natural >> 12) & (natural >> 16)
    pairs = natural & (natural >> 1)
    return flush != 0 or pairs & (pairs >> 2) & RANKS != 0


@inner
def bombs(hand: Mask, trick: PackedPlay, plays: Plays, n: int) -> int:
    """Appends the bombs that beat the trick (0: every bomb)."""
    natural = hand & NATURAL
    pairs = natural & (natural >> 1)
    fours = pairs & (pairs >> 2) & RANKS
    while fours:
        bit = lowest_bit(fours)
        fours &= fours - 1
        play = pack(15 << bit, BOMB, rank_of_bit(bit))
        if beats(play, trick):
            plays.move[n] = play
            n += 1
    size = MIN_STREET
    starts = natural & (natural >> 4) & (natural >> 8) & (natural >> 12) & (natural >> 16)
    while starts:
        rest = starts
        while rest:
            bit = lowest_bit(rest)
            rest &= rest - 1
            play = pack(RUN[size] << bit, BOMB, rank_of_bit(bit) + size - 1)
            if beats(play, trick):
                plays.move[n] = play
                n += 1
        starts &= natural >> (4 * size)
        size += 1
    return n


@inner
def has_beating_bomb(hand: Mask, trick: PackedPlay, plays: Plays) -> bool:
    """Whether the hand holds a bomb that beats the trick. Overwrites the buffer."""
    return has_bomb(hand) and bombs(hand, trick, plays, 0) > 0


@inner
def _leads(hand: Mask, plays: Plays) -> int:
    """All leads but bombs."""
    n = _singles(hand, 0, plays, 0)
    n = _alike(hand, 2, 1, plays, n)
    n = _alike(hand, 3, 1, plays, n)
    n = _stairs(hand, 0, 1, plays, n)
    n = _full_houses(hand, 1, plays, n)
    return _streets(hand, 0, 1, plays, n)


@inner
def _follows(hand: Mask, kind: int, length: int, rank: int, plays: Plays) -> int:
    """Plays of several cards on a trick of this type, length and rank."""
    if rank >= ACE or count(hand) < length:
        return 0
    if kind == PAIR or kind == TRIPLE:
        return _alike(hand, length, rank, plays, 0)
    if kind == STAIR:
        return _stairs(hand, length, rank, plays, 0)
    if kind == FULLHOUSE:
        return _full_houses(hand, rank, plays, 0)
    if kind == STREET:
        return _streets(hand, length, rank, plays, 0)
    return 0


@inlined
def unwished_plays(hand: Mask, trick: PackedPlay, plays: Plays) -> int:
    """All plays that beat the trick, whatever the wish; without the pass."""
    if trick == 0:
        n = _leads(hand, plays)
    elif type_of(trick) == SINGLE:  # seven of ten positions
        n = _singles(hand, trick, plays, 0)
    else:
        n = _follows(hand, type_of(trick), count(cards_of(trick)), rank_of(trick), plays)
    return bombs(hand, trick, plays, n) if has_bomb(hand) else n


@inner
def obliged(wished: Mask, plays: Plays, n: int) -> bool:
    """Whether one of the n plays has a card of the wished ones."""
    for i in range(n):
        if plays.move[i] & wished:
            return True
    return False


@inlined
def answers(hand: Mask, trick: PackedPlay, wish: int, plays: Plays) -> int:
    """The legal answers of the player on turn under an open wish (0: none), the pass last."""
    n = unwished_plays(hand, trick, plays)
    if wish > 0:
        wished = of_rank(hand, wish)
        if wished and obliged(wished, plays, n):
            kept = 0
            for i in range(n):
                if plays.move[i] & wished or type_of(plays.move[i]) == BOMB:
                    plays.move[kept] = plays.move[i]
                    kept += 1
            return kept
    if trick:
        plays.move[n] = 0
        n += 1
    return n


@kernel
def legal_plays(hand: Mask, trick: PackedPlay, wish: int, plays: Plays) -> int:
    """The same as `answers`, as a kernel that Python can call."""
    return answers(hand, trick, wish, plays)


@inlined
def beats_single(hand: Mask, rank: int) -> bool:
    """Whether a single card of the hand beats a single of this rank."""
    above = hand & NATURAL & (-1 << (4 * min(rank, ACE)))
    return (above | (hand & (PHOENIX | DRAGON) if rank < DRAGON_RANK else 0)) != 0


@inlined
def is_forced(hand: Mask, trick: PackedPlay, wish: int, has_bombs: bool, plays: Plays) -> bool:
    """Whether the player on turn has only one legal answer. `has_bombs`: whether he held bombs after schupfen, which
    the state knows. May overwrite the buffer."""
    if wish > 0 and of_rank(hand, wish):
        return legal_plays(hand, trick, wish, plays) == 1
    if trick == 0:
        return hand & (hand - 1) == 0  # two cards are two singles
    kind = type_of(trick)
    if kind == SINGLE:
        follows = beats_single(hand, rank_of(trick))
    elif kind == PAIR or kind == TRIPLE:
        follows = _ranks_with(kind - 1 if hand & PHOENIX else kind, hand) & (-1 << (4 * rank_of(trick))) != 0
    else:
        follows = _follows(hand, kind, count(cards_of(trick)), rank_of(trick), plays) > 0
    if has_bombs and not follows:  # in this order, because bombs are rare, and the processor predicts that
        return not has_beating_bomb(hand, trick, plays)
    return not follows


@inner
def defies_wish(hand: Mask, trick: PackedPlay, wish: int, play: PackedPlay, plays: Plays) -> bool:
    """Whether this play (0: pass) of the player on turn ignores a wish that he could fulfil. May use the buffer."""
    if wish <= 0:
        return False
    wished = of_rank(hand, wish)
    if wished == 0 or play & wished or type_of(play) == BOMB:
        return False
    return obliged(wished, plays, unwished_plays(hand, trick, plays))


def all_readings(play: int, trick: int = 0) -> list[int]:
    """All readings of a play that may be laid on the trick, the highest first."""
    low = int(lower_reading(play))
    return [reading for reading in (int(on_trick(play, trick)), low) if reading and beats(reading, trick)]
