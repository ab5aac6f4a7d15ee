"""Real games through the engine: every play legal, every score and bomb as logged, the text given back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.oracles.reading import read_rounds, sorted_lines, to_records
from tichu_models.records.replay import check
from tichu_pipeline.brettspielwelt.text.writer import NAMES, name_table, write


def test_every_real_round_replays_clean(real_logs: list[Path], record_property: Callable[[str, object], None]) -> None:
    """Prevents rules that differ from those of the portal: a legal play refused, or points counted otherwise."""
    total = 0
    for path in real_logs:
        rounds = read_rounds(path.read_text())
        outcomes, _ = check(to_records(rounds))
        assert outcomes["rule_break"].tolist() == [0] * len(rounds), path.name
        assert [tuple(score) for score in outcomes["score"].tolist()] == [round_["score"] for round_ in rounds]
        bombs = [set(np.flatnonzero(owners)) for owners in outcomes["bomb_owners"]]
        assert bombs == [round_["bombs"] for round_ in rounds], path.name
        total += len(rounds)
    record_property("real_rounds", total)
    assert total >= 42


def _as_the_writer_would(lines: list[str], names: list[str]) -> list[str]:
    """A round's lines without the portal's oddities: a call that stands twice, a name missing behind `Drache an:`."""
    once = [line for i, line in enumerate(lines) if not ("Tichu:" in line and line in lines[:i])]
    return [
        f"{line}{names[int(line[-2])]}" if line.startswith("Drache an:") and line.endswith(")") else line
        for line in once
    ]


@pytest.mark.parametrize("rewritten", ["whole", "by round"])
def test_the_writer_gives_real_logs_back(real_logs: list[Path], rewritten: str) -> None:
    """Prevents generated logs that differ from the portal's in any character but the order of cards."""
    equal_to_the_letter = 0
    for path in real_logs:
        text = path.read_text()
        rounds = read_rounds(text)
        names = np.zeros(len(rounds), dtype=NAMES)
        for row, round_ in zip(names, rounds, strict=True):
            row["seat"] = name_table([name.encode() for name in round_["names"]])
        _, normal = check(to_records(rounds))
        made, ends = write(normal, names)
        if rewritten == "whole":
            equal_to_the_letter += sorted_lines(made.tobytes().decode()) == sorted_lines(text)
            continue
        for round_, begin, end in zip(rounds, [0, *ends[:-1]], ends, strict=True):
            lines = made[begin:end].tobytes().decode().splitlines()[1:]
            assert sorted_lines("\n".join(lines)) == sorted_lines(
                "\n".join(_as_the_writer_would(round_["text"], round_["names"]))
            )
    assert rewritten == "by round" or equal_to_the_letter >= 2
