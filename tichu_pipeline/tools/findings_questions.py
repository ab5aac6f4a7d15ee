"""The questions of `tichu queries` about logs, asked over two data folders: where do the answers differ most?

Every question is asked that logs alone answer. Those whose answers are shares are compared: the rows of both answers
are matched by their keys, and the share that differs most stands for the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tichu_pipeline.analysis.reading import table
from tichu_pipeline.analysis.scripts import queries
from tichu_pipeline.storage.folders import DataPaths

LEAST = 100  # cases of which both shares are, or they are not compared
Answer = list[dict[str, Any]]


@dataclass(frozen=True)
class Shares:
    """The columns of an answer that are percentages, and of how many cases: those of the row or of all rows."""

    columns: tuple[str, ...]
    cases: str
    keys: tuple[str, ...] = ()
    of_all: bool = False


RECIPIENTS = ("right_opponent", "partner", "left_opponent", "self", "nobody")
VALUE = Shares(("percent",), "cards", ("name",), of_all=True)
RULE = Shares(("percent",), "rounds", ("rule",), of_all=True)
BOTH = Shares(("percent",), "teams_and_rounds")
SHARES: Mapping[str, Shares] = {
    "08": Shares(("percent",), "rounds"),
    "09": Shares(("percent_of_seats",), "seats"),
    "10": Shares(("percent",), "calls"),
    "11": Shares(("percent_of_seats",), "seats"),
    "12": Shares(("percent",), "calls"),
    "13": Shares(("percent",), "rounds", ("name",), of_all=True),
    "14": Shares(("percent",), "rounds", ("recipient",), of_all=True),
    **dict.fromkeys(("15", "16", "17"), VALUE),
    **dict.fromkeys(("18", "19"), RULE),
    "20": Shares(("percent",), "mahjongs_played"),
    "21": Shares(("percent",), "small_calls"),
    **dict.fromkeys(("22", "23", "24"), BOTH),
    "28": Shares(("percent_beaten",), "plays", ("combination", "length", "rank")),
    "29": Shares(("percent_called",), "hands", ("aces", "dragon", "phoenix", "dog", "mahjong")),
    "30": Shares(("percent",), "teams", ("convention", "players"), of_all=True),
    "31": Shares(("percent_made",), "calls", ("tichu", "dog")),
    "32": Shares(RECIPIENTS, "wishes", ("wished",)),
    "33": Shares(("percent_played", "percent_first"), "seats", ("origin", "kind")),
    "35": Shares(("percent_grand", "percent_small"), "seats", ("own_score_from", "other_score_from")),
}


def answers_of(paths: DataPaths) -> dict[str, Answer]:
    """The answers of a data folder to all questions that logs alone answer, by name."""
    return {query.name: table(paths, query.sql).to_pylist() for query in queries() if not query.needs}


def compared(one: Mapping[str, Answer], other: Mapping[str, Answer]) -> list[dict[str, Any]]:
    """For each question whose answer is shares, the share that differs most between two data folders."""
    result = []
    for query in queries():
        shares = SHARES.get(query.name[:2])
        found = shares and _largest(shares, one[query.name], other[query.name])
        if found:
            result.append({"query": query.name, "question": query.question, **found})
    return result


def _largest(shares: Shares, one: Answer, other: Answer) -> dict[str, Any] | None:
    first, second = _cells(shares, one), _cells(shares, other)
    # A row that an answer lacks is a share of none, if shares are of all rows; else nothing is known of it.
    total = [max((cases for _, cases in cells.values()), default=0) for cells in (first, second)]
    pairs = []
    for key in sorted({*first, *second}):
        p, n = first.get(key, (0.0, total[0] if shares.of_all else 0))
        q, m = second.get(key, (0.0, total[1] if shares.of_all else 0))
        if min(n, m) >= LEAST:
            pairs.append((abs(p - q), key, (p, n), (q, m)))
    if not pairs:
        return None
    _, key, (p, n), (q, m) = max(pairs, key=lambda pair: pair[0])
    return {
        "where": ", ".join(key),
        "shares": [round(p, 3), round(q, 3)],
        "cases": [n, m],
        "errors": [round(error_of(p, n), 3), round(error_of(q, m), 3)],
    }


def _cells(shares: Shares, answer: Answer) -> dict[tuple[str, ...], tuple[float, int]]:
    """(percentage, cases) of each cell, by its keys and the name of its column if there are several."""
    total = sum(row[shares.cases] for row in answer)
    cells = {}
    for row in answer:
        for column in shares.columns:
            if row[column] is not None:
                key = (*_words(row, shares.keys), *([column] if len(shares.columns) > 1 else ()))
                cells[key] = float(row[column]), int(total if shares.of_all else row[shares.cases])
    return cells


def _words(row: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """The keys of a row as words: the name alone if it is true, nothing if it is false."""
    words = []
    for key in keys:
        value = row[key]
        if isinstance(value, bool):
            words += [key] if value else []
        else:
            words.append(str(value) if isinstance(value, str) else f"{key} {value}")
    return words


def error_of(percent: float, cases: int) -> float:
    """The standard error of a percentage of independent cases."""
    return math.sqrt(max(percent * (100 - percent), 0) / max(cases, 1))


def calls_by_score(answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Percentages of seats that call, by the difference of the teams' scores before the round in steps of 250."""
    sums: dict[int, list[float]] = {}
    for row in answers["35_calls_by_game_score"]:
        lead = max(-750, min(750, row["own_score_from"] - row["other_score_from"]))
        entry = sums.setdefault(lead, [0.0, 0.0, 0.0])
        entry[0] += row["seats"]
        entry[1] += row["seats"] * row["percent_grand"]
        entry[2] += row["seats"] * row["percent_small"]
    return {
        str(lead): {"seats": seats, "grand": round(grand / seats, 3), "small": round(small / seats, 3)}
        for lead, (seats, grand, small) in sorted(sums.items())
    }
