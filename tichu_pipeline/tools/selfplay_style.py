"""How players play: announcements, bombs, passes although able, the Dog, wishes, counted over a tournament's rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tichu_models.arena.tournament import TABLES_A_PAIRING, TournamentPart, TournamentRequest, play
from tichu_models.observation.decisions import DECISION_BUFFER, DECISIONS_AT_ONCE, find_decisions
from tichu_models.observation.walk import WALK, WHO_ACTS
from tichu_models.players.base import Agent
from tichu_models.records.schema import Rounds
from tichu_models.records.scores import scores_before
from tichu_models.rules.asking import PLAY, WISH
from tichu_models.rules.cards import DOG
from tichu_models.rules.state import CALLED_BEFORE_PLAY, CALLED_GRAND

COUNTED = 1 << PLAY | 1 << WISH  # kinds of decisions


@dataclass
class Counts:
    """What one player did, and how often it could have."""

    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, number: Any) -> None:
        self.numbers[name] = self.numbers.get(name, 0) + int(number)


def decisions_of(rounds: Rounds, before: np.ndarray, kinds: int) -> Iterator[np.ndarray]:
    """The decisions of rounds, in arrays of DECISION, each of which overwrites the one before. `before` has the scores
    before each round; bit k of `kinds` asks for decisions of kind k."""
    scratch, buffer = np.zeros(1, dtype=WALK)[0], np.zeros(1, dtype=DECISION_BUFFER)[0]
    done = 0
    while done < len(rounds.rows):
        part = slice(done, None)
        count, n = find_decisions(
            *(rounds.rows[part], before[part], rounds.history, scratch, kinds, 0, WHO_ACTS, DECISIONS_AT_ONCE, buffer)
        )
        found = buffer["at"][:n]
        found["place"] += done
        done += count
        yield found


def style(names: tuple[str, str], make: Callable[[str], Agent], deals: int, seed: int) -> dict[str, dict[str, float]]:
    """Frequencies of what the two players of a tournament do."""
    counts = {name: Counts() for name in names}
    played = play(TournamentRequest(names, deals, seed), make, keep=lambda part: _count(part, names, counts))
    assert not played.forfeits
    return {name: _frequencies(each.numbers) for name, each in counts.items()}


def _count(part: TournamentPart, names: tuple[str, str], counts: dict[str, Counts]) -> None:
    rows, results = part.rounds.rows, part.results
    assert (results["table"] == rows["game_id"]).all()
    assert (results["table"] // TABLES_A_PAIRING == 1).all()
    parts = decisions_of(part.rounds, scores_before(rows), COUNTED)
    decisions = np.concatenate([found.copy() for found in parts])
    seen, seats = decisions["seen"], decisions["actor"].astype(np.int64)
    for of_b, name in enumerate(names):
        team = results["team_a"].astype(np.int64) ^ of_b
        mine, count = (seats & 1) == team[decisions["place"]], counts[name]
        count.add("rounds", len(rows))
        on_table = mine & (seen["kind"] == PLAY) & (seen["trick"] != 0) & (decisions["forced"] == 0)
        partners = on_table & (seen["owner"] == (seats ^ 2))
        for what, where in (("opponent", on_table & ~partners), ("partner", partners)):
            count.add(f"able_on_{what}", where.sum())
            count.add(f"passed_on_{what}", (where & (decisions["label"] == 0)).sum())
        leads = mine & (seen["kind"] == PLAY) & (seen["trick"] == 0) & ((seen["hand"] & DOG) != 0)
        count.add("dog_could_lead", leads.sum())
        count.add("dog_led", (leads & (decisions["label"] == DOG)).sum())
        wishes = mine & (seen["kind"] == WISH)
        count.add("wishes_asked", wishes.sum())
        count.add("wishes_made", (wishes & (decisions["label"] != 0)).sum())
        for seat in range(4):
            own = (seat & 1) == team
            called = results["tichu_position"][:, seat]
            first = results["winner"] == seat
            for what, announced in (("small", called >= CALLED_BEFORE_PLAY), ("grand", called == CALLED_GRAND)):
                where = own & announced
                count.add(what, where.sum())
                count.add(f"{what}_made", (where & first).sum())
            count.add("bombs", results["bombs"][own, seat].sum())
            count.add("doubles", (own & (results["double"] == 1) & first).sum())


def _frequencies(counted: dict[str, int]) -> dict[str, float]:
    """Counts of a pair of players as frequencies, a round or of the chances that it had."""
    rounds = counted["rounds"]
    shares = {
        f"passes on {whose} play although able": (counted[f"passed_on_{who}"], counted[f"able_on_{who}"])
        for who, whose in (("opponent", "an opponent's"), ("partner", "the partner's"))
    }
    shares |= {
        "small Tichus a round": (counted["small"], rounds),
        "small Tichus made": (counted["small_made"], counted["small"]),
        "grand Tichus a round": (counted["grand"], rounds),
        "grand Tichus made": (counted["grand_made"], counted["grand"]),
        "bombs a round": (counted["bombs"], rounds),
        "double victories a round": (counted["doubles"], rounds),
        "wishes where there could be one": (counted["wishes_made"], counted["wishes_asked"]),
        "Dog led when it could be": (counted["dog_led"], counted["dog_could_lead"]),
    }
    return {name: number / max(of, 1) for name, (number, of) in shares.items()}
