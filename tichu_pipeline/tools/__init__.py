"""Programs for those who work on the project: `python -m tichu_pipeline.tools.NAME`."""
