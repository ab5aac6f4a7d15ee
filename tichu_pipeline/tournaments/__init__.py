"""Tournaments as files: played by workers, stored, logged and shown. `tichu_models.arena` plays them."""
