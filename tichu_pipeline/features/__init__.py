"""Vectors of what was decided, of stored rounds or of a log: shards, data sets, what `tichu features` prints."""
