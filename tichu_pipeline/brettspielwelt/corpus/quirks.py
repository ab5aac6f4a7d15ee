"""Plants every oddity and every rule break of the log format into generated games, and reports where they are.

The number of each kind follows the real corpus, but is never below `least`, so that even a small corpus shows every
kind. The kinds are in `oddities`, `breaks_in_deal`, `breaks_in_play` and `whole_games`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tichu_models.rules.breaks import RuleBreak
from tichu_pipeline.brettspielwelt.corpus.breaks_in_deal import BREAKS_IN_DEAL
from tichu_pipeline.brettspielwelt.corpus.breaks_in_play import BREAKS_IN_PLAY
from tichu_pipeline.brettspielwelt.corpus.gametext import GameText, is_complete
from tichu_pipeline.brettspielwelt.corpus.oddities import ODDITIES
from tichu_pipeline.brettspielwelt.corpus.planting import WHOLE_GAME, FileKind, GameKind, RoundKind, shuffled
from tichu_pipeline.brettspielwelt.corpus.roundtext import RoundText
from tichu_pipeline.brettspielwelt.corpus.whole_games import OVERPLAYED, WHOLE_FILES, WHOLE_GAMES

ROUND_KINDS = (*ODDITIES, *BREAKS_IN_DEAL, *BREAKS_IN_PLAY)
K = TypeVar("K", GameKind, RoundKind)
KINDS: tuple[FileKind | GameKind | RoundKind, ...] = (*WHOLE_FILES, *WHOLE_GAMES, *ROUND_KINDS)

FRAGMENTS = (RuleBreak.SYNTAX, RuleBreak.TRUNCATED)
ABANDONED = "abandoned"  # a game that was generated without its end: nothing is planted, but a fragment is reported
DUE_BY = 0.9  # share of the games by which every quirk is due; the rest take those that did not fit before


@dataclass(frozen=True)
class Planted:
    """One row of truth: a quirk and the code that a correct reader reports for it.

    round_index counts parsed rounds from 0. For a fragment (SYNTAX, TRUNCATED), which is no parsed round, it is the
    number of parsed rounds before it. It is None for a quirk of the whole file.
    """

    round_index: int | None
    name: str
    rule_break: int  # 0 for a legal oddity

    @property
    def is_round(self) -> bool:
        """Whether it belongs to a parsed round, not to a fragment or the whole file."""
        return self.round_index is not None and self.rule_break not in FRAGMENTS


@dataclass(frozen=True)
class Planting:
    """The quirks in a game after planting, and the new numbers of its rounds."""

    quirks: list[Planted]
    parsed: list[int | None]  # of each former round, its number as a parsed round; None if it is not parsed any more


class Planter:
    """Distributes the quirks of a corpus over its games, which come one after the other."""

    def __init__(self, games: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._seen = 0
        self._due: Counter[str] = Counter()
        self._later: dict[int, list[str]] = defaultdict(list)
        for kind in KINDS:
            for at in rng.integers(max(1, int(games * DUE_BY)), size=kind.number_in(games)):
                self._later[int(at)].append(kind.name)

    def left(self) -> dict[str, int]:
        """The number of each kind that has not been planted yet."""
        left = self._due.copy()
        for names in self._later.values():
            left.update(names)
        return {name: count for name, count in sorted(left.items()) if count}

    def plant(self, game: GameText) -> Planting:
        """Edits the game in place, with at most one quirk a round. What does not fit waits for later games."""
        self._due.update(self._later.pop(self._seen, []))
        self._seen += 1
        before = len(game.rounds)
        file_kinds = [kind for kind in WHOLE_FILES if self._due[kind.name]]
        if file_kinds:
            kind = file_kinds[0]
            self._due[kind.name] -= 1
            game.rounds = [list(kind.lines)] if kind.lines else []
            return Planting([Planted(None, kind.name, int(kind.rule_break))], [None] * before)
        sheet = _Sheet(game)
        for game_kind in self._by_need(WHOLE_GAMES):
            if self._due[game_kind.name] and sheet.plant_in_game(game_kind, self._rng):
                self._due[game_kind.name] -= 1
        for round_kind in self._by_need(ROUND_KINDS):
            while self._due[round_kind.name] and sheet.plant_in_round(round_kind, self._rng):
                self._due[round_kind.name] -= 1
        return sheet.truth(before)

    def _by_need(self, kinds: tuple[K, ...]) -> list[K]:
        """The kinds that wait, the longest queue first: few rounds fit those, so they choose first."""
        waiting = [kind for kind in kinds if self._due[kind.name]]
        return sorted(shuffled(self._rng, waiting), key=lambda kind: -self._due[kind.name])


def untouched(game: GameText) -> Planting:
    """The planting of a game into which nothing is planted."""
    return _Sheet(game).truth(len(game.rounds))


class _Sheet:
    """A game while it is edited: its untouched rounds, its fragments, its quirks."""

    def __init__(self, game: GameText) -> None:
        self.game = game
        self.fragments = {i for i, lines in enumerate(game.rounds) if not is_complete(lines)}
        self.free = set(range(len(game.rounds))) - self.fragments
        self.planted = [(i, ABANDONED, int(RuleBreak.TRUNCATED)) for i in self.fragments]
        self.read: dict[int, RoundText] = {}
        self.only_oddities = False

    def plant_in_game(self, kind: GameKind, rng: np.random.Generator) -> bool:
        """Plants a quirk of the whole game, before anything is planted in its rounds."""
        at = kind.edit(self.game, self.free, rng)
        if at is None:
            return False
        self._note(at, kind.name, kind.rule_break)
        # A failed round would hide that the game is overplayed.
        self.only_oddities |= kind is OVERPLAYED
        return True

    def plant_in_round(self, kind: RoundKind, rng: np.random.Generator) -> bool:
        """Plants a quirk in an untouched round."""
        if kind.rule_break and self.only_oddities:
            return False
        for i in shuffled(rng, sorted(self.free)):
            if i not in self.read:
                self.read[i] = RoundText(self.game.rounds[i])
            lines = kind.edit(self.read[i], rng)
            if lines is not None:
                self.game.rounds[i] = lines
                self._note(i, kind.name, kind.rule_break)
                return True
        return False

    def _note(self, at: int, name: str, rule_break: int) -> None:
        """Records a quirk of a round, which is then no longer untouched."""
        self.planted.append((at, name, int(rule_break)))
        self.free.discard(at)
        if rule_break == RuleBreak.SYNTAX or (at != WHOLE_GAME and not is_complete(self.game.rounds[at])):
            self.fragments.add(at)

    def truth(self, rounds_before: int) -> Planting:
        """The planting of the game. Rounds are numbered as a reader numbers them."""
        index, parsed = [], 0
        for i in range(len(self.game.rounds)):
            index.append(parsed)
            parsed += i not in self.fragments
        rows = [
            Planted(None if at == WHOLE_GAME else index[at], name, rule_break)
            for at, name, rule_break in sorted(self.planted)
        ]
        return Planting(rows, [None if i in self.fragments else index[i] for i in range(rounds_before)])
