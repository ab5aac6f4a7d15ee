"""The stages as Dagster assets, one module a stage: each a thin layer over plain functions."""

import warnings

import dagster as dg

# Single-run backfills are what monthly stages need; constraints.txt pins the version they were tried with.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy`", category=dg.BetaWarning)
