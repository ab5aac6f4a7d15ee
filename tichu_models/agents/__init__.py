"""Players with networks, searching players, and the registry that makes every agent by its name."""
