"""What Dagster sees: assets, jobs, schedule, sensor, resources. Thin layers over the other rooms."""
