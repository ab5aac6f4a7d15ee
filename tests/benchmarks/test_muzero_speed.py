"""How many simulations a core makes in the latent tree, without and with the networks, by processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.benchmarks.figures import best_seconds, report
from tests.makers.searches import Searches
from tests.oracles.muzero import World
from tichu_models.algorithms.muzero.search import Search

pytestmark = pytest.mark.bench
GAMES, ACTIONS, SIMULATIONS, TARGET = 256, 24, 32, 200_000.0
WITH_NETWORKS = 100_000.0  # on one core, half of what two shall make


@pytest.mark.parametrize("outcomes", [0, 6])
def test_simulations(outcomes):
    """Networks that wait for the tree, of actions alone or with nodes of chance between them."""
    searches = Searches(ACTIONS, 1, 0.0, outcomes, games=GAMES)
    search = Search(GAMES, ACTIONS, SIMULATIONS, outcomes=outcomes)
    seconds = best_seconds(lambda: searches.run(SIMULATIONS, search), clock=time.process_time)
    told = (
        f"simulations of {GAMES} games with {ACTIONS} actions and {outcomes} outcomes, tables in the place of networks"
    )
    report(told, GAMES * SIMULATIONS / seconds, TARGET)


@pytest.mark.parametrize("simulations", [32, 100])
def test_simulations_against_mctx(simulations):
    """A tree of our own that is slower than a library's: both search the same world of tables."""
    mctx = pytest.importorskip("mctx", reason="mctx, a second opinion, is not installed")
    import jax
    import jax.numpy as jnp

    searches, search = Searches(ACTIONS, 1, 0.0, games=GAMES), Search(GAMES, ACTIONS, simulations)
    world, roots = World(*(jnp.asarray(table) for table in searches.world)), jnp.asarray(searches.roots)
    illegal = jnp.asarray(~searches.legal)

    def step(_, __, action, place):
        at = world.after(place, action)
        of_place = {"prior_logits": world.logits[at], "value": world.values[at]}
        return mctx.RecurrentFnOutput(reward=world.rewards[at], discount=world.discounts[at], **of_place), at

    @jax.jit
    def theirs(key):
        root = mctx.RootFnOutput(prior_logits=world.logits[roots], value=world.values[roots], embedding=roots)
        found = mctx.gumbel_muzero_policy((), key, root, step, simulations, illegal, max_num_considered_actions=16)
        return found.action, found.action_weights

    key = jax.random.PRNGKey(0)
    here, there = (
        GAMES * simulations / best_seconds(work, clock=time.process_time)
        for work in (lambda: searches.run(simulations, search), lambda: jax.block_until_ready(theirs(key)))
    )
    print(f"\n{simulations} simulations a search: {here:,.0f}/s, {here / there:.1f} x mctx ({there:,.0f})")
    assert here > there


def _rate_with_networks(threads: int, clock: Callable[[], float]) -> float:
    """Simulations a second of so many threads, each with 512 games of its own, in the best of four rounds."""

    from tichu_models.algorithms.muzero.networks import MuZeroNet, Sizes
    from tichu_models.algorithms.muzero.thinking import Thinker
    from tichu_models.algorithms.muzero.training import PLAYED_IN
    from tichu_models.algorithms.muzero.tree import PLAIN
    from tichu_models.algorithms.precision import float32_by_onednn, use_one_thread

    generator, rates = np.random.default_rng(1), []
    seen = generator.integers(0, 2, (512, 224), dtype=np.uint8)  # as many inputs as MADN has with d = 4
    legal, noise = np.ones((512, 25), dtype=np.bool_), np.zeros((512, 25))
    net = MuZeroNet(224, 25, Sizes()).to(PLAYED_IN)
    thinkers = [Thinker(net, 512, SIMULATIONS, 16, of_legal=True, value_scale=PLAIN) for _ in range(threads)]
    with float32_by_onednn(), ThreadPoolExecutor(threads, initializer=use_one_thread) as workers:
        for _ in range(4):
            began = clock()
            list(workers.map(lambda thinker: thinker.think(seen, legal, noise), thinkers))
            rates.append(threads * 512 * SIMULATIONS / (clock() - began))
    return max(rates)


def test_simulations_with_networks():
    """All there is to a search: the tree, the networks, and what is copied between them."""
    rate = _rate_with_networks(1, time.process_time)
    report("simulations of 512 games with 25 actions, networks included", rate, WITH_NETWORKS)


def test_simulations_of_two_cores():
    """Searches that wait for each other; by the clock, so that anything beside them counts."""
    rate = _rate_with_networks(2, time.perf_counter)
    report("likewise, two threads on two cores", rate, 2 * WITH_NETWORKS)
