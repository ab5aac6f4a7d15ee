"""A round as data: the record of a played round, the history codec, the replay with its rule check."""
