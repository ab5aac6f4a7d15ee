"""The columns of the Parquet tables that ingest writes, a file a month. `arrow` fills them.

Sets of cards are masks, single cards are card indices, as everywhere. What is unknown of a broken round is NULL.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from tichu_models.records.tricks import TRICK

NO_BREAK_SPACE = "\u00a0"  # inside names of the logs; stored as a space


def _four(kind: pa.DataType) -> pa.DataType:
    return pa.list_(kind, 4)


def _schema(columns: list[tuple[str, pa.DataType]], unknown: Collection[str] = ()) -> pa.Schema:
    """A schema in which only the columns `unknown` may be NULL."""
    return pa.schema([pa.field(name, kind, nullable=name in unknown) for name, kind in columns])


WHEN = [("year", pa.int16()), ("month", pa.int8())]
ROUNDS_SCHEMA = _schema(
    [
        ("game_id", pa.int64()),
        ("round_index", pa.int32()),
        ("player_names", _four(pa.string())),
        ("grand_tichu_hands", _four(pa.int64())),
        ("start_hands", _four(pa.int64())),
        ("given_schupf_cards", _four(pa.list_(pa.int8(), 3))),
        ("tichu_positions", _four(pa.int16())),
        ("bomb_owners", _four(pa.bool_())),
        ("wish_value", pa.int8()),
        ("dragon_recipient", pa.int8()),
        ("score_entry", pa.list_(pa.int16(), 2)),
        ("history", pa.binary()),
        ("num_tricks", pa.int16()),
        ("num_turns", pa.int16()),
        ("points", _four(pa.int16())),
        ("min_points", pa.int16()),
        ("max_points", pa.int16()),
        ("avg_points", pa.float32()),
        ("replayed_score", pa.list_(pa.int16(), 2)),
        ("winner_index", pa.int8()),
        ("loser_index", pa.int8()),
        ("is_double_victory", pa.bool_()),
        ("phoenix_low", pa.bool_()),
        ("rule_break", pa.int8()),
        ("line", pa.int32()),
        *WHEN,
    ],
    unknown=(
        *("num_tricks", "num_turns", "min_points", "max_points", "avg_points"),
        *("winner_index", "loser_index", "is_double_victory", "phoenix_low"),
    ),
)
GAMES_SCHEMA = _schema(
    [
        ("game_id", pa.int64()),
        ("num_rounds", pa.int32()),
        ("total_score_20", pa.int32()),
        ("total_score_31", pa.int32()),
        ("winner_team", pa.int8()),  # 20, 31, 0 for a draw; NULL if nobody has won
        ("player_changed", pa.bool_()),
        ("error_code", pa.int8()),
        ("file", pa.string()),
        *WHEN,
    ],
    unknown=["winner_team"],
)
RULE_BREAKS = _schema(
    [
        ("game_id", pa.int64()),
        ("round_index", pa.int32()),  # of a fragment: the number of rounds before it
        ("is_fragment", pa.bool_()),
        ("rule_break", pa.int8()),
        ("file", pa.string()),
        ("line", pa.int32()),
        ("text", pa.string()),
        *WHEN,
    ]
)
TRICKS = _schema([(name, pa.from_numpy_dtype(TRICK[name])) for name in TRICK.names or ()])
COMBINATION_STATS = _schema(
    [
        ("type", pa.int8()),
        ("length", pa.int8()),
        ("rank", pa.int8()),  # 16 for a single Phoenix
        ("call", pa.int8()),  # of the player: 0 none, 1 small, 2 grand Tichu
        ("opponents_call", pa.int8()),  # the higher one of the two
        ("cards_before", pa.int8()),  # in the player's hand
        ("beaten", pa.bool_()),
        ("plays", pa.int64()),
        *WHEN,
    ]
)
SCHEMAS = {
    "rounds": ROUNDS_SCHEMA,
    "games": GAMES_SCHEMA,
    "rule_breaks": RULE_BREAKS,
    "tricks": TRICKS,
    "combination_stats": COMBINATION_STATS,
}
