"""Rollouts: the rounds that the arena plays with the same players, and records that say what happened in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from tests.makers.runs import SCALING, make_self_taught
from tichu_models.agents.neural import network
from tichu_models.agents.neural.self_taught_agent import SelfTaughtAgent
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.results import results_of
from tichu_models.arena.table import fixtures_of
from tichu_models.networks.candidate_policy_net import move_features
from tichu_models.networks.move_net import MoveNet
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import LABEL_NAMES, WISH_LABEL
from tichu_models.players.base import Agent
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.records.replay import check
from tichu_models.rl.readers import Reader
from tichu_models.rl.rollout import Experience, Seating, play
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, GRAND_CALL, KINDS, PLAY, SCHUPF, WISH
from tichu_models.rules.cards import NUM_CARDS
from tichu_models.rules.state import CALLED_GRAND, GRAND, NO_CALL, RIGHT, SMALL

ROUNDS, SEED = 160, 11
CONSTANTS = Scaling.of(SCALING)


@dataclass(frozen=True)
class Player:
    """A player of both ways to play."""

    agent: Agent
    seating: Seating


def player(agent: SelfTaughtAgent, **seating: Any) -> Player:
    """A player of rollouts with the networks of an agent."""
    networks = {PLAY: agent.network, **agent.others}
    modules, specs = ({kind: getattr(each, name) for kind, each in networks.items()} for name in ("module", "spec"))
    return Player(agent, Seating(modules, specs, CONSTANTS, **seating))


@pytest.fixture(scope="module", params=["float32", "bfloat16"])
def players(request, tmp_path_factory) -> list[Player]:
    """A greedy player with all networks; one that draws, reads the latest turns and leaves some kinds to rules of
    thumb; one that follows these everywhere and blunders."""
    runs = tmp_path_factory.mktemp("runs")
    make_self_taught(runs, "whole", seed=1)
    make_self_taught(runs, "part", "PolicyRLNet", (GRAND_CALL, SCHUPF, WISH, BOMB_THROW), "play-375+history-4", 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "has_fast_bf16", lambda: request.param == "bfloat16")
        whole = agent_from("candidate:whole", runs)
        drawing = agent_from("policy:part,temperature=1,seed=5", runs)
    assert drawing.network.dtype == getattr(torch, request.param)
    return [
        player(whole, greedy=True),
        player(drawing, seed=5),
        Player(HeuristicAgent(0.2), Seating({}, {}, CONSTANTS, blunder=0.2)),
    ]


def fixtures(players: int) -> np.ndarray:
    """Rounds with players at seats as chance will have it."""
    return fixtures_of(np.random.default_rng(2).integers(0, players, (ROUNDS, 4)).astype(np.int32), SEED)


def rolled(players: Sequence[Player], rounds: np.ndarray, **settings: Any) -> Experience:
    """A rollout."""
    seatings = [each.seating for each in players]
    return play(seatings, rounds, tile=network.TILE, **settings)


@pytest.fixture(scope="module")
def experience(players) -> Experience:
    """The rollout of all tests that only look at one."""
    return rolled(players, fixtures(len(players)))


def test_a_rollout_is_what_the_arena_plays(players, experience):
    """A policy that learns from games other than those that it will play: by another choice among equal scores, other
    random numbers, networks asked in other batches, or another view of schupfen."""
    played = lockstep.play([each.agent for each in players], fixtures(len(players)), 1)
    check(played)
    rows, facts, ended = played.rows, results_of(played), experience.ended
    assert np.array_equal(ended["score"], rows["score"])
    called = rows["tichu_position"]
    expected = np.where(called == CALLED_GRAND, GRAND, np.where(called < CALLED_GRAND, NO_CALL, SMALL))
    assert np.array_equal(ended["call"], expected)
    assert {NO_CALL, SMALL, GRAND} == set(expected.flat)
    assert np.array_equal(ended["winner"], facts["winner"])
    assert np.array_equal(ended["double"], facts["double"])
    assert np.array_equal(ended["turns"], facts["num_turns"])


def endings(ended: np.ndarray) -> list[list]:
    """How rounds ended."""
    return [ended[name].tolist() for name in ended.dtype.names]


def in_order(players: Sequence[Player], experience: Experience) -> list[list]:
    """What is recorded, in the order of rounds and their decisions."""
    made, width = experience.decisions, experience.seen.shape[1]
    order = np.lexsort((made["order"], made["round"]))
    specs = [each.seating.specs for each in players]
    read = np.array([specs[who][kind].width for who, kind in zip(made["player"], made["kind"], strict=True)])
    seen = np.where(np.arange(width) < read[:, None], experience.seen, 0)  # the rest is not written
    options = [experience.options[at : at + n].tolist() for at, n in zip(made["first"], made["options"], strict=True)]
    fields = ("round", "order", "seat", "kind", "player", "pick", "options", "chosen", "log")
    return [
        *(made[name][order].tolist() for name in fields),
        seen[order].tolist(),
        experience.opened[order][made["player"][order] < 2].tolist(),
        [options[i] for i in order],
        *endings(experience.ended),
    ]


@pytest.mark.parametrize("settings", [{"tables_at_once": 3}, {"tables_at_once": 37}])
def test_the_number_of_tables_changes_nothing(players, experience, settings):
    """Results that hang on the machine's memory, or on how rounds are dealt out to processes."""
    again = rolled(players, fixtures(len(players)), **settings)
    assert in_order(players, again) == in_order(players, experience)


