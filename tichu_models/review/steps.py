"""The table of a logged round step by step, as a page replays it: what happened, and what it changed.

The facts come from the engine's views, by the walk that finds the decisions. All four hands are among them, since a
replay may show how the cards lay. The judge reads nothing of this.

A step is a plain record: its `event`, in most cases the `seat` that acted, and the facts that it changed, which are
`trick` (what lies on the table, [seat, cards] in order, no cards for a pass), `next` (who is on turn), `points`,
`calls`, `places` (the order of going out) and `wish`. In steps 0 to 2 all seats are asked for a grand Tichu, for a
Tichu and to schupf. Step 3 is the table after the exchange.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tichu_models.records.history import turns
from tichu_models.review.logged import Finder
from tichu_models.review.report import LoggedGame
from tichu_models.rules.asking import (
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    KINDS,
    PLAY,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
)
from tichu_models.rules.cards import CARD_OF_INDEX, LABELS, labels
from tichu_models.rules.state import CALLED_BEFORE_PLAY, CALLED_GRAND, GRAND, NO_CALL, SEATS, SMALL

ANY_SEAT = -1
# Facts of a step, and the fields of a view: what a turn changes, and what a trick that is taken changes.
BY_TURN, BY_TAKE = {"places": "place", "wish": "wish"}, {"points": "points"}

Record = dict[str, Any]


class Replay(NamedTuple):
    """A round as it is replayed."""

    record: Record  # `first`, `start`, `hands` (after schupfen), `given`, `total` (the score before), `steps`
    asked: dict[tuple[int, int, int], int]  # the step after which was asked: kind, turn, seat or ANY_SEAT

    def step_of(self, kind: str, turn: int | None, seat: int) -> int:
        """The step after which a seat was asked, by the fields of a decision in a review."""
        question = KINDS.index(kind), -1 if turn is None else turn
        return self.asked.get((*question, seat), self.asked.get((*question, ANY_SEAT), 0))


def replays(game: LoggedGame) -> list[Replay]:
    """The rounds of a game in order."""
    finder = Finder()
    return [_replay(game, place, finder) for place in range(len(game.rows))]


def _replay(game: LoggedGame, place: int, finder: Finder) -> Replay:
    row, before = game.rows[place : place + 1], game.before[place : place + 1]
    steps = _Steps(row[0], finder.every_decision(row, before, game.history, game.key))
    steps.before_play()
    for event, seat, cards in turns(game.history[row["history_from"][0] : row["history_to"][0]].tobytes()):
        if event == "take":
            steps.take(seat)
        else:
            steps.turn(event, seat, cards)
    steps.end()
    given = row["given"][0].tolist()
    record = {
        "first": [labels(hand) for hand in row["first"][0].tolist()],
        "start": [labels(hand) for hand in row["start"][0].tolist()],
        "hands": [labels(hand) for hand in _exchanged(row["start"][0].tolist(), given)],
        "given": [[LABELS[index] for index in of_seat] for of_seat in given],
        "total": before["total"][0].tolist(),
        "steps": steps.steps,
    }
    return Replay(record, steps.asked)


def _exchanged(hands: list[int], given: list[list[int]]) -> list[int]:
    """The hands after schupfen."""
    hands = list(hands)
    for seat in SEATS:
        for to, index in enumerate(given[seat]):
            card = int(CARD_OF_INDEX[index])
            hands[seat] &= ~card
            hands[(seat + 1 + to) & 3] |= card
    return hands


class _Steps:
    """The steps of a round as they are found."""

    def __init__(self, row: np.void, decisions: np.ndarray) -> None:
        """`decisions` (LOGGED) are all of the round, forced ones as well."""
        self.steps: list[Record] = []
        self.asked: dict[tuple[int, int, int], int] = {}
        self._row, self._turns = row, 0
        self._calls, self._trick = [NO_CALL] * 4, list[list[Any]]()
        self._known: Record = {"points": [0] * 4, "places": [0] * 4, "wish": 0}
        kinds, own = decisions["seen"]["kind"], decisions["out_of_turn"] == 0
        self._plays = decisions[kinds == PLAY]  # one of each turn
        self._gifts = set(decisions["turn"][kinds == DRAGON_GIFT].tolist())
        self._wishes = set(decisions["turn"][kinds == WISH].tolist())
        self._on_turn = {int(each["turn"]): int(each["seen"]["turn"]) for each in decisions[own][::-1]}

    def before_play(self) -> None:
        """The deal in two parts, the calls, the exchange."""
        announced = ((None, NO_CALL), (CALLED_GRAND, GRAND), (CALLED_BEFORE_PLAY, SMALL))
        questions = (GRAND_CALL, TICHU_CALL, SCHUPF)
        for event, question, (called_at, call) in zip(("first", "deal", "schupf"), questions, announced, strict=True):
            for seat in SEATS:
                if self._row["tichu_position"][seat] == called_at:
                    self._calls[seat] = call
            self._add(event, calls=[*self._calls])
            self._ask(question, -1)
        self._add("exchange", next=self._on_turn[0])

    def turn(self, event: str, seat: int, cards: list[str]) -> None:
        """A play or a pass, with the Tichus that were called right before it and the wish after it."""
        number, before = self._turns, self._plays[self._turns]
        self._ask(SMALL_CALL, number)
        self._call(number)
        self._ask(PLAY, number)
        if before["seen"]["trick_cards"] == 0:
            self._trick = []
        self._trick = [*self._trick, [seat, cards]]
        self._turns += 1
        step = self._add(event, seat=seat, cards=cards, trick=self._trick, next=self._on_turn.get(self._turns))
        if before["forced"]:
            step["forced"] = True
        self._ask(WISH, self._turns)
        if self._turns in self._wishes:
            self._add("wish", seat=seat, wished=int(self._row["wish"]))
        self._note_changes(self.steps[-1], BY_TURN)
        self._ask(BOMB_THROW, self._turns)
        self._ask(DRAGON_GIFT, self._turns)

    def take(self, seat: int) -> None:
        """A trick is collected."""
        self._trick = []
        step = self._add("take", seat=seat, trick=[])
        if self._turns in self._gifts:
            step["to"] = int(self._row["dragon_recipient"])
        self._note_changes(step, BY_TAKE)

    def end(self) -> None:
        """The round is scored."""
        self._call(self._turns)
        self._add("end", score=self._row["score"].tolist(), next=None)

    def _call(self, turn: int) -> None:
        """Small Tichus after so many turns."""
        for seat in SEATS:
            if self._row["tichu_position"][seat] == turn:
                self.asked[SMALL_CALL, turn, seat] = len(self.steps) - 1
                self._calls[seat] = SMALL
                self._add("call", seat=seat, calls=[*self._calls])

    def _ask(self, kind: int, turn: int) -> None:
        """Notes that questions of this kind were asked after the latest step."""
        self.asked[kind, turn, ANY_SEAT] = len(self.steps) - 1

    def _add(self, event: str, **facts: Any) -> Record:
        self.steps.append({"event": event, **facts})
        return self.steps[-1]

    def _note_changes(self, step: Record, fields: dict[str, str]) -> None:
        """Adds which of these fields are otherwise when the next turn begins."""
        if self._turns == len(self._plays):
            return
        seen = self._plays[self._turns]["seen"]
        for name, field in fields.items():
            value = seen[field].tolist()
            if value != self._known[name]:
                step[name] = self._known[name] = value
