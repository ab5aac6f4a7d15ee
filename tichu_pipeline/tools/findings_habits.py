"""Habits: what a player answers to one kind of question in one kind of situation, counted over stored rounds.

A habit is a question, the views in which it counts, and names for its answers. `worth` in `findings_worth` replaces
the answers to the same questions, so that both speak of the same decisions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before
from tichu_models.records.stored import COLUMNS, numbers, to_records
from tichu_models.rules.asking import (
    ALL_KINDS,
    BOMB_THROW,
    CARD_BITS,
    CARD_MASK,
    DRAGON_GIFT,
    GRAND_CALL,
    KINDS,
    PLAY,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
)
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import ACE, CARD_OF_INDEX, DOG, INDEX_OF_LABEL, MAHJONG, NATURAL, RANKS, VALUE_OF_INDEX
from tichu_models.rules.state import LEFT, RIGHT
from tichu_pipeline.storage.folders import DataPaths, month_files
from tichu_pipeline.tools.findings_questions import LEAST, error_of
from tichu_pipeline.tools.selfplay_style import decisions_of

VALUES = ("Dog", "Mahjong", *map(str, range(2, 11)), "Jack", "Queen", "King", "Ace", "Dragon", "Phoenix")
NO_YES = ("no", "yes")
KEPT = ("keeps it", "right opponent", "partner", "left opponent")
PARTNER = 2

Views = np.ndarray  # VIEW (n,)
Labels = np.ndarray  # int64 (n,), answers as rules.asking describes them


def _everywhere(views: Views) -> np.ndarray:
    return np.ones(len(views), dtype=bool)


@dataclass(frozen=True)
class Habit:
    """A kind of question in some of its situations. `of` gives the place of each answer among `answers`; `mixed` makes
    the answers that follow other ones (the second argument) in this habit alone."""

    name: str
    kind: int
    answers: tuple[str, ...]
    of: Callable[[Views, Labels], np.ndarray]
    where: Callable[[Views], np.ndarray] = _everywhere
    mixed: Callable[[Labels, Labels], Labels] = lambda own, others: others


def holds_bomb(cards: np.ndarray) -> np.ndarray:
    """Whether sets of cards hold four of a kind, or five in a row of one colour."""
    pairs, natural = cards & (cards >> 1), cards & NATURAL
    four = pairs & (pairs >> 2) & RANKS
    return (four | natural & (natural >> 4) & (natural >> 8) & (natural >> 12) & (natural >> 16)) != 0


def given(labels: Labels, to: int) -> np.ndarray:
    """The card index given to the right opponent, the partner or the left opponent."""
    return labels >> (CARD_BITS * to) & CARD_MASK


def _seat(views: Views, other: int) -> np.ndarray:
    return views["seat"].astype(np.int64) + other & 3


def _of(views: Views, name: str, other: int) -> np.ndarray:
    """What a view says about another seat."""
    return np.take_along_axis(views[name], _seat(views, other)[:, None], axis=1)[:, 0]


def _yes(views: Views, labels: Labels) -> np.ndarray:
    return labels != 0


def _passes(views: Views, labels: Labels) -> np.ndarray:
    return labels == 0


def _value_to(to: int) -> Callable[[Views, Labels], np.ndarray]:
    return lambda views, labels: VALUE_OF_INDEX[given(labels, to)]


def _to_whom(label: str) -> Callable[[Views, Labels], np.ndarray]:
    """Who is given a card, as a place in KEPT."""
    card = INDEX_OF_LABEL[label]
    return lambda views, labels: sum((given(labels, to) == card) * (to + 1) for to in range(3))


def mixed_schupf(own: Labels, others: Labels, taken: np.ndarray) -> Labels:
    """Answers to schupf: to whom `taken` says (n, 3) the card of the others, else the own one. Who would have got one
    of the others' cards gets the card of the others too."""
    cards, new = (np.stack([given(each, to) for to in range(3)], axis=1) for each in (own, others))
    for _ in range(2):  # at most the two remaining cards are drawn in, one after the other
        clash = (cards[:, :, None] == new[:, None, :]) & taken[:, None, :]
        taken = taken | clash.any(axis=2)
    cards = np.where(taken, new, cards)
    return cards[:, 0] | cards[:, 1] << CARD_BITS | cards[:, 2] << 2 * CARD_BITS


def _only_to(to: int) -> Callable[[Labels, Labels], Labels]:
    """Follows others in what one seat is given."""
    return lambda own, others: mixed_schupf(own, others, np.tile(np.arange(3) == to, (len(own), 1)))


