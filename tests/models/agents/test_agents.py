"""Players with networks: the rule they play by, what answers for them, how they are made by name. What holds for all
players is in `test_conformance`."""

from __future__ import annotations

import re
from dataclasses import fields

import numpy as np
import pytest
import torch

from tests.makers.agents import SEED
from tests.makers.runs import DECISION_NETS, PLAY_NETS, Watched, make_run, make_runs, watched_games
from tests.paths import ROOT
from tichu_models.agents import options
from tichu_models.agents.choosing import moves_of, put_move_features
from tichu_models.agents.names import NAMES
from tichu_models.agents.neural.policy_agent import scores_by
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena import lockstep
from tichu_models.networks.candidate_policy_net import move_features
from tichu_models.networks.candidates import Candidates
from tichu_models.networks.decision_rule import move_scores
from tichu_models.networks.interface import DECISION_RULES, MOVE_FEATURES
from tichu_models.observation.unpack import FLOAT32, LANES, in_type
from tichu_models.options import Options
from tichu_models.players.builtin import BuiltinAgent
from tichu_models.rules.asking import KINDS, PLAY


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a run of every network."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder, (*PLAY_NETS, *DECISION_NETS, "ValueNet"), seed=SEED)
    return folder


@pytest.mark.parametrize("threads", [1, 2])
def test_answers_do_not_hang_on_threads(runs, threads):
    """A tournament on another machine would be another one."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        asked = watched_games(agent_from("policy:PolicyNet", runs), 4, rounds=1)
        torch.set_num_threads(1)
        views, _, choices = asked.all_of(PLAY)
        assert np.array_equal(agent_from("policy:PolicyNet", runs).decide(PLAY, views), choices)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("hierarchical", [False, True])
@pytest.mark.parametrize("rule", DECISION_RULES)
def test_the_rule_of_play_is_the_rule_of_training(hierarchical, rule):
    """A network would be measured by another rule than it plays by."""
    views, _, _ = watched_games(BuiltinAgent("r", 0), 10, rounds=1).all_of(PLAY)
    moves = moves_of(views)
    outputs = 4 * torch.randn(len(views), 58 if hierarchical else 57, generator=torch.Generator().manual_seed(1))
    candidates = Candidates.of_counts(torch.from_numpy(moves.plays), torch.from_numpy(moves.counts))
    expected = move_scores(outputs.double().float(), candidates, rule)
    found = scores_by(DECISION_RULES.index(rule), outputs.numpy(), moves)
    np.testing.assert_allclose(found, expected.double().numpy(), rtol=1e-4, atol=1e-5)


def test_moves_are_scored_as_the_network_does(runs):
    """The halves of CandidatePolicyNet are asked one by one: together they must say what it learned to say."""
    agent = agent_from("candidate:CandidatePolicyNet", runs)
    views, _, _ = watched_games(agent, 10, rounds=1).all_of(PLAY)
    moves = moves_of(views)
    network = agent.network
    candidates = Candidates.of_counts(torch.from_numpy(moves.plays), torch.from_numpy(moves.counts))
    with torch.inference_mode():
        states = torch.cat([state[: which.stop - which.start].clone() for which, state in network.states(views)])
        expected = network.module.float()(states.float(), candidates)
    network.module.to(network.dtype)
    found = agent.scores(views, moves)
    np.testing.assert_allclose(found, expected.numpy(), atol=0.05 * np.abs(expected.numpy()).max())


def test_features_of_moves_are_those_of_training(runs):
    """A network would be asked about moves that are written otherwise than those it was trained on."""
    agent = agent_from("candidate:CandidatePolicyNet", runs)
    views, _, _ = watched_games(agent, 10, rounds=1).all_of(PLAY)
    plays = moves_of(views).plays
    lookup = in_type((np.arange(256)[:, None] >> np.arange(LANES)) & 1, FLOAT32).reshape(-1)
    written = np.zeros(len(plays) * MOVE_FEATURES + LANES, dtype=np.float32)
    put_move_features(plays, lookup, written)
    expected = move_features(torch.from_numpy(plays)).float().numpy()
    assert np.array_equal(written[: len(plays) * MOVE_FEATURES].reshape(len(plays), -1), expected)


def test_the_best_move_is_played_and_chance_follows_the_scores(runs):
    """A temperature that does nothing, or top_k that lets weak moves through, shows in no single game."""
    views, _, _ = watched_games(agent_from("random"), 40, rounds=1).all_of(PLAY)
    moves = moves_of(views)
    chosen = (moves.counts >= 6) & (moves.counts <= 12)
    one = views[np.flatnonzero(chosen)[:1]].repeat(4000)
    one["key"] = np.arange(len(one)) * 977
    agent = agent_from("policy:PolicyNet,temperature=.5,top_k=4,rule=likelihood", runs)
    mine = moves_of(one[:1])
    scores = agent.scores(one[:1], mine)
    best = np.argsort(-scores)[:4]
    shares = np.exp((scores[best] - scores[best[0]]) / 0.5)
    choices = agent.decide(PLAY, one)
    cards = mine.plays[best] & (1 << 56) - 1
    assert set(choices.tolist()) <= set(cards.tolist())
    found = (choices[:, None] == cards).mean(0)
    np.testing.assert_allclose(found, shares / shares.sum(), atol=0.04)
    cold = agent_from("policy:PolicyNet,rule=likelihood", runs)
    assert cold.decide(PLAY, one[:1])[0] == cards[0]


def test_a_kind_without_a_network_is_answered_by_rule_and_said_so(tmp_path):
    """A tournament would report a network's strength where rules of thumb have played."""
    make_runs(tmp_path, ("PolicyNet", "SchupfNet"))
    agent = agent_from("policy:PolicyNet", tmp_path)
    assert set(agent.by_rule) == {"grand", "tichu", "small", "wish", "dragon", "bomb"}
    assert set(agent_from("policy:PolicyNet,decisions=false", tmp_path).by_rule) == {*agent.by_rule, "schupf"}


