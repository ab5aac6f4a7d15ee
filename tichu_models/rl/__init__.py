"""Tichu's self-play: rounds played by networks, what was decided in them, and the training that learns from it."""
