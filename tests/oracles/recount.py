"""Answers to questions 01 to 27 and to newer ones, counted from the text of sound games in plain Python.

It shares no code with the product's parser, engine, Parquet files or SQL, and has its own copy of the rules it needs.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from tests.oracles.reading import read_rounds

RANKS = {**{str(n): n for n in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
SPECIALS = {"Hu": 0, "Ma": 1, "Dr": 15, "Ph": 16}
NAMES = ["Dog", "Mahjong", *map(str, range(2, 11)), "Jack", "Queen", "King", "Ace", "Dragon", "Phoenix"]
POINTS = {5: 5, 10: 10, 13: 10, 15: 25, 16: -25}


def value(card: str) -> int:
    """The value of a card: 0 Hu, 1 Ma, 2..14, 15 Dr, 16 Ph."""
    return SPECIALS[card] if card in SPECIALS else RANKS[card[1:]]


@dataclass
class Played:
    """The facts of a round."""

    names: list[str]
    calls: dict[int, int]
    given: list[list[str]]
    wish: int
    dragon: int
    score: tuple[int, int]
    tricks: list[int] = field(default_factory=list)  # points of each
    turns: int = 0
    so_far: list[int] = field(default_factory=list)  # points of every seat before every turn
    points: list[int] = field(default_factory=lambda: [0] * 4)
    out: list[int] = field(default_factory=list)
    mahjong: int = -1
    dragon_giver: int = -1

    @property
    def double(self) -> bool:
        return len(self.out) == 2

    @property
    def diff(self) -> int:
        return self.score[0] - self.score[1]


class Table:
    """Follows the lines of a round, and notes its facts in `played`."""

    def __init__(self, round_: dict) -> None:
        self.played = Played(
            round_["names"], round_["calls"], round_["given"], round_["wish"], round_["dragon"], round_["score"]
        )
        self.left = [14] * 4
        self.owner: int | None = None
        self.top: list[str] = []
        self.lying: list[str] = []
        self.passes = 0
        for seat, cards in round_["lines"]:
            if not self.over():
                self.line(seat, cards)
        self.collect()

    def over(self) -> bool:
        out = self.played.out
        return len(out) == 3 or (len(out) == 2 and (out[0] + out[1]) % 2 == 0)

    def line(self, seat: int, cards: list[str]) -> None:
        if not cards and seat == self.owner:
            self.collect()
            return
        if cards and self.owner is not None and self.left[self.owner] == 0 and self.all_passed():
            after = next(s % 4 for s in range(self.owner + 1, self.owner + 5) if self.left[s % 4])
            if seat == after:
                self.collect()
        self.played.turns += 1
        self.played.so_far += self.played.points
        self.passes += 1
        if cards:
            self.play(seat, cards)

    def all_passed(self) -> bool:
        others = [s for s in range(4) if self.left[s] and s != self.owner]
        return self.passes >= len(others)

    def play(self, seat: int, cards: list[str]) -> None:
        self.left[seat] -= len(cards)
        if self.left[seat] == 0:
            self.played.out.append(seat)
        if "Ma" in cards:
            self.played.mahjong = seat
        if cards != ["Hu"]:
            self.owner, self.top, self.passes = seat, cards, 0
            self.lying += cards

    def collect(self) -> None:
        if self.owner is None:
            return
        worth = sum(POINTS.get(value(card), 0) for card in self.lying)
        taker = self.owner
        if self.top == ["Dr"] and not (self.over() and len(self.played.out) == 2):
            taker = self.played.dragon
            self.played.dragon_giver = self.owner
        self.played.points[taker] += worth
        self.played.tricks.append(worth)
        self.owner, self.lying, self.passes = None, [], 0


def recount(texts: dict[int, str]) -> dict[str, list[dict]]:
    """The expected rows of each query, by its number. The keys are the columns that are compared."""
    games = {game: [Table(round_).played for round_ in read_rounds(text)] for game, text in texts.items()}
    rounds = [played for game in games.values() for played in game]
    seats = [(played, seat) for played in rounds for seat in range(4)]
    tricks, turns = [len(r.tricks) for r in rounds], [r.turns for r in rounds]
    calls = {kind: [(r, s) for r, s in seats if _call(r, s) == kind] for kind in (1, 2)}
    mahjongs = [r for r in rounds if r.mahjong >= 0]
    answers = {
        "01": [
            {
                "games": len(games), "rounds": len(rounds), "rounds_of_games": len(rounds), "agree": True,
                "tricks": sum(tricks), "turns": sum(turns), "perspective_rounds": 4 * len(rounds),
                "perspective_tricks": 4 * sum(tricks), "perspective_turns": 4 * sum(turns),
            }
        ],
        "02": [{"games": len(games), **_spread([len(game) for game in games.values()])}],
        "03": [{"rounds": len(rounds), **_spread(tricks)}],
        "04": [{"rounds": len(rounds), **_spread(turns)}],
        "05": [{"tricks": sum(tricks), **_spread([points for r in rounds for points in r.tricks])}],
        "06": [
            {"moment": "before every turn", **_spread([p for r in rounds for p in r.so_far]), "sd": None},
            {"moment": "end of the round", **_spread([p for r in rounds for p in r.points])},
        ],
        "07": [
            {"score": "score_20", **_spread([r.score[0] for r in rounds])},
            {"score": "score_31", **_spread([r.score[1] for r in rounds])},
            {"score": "score_diff", **_spread([r.diff for r in rounds])},
        ],
        "08": [
            {
                "rounds": len(rounds), "double_victories": sum(r.double for r in rounds),
                "by_team_20": sum(r.double and r.out[0] % 2 == 0 for r in rounds),
                "by_team_31": sum(r.double and r.out[0] % 2 == 1 for r in rounds),
            }
        ],
        "13": [
            {"wish_value": wish, "name": NAMES[wish] if wish else "no wish", "rounds": count}
            for wish, count in sorted(Counter(r.wish for r in mahjongs).items())
        ],
        "14": _dragon(rounds),
        "20": [{"mahjongs_played": len(mahjongs), "without_wish": sum(r.wish == 0 for r in mahjongs)}],
        "21": [
            {
                "before_schupfen": sum(r.calls[s] == -1 for r, s in calls[1]), "small_calls": len(calls[1]),
                "made": sum(r.calls[s] == -1 and r.out[0] == s for r, s in calls[1]),
            }
        ],
        "25": [{"code": 0, "name": "NONE", "rounds": len(rounds), "fragments": 0, "games": len(games)}],
        **_players(games),
    }  # fmt: skip
    for kind, called, made in ((2, "09", "10"), (1, "11", "12")):
        holders = {id(r) for r, _ in calls[kind]}
        answers[called] = [{"seats": len(seats), "calls": len(calls[kind]), "rounds_with_a_call": len(holders)}]
        answers[made] = [{"calls": len(calls[kind]), "made": sum(r.out[0] == s for r, s in calls[kind])}]
    for to, number in enumerate(("15", "16", "17")):
        counts = Counter(value(r.given[s][to]) for r, s in seats)
        answers[number] = [{"value": v, "name": NAMES[v], "cards": n} for v, n in sorted(counts.items())]
    for team, number in enumerate(("18", "19")):
        answers[number] = _schupf_rule(rounds, team)
    for number, pair in (("22", (2, 2)), ("23", (1, 2)), ("24", (1, 1))):
        both = [t for r in rounds for t in (0, 1) if tuple(sorted((_call(r, t), _call(r, t + 2)))) == pair]
        answers[number] = [
            {
                "teams_and_rounds": 2 * len(rounds), "both_called": len(both),
                "by_team_20": both.count(0), "by_team_31": both.count(1),
            }
        ]  # fmt: skip
    return answers


def _spread(values: list[int]) -> dict:
    return {
        "min": min(values),
        "max": max(values),
        "mean": statistics.fmean(values),
        "sd": statistics.stdev(values) if len(values) > 1 else None,
    }


def _call(played: Played, seat: int) -> int:
    return {None: 0, -2: 2}.get(played.calls.get(seat), 1)


def _dragon(rounds: list[Played]) -> list[dict]:
    counts: dict[str, Counter] = defaultdict(Counter)
    for r in rounds:
        to = {1: "right opponent", 3: "left opponent"}.get((r.dragon - r.dragon_giver) % 4)
        counts["nobody" if r.dragon < 0 else to][r.dragon] += 1
    return [
        {"recipient": to, "rounds": sum(by.values()), **{f"seat_{seat}": by[seat] for seat in range(4)}}
        for to, by in sorted(counts.items(), key=lambda entry: (-sum(entry[1].values()), entry[0]))
    ]


def _schupf_rule(rounds: list[Played], team: int) -> list[dict]:
    counts, without = Counter(), Counter()
    for r in rounds:
        values = [value(r.given[seat][to]) for seat in (team, team + 2) for to in (0, 2)]
        odd = [v % 2 for v in values]
        rule = {(0, 1, 0, 1): "right even, left odd", (1, 0, 1, 0): "right odd, left even"}.get(tuple(odd), "neither")
        counts[rule] += 1
        without[rule] += all(2 <= v <= 14 for v in values)
    return [
        {"rule": rule, "rounds": n, "rounds_without_special_cards": without[rule]} for rule, n in sorted(counts.items())
    ]


def _players(games: dict[int, list[Played]]) -> dict[str, list[dict]]:
    sat, diffs = defaultdict(set), defaultdict(list)
    for game, rounds in games.items():
        for r in rounds:
            for seat, name in enumerate(r.names):
                if name:
                    sat[name].add(game)
                    diffs[name].append(r.diff if seat % 2 == 0 else -r.diff)
    by_games = sorted(sat, key=lambda name: (-len(sat[name]), -len(diffs[name]), name.encode()))
    least = min(50, statistics.median(len(played) for played in sat.values()))
    good = sorted(
        (name for name in sat if len(sat[name]) >= least),
        key=lambda name: (-statistics.fmean(diffs[name]), name.encode()),
    )
    return {
        "26": [{"player_name": n, "games": len(sat[n]), "rounds": len(diffs[n])} for n in by_games[:100]],
        "27": [
            {"player_name": n, "games": len(sat[n]), "avg_score_diff": statistics.fmean(diffs[n])}
            for n in good[: math.ceil(len(good) / 10)]
        ],
    }
