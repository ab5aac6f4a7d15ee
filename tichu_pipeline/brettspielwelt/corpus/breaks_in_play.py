"""Rule breaks in the play and at its end: one line is changed, and everything before it stays sound.

Only the first break of a round counts, so what follows may be wrong as well. Within the line there must be no other
break, since readers may check a line in another order. So most edits change single cards while no wish is open.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tichu_models.rules.breaks import RuleBreak
from tichu_pipeline.brettspielwelt.corpus.gametext import RESULT, SEATS
from tichu_pipeline.brettspielwelt.corpus.planting import REAL_ROUNDS, RoundKind, pick
from tichu_pipeline.brettspielwelt.corpus.roundtext import (
    LABEL_OF_RANK,
    RoundText,
    Turn,
    is_bomb,
    naturals,
    rank,
    ranks_of,
)

Lines = list[str] | None

WRONG_SCORES, OWN_TEAM, LATE_CALLS = 19_622 / REAL_ROUNDS, 306 / REAL_ROUNDS, 286 / REAL_ROUNDS


def _singles(round_: RoundText) -> list[Turn]:
    """Plays of one card with a colour, led or on another such card, while no wish is open."""
    return [
        turn
        for turn in round_.plays
        if len(turn.cards) == 1
        and rank(turn.cards[0])
        and not turn.wish
        and (turn.leads or (len(turn.top) == 1 and rank(turn.top[0])))
    ]


def _above(turn: Turn, cards: set[str]) -> list[str]:
    """The cards with a colour that would beat the top of this turn."""
    least = 0 if turn.leads else rank(turn.top[0])
    return [card for card in naturals(cards) if rank(card) > least]


def _with_play(round_: RoundText, rng: np.random.Generator, choices: list[tuple[Turn, list[str]]]) -> Lines:
    """Replaces the cards of a random play among these choices."""
    choice = pick(rng, choices)
    if choice is None:
        return None
    turn, cards = choice
    return round_.replaced(turn.line, round_.play_line(turn.seat, cards))


def card_of_another(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Lets a player lay a card that another seat holds."""
    choices = []
    for turn in _singles(round_):
        elsewhere = {card for seat in SEATS if seat != turn.seat for card in turn.hands[seat]}
        choices += [(turn, [card]) for card in _above(turn, elsewhere)]
    return _with_play(round_, rng, choices)


