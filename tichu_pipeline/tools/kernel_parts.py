"""All kernels in parts that can be compiled side by side: each part calls its kernels on tiny inputs.

A new way to play gets a part of its own; those of games beside Tichu are in `kernel_parts_of_games`. Kernels that
several parts call are compiled by the first one. `warm_up` runs the parts side by side.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tichu_pipeline.tools.kernel_parts_of_games import chameleon, clever, dog, madn, muzero, tichu_as_game

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
        *(chameleon, clever, madn, dog, muzero, tichu_as_game, statistics),
    )
}
