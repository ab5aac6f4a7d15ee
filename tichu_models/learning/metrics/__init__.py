"""How good a network is, gathered batch by batch: moves, yes-or-no questions, choices, values.

Every metric keeps sums only (`tally`), so that those of several batches, processes or months add up to the same
figures as all samples at once. Constant answers are measured along with it, on the same samples.
"""
