"""Deals that a seat may suppose: none contradicts what it knows, and what others play says something about them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.runs import Watched, make_runs, watched_games
from tichu_models.agents.registry import agent_from
from tichu_models.kernels import kernel
from tichu_models.observation.transcript import RETRACE_OPTIONS, RETRACING
from tichu_models.observation.view import VIEW, see
from tichu_models.rules.asking import PLAY
from tichu_models.rules.cards import CARD_OF_INDEX, DECK
from tichu_models.rules.state import STATE
from tichu_models.search.beliefs import KNOWN, draw_deals

TURNS = 40


@kernel
def look_again(states, views, deals, found):
    """What the seats of the views see in so many states each."""
    for d in range(len(states)):
        view = views[d // deals]
        see(states[d], view.seat, view.kind, view.key, found[d])


def questions(games: int, agent: str = "heuristic:blunder=.2", seed: int = 1, runs=None):
    """Views of plays, what everybody has seen before, and the true hands."""
    player = Watched(agent_from(agent, runs))
    player.wants = ("transcripts", "hands")
    player.agent.decide, decide = (lambda kind, views, **extras: decide(kind, views)), player.agent.decide
    views, extras, _ = watched_games(player, games, seed, rounds=2).all_of(PLAY)
    return views, extras["transcripts"], extras["hands"]


def supposed(views, transcripts, deals, hands=None):
    """(states, tries) of deals that are drawn, or that the hands say."""
    n = len(views) * deals
    wanted = np.zeros(1, dtype=RETRACE_OPTIONS)[0]
    wanted["open"] = wanted["strict"] = 1
    states, tries = np.zeros(n, dtype=STATE), np.zeros(n, dtype=np.int64)
    turns, cards = np.zeros(n * TURNS, dtype=VIEW), np.zeros(n * TURNS, dtype=np.int64)
    counts = np.zeros(n, dtype=np.int64)
    known, scratch = np.zeros(1, dtype=KNOWN)[0], np.zeros(1, dtype=RETRACING)[0]
    hands = np.zeros((len(views), 4), dtype=np.int64) if hands is None else hands
    draw_deals(
        views, transcripts, hands, 0, 0, deals, False, wanted, known, scratch, states, tries, turns, cards, counts
    )
    return states, tries


def check_deals(views, transcripts, deals) -> int:
    """Looks for conflicts in so many deals for each view; the engine has refused illegal turns already."""
    states, tries = supposed(views, transcripts, deals)
    assert (tries > 0).all(), "no deal was found"
    again = np.zeros(len(states), dtype=VIEW)
    look_again(states, views, deals, again)
    expected = np.repeat(views, deals)
    for name in VIEW.names:
        if name != "past":
            assert np.array_equal(again[name], expected[name]), name
    hands = states["hand"]
    together = hands[:, 0] + hands[:, 1] + hands[:, 2] + hands[:, 3]
    assert np.array_equal(together, DECK - states["played"]), "a card twice, or none at all"
    for to in range(3):
        card = CARD_OF_INDEX[expected["given"][:, to]]
        holder = hands[np.arange(len(hands)), (expected["seat"] + 1 + to) & 3]
        assert ((holder | states["played"]) & card != 0).all(), "a card given away is not where it was given"
    return len(states)


def test_no_supposed_deal_contradicts_what_is_known():
    """A search would answer to hands that nobody can hold."""
    views, transcripts, _ = questions(40)
    assert check_deals(views, transcripts, 4) > 10_000


@pytest.mark.proof
def test_no_deal_of_a_million_contradicts_what_is_known():
    """As above."""
    checked = 0
    for seed in range(60):
        views, transcripts, _ = questions(60, ["heuristic:blunder=.2", "random"][seed % 2], seed)
        checked += check_deals(views, transcripts, 3)
    print(f"\n{checked:,} deals, none in conflict")
    assert checked >= 1_000_000


def test_deals_differ_and_every_card_may_be_anywhere():
    """A search that always supposes the same deal is sure of itself for nothing."""
    views, transcripts, _ = questions(4)
    early = np.flatnonzero(views["turns"] < 3)[:1]
    states, _ = supposed(views[early], transcripts[early], 3000)
    seat = int(views["seat"][early][0])
    others = [other for other in range(4) if other != seat]
    given = views["given"][early][0]
    free = DECK & ~int(views["hand"][early][0]) & ~int(views["played"][early][0])
    for index in given:
        free &= ~int(CARD_OF_INDEX[index])
    shares = np.array(
        [[(states["hand"][:, other] >> bit & 1).mean() for other in others] for bit in range(56) if free >> bit & 1]
    )
    room = views["count"][early][0][others]
    assert np.allclose(shares.sum(1), 1)
    assert np.abs(shares - room / room.sum()).max() < 0.06


def test_true_hands_lead_to_the_true_state():
    """The player who may see all hands would search in another deal than the one that is played."""
    views, transcripts, hands = questions(10)
    states, tries = supposed(views, transcripts, 1, hands)
    assert (tries == 1).all()
    assert np.array_equal(states["hand"], hands)
    again = np.zeros(len(states), dtype=VIEW)
    look_again(states, views, 1, again)
    for name in VIEW.names:
        assert name == "past" or np.array_equal(again[name], views[name]), name


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A PolicyNet and a ValueNet that have learned nothing."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder, ("PolicyNet", "ValueNet", "GCPolicyNet"))
    return folder


def advantage(agent, views, transcripts, hands, deals: int = 16) -> np.ndarray:
    """For each view, by how much the logarithm of the true deal's likelihood lies above the mean of supposed ones."""
    true = agent.believer.likelihoods(agent.believer.draw(views, transcripts, 1, hands))
    others = agent.believer.likelihoods(agent.believer.draw(views, transcripts, deals))
    return true - others.reshape(-1, deals).mean(1)


