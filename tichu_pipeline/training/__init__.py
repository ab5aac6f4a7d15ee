"""Runs of a data folder: their inputs, their training, their figures. `tichu_models.learning` does the learning."""
