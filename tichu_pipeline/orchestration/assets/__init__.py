"""The stages as Dagster assets, one module for each stage: thin layers over plain functions."""

import warnings

import dagster as dg

# Monthly stages need single-run backfills, which are in beta; constraints.txt pins a version that works.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy`", category=dg.BetaWarning)
# Messages of a training process are read by a part of Pipes that is in preview, and warns at every message.
warnings.filterwarnings("ignore", message="Function `PipesMessageReader", category=dg.PreviewWarning)
