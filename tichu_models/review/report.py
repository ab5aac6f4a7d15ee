"""The review of games as a plain record, from which JSON is written: players, rounds, decisions.

Whoever shows a review, in a terminal or on a page, reads this record and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tichu_models.observation.logged_answers import answer_label
from tichu_models.review.judge import Judge, Judged
from tichu_models.review.logged import Finder
from tichu_models.review.losses import behind_best, value_intervals
from tichu_models.review.luck import Worth
from tichu_models.rules.asking import KINDS
from tichu_models.statistics import bootstrap

Record = dict[str, Any]


@dataclass(frozen=True)
class LoggedGame:
    """A game as it was logged: its sound rounds, and which rounds were left out."""

    game_id: int | None
    file: str
    key: int  # of its random numbers
    rows: np.ndarray  # ROUND
    before: np.ndarray  # SCORE_BEFORE
    history: np.ndarray
    names: list[list[str]]  # of the four players of each round
    left_out: list[Record]  # round_index and reason


@dataclass(frozen=True)
class JudgedRound:
    """The open decisions of a round as records, and the playouts by which they were judged."""

    decisions: list[Record]
    simulations: int


# Judges rounds, each as a game of its own, in their order.
Run = Callable[[Iterable[LoggedGame]], Iterable[JudgedRound]]


def judged_round(game: LoggedGame, judge: Judge, player: str | None = None, beside: Judge | None = None) -> JudgedRound:
    """Judges a game of one round. With a player, only the decisions of this one are judged; `beside` has a second
    opinion of them."""
    before = judge.simulations
    all_ = Finder().decisions(game.rows, game.before, game.history, game.key)
    names = [game.names[0][seat] for seat in all_["seen"]["seat"]]
    judged = judge.judge(all_, np.array([player in (None, name) for name in names], dtype=bool))
    decisions = [_decision(game, judged, i) for i in range(len(judged.decisions))]
    if beside:
        second = beside.judge_these(judged.decisions, judged.tried, judged.again)
        for i, decision in enumerate(decisions):
            decision.update(_second(decision, _decision(game, second, i)))
    return JudgedRound(decisions, judge.simulations - before)


def review(
    games: Iterable[LoggedGame],
    judge: Judge,
    referee: str,
    worth: Worth | None = None,
    player: str | None = None,
    report: Callable[[float], None] = lambda rounds: None,
    run: Run | None = None,
) -> Record:
    """Reviews games. `referee` names the judge's agent, `worth` says what deals were worth. With a player, only the
    decisions of this one are judged. `report` is called with the number of rounds that have been done since. `run`
    judges the rounds as the judge does, elsewhere."""
    games, settings = list(games), judge.settings
    parts = [part for game in games for part in one_by_one(game)]
    rounds = [each for game in games for each in _rounds(game, worth)]
    decisions: list[tuple[int, Record]] = []  # with the place of the round
    simulations = 0
    for place, judged in enumerate(run(parts) if run else (judged_round(part, judge, player) for part in parts)):
        decisions += [(place, decision) for decision in judged.decisions]
        simulations += judged.simulations
        report(1.0)
    return {
        "games": [
            {"game_id": game.game_id, "file": game.file, "rounds": len(game.rows), "left_out": game.left_out}
            for game in games
        ],
        "referee": {
            "agent": referee,
            "deals": settings.deals,
            "more": settings.more,
            "again": settings.again,
            "simulations": simulations,
            "seed": settings.seed,
        },
        "players": _players(rounds, decisions, player),
        "rounds": rounds,
        "decisions": [decision for _, decision in decisions],
    }


def one_by_one(game: LoggedGame) -> Iterator[LoggedGame]:
    """Each round of a game as a game of its own. Rounds are judged one by one, so that the verdict does not depend on
    how many are judged at a time."""
    for i in range(len(game.rows)):
        part = slice(i, i + 1)
        yield replace(game, rows=game.rows[part], before=game.before[part], names=game.names[part], left_out=[])


def _second(decision: Record, second: Record) -> Record:
    """What a second referee says of a decision. The two disagree where one is certain of a loss and the other sees
    none."""
    verdicts = decision, second
    disagree = any(one["certain"] and not other["loss"] for one, other in (verdicts, verdicts[::-1]))
    opinion = {name: second[name] for name in ("best", "loss", "interval", "certain")}
    return {"beside": opinion, "disagree": disagree}


def _rounds(game: LoggedGame, worth: Worth | None) -> list[Record]:
    """Each round with its players, its result and what its deal was worth to team 20."""
    luck: list[float | None] = [None] * len(game.rows)
    if worth and len(game.rows):
        luck = [round(float(each), 1) for each in worth(game.rows, game.before)]
    return [
        {
            "game_id": game.game_id,
            "round_index": int(row["round_index"]),
            "players": names,
            "result": row["score"].tolist(),
            "luck": each,
        }
        for row, names, each in zip(game.rows, game.names, luck, strict=True)
    ]


def _decision(game: LoggedGame, judged: Judged, i: int) -> Record:
    """An open decision with the answers that were tried, the best first."""
    decision, loss = judged.decisions[i], judged.losses[i]
    kind, seat, place = int(decision["seen"]["kind"]), int(decision["seen"]["seat"]), int(decision["place"])
    end = int(judged.tried.counts[: i + 1].sum())
    part = slice(end - int(judged.tried.counts[i]), end)
    labels = [answer_label(kind, int(answer)) for answer in judged.tried.answers[part]]
    means, lows, highs = value_intervals(judged.values[i], judged.weights[i])
    behind = np.column_stack(behind_best(judged.values[i], judged.weights[i])).round(1) + 0.0
    lost = judged.loss(i)
    options = [
        {
            "answer": labels[k],
            "value": round(float(means[k]), 1),
            "interval": [round(float(lows[k]), 1), round(float(highs[k]), 1)],
            "behind": float(behind[k, 0]),
            "behind_interval": behind[k, 1:].tolist(),
            "policy": None if np.isnan(share) else round(float(share), 4),
        }
        for k, share in enumerate(judged.tried.shares[part])
    ]
    return {
        "game_id": game.game_id,
        "round_index": int(game.rows["round_index"][place]),
        "turn": None if decision["turn"] < 0 else int(decision["turn"]),
        "seat": seat,
        "player": game.names[place][seat],
        "kind": KINDS[kind],
        "answer": labels[0],
        "best": labels[loss.best if lost else 0],
        "loss": round(lost, 1),
        "interval": [round(each, 1) for each in loss.interval],
        "certain": judged.is_certain(i),
        "options": sorted(options, key=lambda option: -option["value"]),
    }


def _players(rounds: list[Record], decisions: list[tuple[int, Record]], player: str | None) -> list[Record]:
    """What each player lost, by kind of decision, and what the cards gave."""
    names = dict.fromkeys(name for each in rounds for name in each["players"] if player in (None, name))
    return [_player(name, rounds, [each for each in decisions if each[1]["player"] == name]) for name in names]


def _player(name: str, rounds: list[Record], decisions: list[tuple[int, Record]]) -> Record:
    """One player's part."""
    played = [place for place, each in enumerate(rounds) if name in each["players"]]
    seats = [rounds[place]["players"].index(name) for place in played]
    by_kind = {}
    for kind in KINDS:
        if of_kind := [each for each in decisions if each[1]["kind"] == kind]:
            loss, interval = _lost_per_round(played, of_kind)
            by_kind[kind] = {"open": len(of_kind), "loss": loss, "interval": interval}
    loss, interval = _lost_per_round(played, decisions)
    of_team = [(1 - 2 * (seat & 1), rounds[place]) for place, seat in zip(played, seats, strict=True)]
    results = [sign * (each["result"][0] - each["result"][1]) for sign, each in of_team]
    luck = [sign * each["luck"] for sign, each in of_team if each["luck"] is not None]
    return {
        "name": name,
        "seats": sorted(set(seats)),
        "rounds": len(played),
        "open_decisions": len(decisions),
        "loss_per_round": loss,
        "interval": interval,
        "certain_errors": sum(each["certain"] for _, each in decisions),
        "by_kind": by_kind,
        "result_per_round": round(float(np.mean(results)), 1),
        "luck_per_round": round(float(np.mean(luck)), 1) if luck else None,
    }


def _lost_per_round(played: list[int], decisions: list[tuple[int, Record]]) -> tuple[float, list[float]]:
    """Points lost a round in the rounds of these places, and their confidence interval by a bootstrap over rounds."""
    points = np.bincount(
        np.searchsorted(played, [place for place, _ in decisions]), [each["loss"] for _, each in decisions], len(played)
    )
    low, high = bootstrap(points, np.ones(len(points)))
    return round(float(points.mean()), 2), [round(low, 2), round(high, 2)]