def _only_card(label: str) -> Callable[[Labels, Labels], Labels]:
    """Follows others in who is given one card."""
    card = INDEX_OF_LABEL[label]

    def mixed(own: Labels, others: Labels) -> Labels:
        return mixed_schupf(
            own, others, np.stack([(given(own, to) == card) | (given(others, to) == card) for to in range(3)], axis=1)
        )

    return mixed


def _breaks_by_schupfen(views: Views, labels: Labels) -> np.ndarray:
    gone = CARD_OF_INDEX[given(labels, 0)] | CARD_OF_INDEX[given(labels, 1)] | CARD_OF_INDEX[given(labels, 2)]
    return ~holds_bomb(views["hand"] & ~gone)


def _breaks_by_playing(views: Views, labels: Labels) -> np.ndarray:
    return (labels != 0) & ~holds_bomb(labels) & ~holds_bomb(views["hand"] & ~labels)


def _cards_led(views: Views, labels: Labels) -> np.ndarray:
    return np.minimum(np.bitwise_count(labels), 6) - 1


def _wished(views: Views, labels: Labels) -> np.ndarray:
    """A wish as a place in WISHES, the first that fits."""
    values = VALUE_OF_INDEX[views["given"]]
    cases = [labels == 0, labels == ACE, *(labels == values[:, to] for to in range(3))]
    return np.select(cases, range(len(cases)), len(cases))


def _gift(views: Views, labels: Labels) -> np.ndarray:
    """Whether the opponent who gets the Dragon's trick has fewer, as many or more cards than the other one."""
    right, left = _of(views, "count", RIGHT), _of(views, "count", LEFT)
    return np.sign(np.where(labels == RIGHT, right - left, left - right)) + 1


def _trick_of(partners: bool, called: bool) -> Callable[[Views], np.ndarray]:
    """Views of a trick that belongs to the partner, or to an opponent, who has called, or not."""

    def where(views: Views) -> np.ndarray:
        owner = views["owner"].astype(np.int64)
        mine = (views["trick"] != 0) & ((owner == _seat(views, PARTNER)) == partners)
        call = np.take_along_axis(views["call"], np.maximum(owner, 0)[:, None], axis=1)[:, 0]
        return mine & ((call > 0) == called)

    return where


def _leads_with(cards: int) -> Callable[[Views], np.ndarray]:
    return lambda views: (views["trick"] == 0) & ((views["hand"] & cards) != 0)


def _plays(cards: int) -> Callable[[Views, Labels], np.ndarray]:
    return lambda views, labels: (labels & cards) != 0


def _holds(cards: int) -> Callable[[Views], np.ndarray]:
    return lambda views: (views["hand"] & cards) != 0


def _with_bomb(views: Views) -> np.ndarray:
    return holds_bomb(views["hand"])


def _partner_called(views: Views) -> np.ndarray:
    return _of(views, "call", PARTNER) > 0


def _nobody_called(views: Views) -> np.ndarray:
    return _of(views, "call", PARTNER) == 0


WISHES = ("none", "an ace", *(f"what it gave to the {who}" for who in KEPT[1:]), "another value")
OF_TO = ("1", "2", "3", "4", "5", "6 or more")
HABITS = (
    Habit("announces a grand Tichu", GRAND_CALL, NO_YES, _yes),
    Habit("announces a small Tichu before schupfen", TICHU_CALL, NO_YES, _yes, _nobody_called),
    Habit("announces a small Tichu on its turn", SMALL_CALL, NO_YES, _yes, _nobody_called),
    Habit("announces a small Tichu after its partner's call", SMALL_CALL, NO_YES, _yes, _partner_called),
    Habit("gives to the right opponent", SCHUPF, VALUES, _value_to(0), _everywhere, _only_to(0)),
    Habit("gives to the partner", SCHUPF, VALUES, _value_to(1), _everywhere, _only_to(1)),
    Habit("gives to the left opponent", SCHUPF, VALUES, _value_to(2), _everywhere, _only_to(2)),
    Habit("gives the Dog away", SCHUPF, KEPT, _to_whom("Hu"), _holds(DOG), _only_card("Hu")),
    Habit("gives the Mahjong away", SCHUPF, KEPT, _to_whom("Ma"), _holds(MAHJONG), _only_card("Ma")),
    Habit("breaks a bomb by schupfen", SCHUPF, NO_YES, _breaks_by_schupfen, _with_bomb),
    Habit("passes on an opponent's trick although able", PLAY, NO_YES, _passes, _trick_of(False, False)),
    Habit("passes on the trick of an opponent who has called", PLAY, NO_YES, _passes, _trick_of(False, True)),
    Habit("passes on its partner's trick although able", PLAY, NO_YES, _passes, _trick_of(True, False)),
    Habit("passes on the trick of a partner who has called", PLAY, NO_YES, _passes, _trick_of(True, True)),
    Habit("leads the Dog when it can", PLAY, NO_YES, _plays(DOG), _leads_with(DOG)),
    Habit("leads the Mahjong, alone or in a street", PLAY, NO_YES, _plays(MAHJONG), _leads_with(MAHJONG)),
    Habit("number of cards it leads", PLAY, OF_TO, _cards_led, lambda views: views["trick"] == 0),
    Habit("breaks a bomb by playing", PLAY, NO_YES, _breaks_by_playing, _with_bomb),
    Habit("throws a bomb out of turn when it can", BOMB_THROW, NO_YES, _yes),
    Habit("wishes", WISH, WISHES, _wished),
    Habit(
        "gives the Dragon's trick to the opponent with", DRAGON_GIFT, ("fewer cards", "as many", "more cards"), _gift
    ),
)


