"""Tichu as a `tichu_models.game.Game`, for algorithms and environments that know no game."""
