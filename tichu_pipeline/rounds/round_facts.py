"""Rounds of some months as Arrow tables, with facts that the Parquet files do not hold directly.

These are the round summary of each history (`tichu_models.records.round_summary`), the running game score, and a table
with a row for each seat. SQL could unfold the lists as well, at three times the cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tichu_models.records.round_summary import ROUND_SUMMARY, summarise_rounds
from tichu_models.records.stored import histories, numbers
from tichu_models.rules.cards import CARD_OF_INDEX
from tichu_pipeline.storage.folders import DataPaths, month_file

OF_ROUND = ("mahjong_by", "wish_fulfilled_by", "dragon_giver", "dog_by", "dog_to")
UNKNOWN = -1
MASK = np.append(CARD_OF_INDEX, 0)  # by card index; 0 for UNKNOWN
REPEATED = ("game_id", "round_index", "year", "month", "winner_index", "rule_break", "score_cum_20", "score_cum_31")


def rounds_and_seats(paths: DataPaths, months: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """A table with a row for each round, and one with a row for each seat of each round."""
    tables = [_month(pq.read_table(month_file(paths.rounds, month))) for month in months]
    return pa.concat_tables([rounds for rounds, _ in tables]), pa.concat_tables([seats for _, seats in tables])


def _month(rounds: pa.Table) -> tuple[pa.Table, pa.Table]:
    data, begins = histories(rounds)
    complete = known(rounds)
    summaries = np.zeros(len(rounds), dtype=ROUND_SUMMARY)
    wishes, recipients = numbers(rounds, "wish_value"), numbers(rounds, "dragon_recipient")
    summarise_rounds(data, begins, wishes, recipients, complete, summaries)
    for name in OF_ROUND:
        rounds = rounds.append_column(name, pa.array(np.ascontiguousarray(summaries[name]), mask=~complete))
    total = running_score(rounds)
    for team, name in enumerate(("score_cum_20", "score_cum_31")):
        rounds = rounds.append_column(name, pa.array(np.ascontiguousarray(total[:, team])))
    return rounds, _seats(rounds, summaries, complete)


def _seats(rounds: pa.Table, summaries: np.ndarray, complete: np.ndarray) -> pa.Table:
    unknown = np.repeat(~complete, 4)
    given = flat(rounds, "given_schupf_cards").fill_null(UNKNOWN).to_numpy().reshape(-1, 4, 3)
    received = np.empty_like(given)
    for seat in range(4):
        for sender in range(3):  # right opponent, partner, left opponent
            received[:, seat, sender] = given[:, (seat + 1 + sender) & 3, 2 - sender]
    start = flat(rounds, "start_hands")
    hand = (start.fill_null(0).to_numpy() & ~_masks(given)) | _masks(received)
    no_hand = start.is_null().to_numpy(zero_copy_only=False) | ((given < 0) | (received < 0)).any(axis=2).reshape(-1)
    columns = {name: _four_times(rounds[name]) for name in REPEATED}
    columns |= {
        "seat": np.tile(np.arange(4, dtype=np.int8), len(rounds)),
        "score_20": np.repeat(scores(rounds)[:, 0], 4),
        "score_31": np.repeat(scores(rounds)[:, 1], 4),
        "player_name": flat(rounds, "player_names"),
        "first_hand": flat(rounds, "grand_tichu_hands"),
        "start_hand": start,
        "hand": pa.array(hand, mask=no_hand),
        "tichu_position": flat(rounds, "tichu_positions"),
        "bomb": flat(rounds, "bomb_owners"),
        "points": flat(rounds, "points"),
        "place": pa.array(summaries["place"].reshape(-1), mask=unknown),
        "bombs_played": pa.array(summaries["bombs_played"].reshape(-1), mask=unknown),
    }
    for name, cards in (("given", given), ("received", received)):
        for to, other in enumerate(("right", "partner", "left")):
            values = np.ascontiguousarray(cards[:, :, to]).reshape(-1)
            columns[f"{name}_{other}"] = pa.array(values, mask=values < 0)
    return pa.table(columns)


def _masks(cards: np.ndarray) -> np.ndarray:
    """The masks of three cards each."""
    first, second, third = (MASK[cards[:, :, to]] for to in range(3))
    return (first | second | third).reshape(-1)


def _four_times(column: pa.ChunkedArray) -> pa.Array:
    """A column of rounds as a column of seats."""
    mask = np.repeat(column.is_null().to_numpy(), 4) if column.null_count else None
    return pa.array(np.repeat(column.fill_null(0).to_numpy(), 4), mask=mask)


def flat(rounds: pa.Table, name: str) -> pa.Array:
    """The elements of a column of lists, as one array."""
    values = rounds[name].combine_chunks()
    while pa.types.is_nested(values.type):
        values = values.flatten()
    return values


def known(rounds: pa.Table) -> np.ndarray:
    """Which rounds were played to their end, so that all facts about them are known."""
    return rounds["num_tricks"].is_valid().to_numpy()


def scores(rounds: pa.Table) -> np.ndarray:
    """Logged scores of team 20 and team 31, a row for each round."""
    return flat(rounds, "score_entry").fill_null(0).to_numpy().reshape(-1, 2).astype(np.int32)


def running_score(rounds: pa.Table) -> np.ndarray:
    """Game scores of both teams after each round. The rounds must be sorted by game and round."""
    games, result = rounds["game_id"].to_numpy(), scores(rounds)
    total = np.cumsum(result, axis=0, dtype=np.int64)
    firsts = np.flatnonzero(np.diff(games, prepend=-1))
    before = total[firsts] - result[firsts]
    lengths = np.diff(np.append(firsts, len(games)))
    return (total - np.repeat(before, lengths, axis=0)).astype(np.int32)
