"""Codes of all that can be wrong with a round or a game, for the engine, the parser, SQL and messages."""

from __future__ import annotations

from enum import IntEnum


class RuleBreak(IntEnum):
    """The rule that a round breaks; 0 if it breaks none."""

    NONE = 0
    SYNTAX = 1
    TRUNCATED = 2
    INVALID_CARD_LABEL = 10
    INVALID_CARD_COUNT = 11
    DUPLICATE_CARD = 12
    CARD_NOT_IN_HAND = 13
    CARD_ALREADY_PLAYED = 14
    PASS_NOT_POSSIBLE = 20
    WISH_NOT_FOLLOWED = 21
    COMBINATION_NOT_PLAYABLE = 22
    PLAYER_NOT_ON_TURN = 23
    HISTORY_TOO_SHORT = 24
    HISTORY_TOO_LONG = 25
    DRAGON_NOT_GIVEN = 30
    DRAGON_GIVEN_TO_OWN_TEAM = 31
    DRAGON_GIVEN_WITHOUT_BEAT = 32
    WISH_WITHOUT_MAHJONG = 40
    ANNOUNCEMENT_NOT_POSSIBLE = 50
    SCORE_NOT_POSSIBLE = 60
    SCORE_MISMATCH = 61


class GameError(IntEnum):
    """Why a game does not count; 0 if it does."""

    NO_ERROR = 0
    GAME_NOT_FINISHED = 70
    GAME_OVERPLAYED = 71
    ROUND_FAILED = 80
    EMPTY = 90
    UNREADABLE = 91
