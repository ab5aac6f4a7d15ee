"""Metrics of networks, updated batch by batch: moves, choices, yes-no questions, values.

A metric keeps sums only (`tally`), so that several batches, processes or months add up to the figures of all samples at
once. Beside a network's figures are those of a baseline on the same samples.
"""