def count(decisions: np.ndarray, counts: dict[str, np.ndarray]) -> None:
    """Adds decisions (DECISION) to the counts of all habits. Forced answers are nobody's habit."""
    kinds = np.where(decisions["forced"] == 0, decisions["seen"]["kind"], -1)
    for kind in np.unique(kinds[kinds >= 0]):
        asked = decisions[kinds == kind]
        _count_kind(kind, asked["seen"], asked["label"], counts)


def _count_kind(kind: int, views: Views, labels: Labels, counts: dict[str, np.ndarray]) -> None:
    for habit in HABITS:
        if habit.kind != kind:
            continue
        here = habit.where(views)
        answers = np.asarray(habit.of(views[here], labels[here]), dtype=np.int64)
        counts[habit.name] = counts.get(habit.name, 0) + np.bincount(answers, minlength=len(habit.answers))


RunTasks = Callable[[Callable[[Path], dict[str, np.ndarray]], Sequence[Path]], Iterable[dict[str, np.ndarray]]]


def habits_in(month: Path) -> dict[str, np.ndarray]:
    """How often each answer was given, by habit, over the sound rounds of a month."""
    counts: dict[str, np.ndarray] = {}
    table = pq.read_table(month, columns=[*COLUMNS, "rule_break"])
    rounds, sound = to_records(table), numbers(table, "rule_break") == RuleBreak.NONE
    before = scores_before(rounds.rows)[sound]
    for decisions in decisions_of(Rounds(rounds.rows[sound], rounds.history), before, ALL_KINDS):
        count(decisions, counts)
    return counts


def habits_of(paths: DataPaths, run_tasks: RunTasks = map) -> dict[str, np.ndarray]:
    """How often each answer was given, by habit, over all sound rounds of a data folder."""
    total = {habit.name: np.zeros(len(habit.answers), dtype=np.int64) for habit in HABITS}
    for counts in run_tasks(habits_in, month_files(paths.rounds)):
        for name, found in counts.items():
            total[name] += found
    return total


def compared(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """All habits of two players, those first in which they differ most.

    The distance is the least share of decisions, in percent, that one player would have to answer otherwise to answer
    each way as often as the other. Beside it stands the answer whose shares differ most.
    """
    result = []
    for habit in HABITS:
        counts = np.array([one[habit.name], other[habit.name]])
        cases = counts.sum(axis=1)
        shares = 100 * counts / np.maximum(cases, 1)[:, None]
        most = int(np.abs(shares[0] - shares[1]).argmax())
        if habit.answers == NO_YES:
            most = 1
        error = math.hypot(*(error_of(shares[i, most], cases[i]) for i in range(2)))
        result.append(
            {
                "name": habit.name,
                "kind": KINDS[habit.kind],
                "answers": list(habit.answers),
                "counts": counts.tolist(),
                "distance": round(float(np.abs(shares[0] - shares[1]).sum() / 2), 2) if cases.min() >= LEAST else 0.0,
                "most": habit.answers[most],
                "shares": shares[:, most].round(3).tolist(),
                "errors": round(float(abs(shares[0, most] - shares[1, most]) / error), 1) if error else 0.0,
            }
        )
    return sorted(result, key=lambda habit: -habit["distance"])