def card_played_again(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Lets a player lay a card that he has laid before."""
    choices = []
    for turn in _singles(round_):
        laid = {card for play in round_.plays_of(turn.seat) if play.line < turn.line for card in play.cards}
        choices += [(turn, [card]) for card in _above(turn, laid)]
    return _with_play(round_, rng, choices)


def pass_on_lead(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts a pass of the player who has to lead."""
    # Without a collecting pass before it, the pass could be taken for one; with an open wish, for a break of the wish.
    pairs = pairwise(round_.turns)
    leads = [turn for before, turn in pairs if before.collects and turn.leads and not turn.wish]
    turn = pick(rng, [round_.turns[0], *leads])
    return round_.inserted(turn.line, round_.pass_line(turn.seat)) if turn else None


def wish_ignored(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Changes the wish to a rank that the next player holds, but does not play."""
    mahjong = next((turn for turn in round_.plays if turn.cards == ("Ma",)), None)
    if mahjong is None or round_.wish_line is None:
        return None
    following = round_.after(mahjong)
    seat = next(s % 4 for s in range(mahjong.seat + 1, mahjong.seat + 5) if mahjong.hands[s % 4])
    if following is None or following.seat != seat or is_bomb(following.cards):
        return None
    laid = {rank(card) for card in following.cards}
    held = sorted({rank(card) for card in naturals(following.hands[seat])} - laid)
    wished = pick(rng, held)
    return round_.replaced(round_.wish_line, f"Wunsch:{LABEL_OF_RANK[wished]}") if wished else None


def no_combination(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Adds a card of another rank to a lead of one or two cards."""
    choices = []
    for turn in round_.plays:
        ranks = ranks_of(turn.cards)
        # One or two cards of one rank with one card of another rank are no combination.
        if turn.leads and not turn.wish and len(ranks) == 1 and ranks[0][1] == len(turn.cards) <= 2:
            rest = [card for card in naturals(turn.hands[turn.seat]) if rank(card) != ranks[0][0]]
            choices += [(turn, [*turn.cards, card]) for card in rest]
    return _with_play(round_, rng, choices)


def too_low(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Replaces a single card by one that does not beat the top."""
    choices = []
    for turn in _singles(round_):
        if not turn.leads:
            own = naturals(turn.hands[turn.seat])
            choices += [(turn, [card]) for card in own if rank(card) <= rank(turn.top[0])]
    return _with_play(round_, rng, choices)


def skipped_seat(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Removes a pass."""
    passes = []
    for before, turn, following in zip(round_.turns, round_.turns[1:], round_.turns[2:], strict=False):
        skips = before.leads and not turn.cards and not turn.collects and turn.hands[turn.seat]
        # A next pass of the owner could be taken for the collecting one.
        if skips and following.seat not in (turn.seat, turn.owner) and not is_bomb(following.cards):
            passes.append(turn)
    skipped = pick(rng, passes)
    return round_.without(skipped.line) if skipped else None


def last_play_missing(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Removes the play that ends the round."""
    line = round_.end.line
    # An announcement before the play, or a Dragon gift after it, would be left without its play.
    if line + 1 != round_.result or any(call.line == line - 1 for call in round_.calls):
        return None
    return round_.without(line)


def play_after_the_end(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts a play after the end of the round."""
    choices = [(seat, card) for seat in SEATS for card in naturals(round_.hands_left[seat])]
    choice = pick(rng, choices)
    return round_.inserted(round_.result, round_.play_line(choice[0], [choice[1]])) if choice else None


def _gift(round_: RoundText, seat: int) -> str:
    """The line of a Dragon gift."""
    return f"Drache an: ({seat}){round_.names[seat]}"


def dragon_kept(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Removes the line of the Dragon gift."""
    # On a double victory the last trick is not given away, so that a missing line would be legal.
    line = round_.gift_line
    if line is None or (round_.is_double_victory and line > round_.end.line):
        return None
    return round_.without(line)


def dragon_to_own_team(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Gives the Dragon's trick to the own team."""
    dragon = next((turn for turn in round_.plays if turn.cards == ("Dr",)), None)
    if round_.gift_line is None or dragon is None:
        return None
    to = (dragon.seat + 2 * int(rng.integers(2))) % 4
    return round_.replaced(round_.gift_line, _gift(round_, to))


def dragon_did_not_win(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts a Dragon gift after a trick that the Dragon did not win."""
    if round_.gift_line is not None:
        return None
    turn = pick(rng, [turn for turn in round_.turns if turn.collects and turn.top != ("Dr",)])
    if turn is None:
        return None
    opponent = (turn.seat + 1 + 2 * int(rng.integers(2))) % 4
    return round_.inserted(turn.line + 1, _gift(round_, opponent))


def _mahjong(round_: RoundText) -> Turn | None:
    """The play of the Mahjong; None if nobody played it."""
    return next((turn for turn in round_.plays if "Ma" in turn.cards), None)


def wish_before_mahjong(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Moves the wish to before the play of the Mahjong."""
    mahjong = _mahjong(round_)
    if mahjong is None or round_.wish_line is None:
        return None
    turn = pick(rng, [turn for turn in round_.turns if turn.line <= mahjong.line])
    return round_.moved(round_.wish_line, turn.line) if turn else None


def wish_without_mahjong(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts a wish into a round in which nobody plays the Mahjong."""
    turn = pick(rng, round_.plays)
    if turn is None or _mahjong(round_) is not None:
        return None
    return round_.inserted(turn.line + 1, f"Wunsch:{LABEL_OF_RANK[int(rng.integers(2, 15))]}")


def late_tichu(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Inserts a Tichu after its caller's second play."""
    callers = {call.seat for call in round_.calls}
    second = [plays[1] for seat in SEATS if seat not in callers and len(plays := round_.plays_of(seat)) > 1]
    turn = pick(rng, [turn for turn in second if turn.line + 1 != round_.wish_line])
    return round_.inserted(turn.line + 1, f"Tichu: ({turn.seat}){round_.names[turn.seat]}") if turn else None


def _with_score(round_: RoundText, team: int, points: int, other_points: int = 0) -> list[str]:
    """The lines with these points added to the logged scores of a team and of the other team."""
    score = list(round_.score)
    score[team] += points
    score[1 - team] += other_points
    return round_.replaced(round_.result, f"{RESULT} {score[0]} - {score[1]}")


def odd_score(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Makes a score that is not a multiple of 5."""
    return _with_score(round_, int(rng.integers(2)), int(rng.choice((-4, -3, -2, -1, 1, 2, 3, 4))))


def wrong_sum(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Makes scores whose sum is impossible."""
    # Whoever goes out first, and whatever was announced, the sum is a multiple of 100.
    return _with_score(round_, int(rng.integers(2)), int(rng.choice((-95, -50, -20, -10, -5, 5, 10, 20, 50, 95))))


def points_moved(round_: RoundText, rng: np.random.Generator) -> Lines:
    """Moves points from one team to the other, so that the scores stay possible."""
    # The 200 points of a double victory cannot be shared between the teams.
    if round_.is_double_victory:
        return None
    cards = list(round_.score)
    for seat, worth in {call.seat: 200 if call.grand else 100 for call in round_.calls}.items():
        cards[seat % 2] -= worth if seat == round_.out[0] else -worth
    moves = [(team, points) for team in (0, 1) for points in (5, 10) if cards[team] + points <= 125]
    choice = pick(rng, moves)
    return _with_score(round_, choice[0], choice[1], -choice[1]) if choice else None


# fmt: off
BREAKS_IN_PLAY = (
    RoundKind("CARD_NOT_IN_HAND: play", card_of_another, RuleBreak.CARD_NOT_IN_HAND),
    RoundKind("CARD_ALREADY_PLAYED", card_played_again, RuleBreak.CARD_ALREADY_PLAYED),
    RoundKind("PASS_NOT_POSSIBLE", pass_on_lead, RuleBreak.PASS_NOT_POSSIBLE),
    RoundKind("WISH_NOT_FOLLOWED", wish_ignored, RuleBreak.WISH_NOT_FOLLOWED, 209 / REAL_ROUNDS),
    RoundKind("COMBINATION_NOT_PLAYABLE: none", no_combination, RuleBreak.COMBINATION_NOT_PLAYABLE),
    RoundKind("COMBINATION_NOT_PLAYABLE: too low", too_low, RuleBreak.COMBINATION_NOT_PLAYABLE),
    RoundKind("PLAYER_NOT_ON_TURN", skipped_seat, RuleBreak.PLAYER_NOT_ON_TURN, 2 / REAL_ROUNDS),
    RoundKind("HISTORY_TOO_SHORT", last_play_missing, RuleBreak.HISTORY_TOO_SHORT),
    RoundKind("HISTORY_TOO_LONG", play_after_the_end, RuleBreak.HISTORY_TOO_LONG, 60 / REAL_ROUNDS),
    RoundKind("DRAGON_NOT_GIVEN", dragon_kept, RuleBreak.DRAGON_NOT_GIVEN),
    RoundKind("DRAGON_GIVEN_TO_OWN_TEAM", dragon_to_own_team, RuleBreak.DRAGON_GIVEN_TO_OWN_TEAM, OWN_TEAM),
    RoundKind("DRAGON_GIVEN_WITHOUT_BEAT", dragon_did_not_win, RuleBreak.DRAGON_GIVEN_WITHOUT_BEAT),
    RoundKind("WISH_WITHOUT_MAHJONG: too early", wish_before_mahjong, RuleBreak.WISH_WITHOUT_MAHJONG),
    RoundKind("WISH_WITHOUT_MAHJONG: none played", wish_without_mahjong, RuleBreak.WISH_WITHOUT_MAHJONG),
    RoundKind("ANNOUNCEMENT_NOT_POSSIBLE", late_tichu, RuleBreak.ANNOUNCEMENT_NOT_POSSIBLE, LATE_CALLS),
    RoundKind("SCORE_NOT_POSSIBLE: odd", odd_score, RuleBreak.SCORE_NOT_POSSIBLE, WRONG_SCORES / 4),
    RoundKind("SCORE_NOT_POSSIBLE: sum", wrong_sum, RuleBreak.SCORE_NOT_POSSIBLE, WRONG_SCORES / 4),
    RoundKind("SCORE_MISMATCH", points_moved, RuleBreak.SCORE_MISMATCH, WRONG_SCORES / 2),
)
# fmt: on
