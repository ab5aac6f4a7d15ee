"""All kernels in parts that can be compiled side by side: each part calls its kernels on tiny inputs.

A new game, or a new way to play, gets a part of its own. Kernels that several parts call are compiled by the first one.
`warm_up` runs the parts side by side.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tichu_models.observation.specs import Spec
    from tichu_models.records.schema import Rounds

MONTH = "2024-01"
GAMES = 4
# Of networks whose size is not `hidden`.
SIZES: dict[str, dict] = {
    "DTNet": {"turns": 2, "d_model": 8, "layers": 1, "heads": 1, "feedforward": 8, "policy": [8], "value": [8]},
    "DTRLNet": {"turns": 2, "d_model": 8, "feedforward": 8, "hidden": [8], "value": [8]},
    "GCPolicyNet": {"body": [8], "policy": [8], "value": [8]},
    **{
        name: {"body": [8], "move": [8], "width": 8}
        for name in ("CandidatePolicyNet", "CandidateRLNet", "GCPolicyRLNet", "BombRLNet")
    },
}


def self_play() -> None:
    """The built-in players in one fused kernel, and the check of what they played."""
    from tichu_models.arena.selfplay import stream
    from tichu_models.players.builtin import HeuristicAgent, RandomAgent
    from tichu_models.records.replay import check

    for played in stream([HeuristicAgent(blunder=0.1), RandomAgent()], np.array([[0, 1, 0, 1]]), seed=1):
        check(played.rounds)


def encoding() -> None:
    """Samples and decisions of rounds. There are no rounds, so that this part needs no other one."""
    from tichu_models.observation.decisions import DECISION_BUFFER, DECISIONS_AT_ONCE, find_decisions
    from tichu_models.observation.samples import Encoder, SoundRounds, width_of
    from tichu_models.observation.specs import spec
    from tichu_models.observation.walk import WALK, WHO_ACTS
    from tichu_models.records.schema import ROUND
    from tichu_models.records.scores import SCORE_BEFORE
    from tichu_models.samples.classes import classes_of

    rows, before = np.zeros(0, dtype=ROUND), np.zeros(0, dtype=SCORE_BEFORE)
    history, of_round = np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int8)
    played = SoundRounds(rows, before, of_round, of_round, of_round, history, np.zeros(0, dtype=np.int64))
    encoder = Encoder(spec("play-375"))
    samples = np.zeros((1, width_of(encoder.spec)), dtype=np.int64)
    encoder.encode(played, samples)
    classes_of(samples, encoder.spec)
    scratch, found = np.zeros(1, dtype=WALK)[0], np.zeros(1, dtype=DECISION_BUFFER)[0]
    find_decisions(rows, before, history, scratch, encoder.plan["kinds"], 0, WHO_ACTS, DECISIONS_AT_ONCE, found)


def tournaments() -> None:
    """Lock-step tournaments, in which Python asks the agents."""
    from tichu_models.agents.registry import agent_from
    from tichu_models.arena import lockstep, tournament
    from tichu_models.arena.results import results_of
    from tichu_models.players.crowd import CrowdAgent

    request = tournament.TournamentRequest(("random", "heuristic"), 1)
    agents = [agent_from(name) for name in request.agents]
    fixtures = tournament.fixtures_of_deals(request, 0, 0, 1)
    results_of(lockstep.play(agents, fixtures, 1))
    for rates in (np.zeros(1), np.frombuffer(bytes(8))):  # made, or read from a file
        lockstep.play([CrowdAgent("crowd", rates), agents[0]], fixtures, 1)


def statistics() -> None:
    """Confidence intervals, and random numbers."""
    from tichu_models.chance import fill
    from tichu_models.statistics import bootstrap

    fill(np.uint64(1), np.empty(1, dtype=np.uint64))
    bootstrap(np.zeros(1), np.ones(1))


def networks() -> None:
    """Agents with networks, and the control variate of a deal."""
    from tichu_models.agents.luck import Luck
    from tichu_models.agents.registry import OF_NETWORK

    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        _make_runs(runs)
        for name in OF_NETWORK:
            played = _play_once(f"policy:{name}", runs, deals=20)  # somebody is asked for a bomb
        Luck(runs / "ValueNet")(played)


def search() -> None:
    """The searches that are led by networks, with all ways to evaluate a leaf."""
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        _make_runs(runs)
        for leaf in ("rollout", "value"):
            _play_once(f"mcts:PolicyNet,simulations=8,deals=2,trust=1,leaf={leaf}", runs)
        for leaf in ("end", "critic"):
            _play_once(f"mctsrl:CandidateRLNet,deals=2,least=0,leaf={leaf},plies=1", runs)


def reviews() -> None:
    """The judge of logged rounds, and what their deals were worth."""
    from tichu_models.agents.registry import agent_from
    from tichu_models.records.scores import scores_before
    from tichu_models.review.judge import Judge
    from tichu_models.review.luck import CriticsWorth
    from tichu_models.review.report import LoggedGame, review
    from tichu_models.review.settings import JudgeSettings

    with tempfile.TemporaryDirectory() as folder:
        runs, name = Path(folder), "policy:CandidateRLNet"
        _make_runs(runs)
        played = _play_once(name, runs)
        names = [["north", "east", "south", "west"]] * len(played)
        game = LoggedGame(None, "", 0, played.rows, scores_before(played.rows), played.history, names, [])
        judge = Judge(agent_from(name, runs), JudgeSettings(deals=8, more=8, again=8))
        review([game], judge, name, CriticsWorth(runs / "CandidateRLNet"))


def selfplay() -> None:
    """Rollouts of networks, how they learn from self-play, and deals by their first hands."""
    from tichu_models.arena.first_hands import first_hands
    from tichu_models.arena.table import fixtures_of
    from tichu_models.rl.settings import settings_of
    from tichu_models.rl.train import train

    first_hands(fixtures_of(np.zeros((1, 4), dtype=np.int32), seed=1))
    small = ("rounds=32", "evaluation_deals=8", "trace=0.9", "magnet=0.1", "magnet_every=1", "body=[8]", "decision=[8]")
    with tempfile.TemporaryDirectory() as folder:
        train(settings_of("smoke", small), Path(folder) / "run")
        taught = (*small, "network=DTRLNet", "taught=0.5", "d_model=8")
        train(settings_of("smoke", taught), Path(folder) / "taught", start=Path(folder) / "run")


def chameleon() -> None:
    """Chameleon Chess, and the algorithms that are bound to it."""
    from tichu_models.algorithms.searcher import RULES, Budget, Searcher
    from tichu_models.algorithms.td_network import TDNetwork
    from tichu_models.games.registry import game

    of = game("chameleon")
    states, actions = np.zeros(3, dtype=of.state), np.zeros((3, of.most_actions), dtype=np.int16)
    states[0] = state = of.new(of.read_options({}))
    of.algorithms["perft"](states, actions, np.zeros((3, 2), dtype=np.int64), 2)
    for rule in RULES:
        of.step(state, Searcher(of, rule).choose(state, Budget(depth=2)).action)
    network = TDNetwork(of, 8)
    network.learn(of.read_options({}), np.uint64(1), 1, 0.1, 0.05, 0.7, 1000)
    of.step(state, network.choose(state))


def clever() -> None:
    """Ganz schön clever and its prototype, its simple players, and the algorithms that are bound to them."""
    from tichu_models.algorithms.expectimax import Expectimax
    from tichu_models.algorithms.solo_batch import keys_of
    from tichu_models.algorithms.solo_ppo import SoloPPO, SoloPPOSettings
    from tichu_models.algorithms.solo_td import SoloTD, SoloTDSettings
    from tichu_models.games.clever import simple
    from tichu_models.games.registry import game

    for name in ("clever-prototype", "clever"):
        of = game(name)
        options, actions = of.read_options({}), np.zeros(of.most_actions, dtype=np.int16)
        made, widths = np.zeros(of.bound, dtype=np.int16), np.zeros(of.bound, dtype=np.int64)
        of.algorithms["play_random"](of.blank(), options, np.uint64(0), of.bound, actions, made, widths)
        states, masks = np.zeros(1, dtype=of.state).view(np.recarray), np.zeros((1, of.actions), dtype=np.int8)
        shared = (states, options, np.zeros(1, dtype=np.uint64), actions, np.zeros((1, of.observation), np.float32))
        of.algorithms["begin_all"](*shared, masks)
        chosen, ended = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)
        of.algorithms["step_all"](*shared, masks, chosen, 0.0, True, np.zeros(1), ended, chosen.copy())
        training = SoloTD(of, options, SoloTDSettings(at_once=1, hidden=(8,)))
        training.iterate(0.0)
        Expectimax(of, training.network, rolls=1).play(options, keys_of(np.uint64(0), 1))
        SoloPPO(of, options, masks.shape[1], SoloPPOSettings(games=1, horizon=4, hidden=(8,))).iterate(0.0)
    states = np.zeros(2, dtype=of.state).view(np.recarray)
    simple.play_simple_games(states, options, np.uint64(0), simple.WORTH, False, actions, np.zeros(1))


def madn() -> None:
    """MADN, and the algorithms that are bound to it."""
    _ring_game("madn", {"dice": "1"}, ("rules", "expectimax"))


def dog() -> None:
    """DOG, and the algorithms that are bound to it."""
    _ring_game("dog", {"distance": "5"}, ("rules",))


def _ring_game(name: str, words: dict[str, str], agents: tuple[str, ...]) -> None:
    """Random games, a match, and what is seen, written and drawn of a position."""
    from tichu_models.algorithms.counting import random_games
    from tichu_models.game import CHANCE
    from tichu_models.games.agents import agent_of
    from tichu_models.games.registry import game

    of = game(name)
    options, key = of.read_options(words), np.uint64(0)
    random_games(of, options, 1, 0)
    state, seen = of.new(options), np.zeros(of.observation, dtype=np.float32)
    while of.kernels.mover(state) == CHANCE:
        of.kernels.chance(state)
    of.kernels.observe(state, 0, seen)
    of.kernels.features(state, np.zeros(of.most_active, dtype=np.int16))
    of.kernels.evaluate(state, 0, np.zeros(len(of.seats), dtype=np.int64))
    of.legal(of.notation.read_state(of.notation.write_state(state)))
    for agent in agents:
        of.step(state, agent_of(of, agent).choose(of.as_known_to(int(state.turn), state), key))
        while of.kernels.mover(state) == CHANCE:
            of.kernels.chance(state)
    of.returns(state)


def muzero() -> None:
    """The search of MuZero, and its targets."""
    from tichu_models.algorithms.muzero import targets
    from tichu_models.algorithms.muzero.search import Imagined, Search

    one = np.ones(1, dtype=np.float32)
    policy = np.zeros((1, 2), dtype=np.float32)
    legal, said = np.ones((1, 2), dtype=np.bool_), Imagined(one, one, one, policy)
    Search(1, 2, 2).run(one, policy, legal, policy, lambda *_: said)
    sides, number = np.zeros(1, dtype=np.int64), np.zeros((1, 2), dtype=np.int64)
    targets.value_targets(np.zeros(1), np.zeros(1), sides, sides + 1, 1, 1.0, 1.0, np.zeros(1))
    targets.windows(sides, sides + 1, sides, number, number[:, 1:].copy())


def _make_runs(runs: Path) -> None:
    """A run of every network, as small as possible, with random weights."""
    from tichu_models.agents.neural.self_taught_agent import NETWORK_OF_KIND
    from tichu_models.agents.registry import OF_NETWORK
    from tichu_models.networks.architectures import ARCHITECTURES
    from tichu_models.runs.folders import of_critic, of_kind
    from tichu_models.search.open_hands import OPEN

    for name in {**ARCHITECTURES, **OF_NETWORK}:
        _make_run(runs / name, name)
        if name not in ARCHITECTURES:
            for kind, other in NETWORK_OF_KIND.items():
                _make_run(of_kind(runs / name, kind), other)
            _make_run(of_critic(runs / name), "CriticRLNet", OPEN)


def _make_run(folder: Path, name: str, read: Spec | None = None) -> None:
    from tichu_models.networks.architectures import architecture, build
    from tichu_models.observation.specs import spec
    from tichu_models.runs.checkpoint import save
    from tichu_models.runs.manifest import RunManifest, SpecStamp

    found = architecture(name)
    read, config = read or spec(found.spec), found.config.read(SIZES.get(name, {"hidden": [8]}), name)
    inputs, stamp = read.size - read.rtg, SpecStamp.of(read)
    manifest = RunManifest(network=name, config=config, spec=stamp, inputs=inputs, scaling={}, data={}, seed=0)
    save(folder, build(name, inputs, config), manifest)


def _play_once(name: str, runs: Path, deals: int = 1) -> Rounds:
    """Plays some deals between an agent and the random one, and returns their rounds."""
    from tichu_models.agents.registry import agent_from
    from tichu_models.arena import lockstep, tournament

    request = tournament.TournamentRequest((name, "random"), deals)
    agents = [agent_from(each, runs) for each in request.agents]
    return lockstep.play(agents, tournament.fixtures_of_deals(request, 0, 0, deals), 1)


def logs() -> None:
    """Reads logs, and makes round facts, counts, shards, baselines and batches of them."""
    from tichu_models.observation.specs import spec
    from tichu_models.observation.unpack import BFLOAT16
    from tichu_models.samples.loader import Loader
    from tichu_models.samples.sources import RoundsSource
    from tichu_pipeline.brettspielwelt.corpus.generate import generate
    from tichu_pipeline.features.shards import make_shards
    from tichu_pipeline.rounds.ingest import ingest
    from tichu_pipeline.rounds.round_facts import rounds_and_seats
    from tichu_pipeline.scaling.gather import count_variables
    from tichu_pipeline.storage.folders import DataPaths, month_file
    from tichu_pipeline.training.baselines import rule_based

    with tempfile.TemporaryDirectory() as folder:
        paths = DataPaths(Path(folder))
        generate(paths.raw, GAMES, [MONTH], seed=1)
        ingest(paths.raw, paths)
        rounds_and_seats(paths, [MONTH])
        count_variables(paths, [MONTH])
        rounds = [month_file(paths.rounds, MONTH)]
        make_shards(paths, spec("grand-65"), [MONTH])
        rule_based(paths, "play-375", "train", 1)
        rule_based(paths, "schupf-65", "train", 1)
        for name in ("play-375", "play-376+history-1", "schupf-65", "wish-233"):
            for options in ({}, {"kind": BFLOAT16}, {"steps": 4}, {"moves": name == "play-375"}):
                for _ in Loader(RoundsSource(rounds, spec(name)), 8, **options):
                    break


# The longest first.
PARTS: dict[str, Callable[[], None]] = {
    part.__name__: part
    for part in (
        *(self_play, encoding, search, reviews, selfplay, logs, tournaments, networks),
        *(chameleon, clever, madn, dog, muzero, statistics),
    )
}
