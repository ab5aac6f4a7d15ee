"""Archives of game logs: which logs there are, and their bytes."""
