"""Runs of self-play of a data folder: from a request to the folder of a run, and their pictures."""
