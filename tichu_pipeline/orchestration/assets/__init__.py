"""The stages as Dagster assets, one module a stage: each a thin layer over plain functions."""

import warnings

import dagster as dg

# Single-run backfills are what monthly stages need; constraints.txt pins the version they were tried with.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy`", category=dg.BetaWarning)
# The report of a training process is read by a part of Pipes that says so of itself at every message.
warnings.filterwarnings("ignore", message="Function `PipesMessageReader", category=dg.PreviewWarning)
