"""Archives of game logs: lists the logs, and reads their bytes."""
