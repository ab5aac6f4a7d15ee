"""The table of chances to win a game is made of rounds, and read as it was written."""

from __future__ import annotations

import numpy as np

from tests.makers.agents import make_champion
from tichu_models.observation import winning
from tichu_models.runs import files
from tichu_pipeline.tools import winning_table


def test_the_table_that_is_written_is_the_one_that_is_read(tmp_path, monkeypatch):
    """A file that no player can read, with rows for columns, or from rounds of one team only."""
    monkeypatch.setattr(files, "CHAMPION", make_champion(tmp_path))
    file = tmp_path / winning.FILE
    winning_table.main(200, file)
    scores = winning_table.scores_of(200)
    assert scores.shape == (200, 2)
    assert len(np.unique(scores, axis=0)) > 20
    expected = winning.table_of(scores)
    np.testing.assert_allclose(np.loadtxt(file, delimiter=",", comments="#"), expected, atol=5.1e-5)
    np.testing.assert_allclose(expected + expected.T, 1, atol=1e-3)
    monkeypatch.setattr(winning.resources, "files", lambda package: tmp_path)
    winning.table.cache_clear()
    try:
        np.testing.assert_allclose(winning.table(), expected, atol=5.1e-5)
    finally:
        winning.table.cache_clear()
