"""The pipeline: from game logs to tables, features, networks and tournaments. `tichu_models` has the players."""
