"""Oddities within a round: strange, but legal. None of them changes the score.

Quirks of a whole game or file are in `whole_games`, rule breaks in `breaks_in_deal` and `breaks_in_play`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tichu_models.rules.breaks import RuleBreak
from tichu_pipeline.brettspielwelt.corpus.gametext import SEATS, renamed
from tichu_pipeline.brettspielwelt.corpus.planting import REAL_ROUNDS, RoundKind, pick, shuffled
from tichu_pipeline.brettspielwelt.corpus.roundtext import (
    FIRST_CARDS,
    START_CARDS,
    Call,
    RoundText,
    Turn,
    rank,
    ranks_of,
)

Lines = list[str] | None


def _grand_calls(round_: RoundText) -> list[Call]:
    """The grand Tichus."""
    return [call for call in round_.calls if call.grand]


def _small_calls(round_: RoundText) -> list[tuple[Call, Turn]]:
    """The small Tichus, each with its caller's first play."""
    played = {seat: plays[0] for seat in SEATS if (plays := round_.plays_of(seat))}
    return [(call, played[call.seat]) for call in round_.calls if not call.grand and call.seat in played]


def grand_tichu_twice(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Repeats the line of a grand Tichu."""
    call = pick(rng, _grand_calls(round_))
    return round_.inserted(call.line, round_.lines[call.line]) if call else None


def grand_tichu_in_play(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Moves a grand Tichu into the play."""
    call = pick(rng, _grand_calls(round_))
    if call is None or not (plays := round_.plays_of(call.seat)):
        return None
    # After the caller's first play it could be taken for an impossible announcement.
    turn = pick(rng, [turn for turn in round_.turns if turn.line <= plays[0].line])
    return round_.moved(call.line, turn.line) if turn else None


def tichu_repeated(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Repeats the line of a small Tichu."""
    call = pick(rng, [call for call in round_.calls if not call.grand])
    return round_.inserted(call.line, round_.lines[call.line]) if call else None


def tichu_after_first_play(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Moves a small Tichu to after its caller's first play."""
    choice = pick(rng, _small_calls(round_))
    if choice is None:
        return None
    call, first = choice
    after = first.line + 1
    return round_.moved(call.line, after + 1 if after == round_.wish_line else after)


def tichu_before_anothers_lead(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Moves a small Tichu to the first line of the play, which another seat leads."""
    to = round_.play_header + 1
    leader = round_.turns[0].seat
    calls = [call for call, _ in _small_calls(round_) if call.seat != leader and call.line != to]
    call = pick(rng, calls)
    return round_.moved(call.line, to) if call else None


def no_wish(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Removes the line of the wish."""
    return None if round_.wish_line is None else round_.without(round_.wish_line)


def passes_after_the_end(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts passes after the end of the round."""
    passes = [round_.pass_line((round_.end.seat + step) % 4) for step in range(1, 4)]
    return round_.inserted(round_.result, *passes[: 1 + int(rng.integers(3))])


def _reordered(round_: RoundText, order: Callable[[tuple[str, ...]], list[str]]) -> Lines:
    """The lines with the cards of each play in another order; None if that changes nothing."""
    lines = list(round_.lines)
    for turn in round_.plays:
        if len(turn.cards) > 1:
            lines[turn.line] = lines[turn.line].split(": ", 1)[0] + f": {' '.join(order(turn.cards))} "
    return None if lines == round_.lines else lines


def cards_in_any_order(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Shuffles the cards of each play and of the first eight."""
    lines = _reordered(round_, lambda cards: shuffled(rng, cards))
    if lines is None:
        return None
    for seat in SEATS:
        speaker = lines[FIRST_CARDS[seat]].split(" ", 1)[0]
        lines[FIRST_CARDS[seat]] = f"{speaker} {' '.join(shuffled(rng, round_.first[seat]))} "
    return lines


def pair_before_triple(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Writes the pair of full houses first."""

    def order(cards: tuple[str, ...]) -> list[str]:
        counts = ranks_of(cards)
        if len(cards) != 5 or len(counts) != 2 or counts[0][1] != 3:
            return list(cards)
        triple = counts[0][0]
        return [*(c for c in cards if rank(c) != triple), *(c for c in cards if rank(c) == triple)]

    return _reordered(round_, order)


def phoenix_in_its_place(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Writes the Phoenix into the gap that it fills in streets."""

    def order(cards: tuple[str, ...]) -> list[str]:
        others = [card for card in cards if card != "Ph"]
        values = [1 if card == "Ma" else rank(card) for card in others]
        gaps = [i for i in range(1, len(values)) if values[i - 1] - values[i] == 2]
        if len(others) == len(cards) or len(set(values)) < len(values) or len(cards) < 5 or not gaps:
            return list(cards)
        return [*others[: gaps[0]], "Ph", *others[gaps[0] :]]

    return _reordered(round_, order)


def names_differ_between_lists(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Changes a name in the list of the first eight cards."""
    seat = int(rng.integers(4))
    heads = round_.lines[: START_CARDS[0] - 1]
    return [*renamed(heads, seat, f"gast{rng.integers(10, 100)}"), *round_.lines[len(heads) :]]


def restarted(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Puts the beginning of the round before the round, as if the cards had been dealt anew."""
    broken_off = int(rng.integers(FIRST_CARDS[-1] + 1, round_.schupfen + 1))
    return [*round_.lines[:broken_off], *round_.lines]


ODDITIES = (
    RoundKind("grand Tichu twice", grand_tichu_twice),
    RoundKind("grand Tichu in the play", grand_tichu_in_play),
    RoundKind("Tichu repeated", tichu_repeated),
    RoundKind("Tichu after the first play", tichu_after_first_play),
    RoundKind("Tichu before another's lead", tichu_before_anothers_lead),
    RoundKind("no wish", no_wish, share=0.05),  # 15% of the real rounds, which would leave too few for other kinds
    RoundKind("passes after the end", passes_after_the_end),
    RoundKind("cards in any order", cards_in_any_order),
    RoundKind("pair before triple", pair_before_triple),
    RoundKind("Phoenix in its place", phoenix_in_its_place),
    RoundKind("names differ between lists", names_differ_between_lists),
    RoundKind("restarted", restarted, RuleBreak.TRUNCATED, 34 / REAL_ROUNDS),
)
