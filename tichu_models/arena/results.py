"""The results of a tournament, one record for each round: seating, score, calls, bombs, and how it ended.

A forfeited round is a row as well. It counts 200 : 0 against the team that forfeited it, like a double victory; in
whole games that team loses the game. Everything that is reported is computed from these rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tichu_models.arena.referee import REASONS, Forfeit
from tichu_models.kernels import kernel
from tichu_models.records.history import LOG, PLAY_ENTRY, Log, cards_in, kind_of, load, seat_of
from tichu_models.records.replay import check
from tichu_models.records.schema import Rounds
from tichu_models.rules.cards import count
from tichu_models.rules.combinations import BOMB, classify, type_of
from tichu_models.rules.scoring import DOUBLE_VICTORY
from tichu_models.rules.state import NOBODY, NOT_CALLED

SMALLEST_BOMB = 4  # cards

# fmt: off
# Wide fields first: without gaps between them, equal rows are equal bytes.
RESULT = np.dtype([
    ("table", np.int64),              # number of the game in its tournament
    ("deal", np.int32),               # two tables play each deal, or in whole games the deals of one game
    ("round_index", np.int32),
    ("control", np.float32),          # control variate: points that the cards promised team 20; 0 without a control
    ("pairing", np.int16),
    ("score", np.int16, 2),           # team 20, team 31
    ("tichu_position", np.int16, 4),  # as in ROUND; NOT_CALLED in a forfeited round
    ("num_turns", np.int16),
    ("num_tricks", np.int16),
    ("team_a", np.int8),              # the team that the pairing's first agent plays: 0 (20) or 1 (31)
    ("bombs", np.int8, 4),            # thrown by each seat
    ("winner", np.int8),              # who went out first, or -1
    ("loser", np.int8),               # who stayed in alone, or -1
    ("double", np.int8),              # 1: double victory
    ("forfeit", np.int8),             # 0, or 1 + the place in REASONS
    ("forfeit_seat", np.int8),        # or -1
], align=True)
# fmt: on


@kernel
def _count_bombs(rows: np.ndarray, history: np.ndarray, log: Log, results: np.ndarray) -> None:
    """Counts the bombs that each seat has thrown in each round."""
    for i in range(len(rows)):
        load(log, history, rows[i])
        for at in range(log.length):
            cards = cards_in(log.entry[at])
            if (
                kind_of(log.entry[at]) == PLAY_ENTRY
                and count(cards) >= SMALLEST_BOMB
                and type_of(classify(cards)) == BOMB
            ):
                results[i].bombs[seat_of(log.entry[at])] += 1


def results_of(rounds: Rounds) -> np.ndarray:
    """The rows of finished rounds. The caller fills in pairing, deal and team_a, and the control."""
    rows = rounds.rows
    results = np.zeros(len(rows), dtype=RESULT)
    outcomes, _ = check(rounds)
    for field in ("score", "round_index", "tichu_position"):
        results[field] = rows[field]
    results["table"] = rows["game_id"]
    for field in ("num_turns", "num_tricks"):
        results[field] = outcomes[field]
    results["winner"], results["loser"] = outcomes["winner_index"], outcomes["loser_index"]
    results["double"] = outcomes["is_double_victory"]
    results["forfeit_seat"] = NOBODY
    _count_bombs(rows, rounds.history, np.zeros(1, dtype=LOG)[0], results)
    return results


def results_of_forfeits(forfeits: Sequence[Forfeit]) -> np.ndarray:
    """The rows of forfeited rounds. The caller fills in pairing, deal and team_a."""
    results = np.zeros(len(forfeits), dtype=RESULT)
    results["tichu_position"] = NOT_CALLED
    results["winner"] = results["loser"] = NOBODY
    for row, forfeit in zip(results, forfeits, strict=True):
        row["table"], row["round_index"], row["num_turns"] = forfeit.game, forfeit.round_index, forfeit.turn
        row["score"][1 - (forfeit.seat & 1)] = DOUBLE_VICTORY
        row["forfeit"] = 1 + REASONS.index(forfeit.reason)
        row["forfeit_seat"] = forfeit.seat
    return results
