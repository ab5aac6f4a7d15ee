"""Plants every oddity and every rule break of the log format into generated games, and says where they are.

How many of each kind a corpus gets follows the real corpus, but is never below `least`, so that a small
corpus shows everything, with several quirks in each game. The kinds themselves stand in `oddities`,
`breaks_in_deal`, `breaks_in_play` and `whole_games`.
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
ABANDONED = "abandoned"  # a game that came without its end: nothing was planted, but a fragment is reported
DUE_BY = 0.9  # of the games: those after it take what fitted nowhere before


@dataclass(frozen=True)
class Planted:
    """One row of truth: a quirk and the code that a correct reader reports for it.

    round_index counts parsed rounds from 0. A fragment (SYNTAX, TRUNCATED) is no parsed round: there it is
    the number of parsed rounds before the fragment. None: the quirk is one of the whole file.
    """

    round_index: int | None
    name: str
    rule_break: int  # 0 for a legal oddity

    @property
    def is_round(self) -> bool:
        """Whether it belongs to a parsed round: neither to a fragment nor to the whole file."""
        return self.round_index is not None and self.rule_break not in FRAGMENTS


@dataclass(frozen=True)
class Planting:
    """What stands in a game after planting."""

    quirks: list[Planted]
    parsed: list[int | None]  # the number that each round of before has as parsed, None if it has none now


class Planter:
    """Deals out the quirks of a corpus over its games, which come one after the other."""

    def __init__(self, games: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._seen = 0
        self._due: Counter[str] = Counter()
        self._later: dict[int, list[str]] = defaultdict(list)
        for kind in KINDS:
            for at in rng.integers(max(1, int(games * DUE_BY)), size=kind.wanted(games)):
                self._later[int(at)].append(kind.name)

    def left(self) -> dict[str, int]:
        """How many of each kind have found no place yet."""
        left = self._due.copy()
        for names in self._later.values():
            left.update(names)
        return {name: count for name, count in sorted(left.items()) if count}

    def plant(self, game: GameText) -> Planting:
        """Edits the game in place, at most one quirk a round. What does not fit waits for the next games."""
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
        """The kinds that wait, the longest queue first: few rounds fit those, and no other may take them."""
        waiting = [kind for kind in kinds if self._due[kind.name]]
        return sorted(shuffled(self._rng, waiting), key=lambda kind: -self._due[kind.name])


def untouched(game: GameText) -> Planting:
    """What stands in a game in which nothing is planted."""
    return _Sheet(game).truth(len(game.rounds))


class _Sheet:
    """A game while it is edited: which rounds are untouched, which are fragments, what stands where."""

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
        # A failed round would hide that the game was played on.
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
        self.planted.append((at, name, int(rule_break)))
        self.free.discard(at)
        if rule_break == RuleBreak.SYNTAX or (at != WHOLE_GAME and not is_complete(self.game.rounds[at])):
            self.fragments.add(at)

    def truth(self, rounds_before: int) -> Planting:
        """What stands in the game now; rounds are numbered as a reader will."""
        index, parsed = [], 0
        for i in range(len(self.game.rounds)):
            index.append(parsed)
            parsed += i not in self.fragments
        rows = [
            Planted(None if at == WHOLE_GAME else index[at], name, rule_break)
            for at, name, rule_break in sorted(self.planted)
        ]
        return Planting(rows, [None if i in self.fragments else index[i] for i in range(rounds_before)])
