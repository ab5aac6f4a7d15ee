"""Dagster's view of the pipeline: assets, jobs, schedule, sensor, resources. Thin layers over the other packages."""
