"""Rounds as data: their records and histories, and the replay that checks them by the rules."""
