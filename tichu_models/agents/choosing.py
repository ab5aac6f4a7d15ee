"""From a network's outputs to an answer: legal answers, their scores and the choice, as kernels over many decisions.

The answers of all decisions are kept end to end; `counts` says how many each decision has. No decision depends on the
others of its batch. Two kernels do in play what torch does in training, and tests hold each pair together:
`score_moves` is `networks.decision_rule`, `put_move_features` is `candidate_policy_net.move_features`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tichu_models.algorithms.answers import best_of, drawn
from tichu_models.chance import draw, draw_unit
from tichu_models.kernels import inner, kernel
from tichu_models.networks.interface import LIKELIHOOD, MEAN, MOVE_FEATURES, PASS_OUTPUT, PLAY_OUTPUT, RARITY
from tichu_models.observation.choices import PICK, choices, give, place_of
from tichu_models.observation.fields import COMBINATION, cards_field
from tichu_models.observation.unpack import put_bits
from tichu_models.rules.asking import PLAY, giving, schupf_answer
from tichu_models.rules.cards import (
    BIT_OF_INDEX,
    COLOUR_OF_INDEX,
    DRAGON_RANK,
    INDEX_OF_BIT,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_VALUES,
    VALUE_OF_INDEX,
    count,
    lowest_bit,
)
from tichu_models.rules.combinations import bomb_strength, cards_of, rank_of, type_of
from tichu_models.rules.legal import MAX_PLAYS, Plays, bombs, new_buffer

USUAL_MOVES = 16

# By the bit of a card in a mask.
VALUE_OF_BIT = VALUE_OF_INDEX[INDEX_OF_BIT].astype(np.int64)
COLOUR_OF_BIT = COLOUR_OF_INDEX[INDEX_OF_BIT].astype(np.int64)
# The weight of a card in the rule `rarity`: its surprise, where that of a card with four of its value is 1.
_COPIES = np.bincount(VALUE_OF_INDEX)[VALUE_OF_INDEX[INDEX_OF_BIT]]
RARITY_OF_BIT = np.log(NUM_CARDS / _COPIES) / math.log(NUM_CARDS / 4)


class Moves(NamedTuple):
    """The answers among which n decisions of one kind choose: legal moves, for plays and bombs."""

    plays: np.ndarray  # int64 (m,) end to end: packed plays, 0 for none; of other kinds what `choices` has for them
    counts: np.ndarray  # int64 (n,): how many each decision has


@kernel
def find_moves(views: np.ndarray, kind: int, buffer: Plays, plays: np.ndarray, counts: np.ndarray) -> int:
    """Writes the answers of all views; returns how many there are, or -1 if there is too little room."""
    n = 0
    for i in range(len(views)):
        if n + MAX_PLAYS > len(plays):
            return -1
        counts[i] = choices(views[i], kind, buffer)
        for k in range(counts[i]):
            plays[n + k] = buffer.move[k]
        n += counts[i]
    return n


def moves_of(views: np.ndarray, kind: int = PLAY) -> Moves:
    """The answers to choose from where a question of this kind is asked."""
    counts, buffer = np.empty(len(views), dtype=np.int64), new_buffer()
    room = USUAL_MOVES * len(views) + MAX_PLAYS
    while True:
        plays = np.empty(room, dtype=np.int64)
        n = find_moves(views, kind, buffer, plays, counts)
        if n >= 0:
            return Moves(plays[:n], counts)
        room *= 2


@inner
def _log_sigmoid(x: float) -> float:
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


@kernel
def score_moves(
    outputs: np.ndarray, plays: np.ndarray, counts: np.ndarray, rule: int, odds: np.ndarray, scores: np.ndarray
) -> None:
    """The score of every move by a decision rule, as `networks.decision_rule` describes them.

    `outputs` are log-odds of cards and pass (n, 57), or those of a hierarchical policy (n, 58). `odds` is scratch with
    one number for each card."""
    at = 0
    for i in range(len(counts)):
        rest = 0.0
        for card in range(NUM_CARDS):
            number = np.float64(outputs[i, card])
            bit = np.int64(BIT_OF_INDEX[card])
            if rule == LIKELIHOOD:
                rest += _log_sigmoid(-number)
                odds[bit] = number
            else:
                odds[bit] = 1 / (1 + math.exp(-number))
                if rule == RARITY:
                    odds[bit] *= RARITY_OF_BIT[bit]
        passes, plays_on = _log_sigmoid(outputs[i, PASS_OUTPUT]), _log_sigmoid(-outputs[i, PASS_OUTPUT])
        share, rest_if_pass = 1.0, rest
        if outputs.shape[1] > PLAY_OUTPUT:
            lead = np.float64(outputs[i, PASS_OUTPUT]) - outputs[i, PLAY_OUTPUT]
            passes, plays_on = _log_sigmoid(lead), _log_sigmoid(-lead)
            share, rest_if_pass = math.exp(plays_on), 0.0
        for k in range(at, at + counts[i]):
            cards = cards_of(plays[k])
            if cards == 0:
                scores[k] = passes + rest_if_pass if rule == LIKELIHOOD else math.exp(passes)
                continue
            total = 0.0
            size = count(cards)
            while cards:
                total += odds[lowest_bit(cards)]
                cards &= cards - 1
            if rule == LIKELIHOOD:
                scores[k] = total + rest + plays_on
            else:
                scores[k] = total * share / (size if rule == MEAN else 1)
        at += counts[i]


@kernel
def score_answers(
    outputs: np.ndarray, kind: int, picks: np.ndarray, plays: np.ndarray, counts: np.ndarray, scores: np.ndarray
) -> None:
    """The score of every answer to questions of one kind: an output of the decision net. `picks` says of each decision
    which part of schupfen it is."""
    at = 0
    for i in range(len(counts)):
        pick = np.int64(picks[i])
        for k in range(at, at + counts[i]):
            scores[k] = outputs[i, place_of(kind, pick, plays[k])]
        at += counts[i]


@kernel
def pick_answers(
    views: np.ndarray,
    plays: np.ndarray,
    counts: np.ndarray,
    scores: np.ndarray,
    temperature: float,
    top_k: int,
    seed: int,
    pick: int,
    chosen: np.ndarray,
) -> None:
    """The answer with the highest score, the first of equals. With a temperature above 0, one is drawn from the softmax
    of scores / temperature over the top_k best answers (0: all) and those that tie with the last."""
    at = 0
    for i in range(len(counts)):
        end = at + counts[i]
        place = best_of(scores, at, end)
        if temperature > 0:
            least = np.sort(scores[at:end])[counts[i] - top_k] if 0 < top_k < counts[i] else -np.inf
            unit = draw_unit(draw(views[i].key, PICK + pick), seed)
            place = drawn(scores, at, end, place, least, temperature, unit)
        chosen[i] = plays[place]
        at = end


@kernel
def give_cards(views: np.ndarray, pick: int, cards: np.ndarray, answers: np.ndarray) -> None:
    """Makes the views those of the next part of schupfen, and adds the cards to its answers."""
    for i in range(len(views)):
        give(views[i], pick, cards[i])
        answers[i] |= giving(cards[i], pick)


@kernel
def softmax(scores: np.ndarray, counts: np.ndarray, shares: np.ndarray) -> None:
    """The probability of each move among those of its decision: the softmax of its score."""
    at = 0
    for i in range(len(counts)):
        end = at + counts[i]
        highest = scores[at]
        for k in range(at, end):
            highest = max(highest, scores[k])
        total = 0.0
        for k in range(at, end):
            shares[k] = math.exp(scores[k] - highest)
            total += shares[k]
        for k in range(at, end):
            shares[k] /= total
        at = end


@kernel
def pick_three(views: np.ndarray, outputs: np.ndarray, choices: np.ndarray) -> None:
    """The answer to schupf: the three cards of the hand whose values and colours SchupfNet (n, 66) finds most likely
    together."""
    colours = 3 * NUM_VALUES
    for i in range(len(views)):
        best = -np.inf
        hand = views[i].hand
        first = hand
        while first:
            a = lowest_bit(first)
            first &= first - 1
            score_a = outputs[i, VALUE_OF_BIT[a]] + outputs[i, colours + COLOUR_OF_BIT[a]]
            second = hand & ~(1 << a)
            while second:
                b = lowest_bit(second)
                second &= second - 1
                score_b = outputs[i, NUM_VALUES + VALUE_OF_BIT[b]]
                score_b += outputs[i, colours + NUM_COLOURS + COLOUR_OF_BIT[b]]
                third = hand & ~(1 << a) & ~(1 << b)
                while third:
                    c = lowest_bit(third)
                    third &= third - 1
                    score = score_a + score_b + outputs[i, 2 * NUM_VALUES + VALUE_OF_BIT[c]]
                    score += outputs[i, colours + 2 * NUM_COLOURS + COLOUR_OF_BIT[c]]
                    if score > best:
                        best = score
                        choices[i] = schupf_answer(INDEX_OF_BIT[a], INDEX_OF_BIT[b], INDEX_OF_BIT[c])


@kernel
def pick_bombs(views: np.ndarray, thrown: np.ndarray, buffer: Plays, choices: np.ndarray) -> None:
    """The lowest bomb that beats the trick, where `thrown` is true; else none."""
    for i in range(len(views)):
        choices[i] = 0
        if thrown[i]:
            n = bombs(views[i].hand, views[i].trick, buffer, 0)
            lowest = 1 << 20
            for k in range(n):
                strength = bomb_strength(buffer.move[k])
                if strength < lowest:
                    lowest = strength
                    choices[i] = cards_of(buffer.move[k])


@kernel
def put_move_features(plays: np.ndarray, lookup: np.ndarray, out: np.ndarray) -> None:
    """Writes the features of moves end to end, as CandidatePolicyNet reads them: 56 cards, type and length as one-hot,
    the rank as thermometer. `out` needs room for LANES more numbers."""
    for k in range(len(plays)):
        play = plays[k]
        kind = COMBINATION[type_of(play), count(cards_of(play))]
        low = cards_field(cards_of(play)) | kind << NUM_CARDS
        high = kind >> (64 - NUM_CARDS) | ((1 << rank_of(play)) - 1) << (MOVE_FEATURES - DRAGON_RANK - 64)
        put_bits(low, 0, 0, 64, lookup, out, k * MOVE_FEATURES)
        put_bits(high, 0, 0, MOVE_FEATURES - 64, lookup, out, k * MOVE_FEATURES + 64)
