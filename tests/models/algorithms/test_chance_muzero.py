"""Stochastic MuZero: what is learned of afterstates and of chance, against plain sums, and that a search finds the best
action of a small game by it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tichu_models.algorithms.muzero.chance_networks import ChanceNet, network_of
from tichu_models.algorithms.muzero.losses import LOSSES, Windows, parts_of, total
from tichu_models.algorithms.muzero.networks import MuZeroNet, Sizes
from tichu_models.algorithms.muzero.replay import Replay, Seen, Targets
from tichu_models.algorithms.muzero.thinking import Thinker
from tichu_models.algorithms.muzero.tree import OF_MCTX

PLACES, ACTIONS, OUTCOMES = 4, 3, 5
AFTERS, ENDS = PLACES * ACTIONS, PLACES * ACTIONS * OUTCOMES
INPUTS = PLACES + AFTERS + ENDS
STEPS, LEARNING_RATE = 500, 1e-2
SMALL = Sizes(latent=INPUTS, hidden=64)


class Wheel:
    """A game of one action: it leads from one of some places to an afterstate, where a wheel has an outcome, each with
    chances of its own, and an end that is won or lost."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.chances = generator.dirichlet(np.ones(OUTCOMES), (PLACES, ACTIONS))
        self.worth = generator.choice([-1.0, 1.0], (PLACES, ACTIONS, OUTCOMES))
        self.means = (self.chances * self.worth).sum(-1)

    def windows(self, n: int, generator: np.random.Generator) -> Windows:
        """Some of its games, by any action, as a network learns them. The policy learns nothing by them."""
        place, action = generator.integers(0, PLACES, n), generator.integers(0, ACTIONS, n)
        outcome = (generator.random((n, 1)) > self.chances[place, action].cumsum(-1)).sum(-1).clip(max=OUTCOMES - 1)
        after = place * ACTIONS + action
        seen = np.zeros((n, 2, INPUTS), dtype=np.float32)
        seen[np.arange(n), 0, place] = seen[np.arange(n), 1, PLACES + AFTERS + after * OUTCOMES + outcome] = 1
        between = np.zeros((n, 1, INPUTS), dtype=np.float32)
        between[np.arange(n), 0, PLACES + after] = 1
        legal = torch.ones((n, 2, ACTIONS), dtype=torch.bool)
        return Windows(
            seen=torch.from_numpy(seen),
            actions=torch.from_numpy(action)[:, None],
            exists=torch.ones((n, 2), dtype=torch.bool),
            chooses=torch.zeros((n, 2), dtype=torch.bool),
            legal=legal,
            policies=legal.float() / ACTIONS,
            values=torch.from_numpy(
                np.stack([self.means.mean(1)[place], self.worth[place, action, outcome]], 1)
            ).float(),
            rewards=torch.zeros((n, 1), dtype=torch.int64),
            relations=torch.ones((n, 1), dtype=torch.int64),
            afters=torch.from_numpy(between),
            outcomes=torch.from_numpy(outcome)[:, None],
        )


@pytest.fixture(scope="module")
def learned() -> tuple[Wheel, ChanceNet]:
    """Networks that know a game by heart."""
    torch.manual_seed(1)
    wheel, net, generator = Wheel(3), ChanceNet(INPUTS, ACTIONS, SMALL, OUTCOMES), np.random.default_rng(1)
    optimiser = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (1 - step / STEPS)
        windows = wheel.windows(256, generator)
        parts = parts_of(net.words, net(*windows.unrolled_by), windows, of_legal=False)
        optimiser.zero_grad()
        total(parts, LOSSES["published"], {"mirror": 0.3, "apart": 0.01}, 1).backward()
        optimiser.step()
    return wheel, net


@torch.inference_mode()
def test_chances_and_afterstates_are_known_by_heart(learned):
    """A distribution that is that of the action and not of where it was made; afterstates that are worth what the last
    outcome brought instead of the mean, or what another action leads to."""
    wheel, net = learned
    places = torch.eye(INPUTS)[:PLACES].repeat_interleave(ACTIONS, 0)
    afters = net.go_on(net.represent(places), torch.arange(ACTIONS).repeat(PLACES))
    said = net.say(afters)
    chances = net.words.chances(said).softmax(-1).reshape(wheel.chances.shape).numpy()
    assert np.abs(chances - wheel.chances).max() < 0.06
    assert np.abs(net.words.value(said).reshape(wheel.means.shape).numpy() - wheel.means).max() < 0.15
    ends = net.meet(afters.repeat_interleave(OUTCOMES, 0), torch.arange(OUTCOMES).repeat(AFTERS))
    found = net.words.value(net.say(ends)).reshape(wheel.worth.shape).numpy()
    often = wheel.chances > 0.05
    assert (np.sign(found) == wheel.worth)[often].all()


def test_the_search_finds_the_best_action(learned):
    """A search that takes the value of an afterstate for that of the other side, or counts each outcome as much as
    another one: the policy that is given to it knows nothing."""
    wheel, net = learned
    seen = np.eye(INPUTS, dtype=np.uint8)[:PLACES]
    thinker = Thinker(net, PLACES, ACTIONS * (1 + OUTCOMES), ACTIONS, of_legal=False, value_scale=OF_MCTX)
    found = thinker.think(seen, np.ones((PLACES, ACTIONS), dtype=np.bool_), np.zeros((PLACES, ACTIONS)))
    gaps = np.sort(wheel.means, axis=1)
    clear = gaps[:, -1] - gaps[:, -2] > 0.1
    assert clear.sum() >= 2
    assert (found.actions == wheel.means.argmax(1))[clear].all()


