"""Generated corpora: their ids, their layout, and that the same order makes the same bytes."""

from __future__ import annotations

import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from tichu_pipeline.brettspielwelt.archives.index_pages import listed_games
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.corpus.generate import generate

MONTHS = ["2023-12", "2024-01", "2024-02"]


def test_ids_rise_with_time_and_have_gaps(tmp_path):
    """Code that takes the next game's id for this one's plus one would pass on a corpus without gaps; a corpus whose
    months overlap would be read as one with doubles."""
    generate(tmp_path, 400, MONTHS, seed=6)
    catalogue = scan(tmp_path)
    assert (catalogue.months, catalogue.problems, len(catalogue)) == (tuple(MONTHS), (), 400)
    ids = [catalogue.month(month).game_ids for month in MONTHS]
    assert all(a[-1] < b[0] for a, b in pairwise(ids))
    steps = np.concatenate([np.diff(month) for month in ids])
    assert set(steps.tolist()) == {1, 2}
    assert set(pq.read_table(tmp_path / "truth.parquet")["game_id"].to_pylist()) <= set(np.concatenate(ids).tolist())


def test_index_pages_list_what_is_there(tmp_path):
    """Logs whose months cannot be found once they are taken out of their folders."""
    generate(tmp_path, 30, MONTHS[1:], seed=6)
    with zipfile.ZipFile(tmp_path / "2024.zip") as archive:
        names = archive.namelist()
        for month in ("202401", "202402"):
            listed = listed_games(archive.read(f"{month}/index.html"))
            assert listed == [int(Path(n).stem) for n in names if n.startswith(month) and n.endswith(".tch")]
            assert len(listed) == 15


def test_the_same_order_makes_the_same_bytes(tmp_path):
    """A corpus that nobody can make again, because threads left their mark."""
    for folder, workers in (("a", 1), ("b", 2)):
        generate(tmp_path / folder, 260, MONTHS[1:], seed=9, quirks=True, workers=workers)
    for name in ("2024.zip", "truth.parquet"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_so_many_people_play_as_are_asked_for(tmp_path):
    """Strangers in every game: nobody plays often enough to tell how strong he is."""
    generate(tmp_path, 60, MONTHS[1:], seed=9, people=6)
    rows = pq.read_table(tmp_path / "truth.parquet").to_pylist()
    names = {name for row in rows for name in row["players"] or () if name}
    assert len(names) == 6
