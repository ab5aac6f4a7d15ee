"""SelfTaughtAgent: its networks lie in the folders of its run, and their scores are probabilities that it plays by."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from tests.makers.agents import SEED
from tests.makers.runs import make_run, make_runs, make_self_taught, watched_games
from tichu_models.agents.choosing import moves_of
from tichu_models.agents.neural.self_taught_agent import SelfTaughtAgent, scores_of
from tichu_models.agents.registry import AgentError, agent_from
from tichu_models.networks.interface import PASS_OUTPUT
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY, SCHUPF, WISH, given_cards
from tichu_models.rules.cards import CARD_OF_INDEX, INDEX_OF_BIT
from tichu_models.runs.checkpoint import load, save
from tichu_models.runs.files import WEIGHTS
from tichu_models.runs.folders import of_critic, of_kind

DRAWS = 4000


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a run of self-play for every kind of decision, one for some, and runs that imitate."""
    folder = tmp_path_factory.mktemp("runs")
    make_self_taught(folder, "whole", seed=SEED)
    make_self_taught(folder, "part", "PolicyRLNet", (SCHUPF,), seed=SEED)
    make_runs(folder, ("GrandNet", "WishNet", "CandidatePolicyNet"))
    return folder


def test_the_networks_of_a_run_answer_and_no_others(runs):
    """A player with decisions of another one beside it; a strength that rules of thumb have earned."""
    whole, part = agent_from("candidate:whole", runs), agent_from("policy:part", runs)
    assert isinstance(whole, SelfTaughtAgent)
    assert whole.answered_by == {kind: "whole" if kind == "play" else f"whole/{kind}" for kind in KINDS}
    assert {kind for kind, run in part.answered_by.items() if run} == {"play", "schupf"}
    assert set(part.by_rule) == {*KINDS} - {"play", "schupf"}
    assert set(agent_from("candidate:whole,decisions=false", runs).by_rule) == {*KINDS} - {"play"}


def test_players_leave_the_critic_alone(runs, tmp_path):
    """A player that reads a network which sees all hands, or that needs it to be there."""
    folder = tmp_path / "mine"
    shutil.copytree(runs / "whole", folder)
    critic = of_critic(folder)
    critic.mkdir()
    (critic / WEIGHTS).write_text("not to be read")
    (critic / "manifest.json").write_text("not to be read")
    agent = agent_from("policy:mine", tmp_path)
    assert critic.name not in {network.name.rpartition("/")[2] for network in (agent.network, *agent.others.values())}


@pytest.mark.parametrize("damage", ["no weights", "another network"])
def test_a_damaged_network_is_named(runs, tmp_path, damage):
    """Rules of thumb that take the place of a network without a word."""
    shutil.copytree(runs / "whole", tmp_path / "mine")
    folder = of_kind(tmp_path / "mine", WISH)
    if damage == "no weights":
        (folder / WEIGHTS).unlink()
    else:
        shutil.rmtree(folder)
        shutil.copytree(of_kind(tmp_path / "mine", GRAND_CALL), folder)
    with pytest.raises(AgentError, match="mine/wish/"):
        agent_from("policy:mine", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("candidate:part", "run part is a PolicyRLNet; expected a CandidatePolicyNet or CandidateRLNet"),
        ("policy:whole/grand", "is a GrandRLNet; expected a PolicyNet"),
        ("policy:whole,announce=.5", "unknown key 'announce'"),
        ("policy:whole,rule=sum", "unknown key 'rule'"),
    ],
)
def test_what_does_not_fit_a_run_gets_a_clear_error(runs, text, message):
    """An option that is taken and does nothing."""
    with pytest.raises(AgentError, match=message):
        agent_from(text, runs)


def views_of(runs, kind: int) -> np.ndarray:
    """Views in which this is asked."""
    views, _, _ = watched_games(agent_from("heuristic:blunder=.3", runs), 40, rounds=1).all_of(kind)
    return views


