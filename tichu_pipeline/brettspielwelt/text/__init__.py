"""The text of a game log: parsed into records, and written from them."""
