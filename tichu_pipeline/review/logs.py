"""Logs and stored games as games for the judge: their sound rounds with names.

Broken rounds and fragments are named and left out. A path that is a number and no file is the id of a stored game.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tichu_models.records.scores import scores_before
from tichu_models.review.luck import Worth
from tichu_models.review.report import LoggedGame
from tichu_models.rules.breaks import RuleBreak
from tichu_pipeline.brettspielwelt.archives.inflate import Chunk, chunk_of
from tichu_pipeline.brettspielwelt.archives.members import printable
from tichu_pipeline.brettspielwelt.text.reader import Reader
from tichu_pipeline.rounds.arrow import round_table
from tichu_pipeline.rounds.inspection import MONTH
from tichu_pipeline.rounds.log_files import LogFile, Report, game_id_of, logs_in
from tichu_pipeline.rounds.stored_rounds import NoSuchGameError, find_game, text_of
from tichu_pipeline.storage.folders import DataPaths


class PlayerError(LookupError):
    """A player who is in none of the logs."""


def games_in(paths: list[Path], report: Report, data: DataPaths | None = None) -> Iterator[LoggedGame]:
    """The games of the logs that can be read, in order. `report` is called with the reason why one cannot. Stored games
    are looked for in `data`."""
    reader = Reader()
    for log in (log for path in paths for log in _logs_of(path, report, data)):
        if log.content is not None:
            game = _game(log.content, reader, log.stem, log.file)
            if len(game.names) == 0 and not game.left_out:
                report(f"{log.file}: no round with a result; expected a .tch file of Brettspielwelt")
            yield game


def _logs_of(path: Path, report: Report, data: DataPaths | None) -> Iterator[LogFile]:
    """The logs that a path names, or the log of the stored game whose id it is."""
    game_id = game_id_of(str(path))
    if data is None or game_id is None or path.exists():
        yield from logs_in([path], report)
        return
    try:
        text = text_of(find_game(data, game_id))
    except NoSuchGameError as error:
        report(str(error))
    else:
        yield LogFile(path.name, f"game {game_id}", chunk_of(text.encode()))


def _game(log: Chunk, reader: Reader, stem: str, file: str) -> LoggedGame:
    games = reader.read(log)
    rows, codes = games.rounds.rows, games.outcomes["rule_break"]
    sound = np.flatnonzero(codes == 0)
    names = round_table(games, MONTH)["player_names"].to_pylist()
    broken = [
        (int(rows["round_index"][i]), int(codes[i]), int(games.origins["break_line"][i])) for i in np.flatnonzero(codes)
    ]
    fragments = [(int(each["round_index"]), int(each["rule_break"]), int(each["line"])) for each in games.fragments]
    left_out = [
        {"round_index": index, "reason": f"{RuleBreak(code).name} at line {line}"}
        for index, code, line in sorted([*broken, *fragments], key=lambda each: each[2])
    ]
    game_id = game_id_of(stem)
    return LoggedGame(
        game_id=game_id,
        file=file,
        key=zlib.crc32(stem.encode()) if game_id is None else game_id,
        rows=rows[sound].copy(),
        before=scores_before(rows)[sound],
        history=games.rounds.history.copy(),
        names=[names[i] for i in sound],
        left_out=left_out,
    )


def worth_of_deals() -> Worth | None:
    """What deals are worth by the critic of the champion; None if this installation has none."""
    from tichu_models.agents.registry import AgentError, champion_folder
    from tichu_models.review.luck import CriticsWorth
    from tichu_models.runs.manifest import CheckpointError

    try:
        return CriticsWorth(champion_folder())
    except (AgentError, CheckpointError):
        return None


def check_player(games: list[LoggedGame], player: str) -> None:
    """Raises PlayerError unless the player sits in a sound round."""
    known = dict.fromkeys(name for game in games for names in game.names for name in names)
    if player not in known:
        expected = ", ".join(printable(name) for name in known)
        raise PlayerError(f"no player '{printable(player)}' in these logs; expected one of {expected}")
