"""What assets are given by Dagster: the data folder, whose paths are spelt in `folders`, and who does the work."""

from pathlib import Path

import dagster as dg

from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.storage.workers import Workers, WorkersError, workers_from


class DataFolder(dg.ConfigurableResource):
    """The data folder of this run. A relative one is meant from where Dagster was started."""

    root: str = "data"

    @property
    def paths(self) -> DataPaths:
        return DataPaths(Path(self.root).absolute())


class WorkersResource(dg.ConfigurableResource):
    """Who does the months of a stage: `serial`, a number of processes, or the address of a standing Dask scheduler,
    tcp://HOST:PORT. Left empty, each stage takes what is fastest on this machine."""

    named: str = ""

    def get(self) -> Workers | None:
        return workers_from(self.named) if self.named else None

    def metadata(self) -> dict[str, dg.MetadataValue]:
        """Where the workers of this run can be watched. A scheduler that does not answer is told of by who needs it."""
        workers = self.get()
        try:
            link = workers.dashboard if workers else None
        except WorkersError:
            link = None
        return {"workers": dg.MetadataValue.url(link)} if link else {}
