"""Dagster resources that stages use: the data folder and the workers."""

from pathlib import Path

import dagster as dg

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Workers, WorkersError, workers_from


class DataFolder(dg.ConfigurableResource):
    """The data folder. A relative path starts at the folder in which Dagster was started."""

    root: str = "data"

    @property
    def paths(self) -> DataPaths:
        return DataPaths(Path(self.root).absolute())


class WorkersResource(dg.ConfigurableResource):
    """Workers for the months of a stage: `serial`, a number of processes, or the address of a Dask scheduler,
    tcp://HOST:PORT. If empty, each stage uses what is fastest on this machine."""

    named: str = ""

    def get(self) -> Workers | None:
        return workers_from(self.named) if self.named else None

    def metadata(self) -> dict[str, dg.MetadataValue]:
        """A link to the workers' dashboard, if there is one. A scheduler that does not answer is reported by the stage
        that needs it."""
        workers = self.get()
        try:
            link = workers.dashboard if workers else None
        except WorkersError:
            link = None
        return {"workers": dg.MetadataValue.url(link)} if link else {}
