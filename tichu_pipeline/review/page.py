"""The page of a review: the record of the judge and the replays of its rounds as data, beside what shows them.

All that is said of decisions comes from the record. The page knows no rules, and the judge no page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tichu_models.review.report import LoggedGame
from tichu_models.review.steps import replays
from tichu_models.whole_files import write_whole
from tichu_pipeline.brettspielwelt.archives.members import printable
from tichu_pipeline.html.inlined import standalone
from tichu_pipeline.review.evening import evening
from tichu_pipeline.review.texts import Language, texts_in

DATA = "review-data"  # the element that the script reads
# Characters that write what follows from right to left, or end that: names with them would turn sentences around.
TURNING = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
NAMELESS = "?"  # stands for an empty name

Record = dict[str, Any]


def write_page(path: Path, record: Record, games: list[LoggedGame], lang: Language) -> None:
    """Writes the page of a review. `games` are those that the record is of."""
    write_whole(path, page(record, games, lang))


def page(record: Record, games: list[LoggedGame], lang: Language) -> str:
    """The page of a review as HTML."""
    texts = texts_in(lang)
    data = {DATA: {"texts": texts, "review": page_data(record, games)}}
    return standalone(texts["title"], lang.value, "review", ["review.css"], data, without=texts["noscript"])


def page_data(record: Record, games: list[LoggedGame]) -> Record:
    """The record with what the page needs besides: replays of the rounds, the place of each decision in them, figures
    of its top. Characters in names that change how text around them is written are replaced."""
    places = [(at, place) for at, game in enumerate(games) for place in range(len(game.rows))]
    replayed = [replay for game in games for replay in replays(game)]
    rounds = [
        {**each, **replay.record, "game": games[at].file, "players": [inert(name) for name in each["players"]]}
        for each, replay, (at, _) in zip(record["rounds"], replayed, places, strict=True)
    ]
    decisions, at = [], 0
    for each in record["decisions"]:
        at = _round_of(each, record["rounds"], at)
        step = replayed[at].step_of(each["kind"], each["turn"], each["seat"])
        decisions.append({**each, "round": at, "step": step, "player": inert(each["player"])})
    players = [
        {**each, "name": inert(each["name"]), "evening": evening(record, each["name"])} for each in record["players"]
    ]
    found = [{**each, "file": inert(each["file"])} for each in record["games"]]
    return {**record, "games": found, "players": players, "rounds": rounds, "decisions": decisions}


def _round_of(decision: Record, rounds: list[Record], at: int) -> int:
    """The place of a decision's round, looked for from a place on: two logs without numbers have equal rounds."""
    key = decision["game_id"], decision["round_index"]
    ahead = (place % len(rounds) for place in range(at, at + len(rounds)))
    return next(place for place in ahead if (rounds[place]["game_id"], rounds[place]["round_index"]) == key)


def inert(name: str) -> str:
    """A name without characters that do something."""
    return printable(name).translate(TURNING) or NAMELESS
