"""Sequences of turns in rollouts: the turns of the own seat, as the agent finds them anew at every answer."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.makers.runs import SCALING, make_self_taught
from tichu_models.agents.neural import network
from tichu_models.agents.neural.turn_sequences import lay_sequences
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.table import fixtures_of
from tichu_models.networks.dtrl_net import ask_for
from tichu_models.networks.interface import GAIN, IS_ASKED, IS_TURN, PASS_OUTPUT, TURN_FEATURES
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.unpack import LANES
from tichu_models.players.builtin import HeuristicAgent
from tichu_models.rl.latest_turns import turns_of
from tichu_models.rl.readers import TurnReader
from tichu_models.rl.rollout import Experience, Seating, play
from tichu_models.rules.asking import BOMB_THROW, PLAY
from tichu_models.rules.cards import INDEX_OF_LABEL, labels, parse_cards
from tichu_models.rules.combinations import cards_of

ROUNDS, SEED, MOST = 96, 5, 6
CONSTANTS = Scaling.of(SCALING)


@pytest.fixture(scope="module", params=["float32", "bfloat16"])
def players(request, tmp_path_factory):
    """Agents and what rollouts take in their place: one that plays its best, one that draws and reads four turns of the
    table, one by rules of thumb."""
    runs = tmp_path_factory.mktemp("runs")
    make_self_taught(runs, "best", "DTRLNet", seed=1)
    make_self_taught(runs, "drawn", "DTRLNet", (BOMB_THROW,), "play-375+history-4", 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "has_fast_bf16", lambda: request.param == "bfloat16")
        agents = [agent_from("dt:best", runs), agent_from("dt:drawn,temperature=1,seed=5", runs)]
    seatings = []
    for agent, how in zip(agents, ({"greedy": True}, {"seed": 5}), strict=True):
        assert agent.network.dtype == getattr(torch, request.param)
        networks = {PLAY: agent.network, **agent.others}
        modules, specs = ({kind: getattr(each, name) for kind, each in networks.items()} for name in ("module", "spec"))
        seatings.append(Seating(modules, specs, CONSTANTS, **how))
    return [*agents, HeuristicAgent(0.2)], [*seatings, Seating({}, {}, CONSTANTS, blunder=0.2)]


def fixtures() -> np.ndarray:
    """Rounds with players at seats as chance will have it."""
    return fixtures_of(np.random.default_rng(2).integers(0, 3, (ROUNDS, 4)).astype(np.int32), SEED)


@pytest.fixture(scope="module")
def experience(players) -> Experience:
    """A rollout of all three."""
    return play(players[1], fixtures(), tile=network.TILE)


def test_a_rollout_is_what_the_arena_plays(players, experience):
    """A policy that learns with other sequences than those that it will play with: with forced turns, bombs out of
    turn, another seat's turns, or one more than the agent remembers."""
    rows = lockstep.play(players[0], fixtures(), 1).rows
    assert np.array_equal(experience.ended["score"], rows["score"])
    made = experience.decisions[experience.decisions["kind"] == PLAY]
    turns = np.unique(np.column_stack([made["round"], made["seat"]]), axis=0, return_counts=True)[1]
    assert turns.max() > MOST + 2, "no sequence is cut off"


def test_the_number_of_tables_changes_nothing(players, experience):
    """Sequences that take turns of another table that the machine has in hand."""
    again = play(players[1], fixtures(), tile=network.TILE, tables_at_once=7)
    assert np.array_equal(again.ended, experience.ended)
    assert np.array_equal(np.sort(again.decisions["log"]), np.sort(experience.decisions["log"]))


