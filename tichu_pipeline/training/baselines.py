"""Baselines for networks: constant answers, and those of the heuristic player.

A baseline answers the questions that networks are judged on. If there are more than requested, it answers the first in
time, while networks answer a shuffled part. The players of a generated corpus follow the heuristic player's rules of
thumb, blunders aside, so its figures are an upper bound there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tichu_models.observation.decisions import DECISION_BUFFER, DECISIONS_AT_ONCE, find_decisions
from tichu_models.observation.encode import plan_of
from tichu_models.observation.specs import BOMB_LABEL, CALL_LABEL, CARDS_LABEL, OTHERS, SCHUPF_LABEL, spec
from tichu_models.observation.walk import WALK, WHO_ACTS
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.records.split import SPLITS
from tichu_models.rules.asking import given_cards
from tichu_models.rules.cards import NUM_CARDS, VALUE_OF_INDEX
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.samples.sources import RoundsSource
from tichu_pipeline.storage.folders import DataPaths, month_files

ROUNDS_AT_ONCE = 4096
TRUTH = "truth.parquet"
CARDS_A_PHASE = 7  # cards played in a phase of the round, as in the metrics of networks
PHASES = NUM_CARDS // CARDS_A_PHASE


class Blunders:
    """The plays of a generated corpus that were made by chance."""

    def __init__(self, games: np.ndarray, indices: np.ndarray, turns: np.ndarray) -> None:
        self._keys = np.sort(_keys(games, indices, turns))

    @classmethod
    def of(cls, paths: DataPaths) -> Blunders | None:
        """The blunders of the folder's corpus; None if they are not recorded, as in games between people."""
        import polars as pl

        path = paths.raw / TRUTH
        if not path.exists():
            return None
        rows = pl.scan_parquet(path).select("game_id", "round_index", "blunders").explode("blunders").drop_nulls()
        blunders = rows.collect()
        return cls(*(blunders[name].to_numpy() for name in ("game_id", "round_index", "blunders")))

    def among(self, games: np.ndarray, indices: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Whether each of these plays was a blunder."""
        keys = _keys(games, indices, turns)
        place = np.searchsorted(self._keys, keys).clip(max=max(len(self._keys) - 1, 0))
        return self._keys[place] == keys if len(self._keys) else np.zeros(len(keys), dtype=bool)


def _keys(games: np.ndarray, indices: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """One integer for each (game, round, turn)."""
    return games.astype(np.int64) << 24 | indices.astype(np.int64) << 12 | turns.astype(np.int64) & 0xFFF


class JudgedDecisions(NamedTuple):
    """Decisions with their views, the answers that were given, and the results of their rounds."""

    views: np.ndarray
    label: np.ndarray
    forced: np.ndarray
    blunder: np.ndarray
    value: np.ndarray  # points by which the own team won the round


def decisions(
    source: RoundsSource, split: str, most: int, blunders: Blunders | None = None
) -> Iterator[JudgedDecisions]:
    """The first decisions of a split in order of time, about `most`."""
    plan, scratch, found = plan_of(source.spec), np.zeros(1, dtype=WALK)[0], np.zeros(1, dtype=DECISION_BUFFER)[0]
    seen = 0
    for path in sorted({block.path for block in source.blocks}):
        played, sound = source.month(path)
        rounds = played[np.flatnonzero(sound & (played.splits == SPLITS.index(split)))]
        done = 0
        while done < len(rounds) and seen < most:
            rest = rounds[done : done + ROUNDS_AT_ONCE]
            count, n = find_decisions(
                *(rest.rows, rest.before, rest.history, scratch),
                *(plan["kinds"], plan["history"], WHO_ACTS, DECISIONS_AT_ONCE, found),
            )
            at, row = found["at"][:n], rest.rows[found["at"]["place"][:n]]
            made_by_chance = np.zeros(n, dtype=bool)
            if blunders is not None:
                made_by_chance = blunders.among(row["game_id"], row["round_index"], at["turn"])
            lead = row["score"][:, 0].astype(np.int64) - row["score"][:, 1]
            value = np.where(at["seen"]["seat"] & 1, -lead, lead)
            yield JudgedDecisions(at["seen"].copy(), at["label"].copy(), at["forced"] != 0, made_by_chance, value)
            done, seen = done + count, seen + n


@dataclass
class _Sums:
    """Hits and trials by the name of a figure."""

    hits: dict[str, float]
    of: dict[str, float]

    def add(self, name: str, hits: np.ndarray, among: np.ndarray | None = None) -> None:
        """Counts the hits and trials of a figure; `among` selects the trials."""
        chosen = hits if among is None else hits[among]
        self.hits[name] = self.hits.get(name, 0.0) + float(chosen.sum())
        self.of[name] = self.of.get(name, 0.0) + len(chosen)

    def shares(self) -> dict[str, float]:
        """The share of hits by name."""
        return {name: self.hits[name] / self.of[name] for name in self.hits if self.of[name]}


def rule_based(paths: DataPaths, spec_name: str, split: str, most: int) -> dict[str, dict[str, float]]:
    """The figures of each baseline on the questions of a spec, with the keys that networks use."""
    read = spec(spec_name)
    source = RoundsSource(month_files(paths.rounds), read)
    agent, blunders = HeuristicAgent(), Blunders.of(paths)
    rule, passing = _Sums({}, {}), _Sums({}, {})
    table = np.zeros((2, 2))
    for asked in decisions(source, split, most, blunders):
        choices = np.empty(len(asked.views), dtype=np.int64)
        for kind in read.kinds:
            of_kind = asked.views["kind"] == kind
            if of_kind.any():
                choices[of_kind] = agent.decide(kind, np.ascontiguousarray(asked.views[of_kind]))
        if read.label == CARDS_LABEL:
            free = ~asked.forced
            for sums, hits in ((rule, choices == asked.label), (passing, asked.label == 0)):
                sums.add("top1", hits)
                sums.add("top1_not_forced", hits, free)
                sums.add("top1_not_pass", hits, free & (asked.label != 0))
                if blunders is not None:
                    sums.add("top1_no_blunder", hits, free & ~asked.blunder)
        elif read.label == SCHUPF_LABEL:
            for name, mine, theirs in zip(OTHERS, given_cards(choices), given_cards(asked.label), strict=True):
                rule.add(f"{name}_top1", VALUE_OF_INDEX[mine] == VALUE_OF_INDEX[theirs])
        elif read.label in (CALL_LABEL, BOMB_LABEL):
            np.add.at(table, ((choices != 0).astype(int), (asked.label != 0).astype(int)), 1)
        else:
            rule.add("top1", choices == asked.label)
    if read.label in (CALL_LABEL, BOMB_LABEL):
        prefix = "called_" if read.label == CALL_LABEL else ""
        return {"heuristic": {prefix + name: value for name, value in _of_yes_no(table).items()}}
    by_baseline: dict[str, dict[str, float]] = {"heuristic": rule.shares(), "always pass": passing.shares()}
    return {name: figures for name, figures in by_baseline.items() if figures}


def _of_yes_no(table: np.ndarray) -> dict[str, float]:
    """Figures of answers without probabilities, from a 2x2 table: rows by answer, columns by truth, no before yes."""
    n, (no, yes) = table.sum(), table.sum(axis=0)
    if not no or not yes:
        return {}
    brier, rate = (table[0, 1] + table[1, 0]) / n, yes / n
    return {
        "auc": (table[0, 0] / no + table[1, 1] / yes) / 2,
        "brier": brier,
        "brier_skill": 1 - brier / (rate * (1 - rate)),
        "base_rate": rate,
        "samples": n,
    }


def points_so_far(paths: DataPaths, split: str, most: int) -> dict[str, float]:
    """R2 and mean squared error, by phase of the round, of the best linear prediction of the outcome from the points
    collected so far."""
    source = RoundsSource(month_files(paths.rounds), spec("play-375"))
    sums = np.zeros((PHASES, 6))
    for asked in decisions(source, split, most):
        points, sign = asked.views["points"].astype(np.int64), 1 - 2 * (asked.views["seat"].astype(np.int64) & 1)
        lead = sign * (points[:, 0] + points[:, 2] - points[:, 1] - points[:, 3]) / VALUE_UNIT
        value, stage = (
            asked.value / VALUE_UNIT,
            np.minimum(np.bitwise_count(asked.views["played"]) // CARDS_A_PHASE, PHASES - 1),
        )
        columns = np.stack([np.ones_like(lead), lead, value, lead * lead, lead * value, value * value], axis=1)
        np.add.at(sums, stage, columns)
    by_stage = {f"_from_{stage * CARDS_A_PHASE}": part for stage, part in enumerate(sums)}
    figures: dict[str, float] = {}
    for ending, (n, x, y, xx, xy, yy) in {"": sums.sum(axis=0), **by_stage}.items():
        spread, outcomes = n * xx - x * x, n * yy - y * y
        if spread > 0 and outcomes > 0:
            figures[f"r2{ending}"] = float((n * xy - x * y) ** 2 / (spread * outcomes))
            figures[f"mse{ending}"] = float(outcomes / n**2 * (1 - figures[f"r2{ending}"]))
    return figures
