"""A game with a person: the moves of all players are printed as they happen, and every round is added to a log.

The announcer takes the place of a tournament's referee. It prints what everybody at a table may hear. Grand and early
small Tichus are announced when all players have been asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from tichu_models.arena import lockstep
from tichu_models.arena.referee import Extras, Fault, Referee
from tichu_models.arena.table import fixtures_of
from tichu_models.players.base import Agent
from tichu_models.records.history import KIND_BITS, TAKE_MARK
from tichu_models.records.schema import Rounds, joined
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, GRAND_CALL, PLAY, SCHUPF, SMALL_CALL, TICHU_CALL, WISH
from tichu_models.rules.cards import DOG, LABEL_OF_RANK, labels
from tichu_models.whole_files import write_whole
from tichu_pipeline.brettspielwelt.text.game_logs import texts
from tichu_pipeline.rounds.showing import cards as coloured

CALLED = {GRAND_CALL: "grand Tichu!", TICHU_CALL: "Tichu!"}


class Announcer(Referee):
    """A referee that prints what happens and writes the log. `seat` is the person's."""

    def __init__(self, console: Console, names: Sequence[str], seat: int, log: Path) -> None:
        self.rounds: list[Rounds] = []
        self._console, self._names, self._seat, self._log = console, list(names), seat, log
        self._waiting: list[str] = []  # calls that are announced when all have been asked
        self._taker: int | None = None  # the seat that takes the running trick if nobody beats it
        self._collected = np.zeros(4, dtype=np.int64)  # points of each seat when the table was last empty

    def ask(self, agent: Agent, kind: int, views: np.ndarray, extras: Extras) -> tuple[np.ndarray, dict[int, Fault]]:
        """Asks one player, and announces the answer."""
        view, seat = views[0], int(views[0]["seat"])
        if kind != GRAND_CALL and kind != TICHU_CALL:
            for call in self._waiting:
                self._say(call, "bold yellow")
            self._waiting.clear()
        if not view["trick"]:
            self._announce_taker(view["points"])
        choices, faults = super().ask(agent, kind, views, extras)
        self._announce(kind, seat, view, int(choices[0]))
        return choices, faults

    def finish(self, rounds: Rounds) -> None:
        """Prints the result of a round, and adds the round to the log."""
        self.rounds.append(rounds)
        if rounds.history[-1] & KIND_BITS != TAKE_MARK:  # nobody takes the last trick of a double victory
            self._taker = None
        self._announce_taker(None)
        score = rounds.rows["score"][0]
        totals = np.sum([part.rows["score"][0] for part in self.rounds], axis=0)
        own = self._seat % 2
        self._console.rule(
            f"round {len(self.rounds)}: you {score[own]}, they {score[1 - own]}; game {totals[own]} : {totals[1 - own]}"
        )
        self._write()

    def _announce_taker(self, points: np.ndarray | None) -> None:
        """Announces who took the last trick, and its worth: the points that this seat has gained."""
        if self._taker is not None:
            who = "You take" if self._taker == self._seat else f"{self._names[self._taker]} takes"
            worth = "" if points is None else f": {points[self._taker] - self._collected[self._taker]} points"
            self._say(f"{who} the trick{worth}\n", "dim")
        self._taker = None
        self._collected[:] = 0 if points is None else points

    def _announce(self, kind: int, seat: int, view: np.void, choice: int) -> None:
        """Announces an answer, as far as everybody at the table may know it."""
        who = "You" if seat == self._seat else self._names[seat]
        if kind in CALLED and choice:
            self._waiting.append(f"{who}: {CALLED[kind]}")
        elif kind == SMALL_CALL and choice:
            self._say(f"{who}: Tichu!", "bold yellow")
        elif kind == PLAY or (kind == BOMB_THROW and choice):
            if choice:
                self._taker = seat if choice != DOG else None
            left = int(view["hand"]).bit_count() - choice.bit_count()
            rest = Text(f"   ({left} left)" if choice and left else "   (out)" if choice else "", style="dim")
            bomb = "bomb! " if kind == BOMB_THROW else ""
            played = coloured(labels(choice)) if choice else Text("pass", style="dim")
            self._console.print(Text.assemble(f"{who:>20}  {bomb}", played, rest))
        elif kind == WISH and choice:
            self._say(f"{who}: I wish {LABEL_OF_RANK[choice]}", "bold")
        elif kind == DRAGON_GIFT:
            self._taker = (seat + choice) & 3
            self._say(f"The Dragon's trick goes to {self._names[(seat + choice) & 3]}", "bold")
        elif kind == SCHUPF and seat == self._seat:
            self._say("Cards are exchanged.", "dim")

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style=style))

    def _write(self) -> None:
        """Writes all finished rounds to the log."""
        rounds = joined(self.rounds)
        ((_, text),) = texts(rounds, self._names, np.tile(np.arange(4), (len(rounds), 1)))
        write_whole(self._log, text)


def play_game(
    players: Sequence[Agent], names: Sequence[str], seat: int, seed: int, log: Path, console: Console
) -> None:
    """Plays a game to 1,000 points. `players` and `names` are by seat and include the person, who sits at `seat`."""
    announcer = Announcer(console, names, seat, log)
    lockstep.play(
        players, fixtures_of(np.arange(4, dtype=np.int32)[None, :], seed), tables_at_once=1, referee=announcer
    )