def test_turns_are_those_of_the_own_seat_in_this_round(experience):
    """Another seat's turns, other kinds of decisions, those of the round before, or what is played later."""
    decisions, options = experience.decisions, experience.options
    rows = np.flatnonzero(decisions["kind"] == PLAY)[::3]
    places, played = turns_of(rows, decisions, options, MOST)
    for i, row in enumerate(rows):
        now = decisions[row]
        same = (decisions["kind"] == PLAY) & (decisions["round"] == now["round"]) & (decisions["seat"] == now["seat"])
        earlier = np.flatnonzero(same & (decisions["order"] <= now["order"]))
        expected = earlier[np.argsort(decisions["order"][earlier])][-MOST:].tolist()
        assert places[i].tolist() == [-1] * (MOST - len(expected)) + expected
        for k, place in enumerate(places[i, :-1]):
            if place >= 0:
                made = decisions[place]
                assert played[i, k] == cards_of(options[made["first"] + made["chosen"]])
    assert (places[:, 0] >= 0).any()
    assert (places[:, 1] < 0).any()


def test_later_decisions_change_no_sequence(players, experience):
    """What a network reads when it learns has to be what it read when it played: then nobody had played on."""
    reader = TurnReader(players[1][0].specs[PLAY], CONSTANTS, torch.float32, MOST)
    decisions, options = experience.decisions.copy(), experience.options
    mine = (decisions["player"] == 0) & (decisions["kind"] == PLAY)
    rows = np.flatnonzero(mine)[:200]
    before = reader.states(rows, decisions, experience.seen, options).clone()
    present = decisions["chosen"].copy()
    decisions["chosen"][rows[-1] :] = 0
    assert (decisions["chosen"] != present).any()
    assert torch.equal(reader.states(rows, decisions, experience.seen, options), before)
    upto = decisions[: rows[-1] + 1]
    assert torch.equal(reader.states(rows, upto, experience.seen, options), before)


def test_states_in_a_batch_are_those_of_each_alone(players, experience):
    """Rows that fill up a tile, or are left over from the batch before."""
    spec, made = players[1][0].specs[PLAY], experience.decisions
    rows = np.flatnonzero((made["player"] == 0) & (made["kind"] == PLAY))[:40]
    reader = TurnReader(spec, CONSTANTS, torch.float32, MOST)
    together = reader.states(rows, made, experience.seen, experience.options, 64).clone()
    assert len(together) == 64
    for i, row in enumerate(rows.tolist()):
        alone = reader.states(np.array([row]), made, experience.seen, experience.options)
        assert torch.equal(alone[0], together[i])


def test_a_token_has_the_state_the_play_before_and_the_gain():
    """A pass that looks like no turn; a play at its own token, which would be copied; a gain of earlier turns."""
    states = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
    there = np.array([[False, True, True], [False, False, True], [False, False, True]])
    cards = int(parse_cards("S9 B9"))
    played = np.array([[0, cards, 7], [0, 0, 0], [0, 0, 0]], dtype=np.int64)
    lookup = ((np.arange(256)[:, None] >> np.arange(LANES)) & 1).astype(np.float32).reshape(-1)
    laid = np.full((3, 3, 2 + TURN_FEATURES), 9, dtype=np.float32)
    lay_sequences(states, there, played, lookup, laid.reshape(-1))
    assert np.all(laid[~there] == 0)
    assert laid[there][:, :2].tolist() == states.tolist()
    behind = laid[..., 2:]
    held = [INDEX_OF_LABEL[card] for card in labels(cards)]
    assert np.flatnonzero(behind[0, 2]).tolist() == sorted([*held, IS_TURN])
    assert np.flatnonzero(behind[0, 1]).tolist() == [IS_TURN]
    ask_for(torch.tensor([float("nan"), -0.5]), torch.from_numpy(laid))
    assert behind[:, 2, IS_ASKED].tolist() == [0, 1, 0]
    assert behind[:, 2, GAIN].tolist() == [0, -0.5, 0]
    assert np.all(behind[:, :2, IS_ASKED:] == 0)
    lay_sequences(states, there, np.zeros_like(played), lookup, laid.reshape(-1))
    assert np.flatnonzero(behind[0, 2]).tolist() == [PASS_OUTPUT, IS_TURN]
    assert np.all(behind[..., IS_ASKED:] == 0)
