"""Batched play: the same games as the fused loop, and an arena that repairs nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tichu_models.arena import lockstep, selfplay
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.records.schema import ROUND
from tichu_models.rules.asking import PLAY, SCHUPF
from tichu_models.rules.cards import DRAGON, PHOENIX, parse_cards

AGENTS = [RandomAgent(), HeuristicAgent(), HeuristicAgent(blunder=0.2)]
SEATING = np.array([[0, 1, 2, 1], [1, 1, 1, 1], [2, 2, 1, 0], [0, 0, 0, 0]] * 3)


def facts(rounds: list) -> tuple[list, bytes]:
    """All fields of many rounds but the place of their histories, and the histories."""
    fields = [name for name in ROUND.names if not name.startswith("history")]
    rows = np.concatenate([part.rows for part in rounds])
    return [rows[name].tolist() for name in fields], b"".join(part.history.tobytes() for part in rounds)


@pytest.mark.parametrize("tables_at_once", [1, 5, 1000])
def test_batched_and_fused_play_are_bit_equal(tables_at_once: int) -> None:
    """Prevents a second engine: the batched path playing other games than the fused one, or than other batch sizes."""
    batched = list(lockstep.play_games(AGENTS, SEATING, seed=5, tables_at_once=tables_at_once))
    fused = [played.rounds for played in selfplay.stream(AGENTS, SEATING, seed=5)]
    assert facts(batched) == facts(fused)


class Cheat(RandomAgent):
    """Answers one kind of decision with a choice of its own."""

    def __init__(self, kind: int, choice: int) -> None:
        super().__init__()
        self.name = "cheat"
        self.kind, self.choice = kind, choice

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """The forged answer for its kind, legal ones otherwise."""
        return np.full(len(views), self.choice) if kind == self.kind else super().decide(kind, views)


@pytest.mark.parametrize(
    ("kind", "choice", "named"),
    [
        (PLAY, parse_cards("Dr Ph"), "Dr Ph"),
        (PLAY, 0, "PASS_NOT_POSSIBLE"),
        (SCHUPF, 0, "INVALID_CARD_COUNT"),
        (SCHUPF, 255, "INVALID_CARD_LABEL"),
    ],
)
def test_an_illegal_answer_is_an_error_that_names_it(kind: int, choice: int, named: str) -> None:
    """Prevents silent repair: a broken agent would look like a weak one."""
    assert parse_cards("Dr Ph") == DRAGON | PHOENIX
    with pytest.raises(lockstep.IllegalAnswer, match=r"'cheat'.*game \d+, round \d+, turn \d+") as error:
        list(lockstep.play_games([Cheat(kind, choice)], np.zeros((3, 4)), seed=1))
    assert named in str(error.value)


def test_an_answer_of_the_wrong_shape_is_an_error() -> None:
    """Prevents answers that are broadcast over tables that they were not made for."""

    class Short(RandomAgent):
        def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
            return super().decide(kind, views)[:1]

    with pytest.raises(lockstep.IllegalAnswer, match="shape"):
        list(lockstep.play_games([Short()], np.zeros((3, 4)), seed=1))


def test_heuristic_beats_random() -> None:
    """Prevents a baseline that is none: the Wilson lower bound of its win rate over 2,000 games must reach .99."""
    totals = np.zeros((2000, 2), dtype=np.int64)
    for played in selfplay.stream(AGENTS[:2], np.tile([1, 0, 1, 0], (2000, 1)), seed=9):
        np.add.at(totals, played.rounds.rows["game_id"], played.rounds.rows["score"])
    won, games, z = int((totals[:, 0] > totals[:, 1]).sum()), len(totals), 1.96
    share = won / games
    spread = z * np.sqrt(share * (1 - share) / games + z**2 / (4 * games**2))
    assert (share + z**2 / (2 * games) - spread) / (1 + z**2 / games) >= 0.99
