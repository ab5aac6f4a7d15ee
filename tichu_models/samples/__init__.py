"""From rounds or shards to batches: the samples that networks learn from."""
