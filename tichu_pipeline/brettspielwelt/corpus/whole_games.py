"""Quirks of a whole game (its names, end and bytes), and of files that hold no game."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_pipeline.brettspielwelt.corpus.gametext import SEATS, GameText, is_complete, names_at_table, renamed
from tichu_pipeline.brettspielwelt.corpus.planting import REAL_GAMES, WHOLE_GAME, FileKind, GameKind, pick
from tichu_pipeline.brettspielwelt.corpus.roundtext import RoundText

NO_BREAK_SPACE = "\u00a0"
UMLAUTS = str.maketrans("aouAOU", "äöüÄÖÜ")
GOAL = 1000

Free = Collection[int]


def _rename_from(game: GameText, first_round: int, seat: int, name: str) -> None:
    """Gives a seat another name from a round on."""
    for i in range(first_round, len(game.rounds)):
        game.rounds[i] = renamed(game.rounds[i], seat, name)


def _names(game: GameText) -> set[str]:
    """All names in a game."""
    return {name for lines in game.rounds for name in names_at_table(lines)}


def _seats_of(game: GameText, least_letters: int) -> list[int]:
    """Seats with the same name of at least this many letters in all rounds; none in a game without a whole round."""
    tables = [names_at_table(lines) for lines in game.rounds if is_complete(lines)]
    names = [{table[seat] for table in tables} for seat in SEATS]
    return [seat for seat in SEATS if len(names[seat]) == 1 and len(min(names[seat])) >= least_letters]


def latin_1(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Encodes the game as Latin-1, with an umlaut in some name."""
    if all(name.isascii() for name in _names(game)):
        seat = pick(rng, _seats_of(game, 1))
        if seat is None:
            return None
        name = names_at_table(game.rounds[0])[seat]
        with_umlaut = name.translate(UMLAUTS)
        _rename_from(game, 0, seat, with_umlaut if with_umlaut != name else name + "ü")
    if not all(_reads_as_latin_1(name) for name in _names(game)):
        return None
    game.encoding = "latin-1"
    return WHOLE_GAME


def _reads_as_latin_1(name: str) -> bool:
    """Whether the name's Latin-1 bytes cannot be mistaken for UTF-8."""
    try:
        encoded = name.encode("latin-1")
    except UnicodeEncodeError:
        return False
    try:
        return encoded.decode() == name
    except UnicodeDecodeError:
        return True


def space_in_name(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Puts a no-break space into a name."""
    seat = pick(rng, _seats_of(game, 2))
    if seat is None:
        return None
    name = names_at_table(game.rounds[0])[seat]
    at = int(rng.integers(1, len(name)))
    _rename_from(game, 0, seat, name[:at] + NO_BREAK_SPACE + name[at:])
    return WHOLE_GAME


def space_after_name(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Puts a no-break space after a name."""
    seat = pick(rng, _seats_of(game, 1))
    if seat is None:
        return None
    _rename_from(game, 0, seat, names_at_table(game.rounds[0])[seat] + NO_BREAK_SPACE)
    return WHOLE_GAME


def empty_name(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Empties a name."""
    seat = pick(rng, _seats_of(game, 1))
    if seat is None:
        return None
    _rename_from(game, 0, seat, "")
    return WHOLE_GAME


def substitution(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Gives a seat another player from some round on."""
    start = pick(rng, [i for i in sorted(free) if i])
    if start is None:
        return None
    _rename_from(game, start, int(rng.integers(4)), f"ersatz{rng.integers(10, 100)}")
    return start


def blank_lines(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Puts blank lines between rounds."""
    if len(game.rounds) < 2:
        return None
    game.blank_lines = int(rng.integers(1, 4))
    return WHOLE_GAME


def crlf(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Ends lines as on Windows."""
    game.newline = "\r\n"
    return WHOLE_GAME


def _last_round(game: GameText, free: Free) -> int | None:
    """The last round, if it is untouched and not the only one."""
    last = len(game.rounds) - 1
    return last if last > 0 and last in free else None


def truncated(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Cuts off the last round at the end of a line."""
    last = _last_round(game, free)
    if last is None:
        return None
    lines = game.rounds[last]
    game.rounds[last] = lines[: int(rng.integers(2, len(lines)))]
    return last


def truncated_in_pass(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Cuts off the last round within a pass, before its dot."""
    last = _last_round(game, free)
    if last is None:
        return None
    lines = game.rounds[last]
    turn = pick(rng, [turn for turn in RoundText(lines).turns if not turn.cards])
    if turn is None:
        return None
    game.rounds[last] = [*lines[: turn.line], lines[turn.line].removesuffix(".")]
    game.final_newline = False
    return last


def overplayed(game: GameText, free: Free, rng: np.random.Generator) -> int | None:
    """Appends a copy of a sound round to a game that is already won."""
    if not all(is_complete(lines) for lines in game.rounds):
        return None
    scores = [RoundText(lines).score for lines in game.rounds]
    source = pick(rng, sorted(free))
    if source is None or max(map(sum, zip(*scores, strict=True))) < GOAL:
        return None
    game.rounds.append(list(game.rounds[source]))
    return len(game.rounds) - 1


OVERPLAYED = GameKind("overplayed", overplayed, share=1_959 / REAL_GAMES)

WHOLE_GAMES = (
    GameKind("Latin-1", latin_1),
    GameKind("no-break space in a name", space_in_name),
    GameKind("no-break space after a name", space_after_name),
    GameKind("empty name", empty_name),
    GameKind("substitution", substitution),
    GameKind("blank lines", blank_lines),
    GameKind("CRLF", crlf),
    GameKind("truncated", truncated, RuleBreak.TRUNCATED, 0.006),
    GameKind("truncated in a pass", truncated_in_pass, RuleBreak.TRUNCATED),
    OVERPLAYED,
)

HTML = (
    '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">',
    "<html><head>",
    "<title>404 Not Found</title>",
    "</head><body>",
    "<h1>Not Found</h1>",
    "<p>The requested URL was not found on this server.</p>",
    "</body></html>",
)

WHOLE_FILES = (
    FileKind("empty file", (), GameError.EMPTY, 13_964 / REAL_GAMES),
    FileKind("error page", HTML, GameError.UNREADABLE),
)
