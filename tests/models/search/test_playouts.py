"""Playouts: positions played on as a table would, and answers tried on the same deals."""

from __future__ import annotations

import numpy as np

from tests.makers.positions import PLAYS, Table
from tichu_models.observation.view import VIEW
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.rules.asking import ASK_PLAY, PLAY, POSITION
from tichu_models.rules.cards import LABELS
from tichu_models.rules.combinations import cards_of
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.search.endgame import SOLVING, WORST, solve
from tichu_models.search.playouts import Playouts, branch, on_turn
from tichu_models.search.position import choices
from tichu_models.search.rollout import roll_out
from tichu_models.search.tree import NODE, TREE

SOLVER_LIMIT = 100_000


def positions_of(deals: int, cards: int = 14, seed: int = 0) -> np.ndarray:
    """Positions with so many cards on each hand; a seat is asked for its lead."""
    chance, positions = np.random.default_rng(seed), np.zeros(deals, dtype=POSITION)
    for deal in range(deals):
        order = chance.permutation(len(LABELS))
        hands = [" ".join(LABELS[card] for card in order[14 * seat : 14 * seat + cards]) for seat in range(4)]
        table = Table(*hands, turn=deal & 3)
        positions[deal]["state"], positions[deal]["phase"], positions[deal]["kind"] = table.state, ASK_PLAY, PLAY
        positions[deal]["seat"] = deal & 3
    return positions


def test_they_end_as_the_rollouts_of_the_other_search():
    """A second loop of questions that skips one, or asks the wrong seat: both play by the rules of thumb."""
    positions = positions_of(200)
    trees, nodes = np.zeros(len(positions), dtype=TREE), np.zeros((len(positions), 1), dtype=NODE)
    nodes["position"][:, 0] = positions
    expected, seen = np.empty(len(positions)), np.zeros(1, dtype=VIEW)[0]
    roll_out(trees, nodes, np.zeros(1, dtype=POSITION), seen, PLAYS, expected)
    found = Playouts(HeuristicAgent()).play(positions.copy()) * (1 - 2 * (positions["seat"] & 1))
    np.testing.assert_array_equal(found, expected)
    assert len(set(expected)) > 20


def test_draws_depend_on_the_key_alone():
    """Playouts that cannot be repeated, or that are all the same one."""
    positions = positions_of(40)
    keys = [np.arange(40, dtype=np.uint64), np.arange(40, dtype=np.uint64), np.arange(40, 80, dtype=np.uint64)]
    first, again, other = (Playouts(RandomAgent()).play(positions.copy(), each) for each in keys)
    assert (first == again).all()
    assert (first != other).any()
    turned = Playouts(RandomAgent()).play(positions[::-1].copy(), keys[0][::-1].copy())
    assert (turned[::-1] == first).all()


def test_endings_are_solved_where_that_is_asked():
    """A solver whose sign is wrong for one of the teams, or that is never called."""
    positions = positions_of(40, cards=2, seed=1)
    solving = np.zeros(1, dtype=SOLVING)[0]
    expected = [solve(each.copy(), -WORST, WORST, SOLVER_LIMIT, solving) / VALUE_UNIT for each in positions]
    np.testing.assert_array_equal(Playouts(RandomAgent(), most_solved=8).play(positions.copy()), expected)


def test_a_judge_values_what_is_still_open_after_the_plies():
    """Values of the wrong team, or of a position before the last answer."""
    asked = []

    def judge(positions: np.ndarray) -> np.ndarray:
        asked.append(positions.copy())
        return np.full(len(positions), 0.5)

    positions = positions_of(40)
    values = Playouts(HeuristicAgent(), judge, plies=3).play(positions.copy())
    (reached,) = asked
    assert len(reached) == 40  # no round is over after three plies
    np.testing.assert_array_equal(values, np.where(reached["seat"] & 1, -0.5, 0.5))
    assert (reached["state"]["turns"] > positions["state"]["turns"]).all()


def test_every_answer_is_tried_on_every_deal():
    """Answers compared on different deals, or one deal lost."""
    positions = positions_of(6)
    states, seats = positions["state"], np.array([0, 1, 2], dtype=np.int8)
    moves, counts = [], np.zeros(3, dtype=np.int64)
    for decision in range(3):  # two deals of each, in which the seat that is asked holds the same cards
        states["hand"][2 * decision + 1] = states["hand"][2 * decision]
        position = positions[2 * decision].copy()
        position["seat"], position["state"]["turn"] = seats[decision], seats[decision]
        counts[decision] = min(choices(position, PLAYS), decision + 1)
        moves += PLAYS["move"][: counts[decision]].tolist()
    states["turn"] = np.repeat(seats, 2)
    after = np.zeros(2 * counts.sum(), dtype=POSITION)
    branch(on_turn(states, np.repeat(seats, 2)), np.array(moves), counts, 2, after)
    decision_of = np.repeat(np.arange(3), counts)
    for row, position in enumerate(after):
        decision, deal = decision_of[row // 2], row % 2
        laid = cards_of(moves[row // 2])
        seat, before = seats[decision], states[2 * decision + deal]
        assert position["state"]["hand"][seat] == before["hand"][seat] & ~laid
        others = [other for other in range(4) if other != seat]
        assert (position["state"]["hand"][others] == before["hand"][others]).all()
