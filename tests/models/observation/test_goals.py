"""What a round is worth to a team with a goal, and the chance to win a game, beside plain references."""

from __future__ import annotations

import numpy as np
import pytest

from tichu_models.observation.goals import GAME_WORTH, GoalTerms, reading_in_game, worth_in_game
from tichu_models.observation.view import GOAL_POINTS
from tichu_models.observation.winning import SCORES, chance_to_win, table, table_of


def plain_worth(lead: float, goal: float, terms: GoalTerms) -> float:
    """Points up to the goal, the bonus if it is reached, and the points beyond it for what they are worth."""
    if lead < goal:
        return lead
    return goal + terms.bonus + terms.beyond * (lead - goal)


@pytest.mark.parametrize("terms", [GoalTerms(), GoalTerms(100, 1), GoalTerms(0, 0), GoalTerms(250, -1)])
def test_goals_are_worth_what_a_plain_reference_says(terms):
    """A team that learns to miss its goal: a bonus on the wrong side, or points beyond that count against all."""
    for goal in (-300, -50, 0, 100, 300):
        leads = np.arange(-400.0, 405.0, 5.0)
        expected = [plain_worth(lead, goal, terms) for lead in leads]
        assert terms.worth(leads, np.full(len(leads), float(goal))).tolist() == expected
        read = [plain_worth(lead, goal, terms) - lead for lead in GOAL_POINTS]
        assert terms.reading(np.array(goal)).tolist() == read


def test_with_no_worth_beyond_its_points_nothing_is_read():
    """A player without a goal that reads one."""
    assert not GoalTerms(0, 1).reading(np.array([-300.0, 0.0, 300.0])).any()


def test_a_game_of_one_round_in_the_lead_is_told_by_hand():
    """Chances of another team, of the game before the round, or a game that goes on when it is over."""
    chances = table_of(np.array([[100, 0]]))  # whoever wins a round gets 100 points
    at = {score: place for place, score in enumerate(SCORES)}
    for own, other, chance in ((950, 950, 1 / 2), (850, 900, 1 / 4), (800, 900, 1 / 4), (900, 700, 7 / 8)):
        assert chances[at[own], at[other]] == pytest.approx(chance, abs=1e-5)
        assert chance_to_win(own, other, chances) == pytest.approx(chance, abs=1e-5)
    assert chance_to_win(825, 900, chances) == pytest.approx(
        (chances[at[800], at[900]] + chances[at[850], at[900]]) / 2
    )
    over = chance_to_win(np.array([1000, 1100, 900, 1000]), np.array([995, 1000, 1005, 1000]), chances)
    assert over.tolist() == [1, 1, 0, 0.5]


def test_the_shipped_table_is_one_of_chances():
    """A file of another shape, or the other team's chances: a side that leads would play as if it were behind."""
    chances = table()
    assert chances.shape == (len(SCORES), len(SCORES))
    np.testing.assert_allclose(chances + chances.T, 1, atol=2e-4)
    assert np.all(np.diff(chances, axis=0) >= 0)
    assert chance_to_win(900, 700) > 0.7


def test_rounds_of_a_game_are_worth_the_change_of_the_chance():
    """A round that is worth the same to both teams, or the end of a game that is worth nothing."""
    total, score = np.array([700.0, 900.0]), np.array([60.0, 40.0])
    expected = GAME_WORTH * (chance_to_win(760, 940) - chance_to_win(700, 900))
    assert worth_in_game(total, score) == pytest.approx(expected)
    assert worth_in_game(total[::-1], score[::-1]) == pytest.approx(-expected, abs=0.2)
    lost = worth_in_game(total, np.array([0.0, 100.0]))
    assert lost == pytest.approx(-GAME_WORTH * chance_to_win(700, 900))


def test_who_is_behind_reads_that_a_large_win_is_worth_more():
    """A side that is behind and plays safe, a side that leads and risks its lead."""
    behind, ahead = reading_in_game(np.array([[700, 900], [900, 700]])).astype(float)
    points = np.array(GOAL_POINTS, dtype=float)
    worth = behind + points  # the game is lost by -100 as by -300, and +300 wins it
    assert worth[0] == worth[1] == worth[2]
    assert behind[-1] > 300
    np.testing.assert_allclose(ahead, -behind[::-1], atol=1.5)
