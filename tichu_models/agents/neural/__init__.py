"""Players with networks: each is built from the folders of runs. `agents.registry` makes them by name."""
