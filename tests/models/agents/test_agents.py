"""Players with networks: legal, the same one by one as in batches, blind to hidden cards, made by name."""

from __future__ import annotations

import re
from dataclasses import fields

import numpy as np
import pytest
import torch

from tests.makers.runs import DECISION_NETS, Watched, make_run, make_runs, watched_games
from tests.paths import ROOT
from tichu_models.agents.choosing import RULES, moves_of
from tichu_models.agents.neural.policy_agent import scores_by
from tichu_models.agents.options import GoalOptions, HeuristicOptions, SearchOptions
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.extras import extras_for
from tichu_models.arena.referee import Referee
from tichu_models.arena.table import fixtures_of, look
from tichu_models.kernels import kernel
from tichu_models.networks.candidates import Candidates
from tichu_models.networks.decision_rule import move_scores
from tichu_models.observation.view import VIEW
from tichu_models.players.builtin import BuiltinAgent
from tichu_models.rules.asking import KINDS, PLAY

SEED = 4  # of weights by which some announce and some do not
NAMES = {"PolicyNet": "policy", "CandidatePolicyNet": "candidate", "GCPolicyNet": "gc", "DTNet": "dt"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a run of every network."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder, (*NAMES, *DECISION_NETS, "ValueNet"), seed=SEED)
    return folder


def options_of(network: str) -> list[str]:
    """Options that lead to code of their own."""
    own = {"PolicyNet": ["rule=likelihood", "decisions=false"], "GCPolicyNet": ["margin=50", "value=ValueNet"]}
    own["DTNet"] = own["GCPolicyNet"]
    return ["", "temperature=2,top_k=3,seed=7", *own.get(network, [])]


CASES = [(network, options) for network in NAMES for options in options_of(network)]


def name_of(network: str, options: str) -> str:
    """The text that the registry takes."""
    return f"{NAMES[network]}:{network}" + (f",{options}" if options else "")


@pytest.mark.parametrize(("network", "options"), CASES)
def test_a_batch_is_answered_as_its_views_one_by_one(runs, network, options):
    """Tournaments with another number of tables would have other results, and none could be played again."""
    agent = agent_from(name_of(network, options), runs)
    asked = watched_games(agent, 8, rounds=1)  # the arena refuses what is illegal
    assert {KINDS[kind] for kind in asked.asked} >= {"grand", "tichu", "schupf", "small", "play"}
    for kind in asked.asked:
        views, extras, choices = asked.all_of(kind)
        again = agent.decide(kind, views, **extras)
        assert np.array_equal(again, choices)
        for i in range(0, len(views), max(1, len(views) // 8)):
            alone = agent.decide(kind, views[i : i + 1], **{name: each[i : i + 1] for name, each in extras.items()})
            assert alone.tolist() == [choices[i]], KINDS[kind]


@kernel
def look_all(tables, views):
    """The views of the pending decisions."""
    for i in range(len(tables)):
        look(tables[i], views[i])


def with_other_hands(tables: np.ndarray, seed: int) -> np.ndarray:
    """The same tables, but that what is hidden from the seat that is asked is dealt anew among the others."""
    tables, chance = tables.copy(), np.random.default_rng(seed)
    for table in tables:
        state, seat = table["position"]["state"], table["position"]["seat"]
        others = [other for other in range(4) if other != seat]
        for field in ("hand", "first", "start"):
            sizes = [int(state[field][other]).bit_count() for other in others]
            hidden = int(np.bitwise_or.reduce(state[field][others]))
            cards = chance.permutation([bit for bit in range(56) if hidden >> bit & 1])
            for other, part in zip(others, np.split(cards, np.cumsum(sizes)[:-1]), strict=True):
                state[field][other] = sum(1 << int(bit) for bit in part)
        for other in others:
            for to in range(3):
                if (other + 1 + to) & 3 != seat:
                    state["given"][other, to] = (state["given"][other, to] + 1) % 56
    return tables


@pytest.mark.parametrize("name", ["heuristic", "policy:PolicyNet", "dt:DTNet", "mcts:PolicyNet,simulations=16,deals=2"])
def test_hidden_cards_change_no_answer(runs, name):
    """A player who sees through cards wins for that, and no tournament tells."""
    agent = agent_from(name, runs)
    hall = lockstep._Hall(
        [agent_from("heuristic")], fixtures_of(np.zeros((30, 4), dtype=np.int32), 3), 9, 30, Referee()
    )
    seen = set()
    for step in range(120):
        tables = hall.tables
        views, kinds = np.zeros((2, len(tables)), dtype=VIEW), np.empty(len(tables), dtype=np.int64)
        if step % 6 == 0:
            lockstep._next_decisions(tables := tables.copy(), views[0], kinds, hall.plays, 0)
            others = with_other_hands(tables, step)
            for i, each in enumerate((tables, others)):
                look_all(each, views[i])
            assert views[0].tobytes() == views[1].tobytes()
            for kind in np.unique(kinds[kinds >= 0]):
                mine = kinds == kind
                extras = [extras_for(agent, each[mine]) if kind == PLAY else {} for each in (tables, others)]
                answers = [agent.decide(int(kind), views[i][mine], **extras[i]) for i in range(2)]
                assert np.array_equal(*answers)
                seen.add(KINDS[kind])
        hall.step()
    assert seen >= {"grand", "schupf", "play"}


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
@pytest.mark.parametrize("rule", RULES)
def test_the_rule_of_play_is_the_rule_of_training(hierarchical, rule):
    """A network would be measured by another rule than it plays by."""
    views, _, _ = watched_games(BuiltinAgent("r", 0), 10, rounds=1).all_of(PLAY)
    moves = moves_of(views)
    outputs = 4 * torch.randn(len(views), 58 if hierarchical else 57, generator=torch.Generator().manual_seed(1))
    candidates = Candidates.of_counts(torch.from_numpy(moves.plays), torch.from_numpy(moves.counts))
    expected = move_scores(outputs.double().float(), candidates, rule)
    found = scores_by(RULES.index(rule), outputs.numpy(), moves)
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


def test_the_page_about_players_names_every_option():
    """An option that nobody knows of is not used; one that is gone is an error."""
    page = (ROOT / "docs" / "players.md").read_text()
    named = set(re.findall(r"`(\w+)`", page))
    known = {each.name for kind in (HeuristicOptions, GoalOptions, SearchOptions) for each in fields(kind)}
    assert known <= named
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|[^|]*\|[^|]*\|$", page, re.MULTILINE)[2:]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} <= known
