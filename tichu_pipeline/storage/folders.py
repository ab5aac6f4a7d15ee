"""All paths below the data folder. Commands and assets take them from here.

Each stage describes the files that it writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataPaths:
    """The paths below one data folder. None of them has to exist."""

    root: Path

    @property
    def raw(self) -> Path:
        """Archives of game logs, as downloaded or generated."""
        return self.root / "raw"

    @property
    def rounds(self) -> Path:
        return self.root / "rounds"

    @property
    def games(self) -> Path:
        return self.root / "games"

    @property
    def board_games(self) -> Path:
        """What games beside Tichu have learned: a folder for each of them."""
        return self.root / "board_games"

    @property
    def rule_breaks(self) -> Path:
        return self.root / "rule_breaks"

    @property
    def tricks(self) -> Path:
        return self.root / "tricks"

    @property
    def combination_stats(self) -> Path:
        return self.root / "combination_stats"

    @property
    def database(self) -> Path:
        """The DuckDB file that SQL users open read-only."""
        return self.root / "tichu.duckdb"

    @property
    def tmp(self) -> Path:
        """Unfinished files, and data that does not fit into memory."""
        return self.root / "tmp"

    @property
    def scaling(self) -> Path:
        return self.root / "scaling.json"

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    @property
    def plots(self) -> Path:
        return self.root / "plots"

    @property
    def features(self) -> Path:
        """A folder of packed months for each spec, and the finished HDF5 data sets."""
        return self.root / "features"

    @property
    def runs(self) -> Path:
        """A folder for each trained network."""
        return self.root / "runs"

    @property
    def exploits(self) -> Path:
        """For each player that others were trained against, how far they came."""
        return self.root / "exploits"

    @property
    def tournaments(self) -> Path:
        return self.root / "tournaments"

    @property
    def reviews(self) -> Path:
        """What decisions cost, a file a month."""
        return self.root / "reviews"

    @property
    def played(self) -> Path:
        """Logs of games with a person. They are not part of the corpus."""
        return self.root / "played"


def month_file(folder: Path, month: str) -> Path:
    """A month's file in a folder of months, `rounds/2024-03.parquet`."""
    return folder / f"{month}.parquet"


def month_files(folder: Path) -> list[Path]:
    """The files of months in a folder, in order of time, without unfinished ones."""
    return sorted(folder.glob("????-??.parquet"))


def months_in(folder: Path) -> list[str]:
    """The months whose files are in a folder, in order of time."""
    return [path.stem for path in month_files(folder)]
