"""Corpora of one player: what is ingested is what was played, and the same order makes the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tests.makers.runs import make_self_taught
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena import lockstep
from tichu_models.records.stored import to_records
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, SCHUPF, WISH
from tichu_pipeline.brettspielwelt.corpus import played
from tichu_pipeline.brettspielwelt.corpus.played import generate_played
from tichu_pipeline.cli import app
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths, month_files

MONTHS = ["2024-01", "2024-02"]
GAMES, SEED = 6, 5


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A folder with a small player that could have learned from self-play. It calls by rules of thumb, or its games
    would not end."""
    folder = tmp_path_factory.mktemp("runs")
    make_self_taught(folder, "taught", kinds=(SCHUPF, BOMB_THROW, WISH, DRAGON_GIFT))
    return folder


@pytest.mark.parametrize("player", ["heuristic", "policy:taught"])
def test_what_is_ingested_is_what_was_played(tmp_path, runs, player):
    """Findings about games that nobody has played: a call, a schupfed card or a wish that is lost on the way."""
    paths = DataPaths(tmp_path)
    made = generate_played(paths.raw, player, runs, GAMES, MONTHS, SEED, workers=1)
    ingest(paths.raw, paths)
    stored = to_records(pa.concat_tables(pq.read_table(path) for path in month_files(paths.rounds)))
    (expected,) = lockstep.play_games([agent_from(player, runs)], np.zeros((GAMES, 4), dtype=np.int32), SEED)
    assert (made.games, made.rounds, len(stored)) == (GAMES, len(expected), len(expected))
    number = np.unique(stored.rows["game_id"], return_inverse=True)[1]
    assert (number == expected.rows["game_id"]).all()
    for field in expected.rows.dtype.names:
        if field not in ("game_id", "history_from", "history_to"):
            assert (stored.rows[field] == expected.rows[field]).all(), field
    assert all(stored.history_of(i) == expected.history_of(i) for i in range(len(expected)))
    assert (paths.raw / "2024.zip").exists()


def test_the_same_order_makes_the_same_bytes(tmp_path, monkeypatch):
    """A corpus that nobody can make again, because processes or the cut into tasks left their mark."""
    for folder, workers, at_once in (("a", 1, 100), ("b", 2, 4)):
        monkeypatch.setattr(played, "GAMES_A_TASK", at_once)
        played.generate_played(tmp_path / folder, "heuristic", tmp_path, 10, MONTHS, SEED, workers)
    assert (tmp_path / "a" / "2024.zip").read_bytes() == (tmp_path / "b" / "2024.zip").read_bytes()


def test_players_that_cannot_play_are_refused(tmp_path):
    """A traceback out of a worker process; a corpus that differs each time; quirks that are silently left out."""
    with pytest.raises(AgentError, match="no run 'nobody'"):
        generate_played(tmp_path, "policy:nobody", tmp_path, 1, MONTHS, SEED)
    make_self_taught(tmp_path, "taught")
    with pytest.raises(AgentError, match="could not be made again"):
        generate_played(tmp_path, "mctsrl:taught,seconds=0.1", tmp_path, 1, MONTHS, SEED)
    order = ["generate", "--games", "1", "--out", str(tmp_path)]
    for more, message in ((["--players", "hueristic"], "unknown name"), (["--players", "heuristic", "--quirks"], "")):
        result = CliRunner().invoke(app, [*order, *more])
        assert result.exit_code in (1, 2)
        assert message in result.output
    assert not list(tmp_path.glob("*.zip"))
