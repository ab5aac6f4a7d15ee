"""MuZero: targets and searches against plain references, and against mctx where it is installed."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tests.makers.searches import Searches
from tests.oracles.muzero import Plain, World, value_targets
from tichu_models.algorithms.muzero import targets
from tichu_models.algorithms.muzero.search import Search, considered_visits
from tichu_models.algorithms.muzero.tree import OF_MCTX, ValueScale

GAMES = 24


def value_or_none(generator: np.random.Generator) -> float:
    """The value of a search, or that there was none."""
    return float(generator.uniform(-1, 1)) if generator.random() < 0.8 else np.nan


@pytest.mark.parametrize("steps", [1, 5, 10])
@pytest.mark.parametrize("teams", [2, 4])
def test_targets_are_those_of_the_reference(steps, teams):
    """A value that is looked up after the end, where the next game's first position stands, or that is not turned over
    for the other side, or of a position that was not searched; games of every length around the number of steps."""
    generator = np.random.default_rng(steps)
    games = [
        [(int(generator.integers(teams)), value_or_none(generator)) for _ in range(length)]
        for length in [*range(1, 2 * steps + 3), steps, steps + 1]
    ]
    outcomes = [{side: 1.0 if side == game[-1][0] else -1.0 for side in range(teams)} for game in games]
    flat = [position for game in games for position in game]
    won = [outcome[side] for game, outcome in zip(games, outcomes, strict=True) for side, _ in game]
    values, sides = np.array([value for _, value in flat]), np.array([side for side, _ in flat])
    found = np.full(len(flat), np.nan)
    ends = np.cumsum([len(game) for game in games])
    targets.value_targets(values, np.array(won), sides, ends, steps, 0.97, 0.997, found)
    np.testing.assert_allclose(found, value_targets(games, outcomes, steps, 0.97, 0.997), rtol=1e-12)


def test_with_exactly_so_many_steps_left_the_outcome_is_the_target():
    """The value of the next game's first position, which lies just behind the end."""
    values, found = np.array([0.1, 0.2, 0.3, 9.0]), np.zeros(4)
    sides, ends = np.array([0, 1, 0, 1]), np.array([3, 4])
    targets.value_targets(values, np.array([1.0, -1.0, 1.0, 1.0]), sides, ends, 3, 1.0, 1.0, found)
    assert found.tolist() == [1.0, -1.0, 1.0, 1.0]
    targets.value_targets(values, np.array([1.0, -1.0, 1.0, 1.0]), sides, ends, 1, 1.0, 1.0, found)
    assert found.tolist() == [-0.2, -0.3, 1.0, 1.0]


def test_windows_end_with_their_game():
    """A step that leads from the end of a game into the next one, or a discount for the wrong side."""
    sides = np.array([[0, 0, 1, 0, 1]], dtype=np.int8)  # a game of three, a game of two
    starts, last = np.array([0, 2, 3]), np.array([3, 3, 5])
    positions, relations = np.zeros((3, 4), dtype=np.int64), np.zeros((3, 3), dtype=np.int64)
    targets.windows(np.zeros(3, dtype=np.int64), starts, last, sides, positions, relations)
    assert positions.tolist() == [[0, 1, 2, -1], [2, -1, -1, -1], [3, 4, -1, -1]]
    assert relations.tolist() == [[1, -1, 0], [0, 0, 0], [-1, 0, 0]]


def test_windows_go_round_their_ring():
    """The next slot's positions in the place of those at the beginning of the ring."""
    sides = np.array([[0, 1, 0, 1], [0, 0, 1, 1]], dtype=np.int8)  # positions 4 to 7 of two slots
    positions, relations = np.zeros((1, 3), dtype=np.int64), np.zeros((1, 2), dtype=np.int64)
    targets.windows(np.array([1]), np.array([7]), np.array([10]), sides, positions, relations)
    assert positions.tolist() == [[7, 4, 5]]
    assert relations.tolist() == [[-1, 1]]


