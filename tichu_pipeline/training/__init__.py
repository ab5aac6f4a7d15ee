"""Runs of a data folder: what they learn from, how they are trained, what they came to. The how is
`tichu_models.learning`'s."""