def test_of_several_networks_for_a_decision_the_sibling_is_taken(tmp_path):
    """Which network answers would hang on the order in which a file system lists folders."""
    make_runs(tmp_path, ("PolicyNet",))
    for name in ("z", "a", "k"):
        make_run(tmp_path, "WishNet", name, seed=ord(name))
    wish = KINDS.index("wish")
    assert agent_from("policy:PolicyNet", tmp_path).others[wish].manifest.seed == ord("a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("randm", "did you mean 'random'"),
        ("heuristic:blunder=2", "expected a number from 0 to 1"),
        ("heuristic:blund=.1", "did you mean 'blunder'"),
        ("heuristic:.1", "expected key=value"),
        ("random:x=1", "unknown key 'x'"),
        ("policy", "expected its name behind the colon"),
        ("policy:temperature=1", "expected its name behind the colon"),
        ("policy:PolicyNte", "did you mean 'PolicyNet'"),
        ("gc:PolicyNet", "run PolicyNet is a PolicyNet; expected a GCPolicyNet"),
        ("policy:WishNet", "is a WishNet; expected a PolicyNet or"),
        ("candidate:PolicyNet", "expected a CandidatePolicyNet or CandidateRLNet"),
        ("policy:PolicyNet,top_k=3", "without a temperature"),
        ("policy:PolicyNet,rule=worst", "expected one of sum, mean"),
        ("policy:PolicyNet,temperature=hot", "expected a number"),
        ("gc:GCPolicyNet,value=PolicyNet", "network is PolicyNet; expected ValueNet"),
    ],
)
def test_what_names_no_player_gets_a_clear_error(runs, text, message):
    """A slip of the pen in a tournament of hours would play with a default."""
    with pytest.raises(AgentError, match=message):
        agent_from(text, runs)


def test_names_are_made():
    """The built-in players need no runs, and keep their options."""
    assert agent_from("random").name == "random"
    assert agent_from("heuristic:blunder=.1").name == "heuristic:blunder=0.1"


@pytest.mark.proof
@pytest.mark.parametrize("network", ["PolicyNet", "CandidatePolicyNet", "GCPolicyNet"])
def test_a_million_decisions_are_legal(runs, network):
    """An agent that is illegal in one answer of a hundred thousand forfeits games of every long tournament."""
    names = [f"policy:{network},temperature=1", f"policy:{network}", "random", "heuristic:blunder=.3"]
    watched = Watched(agent_from(names[0], runs))
    agents = [watched, *(agent_from(name, runs) for name in names[1:])]
    answered = rounds = 0
    while answered < 1_000_000:
        seating = np.random.default_rng(rounds).integers(0, len(agents), (1024, 4))
        seating[:, :2] = 0
        for _ in lockstep.play_games(agents, seating, seed=rounds, max_rounds=12):
            rounds += 1
        answered += sum(len(part[2]) for parts in watched.asked.values() for part in parts)
        watched.asked.clear()
    print(f"\n{network}: {answered:,} decisions, all of them legal")


@pytest.mark.proof
@pytest.mark.parametrize(
    ("name", "decisions"),
    [("dt:DTNet,temperature=1", 100_000), ("mcts:PolicyNet,simulations=16,deals=4", 30_000)],
)
def test_many_decisions_of_slow_players_are_legal(runs, name, decisions):
    """As above, for players who look back or ahead; and some of the answers once more, one by one."""
    watched = Watched(agent_from(name, runs))
    agents = [watched, agent_from("random"), agent_from("heuristic:blunder=.3")]
    answered, alone, chance = 0, 0, np.random.default_rng(5)
    for seed in range(10_000):
        for _ in lockstep.play_games(agents, chance.integers(0, len(agents), (64, 4)), seed=seed, max_rounds=6):
            pass
        views, extras, choices = watched.all_of(PLAY)
        for i in chance.integers(0, len(views), 20):
            own = {name: each[i : i + 1] for name, each in extras.items()}
            assert watched.agent.decide(PLAY, views[i : i + 1], **own)[0] == choices[i]
            alone += 1
        answered += sum(len(part[2]) for parts in watched.asked.values() for part in parts)
        watched.asked.clear()
        if answered >= decisions:
            break
    print(f"\n{name}: {answered:,} decisions, all of them legal; {alone:,} asked again alone, answered alike")


def test_the_page_about_players_names_every_player_and_option():
    """A player, or an option, that nobody knows of is not used; one that is gone is an error."""
    page = (ROOT / "docs" / "players.md").read_text()
    players = re.search(r"^\| Name \|.*?\n\n", page, re.MULTILINE | re.DOTALL)
    assert players
    assert set(re.findall(r"`(\w+)(?:`|:RUN)", players[0])) == set(NAMES)
    named = set(re.findall(r"`(\w+)`", page))
    kinds = [kind for kind in vars(options).values() if isinstance(kind, type) and issubclass(kind, Options)]
    known = {each.name for kind in kinds for each in fields(kind)}
    assert {"blunder", "goal", "simulations"} <= known <= named
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|[^|]*\|[^|]*\|$", page, re.MULTILINE)[2:]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} <= known
