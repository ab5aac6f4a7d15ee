"""A person as an agent: shows what the seat may see, and asks until the answer is legal.

Everything shown comes from the view, so a person sees no more than any other agent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from tichu_models.players.base import Agent
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, GRAND_CALL, PLAY, SCHUPF, SMALL_CALL, TICHU_CALL
from tichu_models.rules.cards import LABEL_OF_RANK, LABELS, labels
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.state import GRAND, NO_CALL
from tichu_pipeline.rounds.showing import cards as coloured
from tichu_pipeline.table.answers import AnswerError, options, read_answer
from tichu_pipeline.table.hints import hint

HELP = (
    "Type the number of a play or its cards (S9 B9), nothing or p to pass, y or n to questions; "
    "h shows what the adviser would do, ? shows this line, q leaves the game."
)
PLACES = ("you", "right", "partner", "left")
QUESTIONS = {
    GRAND_CALL: "Grand Tichu? [y/N] ",
    TICHU_CALL: "Tichu, before schupfen? [y/N] ",
    SMALL_CALL: "Tichu? [y/N] ",
    SCHUPF: "Give to right, partner, left (three cards): ",
    PLAY: "Your play: ",
    BOMB_THROW: "Throw a bomb? [number, nothing for no] ",
    DRAGON_GIFT: "The Dragon's trick goes to [r/l]: ",
}
WISH_QUESTION = "Your wish [2..10 B D K A, nothing for none]: "


class QuitGame(Exception):
    """The person leaves the game."""


class Person(Agent):
    """The person at the terminal. `ask` prints a question and returns the line typed, or raises EOFError at the end of
    the input."""

    def __init__(
        self, name: str, console: Console, ask: Callable[[str], str], adviser: Agent, always_hint: bool = False
    ) -> None:
        self.name = name
        self.past = adviser.past
        self.wants = adviser.wants
        self._console, self._ask = console, ask
        self._adviser, self._always_hint = adviser, always_hint

    def decide(self, kind: int, views: np.ndarray, **extras: np.ndarray) -> np.ndarray:
        """Asks the person for each view."""
        return np.array(
            [
                self._answer(kind, views[i : i + 1], {name: each[i : i + 1] for name, each in extras.items()})
                for i in range(len(views))
            ],
            dtype=np.int64,
        )

    def _answer(self, kind: int, views: np.ndarray, extras: dict[str, np.ndarray]) -> int:
        """Shows one view and asks until the answer is legal."""
        view = views[0]
        self._show(kind, view)
        if self._always_hint:
            self._console.print(hint(self._adviser, kind, views, extras))
        while True:
            try:
                text = self._ask(QUESTIONS.get(kind, WISH_QUESTION)).strip()
            except (EOFError, KeyboardInterrupt):
                raise QuitGame from None
            if text.lower() in ("q", "quit"):
                raise QuitGame
            if text == "?":
                self._console.print(HELP, highlight=False, markup=False)
            elif text.lower() == "h":
                self._console.print(hint(self._adviser, kind, views, extras))
            else:
                try:
                    return read_answer(kind, view, text)
                except AnswerError as error:
                    self._console.print(Text(str(error), style="yellow"))

    def _show(self, kind: int, view: np.void) -> None:
        """Prints the table, the hand and the legal plays."""
        seat = int(view["seat"])
        if kind in (PLAY, BOMB_THROW):
            self._console.print(_table(view, seat))
        if kind == SMALL_CALL and view["turns"] < 4 and view["received"][0] >= 0:
            got = [f"{LABELS[card]} from {place}" for card, place in zip(view["received"], PLACES[1:], strict=True)]
            self._console.print(Text(f"You were given {', '.join(got)}.", style="dim"))
        self._console.print(Text.assemble("Your hand: ", coloured(labels(int(view["hand"])))))
        if kind in (PLAY, BOMB_THROW):
            listed = [play for play in options(kind, view) if play]
            shown = [
                Text.assemble((f"{number:>3} ", "dim"), coloured(labels(int(cards_of(play)))))
                for number, play in enumerate(listed, start=1)
            ]
            self._console.print(Columns(shown, padding=(0, 3)) if shown else Text("You can only pass.", style="dim"))


def _table(view: np.void, seat: int) -> Text:
    """The running trick, the number of cards of each player, points and calls."""
    others = [f"you have {view['points'][seat]} points"]
    for to in (1, 2, 3):
        other = (seat + to) & 3
        call = view["call"][other]
        called = "" if call == NO_CALL else ", grand Tichu" if call == GRAND else ", Tichu"
        place = f"out {view['place'][other]}." if view["place"][other] else f"{view['count'][other]} cards"
        others.append(f"{PLACES[to]} {place}, {view['points'][other]} points{called}")
    lines = [Text("; ".join(others), style="dim")]
    if view["trick"]:
        owner = PLACES[(int(view["owner"]) - seat) & 3]
        lines.append(
            Text.assemble("On the table: ", coloured(labels(int(cards_of(int(view["trick"]))))), f" of {owner}")
        )
    if view["wish"] > 0:
        lines.append(Text(f"Wished: {LABEL_OF_RANK[int(view['wish'])]}", style="bold"))
    return Text("\n").join(lines)
