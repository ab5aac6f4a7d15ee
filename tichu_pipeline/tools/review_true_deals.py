"""Whether losses are real: what the judge's better answers would have gained on the deals as they lay.

A judge supposes deals, and all that agree with what a seat knew are equally likely to it, though others announce and
play as they do because of their cards. If that misled it, its better answers would gain less on the true deals than it
says. One true deal says nothing of one decision; the mean over many decisions does. No judgement uses this.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tichu_models.agents.registry import agent_from
from tichu_models.observation.view import VIEW
from tichu_models.records.schema import Rounds
from tichu_models.review.answers import Tried, answers_tried
from tichu_models.review.judge import Judge
from tichu_models.review.losses import GIVEN
from tichu_models.review.settings import JudgeSettings
from tichu_models.review.supposed_rounds import ask_earlier_seats, deal_unknown
from tichu_models.rules.asking import KINDS, POSITION, SCHUPF
from tichu_models.rules.cards import CARD_OF_INDEX
from tichu_models.rules.legal import new_buffer
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.paired import gains
from tichu_models.search.playouts import branch, give_answers
from tichu_pipeline.tools.review_planted import decisions_in, generated

CLEAR = 1.5  # standard errors by which an answer is clearly better


class Gain(NamedTuple):
    """What the answer that is best on one half of the deals gains."""

    kind: str
    clear: bool  # it was clearly better on that half
    supposed: float  # its gain on the other half
    true: float  # its gain on the true deal


def gains_in(judge: Judge, decisions: np.ndarray, rows: np.ndarray, deals: int) -> list[Gain]:
    """Two rows for each open decision (LOGGED) of a game of these rounds: either half of the deals chooses once."""
    settings = judge.settings
    tried = answers_tried(judge.player, decisions, settings.width, settings.least)
    open_ = np.flatnonzero(tried.counts > 1)
    decisions, tried = decisions[open_], tried.of(open_)
    values, weights = judge.values(decisions, tried, deals, 0)
    on_true = _on_true_deals(judge, decisions, tried, rows[decisions["place"]])
    half, found = np.arange(deals) % 2, []
    for i, (own, weight) in enumerate(zip(values, weights, strict=True)):
        for part in range(2):
            chosen = gains(own, np.where(half == part, weight, 0.0), GIVEN)
            others = gains(own, np.where(half == part, 0.0, weight), GIVEN)
            best = int(chosen.means.argmax())
            clear = best != GIVEN and bool(chosen.means[best] > CLEAR * chosen.errors[best])
            true = float(on_true[i][best] - on_true[i][GIVEN])
            found.append(Gain(KINDS[decisions["seen"]["kind"][i]], clear, round(float(others.means[best]), 1), true))
    return found


def _on_true_deals(judge: Judge, decisions: np.ndarray, tried: Tried, rows: np.ndarray) -> list[np.ndarray]:
    """What each answer is worth on the true deal, played on by the referee. `rows` has the round of each decision."""
    asked = np.zeros(len(decisions), dtype=POSITION)
    early = decisions["seen"]["kind"] <= SCHUPF
    for part, ask in ((early, before_play), (~early, in_play)):
        if part.any():
            asked[part] = ask(judge, decisions[part], rows[part])
    positions = np.zeros(len(tried.answers), dtype=POSITION)
    branch(asked, tried.answers, tried.counts, 1, positions)
    signs = np.repeat(1 - 2 * (decisions["seen"]["seat"].astype(np.int64) & 1), tried.counts)
    keys = np.repeat(decisions["seen"]["key"], tried.counts)
    return np.split(VALUE_UNIT * judge.playouts.play(positions, keys) * signs, tried.counts.cumsum()[:-1])


def before_play(judge: Judge, decisions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Positions before the play with the true cards, in which the seats that are asked before have answered."""
    views, positions = np.ascontiguousarray(decisions["seen"]), np.zeros(len(decisions), dtype=POSITION)
    deal_unknown(views, decisions["phase"].copy(), 0, 0, 1, positions)
    for name in ("first", "start"):
        positions["state"][name] = rows[name]
    positions["state"]["hand"] = rows["start"]
    who, seen = np.empty(len(views), dtype=np.int64), np.zeros(len(views), dtype=VIEW)
    keys, plays = views["key"].copy(), new_buffer()
    while n := ask_earlier_seats(positions, views["seat"].copy(), keys, plays, who, seen):
        give_answers(positions, who[:n], judge.playouts.answers(seen[:n]))
    return positions


def in_play(judge: Judge, decisions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Positions in the play with the true cards."""
    views, positions = np.ascontiguousarray(decisions["seen"]), np.zeros(len(decisions), dtype=POSITION)
    hands = rows["start"].copy()
    for seat in range(4):
        for to in range(3):
            card = CARD_OF_INDEX[rows["given"][:, seat, to]]
            hands[:, seat] &= ~card
            hands[:, (seat + 1 + to) & 3] |= card
    hands &= ~views["played"][:, None]
    transcripts = np.ascontiguousarray(decisions["transcript"])
    positions["state"], weights = judge.supposer.believer.weighted(views, transcripts, 1, hands=hands)
    assert weights.all(), "a deal that was played does not agree with itself"
    for name, each in (("seat", views["seat"]), ("kind", views["kind"])):
        positions[name] = each
    for name in ("phase", "asked"):
        positions[name] = decisions[name]
    return positions


@dataclass(frozen=True)
class DealsTask:
    """A game, and how its decisions are judged."""

    player: str  # the referee
    runs: Path
    seed: int
    deals: int
    game: int  # its number among the games that the referee plays with itself
    rounds: Rounds | None = None  # those of a game of others


def gains_of(task: DealsTask) -> list[Gain]:
    """The rows of a game."""
    rounds = task.rounds or generated(task.player, task.runs, task.seed, task.game)
    judge = Judge(agent_from(task.player, task.runs), JudgeSettings(seed=task.seed))
    return gains_in(judge, decisions_in(rounds, task.game), rounds.rows, task.deals)
