"""Decisions as vectors, from stored rounds or from a log: shards, data sets, and what `tichu features` prints."""