CASES = [(24, 32, 0.0), (24, 100, 1.0), (5, 50, 0.0), (3, 1, 1.0), (40, 75, 1.0)]


# With more outcomes than actions, as many, fewer, and a single one.
BY_CHANCE = [(24, 100, 0.0, 6), (3, 60, 1.0, 6), (5, 2, 0.0, 5), (4, 40, 1.0, 1)]


SCALES = [OF_MCTX, ValueScale(0.4, is_rescaled=False)]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("actions", "simulations", "noise", "outcomes"), [*((*case, 0) for case in CASES), *BY_CHANCE])
def test_searches_are_those_of_the_reference(actions, simulations, noise, outcomes, scale):
    """A visit too many, a value that is turned over twice, an action that is not legal at the root; an outcome that is
    taken for an action, or that counts as often as it was tried instead of by its chances."""
    case = Searches(actions, simulations, noise, outcomes)
    search = Search(GAMES, actions, simulations, outcomes=outcomes, value_scale=scale)
    case.run(simulations, search)
    found = case.run(simulations, search)  # as good as with new memory
    for game in range(GAMES):
        of_game = case.legal[game].tolist(), case.gumbel[game].tolist()
        plain = Plain(case.world, *of_game, value_scale=scale.scale, is_rescaled=scale.is_rescaled)
        action, visits, value = plain.search(int(case.roots[game]), simulations)
        assert found.visits[game].tolist() == visits
        assert found.actions[game] == action
        assert found.values[game] == pytest.approx(value, abs=1e-6)
    assert case.legal[np.arange(GAMES), found.actions].all()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, rtol=1e-5)
    assert (found.weights[~case.legal] == 0).all()


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("actions", "simulations", "noise"), CASES)
def test_searches_are_those_of_mctx(actions, simulations, noise, scale):
    """A search that a reference of our own has misunderstood as well."""
    mctx = pytest.importorskip("mctx", reason="mctx, a second opinion, is not installed")
    import jax
    import jax.numpy as jnp

    case = Searches(actions, simulations, noise)
    world = World(*(jnp.asarray(table) for table in case.world))

    def step(_, __, action, place):
        at = world.after(place, action)
        of_place = {"prior_logits": world.logits[at], "value": world.values[at]}
        return mctx.RecurrentFnOutput(reward=world.rewards[at], discount=world.discounts[at], **of_place), at

    roots = jnp.asarray(case.roots)
    policy = mctx.gumbel_muzero_policy
    given = {"value_scale": scale.scale, "rescale_values": scale.is_rescaled}
    valued = functools.partial(mctx.qtransform_completed_by_mix_value, **given)
    args = {"invalid_actions": jnp.asarray(~case.legal), "max_num_considered_actions": 16, "gumbel_scale": noise}
    key = jax.random.PRNGKey(0)
    root = mctx.RootFnOutput(prior_logits=world.logits[roots], value=world.values[roots], embedding=roots)
    output = policy((), key, root, step, simulations, qtransform=valued, **args)
    case.gumbel = np.asarray(output.search_tree.extra_data.root_gumbel)
    search = Search(GAMES, actions, simulations, value_scale=scale)
    found, summary = case.run(simulations, search), output.search_tree.summary()
    assert found.visits.tolist() == np.asarray(summary.visit_counts).astype(int).tolist()
    assert found.actions.tolist() == np.asarray(output.action).tolist()
    np.testing.assert_allclose(found.values, np.asarray(summary.value), atol=1e-5)
    np.testing.assert_allclose(found.weights, np.asarray(output.action_weights), atol=1e-4)


@pytest.mark.parametrize(("actions", "simulations"), [(1, 5), (2, 9), (16, 32), (16, 200), (5, 3)])
def test_halving_tries_the_best_most(actions, simulations):
    """Simulations that are lost, or spent on actions that have dropped out."""
    found = considered_visits(actions, simulations)
    assert len(found) == simulations
    assert found[: min(actions, simulations)] == [0] * min(actions, simulations)
    assert found == sorted(found)
