"""Sets of answers of different sizes: the answers of all decisions end to end, and how many each decision has.

A policy gives every answer a score; the softmax over the answers of a decision makes probabilities of them. Nothing is
padded, and an answer that is not in the set cannot be chosen. Every decision has at least one answer.
"""

from __future__ import annotations

import math

import numpy as np

from tichu_models.chance import S32, draw
from tichu_models.kernels import inner, kernel, summing


@kernel
def log_probabilities(scores: np.ndarray, counts: np.ndarray, logs: np.ndarray) -> None:
    """The logarithm of the probability of every answer."""
    at = 0
    for i in range(len(counts)):
        end = at + counts[i]
        highest = scores[at]
        for k in range(at, end):
            highest = max(highest, scores[k])
        total = 0.0
        for k in range(at, end):
            total += math.exp(scores[k] - highest)
        total = math.log(total)
        for k in range(at, end):
            logs[k] = scores[k] - highest - total
        at = end


@inner
def best_of(scores: np.ndarray, begin: int, end: int) -> int:
    """The place of the highest score, the first of equals."""
    best = begin
    for k in range(begin + 1, end):
        if scores[k] > scores[best]:
            best = k
    return best


@inner
def drawn(scores: np.ndarray, begin: int, end: int, best: int, least: float, temperature: float, unit: float) -> int:
    """A place that `unit` draws from the softmax of scores / temperature, among scores of at least `least`. `best` is
    the place of the highest score."""
    highest, total = np.float64(scores[best]), 0.0
    for k in range(begin, end):
        if scores[k] >= least:
            total += math.exp((scores[k] - highest) / temperature)
    left = unit * total
    for k in range(begin, end):
        if scores[k] >= least:
            left -= math.exp((scores[k] - highest) / temperature)
            if left < 0:
                return k
    return best


@inner
def pick(scores: np.ndarray, begin: int, end: int, temperature: float, unit: float) -> int:
    """The place of the highest score, the first of equals; with a temperature above 0 one that is drawn by `unit` from
    the softmax of scores / temperature."""
    best = best_of(scores, begin, end)
    return best if temperature == 0 else drawn(scores, begin, end, best, -np.inf, temperature, unit)


def match(states: np.ndarray, answers: np.ndarray, which: np.ndarray, counts: np.ndarray, scale: float) -> np.ndarray:
    """The score of every answer: the product of its vector with that of its decision's state, times the scale.

    `states` (n, d) and `answers` (u, d) are float32: an answer that many decisions have has one vector. `which` (m,) is
    the row of each answer among them.
    """
    scores = np.empty(len(which), dtype=np.float32)
    _match(states, answers, which, counts, scale, scores)
    return scores


@summing
def _match(
    states: np.ndarray, answers: np.ndarray, which: np.ndarray, counts: np.ndarray, scale: float, scores: np.ndarray
) -> None:
    at = 0
    for i in range(len(counts)):
        state = states[i]
        for k in range(at, at + counts[i]):
            answer = answers[which[k]]
            total = np.float32(0.0)
            for j in range(len(state)):
                total += state[j] * answer[j]
            scores[k] = total * scale
        at += counts[i]


@summing
def match_backward(
    states: np.ndarray,
    answers: np.ndarray,
    which: np.ndarray,
    counts: np.ndarray,
    scale: float,
    of_scores: np.ndarray,
    of_states: np.ndarray,
    of_answers: np.ndarray,
) -> None:
    """Adds to the gradients by the states and the answers what follows from the gradient by the scores of `match`."""
    at = 0
    for i in range(len(counts)):
        state, of_state = states[i], of_states[i]
        for k in range(at, at + counts[i]):
            answer, of_answer = answers[which[k]], of_answers[which[k]]
            slope = np.float32(of_scores[k] * scale)
            for j in range(len(state)):
                of_state[j] += slope * answer[j]
                of_answer[j] += slope * state[j]
        at += counts[i]


def distinct(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different numbers of an array (int64) in the order in which they first appear, and which of them each is."""
    slots = np.full(1 << max(4, (2 * len(keys)).bit_length()), -1, dtype=np.int64)
    found, which = np.empty(len(keys), dtype=np.int64), np.empty(len(keys), dtype=np.int64)
    n = _distinct(keys, slots, found, which)
    return found[:n].copy(), which


@kernel
def _distinct(keys: np.ndarray, slots: np.ndarray, found: np.ndarray, which: np.ndarray) -> int:
    """A hash table with open addressing. `slots`, a power of two and at least twice as many as keys, hold places in
    `found`, or -1."""
    mask = len(slots) - 1
    n = 0
    for k in range(len(keys)):
        key = keys[k]
        slot = np.int64(draw(np.uint64(key), 0) >> S32) & mask
        while slots[slot] >= 0 and found[slots[slot]] != key:
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = n
            found[n] = key
            n += 1
        which[k] = slots[slot]
    return n