def test_actions_and_outcomes_take_turns():
    """A latent position that an outcome is taken for an action in, or the row of another game; chance that brings a
    reward, or turns a value over."""
    torch.manual_seed(2)
    net, games, simulations = ChanceNet(INPUTS, ACTIONS, SMALL, OUTCOMES), 6, 30
    for layer in (net.speaker, net.leave[-1], net.leave_chance, net.thrown):
        torch.nn.init.normal_(layer.weight, std=0.3)
    generator = np.random.default_rng(2)
    seen = generator.integers(0, 2, (games, INPUTS)).astype(np.uint8)
    thinker = Thinker(net, games, simulations, ACTIONS, of_legal=False, value_scale=OF_MCTX)
    thinker.think(seen, np.ones((games, ACTIONS), dtype=np.bool_), np.zeros((games, ACTIONS)))
    tree = thinker._search._tree
    kinds = set()
    with torch.inference_mode():
        latents = net.represent(torch.from_numpy(seen).float())
        for row in range(games):
            known = {0: latents[row]}
            for node in range(1, simulations + 1):
                before, chosen = known[int(tree.parents[row, node])], torch.tensor([int(tree.actions[row, node])])
                by_chance = bool(tree.by_chance[row, tree.parents[row, node]])
                kinds.add(by_chance)
                known[node] = (net.meet if by_chance else net.go_on)(before[None], chosen)[0]
                assert bool(tree.by_chance[row, node]) != by_chance
                assert tree.raw[row, node] == pytest.approx(float(net.words.value(net.say(known[node]))), abs=1e-4)
                if by_chance:
                    assert (tree.rewards[row, node], tree.discounts[row, node]) == (0, 1)
    assert kinds == {False, True}


def test_losses_of_chance_are_those_of_sums():
    """Outcomes that are learned after the end of a game, or one step late; an afterstate that learns the value of the
    position before it."""
    torch.manual_seed(3)
    generator, steps = np.random.default_rng(4), 3
    single = [Wheel(5).windows(16, generator) for _ in range(steps)]
    net = ChanceNet(INPUTS, ACTIONS, SMALL, OUTCOMES)
    torch.nn.init.normal_(net.speaker.weight, std=0.3)
    exists = torch.arange(steps + 1) < torch.from_numpy(generator.integers(1, steps + 2, 16))[:, None]
    windows = single[0]._replace(
        seen=torch.cat([single[0].seen[:, :1], *(each.seen[:, 1:] for each in single)], dim=1),
        exists=exists,
        chooses=exists & False,
        legal=single[0].legal[:, :1].expand(-1, steps + 1, -1),
        policies=single[0].policies[:, :1].expand(-1, steps + 1, -1),
        values=torch.cat([single[0].values[:, :1], *(each.values[:, 1:] for each in single)], dim=1),
        **{
            name: torch.cat([getattr(each, name) for each in single], dim=1)
            for name in ("actions", "rewards", "relations", "afters", "outcomes")
        },
    )
    with torch.no_grad():
        unrolled = net(*windows.unrolled_by)
        found = parts_of(net.words, unrolled, windows, of_legal=False)
    afters, words, sums = unrolled.afters, net.words, dict.fromkeys(("after", "chance", "reward", "relation"), 0.0)
    for i in range(16):
        for k in range(steps):
            said = afters.said[i, k]
            if exists[i, k]:
                sums["reward"] -= float(words.rewards(said).log_softmax(0)[1])
                sums["relation"] -= float(words.relations(said).log_softmax(0)[2])
            if exists[i, k + 1]:
                sums["after"] += (float(words.value(said)) - float(windows.values[i, k + 1])) ** 2
                sums["chance"] -= float(words.chances(said).log_softmax(0)[windows.outcomes[i, k]])
    for name, each in sums.items():
        assert float(found[name]) == pytest.approx(each / 16, rel=1e-4), name
    plain = parts_of(words, unrolled._replace(afters=None), windows, of_legal=False)
    for name in ("apart", "mirror"):
        assert float(found[name]) > float(plain[name])


def test_windows_have_what_chance_did_after_each_action():
    """An outcome of the position before, or of another game; afterstates that have slipped."""
    generator, slots, room = np.random.default_rng(6), 2, 16
    replay, steps = Replay(slots, room, 7, 3, Targets(), by_chance=True), []
    for at in range(20):
        afters = generator.integers(0, 2, (slots, 7)).astype(np.uint8)
        outcomes = generator.integers(0, 6, slots)
        position = (afters, np.ones((slots, 3), bool), np.zeros(slots), np.zeros((slots, 3)), np.zeros(slots))
        came = (np.zeros(slots), np.zeros(slots), np.full(slots, at in (8, 19)), afters, outcomes)
        steps.append((afters, outcomes))
        replay.add(Seen(*position, *came))
    places = replay.known()
    windows = replay.windows(places, 3)
    assert windows.afters is not None
    assert windows.outcomes is not None
    for row, place in enumerate(places):
        slot, at = place // room, 19 - (19 - place % room) % room
        for k in range(3):
            if windows.exists[row, k]:
                assert windows.afters[row, k].tolist() == steps[at + k][0][slot].tolist()
                assert int(windows.outcomes[row, k]) == steps[at + k][1][slot]
    assert windows.only(windows.exists[:, 0]).afters is not None


def test_without_chance_the_networks_are_the_plain_ones():
    """Weights that nothing teaches, in every run of a game without chance."""
    assert type(network_of(INPUTS, ACTIONS, SMALL, 0)) is MuZeroNet
    assert isinstance(network_of(INPUTS, ACTIONS, SMALL, OUTCOMES), ChanceNet)