def test_parts_of_a_rollout_are_those_of_the_whole(players, experience):
    """Workers that share a rollout would play other rounds than one."""
    rounds = fixtures(len(players))
    parts = [rolled(players, rounds[begin:end]) for begin, end in pairwise((0, 60, 61, ROUNDS))]
    assert endings(np.concatenate([part.ended for part in parts])) == endings(experience.ended)
    logs = np.concatenate([part.decisions["log"] for part in parts])
    assert np.array_equal(np.sort(logs), np.sort(experience.decisions["log"]))


def test_every_decision_of_a_network_is_recorded_once(players, experience):
    """Decisions that are learned from twice, or never; schupfen as one decision."""
    made = experience.decisions
    assert set(made["player"].tolist()) == {0, 1}
    for number in range(ROUNDS):
        assert sorted(made["order"][made["round"] == number]) == list(range((made["round"] == number).sum()))
    for place in (0, 1):
        kinds = made["kind"][made["player"] == place]
        assert set(kinds.tolist()) == set(players[place].seating.networks)
    seats = np.column_stack([made[name][made["kind"] == SCHUPF] for name in ("round", "seat", "pick")])
    assert len(np.unique(seats, axis=0)) == len(seats) == 3 * len(np.unique(seats[:, :2], axis=0))
    assert (made["options"] > 1).all()
    assert (made["chosen"] < made["options"]).all()


def logs_by_torch(module: Any, kind: int, state: torch.Tensor, experience: Experience, rows: np.ndarray) -> np.ndarray:
    """The logarithm of the probability of what was chosen, as the network itself says it."""
    made, logs = experience.decisions[rows], []
    for i, decision in enumerate(made):
        options = experience.options[decision["first"] :][: decision["options"]]
        with torch.inference_mode():
            if isinstance(module, MoveNet):
                vectors = module.moves(move_features(torch.from_numpy(options)).to(state.dtype))
                scores = (vectors.float() @ module.states(state[i : i + 1]).float()[0]) * module.scale
            else:
                scores = module(state[i : i + 1]).float()[0, [place(kind, decision["pick"], each) for each in options]]
            logs.append(torch.log_softmax(scores, 0)[decision["chosen"]].item())
    return np.array(logs)


def place(kind: int, pick: int, option: int) -> int:
    """Where a decision net has its output for an answer."""
    if kind == WISH:
        return LABEL_NAMES[WISH_LABEL].index(str(option) if option else "none")
    return {SCHUPF: pick * NUM_CARDS + option, DRAGON_GIFT: int(option != RIGHT)}.get(kind, option)


def test_recorded_probabilities_are_those_of_the_network(players, experience):
    """Importance ratios against probabilities that nobody has played by, so that the policy learns something else."""
    made = experience.decisions
    for who in (0, 1):
        for kind, module in players[who].seating.networks.items():
            rows = np.flatnonzero((made["kind"] == kind) & (made["player"] == who))[:60]
            dtype = next(module.parameters()).dtype
            state = Reader(players[who].seating.specs[kind], CONSTANTS, dtype).read(rows, experience.seen)
            expected = logs_by_torch(module, kind, state, experience, rows)
            slack = 1e-4 if dtype == torch.float32 else 0.2
            np.testing.assert_allclose(made["log"][rows], expected, rtol=slack / 10, atol=slack, err_msg=KINDS[kind])
    drawn = made["log"][made["player"] == 1]
    assert (drawn < -0.1).any()
