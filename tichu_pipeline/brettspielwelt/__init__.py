"""Brettspielwelt's logs: archives of them, their download, their text, generated corpora."""
