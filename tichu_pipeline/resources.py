"""What assets are given by Dagster: the data folder. The paths in it are spelt in `folders`."""

from pathlib import Path

import dagster as dg

from tichu_pipeline.folders import DataPaths


class DataFolder(dg.ConfigurableResource):
    """The data folder of this run. A relative one is meant from where Dagster was started."""

    root: str = "data"

    @property
    def paths(self) -> DataPaths:
        return DataPaths(Path(self.root).absolute())
