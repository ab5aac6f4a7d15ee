"""From months of rounds to the batches of tensors that networks learn from, step by step:

1. `sources`: a month's rounds, or its shard -> blocks of packed samples, which are rows of int64 words.
2. `loader`: blocks -> the rows of each batch, filtered and shuffled.
3. `arrays`: the rows of a batch -> an `ArrayBatch`: features, labels, targets, and the legal moves by `legal_moves`.
4. `feed`: an `ArrayBatch` -> a `Batch` of tensors; a loader -> a `BatchSource` with epochs of a planned length.
5. `batches`: `Batch` and `BatchSource`, which are all that objectives and training know of data.

`classes` gives the class of each sample, by which training may be balanced.
"""
