"""What the networks of MuZero learn: the replay and the losses against plain references, and that they can learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.oracles.muzero import value_targets
from tichu_models.algorithms.muzero.losses import LOSSES, Windows, parts_of, total
from tichu_models.algorithms.muzero.networks import OF_VALUES, MuZeroNet, Sizes, Unrolled
from tichu_models.algorithms.muzero.quality import auc, quality_of
from tichu_models.algorithms.muzero.replay import Replay, Seen, Targets
from tichu_models.algorithms.muzero.thinking import Thinker
from tichu_models.algorithms.muzero.tree import OF_MCTX

SLOTS, ROOM, INPUTS, ACTIONS, K = 3, 16, 11, 5, 4
TARGETS = Targets(bootstrap=3, discount=0.9, fade=0.95)
SMALL = Sizes(latent=16, hidden=32)


def steps_of(generator: np.random.Generator, number: int) -> list[Seen]:
    """Positions of games of random lengths."""
    found = []
    for _ in range(number):
        legal = generator.random((SLOTS, ACTIONS)) < 0.3
        legal[np.arange(SLOTS), generator.integers(ACTIONS, size=SLOTS)] = True
        policies = np.where(legal, generator.random((SLOTS, ACTIONS)), 0).astype(np.float32)
        is_last = generator.random(SLOTS) < 0.15
        found.append(
            Seen(
                generator.integers(0, 2, (SLOTS, INPUTS)).astype(np.uint8),
                legal,
                generator.integers(0, 2, SLOTS),
                policies / policies.sum(axis=1, keepdims=True),
                generator.uniform(-1, 1, SLOTS),
                generator.integers(0, ACTIONS, SLOTS),
                np.where(is_last, generator.integers(-1, 2, SLOTS), 0),
                is_last,
            )
        )
    return found


def test_windows_are_those_of_lists():
    """A window that goes on in the next game or in what was written over; a column that has slipped; the target of
    another position, or for the other side."""
    steps, replay = steps_of(np.random.default_rng(1), 41), Replay(SLOTS, ROOM, INPUTS, ACTIONS, TARGETS)
    new = [replay.add(step) for step in steps]
    expected = {}
    for slot in range(SLOTS):
        begin = 0
        for t, step in enumerate(steps):
            if not step.is_last[slot]:
                continue
            kept, begin = [at for at in range(begin, t + 1) if at > t - ROOM], t + 1
            last = (int(step.sides[slot]), int(step.rewards[slot]))
            outcome = {last[0]: last[1], 1 - last[0]: -last[1]}
            of_game = [(int(steps[at].sides[slot]), float(np.float32(steps[at].values[slot]))) for at in kept]
            aims = value_targets([of_game], [outcome], TARGETS.bootstrap, TARGETS.discount, TARGETS.fade)
            for at, aim in zip(kept, aims, strict=True):
                if at >= len(steps) - ROOM:
                    expected[slot * ROOM + at % ROOM] = (slot, at, t + 1, aim)
    assert replay.known().tolist() == sorted(expected)
    assert set(expected) <= set(np.concatenate(new).tolist())
    windows = replay.windows(np.array(sorted(expected)), K)
    for row, (slot, at, end, _) in enumerate(expected[place] for place in sorted(expected)):
        for k in range(K + 1):
            assert bool(windows.exists[row, k]) == (at + k < end)
            if at + k >= end:
                assert not windows.chooses[row, k]
                continue
            step = steps[at + k]
            assert windows.seen[row, k].tolist() == step.seen[slot].tolist()
            assert windows.legal[row, k].tolist() == step.legal[slot].tolist()
            assert bool(windows.chooses[row, k]) == (step.legal[slot].sum() > 1)
            np.testing.assert_allclose(windows.policies[row, k], step.policies[slot], atol=1e-3)
            aim = expected[slot * ROOM + (at + k) % ROOM][3]
            assert float(windows.values[row, k]) == pytest.approx(aim, abs=1e-6)
            if k < K:
                assert int(windows.actions[row, k]) == step.actions[slot]
                assert int(windows.rewards[row, k]) == step.rewards[slot]
                same = at + k + 1 < end and steps[at + k + 1].sides[slot] == step.sides[slot]
                assert int(windows.relations[row, k]) == (0 if at + k + 1 >= end else 1 if same else -1)


def test_a_replay_that_is_taken_back_is_the_same():
    """Games that end after a run went on, with a beginning that nobody knows."""
    steps = steps_of(np.random.default_rng(2), 50)
    whole, first = (Replay(SLOTS, ROOM, INPUTS, ACTIONS, TARGETS) for _ in range(2))
    for step in steps:
        whole.add(step)
    for step in steps[:30]:
        first.add(step)
    again = Replay(SLOTS, ROOM, INPUTS, ACTIONS, TARGETS)
    again.load({name: column.copy() for name, column in first.arrays().items()}, 30)
    for step in steps[30:]:
        again.add(step)
    assert {name: column.tobytes() for name, column in again.arrays().items()} == {
        name: column.tobytes() for name, column in whole.arrays().items()
    }
    with pytest.raises(ValueError, match="'values'"):
        again.load({**first.arrays(), "values": np.zeros(3)}, 30)


def some_windows(n: int = 64) -> Windows:
    """Of random games."""
    replay = Replay(SLOTS, 64, INPUTS, ACTIONS, TARGETS)
    for step in steps_of(np.random.default_rng(4), 64):
        replay.add(step)
    return replay.windows(np.random.default_rng(5).choice(replay.known(), n), K)


@pytest.mark.parametrize("of_legal", [False, True])
def test_losses_are_those_of_sums(of_legal):
    """A policy that is learned where nobody chooses, or a value after the end; a mask that is not applied."""
    torch.manual_seed(1)
    windows, net = some_windows(), MuZeroNet(INPUTS, ACTIONS, SMALL)
    torch.nn.init.normal_(net.speaker.weight)
    unrolled = Unrolled(*(each.detach() for each in net(windows.seen, windows.actions)[:3]))
    found = parts_of(net.words, unrolled, windows, of_legal)
    sums = dict.fromkeys(found, 0.0)
    words, said, mirrored = net.words, unrolled.said, unrolled.mirrored
    w = Windows(*(each.numpy() for each in windows if each is not None))  # type: ignore[arg-type]
    for i in range(len(w.seen)):
        for k in range(K + 1):
            if k and w.exists[i, k - 1]:
                for name, scores, aim in (
                    ("reward", words.rewards(said), w.rewards),
                    ("relation", words.relations(said), w.relations),
                ):
                    sums[name] -= float(scores[i, k].log_softmax(0)[int(aim[i, k - 1]) + 1])
            if not w.exists[i, k]:
                continue
            if k:
                sums["apart"] += float(unrolled.apart[i, k - 1])
            sums["value"] += (float(words.value(said)[i, k]) - w.values[i, k]) ** 2
            chances = mirrored[i, k].sigmoid().numpy()
            sums["mirror"] -= np.log(np.where(w.seen[i, k] == 1, chances, 1 - chances)).sum()
            if of_legal:
                chances = words.legal(said)[i, k].sigmoid().numpy()
                sums["legal"] -= np.log(np.where(w.legal[i, k], chances, 1 - chances)).sum()
            if w.legal[i, k].sum() > 1:
                scores = words.policy(said)[i, k].numpy().astype(np.float64)
                allowed = w.legal[i, k] if of_legal else np.ones(ACTIONS, dtype=bool)
                logs = scores - np.log(np.exp(scores[allowed]).sum())
                sums["policy"] -= (w.policies[i, k] * logs)[allowed].sum()
    for name, part in found.items():
        assert float(part) == pytest.approx(sums[name] / len(w.seen), rel=1e-4), name
    parts = {name: torch.tensor(1.0) for name in found}
    further, more = {"legal": 0.5, "mirror": 0.25, "apart": 0.125}, 0.5 * of_legal + 0.375
    assert float(total(parts, LOSSES["seed"], further, K)) == pytest.approx(3 + more)
    assert float(total(parts, LOSSES["published"], further, K)) == pytest.approx((7 + more) / K)


def test_what_is_imagined_is_held_against_what_is_seen():
    """A distance to another position of the window, or one that the networks could shorten from the other end."""
    torch.manual_seed(7)
    windows, net = some_windows(), MuZeroNet(INPUTS, ACTIONS, SMALL)
    torch.nn.init.normal_(net.speaker.weight, std=0.3)
    latent = net.represent(windows.seen[:, 0])
    found = net(windows.seen, windows.actions).apart
    for k in range(K):
        latent = net.go_on(latent, windows.actions[:, k])
        true = net.represent(windows.seen[:, k + 1])
        values = [net.words.value(net.say(each)) for each in (latent, true)]
        apart = (latent - true).square().mean(1) + OF_VALUES * (values[0] - values[1]).square()
        torch.testing.assert_close(found[:, k], apart)
    still = net(windows.seen[:, :1].expand(-1, 2, -1), windows.actions[:, :1]).apart.sum()
    net.reader.requires_grad_(False)
    still.backward()
    assert float(net.turn.weight.grad.abs().sum()) > 0


def test_a_pass_is_seen_by_the_dynamics_and_not_learned_by_the_policy():
    """A policy that learns to pass, or a dynamics that has never seen what becomes of a pass."""
    torch.manual_seed(2)
    windows, net = some_windows(), MuZeroNet(INPUTS, ACTIONS, SMALL)
    forced = windows._replace(chooses=torch.zeros_like(windows.chooses))
    parts = parts_of(net.words, net(forced.seen, forced.actions), forced, of_legal=False)
    assert parts["policy"].item() == 0
    torch.nn.init.normal_(net.speaker.weight)
    torch.nn.init.normal_(net.leave[-1].weight)
    parts = parts_of(net.words, net(forced.seen, forced.actions), forced, of_legal=False)
    (parts["value"] + parts["policy"]).backward()
    assert all(float(net.shift.weight.grad[action].abs().sum()) > 0 for action in range(ACTIONS))


def test_networks_learn_what_they_are_told():
    """A gradient that does not come through the dynamics: what is known by heart stays unknown."""
    torch.manual_seed(3)
    windows, net = some_windows(), MuZeroNet(INPUTS, ACTIONS, Sizes(latent=32, hidden=64, blocks=1, dropout=0.1))
    before = quality_of(net, windows, True)
    optimiser = torch.optim.Adam(net.parameters(), lr=5e-3)
    for _ in range(160):
        parts = parts_of(net.words, net(windows.seen, windows.actions), windows, of_legal=True)
        optimiser.zero_grad()
        total(parts, LOSSES["published"], {"legal": 1.0, "mirror": 0.1, "apart": 0.0}, K).backward()
        optimiser.step()
    after = quality_of(net, windows, True)
    assert before.legal_auc == pytest.approx(0.5)
    assert after.legal_auc > 0.9
    assert after.imagined_error < 0.5 * before.imagined_error


def test_the_area_is_that_of_pairs():
    """A figure of the dynamics that is too good where scores are equal."""
    generator = np.random.default_rng(6)
    scores, is_so = np.round(generator.normal(size=40), 1).astype(np.float32), generator.random(40) < 0.4
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[is_so] for b in scores[~is_so]]
    assert auc(torch.from_numpy(scores), torch.from_numpy(is_so)) == pytest.approx(np.mean(pairs))
    assert np.isnan(auc(torch.zeros(3), torch.ones(3, dtype=torch.bool)))


def test_imagined_positions_without_a_move_do_not_branch():
    """Simulations that are spent on moves that nobody can make: where only a pass is legal, it alone is followed."""
    torch.manual_seed(4)
    net = MuZeroNet(INPUTS, ACTIONS, SMALL)
    passing = ACTIONS - 1
    with torch.no_grad():
        net.speaker.bias[-ACTIONS:] = -20.0
        net.speaker.bias[-1] = 20.0
    legal = np.ones((1, ACTIONS), dtype=bool)
    seen, noise = np.ones((1, INPUTS), dtype=np.uint8), np.zeros((1, ACTIONS))
    thinker = Thinker(net, 1, 40, 16, of_legal=True, value_scale=OF_MCTX)
    visits = thinker.think(seen, legal, noise).visits[0]
    tree = thinker._search._tree
    inside = tree.actions[0, 1:41][tree.parents[0, 1:41] != 0]
    assert visits.sum() == 40
    assert len(inside) == 40 - ACTIONS
    assert (inside == passing).all()


def test_one_legal_action_needs_no_search(monkeypatch):
    """Simulations that cannot change an action, in the most positions of a game with a die; or results that are
    written into the rows of other games."""
    torch.manual_seed(5)
    net = MuZeroNet(INPUTS, ACTIONS, SMALL)
    torch.nn.init.normal_(net.speaker.weight, std=0.3)
    generator = np.random.default_rng(5)
    seen, noise = generator.integers(0, 2, (5, INPUTS)).astype(np.uint8), generator.gumbel(size=(5, ACTIONS))
    legal = np.ones((5, ACTIONS), dtype=bool)
    legal[1], legal[3], legal[1, 2], legal[3, 0] = False, False, True, True
    thinker, asked, go_on = Thinker(net, 5, 8, ACTIONS, of_legal=True, value_scale=OF_MCTX), [], net.go_on

    def counted(latent, actions):
        asked.append(len(actions))
        return go_on(latent, actions)

    monkeypatch.setattr(net, "go_on", counted)
    found, free = thinker.think(seen, legal, noise), [0, 2, 4]
    assert asked == [3] * 8
    alone = thinker.think(seen[free], legal[free], noise[free])
    for whole, part in zip(found, alone, strict=True):
        np.testing.assert_allclose(whole[free], part, rtol=1e-4)
    assert found.actions[[1, 3]].tolist() == [2, 0]
    assert (found.weights[[1, 3]] == legal[[1, 3]]).all()
    with torch.inference_mode():
        values = net.words.value(net.say(net.represent(torch.from_numpy(seen).float()))).numpy()
    np.testing.assert_allclose(found.values[[1, 3]], values[[1, 3]], rtol=1e-4)
    forced = thinker.think(seen[1:2], legal[1:2], noise[1:2])
    assert (forced.actions.tolist(), forced.visits.sum()) == ([2], 0)
