"""Players with networks. Each is built from runs alone and answers batches; `agents.registry` makes them by name."""