def test_the_true_deal_is_likelier_than_supposed_ones(runs):
    """Weights that say nothing about the others' cards, or the contrary, would cost a search most of its deals."""
    views, transcripts, hands = questions(24, "policy:PolicyNet,temperature=1,rule=likelihood", runs=runs)
    gained = advantage(agent_from("mcts:PolicyNet", runs), views, transcripts, hands)
    for turns in ((8, 24), (24, 48), (48, 200)):
        of_stage = gained[(views["turns"] >= turns[0]) & (views["turns"] < turns[1])]
        print(f"\nturns {turns}: {of_stage.mean():+.2f} of {len(of_stage)}", end="")
        assert of_stage.mean() > 2 * of_stage.std() / np.sqrt(len(of_stage) / 4), turns  # four views a turn are alike


def test_a_search_in_seconds_is_said_to_be_timed(runs):
    """A tournament would take results for repeatable that hang on the clock."""
    agent = agent_from("mcts:PolicyNet,seconds=.005,deals=4", runs)
    assert agent.timed
    assert not agent_from("mcts:PolicyNet", runs).timed
    watched_games(agent, 1, rounds=1)


@pytest.mark.parametrize(
    "options", ["", ",root=puct,by=visits,leaf=value,trust=.5", ",solve=0,no_bombs=true", ",open=true"]
)
def test_a_search_answers_one_by_one_as_in_a_batch(runs, options):
    """A game could not be played again, and its result would hang on how many are played at once."""
    agent = agent_from(f"mcts:PolicyNet,simulations=12,deals=4{options}", runs)
    asked = watched_games(agent, 2, rounds=1)
    views, extras, choices = asked.all_of(PLAY)
    assert np.array_equal(agent.decide(PLAY, views, **extras), choices)
    for i in range(0, len(views), len(views) // 6):
        alone = agent.decide(PLAY, views[i : i + 1], **{name: each[i : i + 1] for name, each in extras.items()})
        assert alone.tolist() == [choices[i]]


def test_a_search_looks_at_no_hidden_card(runs):
    """A player who sees through cards wins for that. Only who is called open is handed the hands at all."""
    assert agent_from("mcts:PolicyNet", runs).wants == ("transcripts",)
    assert agent_from("mcts:PolicyNet,open=true", runs).wants == ("transcripts", "hands")