def repeated(view: np.ndarray) -> np.ndarray:
    """One view with many keys."""
    views = view.repeat(DRAWS)
    views["key"] = np.arange(DRAWS) * 977
    return views


@pytest.mark.parametrize(
    ("options", "temperature", "top_k"), [("temperature=1", 1, 14), ("temperature=2,top_k=4", 2, 4)]
)
def test_chance_follows_the_scores_of_every_kind(runs, options, temperature, top_k):
    """A policy that is sampled by other probabilities than it learned."""
    agent = agent_from(f"policy:whole,{options}", runs)
    views = views_of(runs, WISH)[:1]
    moves = moves_of(views, WISH)
    scores = scores_of(agent.others[WISH], WISH, views, moves) / temperature
    scores[np.argsort(-scores)[top_k:]] = -np.inf
    shares = np.exp(scores - scores.max())
    found = (agent.decide(WISH, repeated(views))[:, None] == moves.plays).mean(0)
    np.testing.assert_allclose(found, shares / shares.sum(), atol=0.04)
    cold = agent_from("policy:whole", runs)
    assert cold.decide(WISH, views)[0] == moves.plays[scores.argmax()]


def test_a_card_of_schupfen_depends_on_those_before_it(runs):
    """Three cards by a network that never hears what it has given already, or gives one twice."""
    agent = agent_from("policy:whole,temperature=1", runs)
    views = views_of(runs, SCHUPF)[:1]
    answers = agent.decide(SCHUPF, repeated(views))
    given = np.column_stack(given_cards(answers))
    assert all(len(set(row)) == 3 for row in given.tolist())
    first, count = np.unique(given[:, 0], return_counts=True)
    card = first[count.argmax()]
    mine = given[given[:, 0] == card, 1]
    after = views.copy()
    after["hand"] &= ~CARD_OF_INDEX[card]
    after["given"][:, 0] = card
    moves = moves_of(after, SCHUPF)
    assert card not in moves.plays
    scores = scores_of(agent.others[SCHUPF], SCHUPF, after, moves, 1)
    shares = np.exp(scores - scores.max())
    np.testing.assert_allclose((mine[:, None] == moves.plays).mean(0), shares / shares.sum(), atol=0.06)


def test_two_networks_with_the_same_weights_score_alike(runs, tmp_path):
    """A start from imitation that plays otherwise than what it starts from."""
    make_run(tmp_path, "CandidateRLNet", "mine")
    mine, imitation = load(tmp_path / "mine"), load(runs / "CandidatePolicyNet")
    layers = zip(mine.network.state_dict(), imitation.network.state_dict().values(), strict=True)
    mine.network.load_state_dict(dict(layers))  # dropout gives the imitation's layers other numbers
    save(tmp_path / "mine", mine.network, mine.manifest)
    views = views_of(runs, PLAY)
    moves = moves_of(views)
    players = agent_from("candidate:mine", tmp_path), agent_from("candidate:CandidatePolicyNet", runs)
    assert np.array_equal(*(player.scores(views, moves) for player in players))


def test_a_move_of_policy_rl_net_has_the_outputs_of_its_cards(runs):
    """A policy whose pass is the sum of no outputs, or that counts a card twice."""
    agent = agent_from("policy:part", runs)
    views = views_of(runs, PLAY)[:200]
    moves = moves_of(views)
    outputs = agent.network.answers(views, agent.network.module.states)
    expected = []
    for i, play in zip(np.repeat(np.arange(len(views)), moves.counts), moves.plays.tolist(), strict=True):
        cards = [INDEX_OF_BIT[bit] for bit in range(56) if play >> bit & 1]
        expected.append(outputs[i, cards].sum() if cards else outputs[i, PASS_OUTPUT])
    np.testing.assert_allclose(agent.scores(views, moves), expected, rtol=1e-5, atol=1e-5)
