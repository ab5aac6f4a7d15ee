"""The text of a game log: read into records, and written from them."""
