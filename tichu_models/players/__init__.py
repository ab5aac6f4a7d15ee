"""The interface of all agents (`base`), and the players without networks: random, heuristic, crowd."""
