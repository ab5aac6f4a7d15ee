"""`train`: self-play from its settings to the folder of a run. It can be killed at any moment and resumes where it was.

An iteration plays rounds with the present networks, lets the critic judge every decision, and takes all networks some
steps towards what turned out better. All random numbers depend on the seed and the iteration: a resumed run learns what
it would have learned, but for the order in which this machine's threads add. `runs.files` lists the files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from lightning.fabric import Fabric
from torch import Tensor, nn

from tichu_models.algorithms.ppo import CUT, Student, Weights, between, generator_of
from tichu_models.algorithms.returns import normalised
from tichu_models.networks.architectures import build
from tichu_models.networks.configs import CandidateRLConfig, CriticConfig, DecisionRLConfig, PolicyRLConfig
from tichu_models.networks.precision import has_fast_bf16
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import spec
from tichu_models.options import Options
from tichu_models.rl.forks import CALLS, labels_of, own_part, twins_of
from tichu_models.rl.journal import Journal
from tichu_models.rl.learning import Judge, Pupil, results_of, returns_of
from tichu_models.rl.open_hands import OPEN, closed
from tichu_models.rl.rollout import Experience
from tichu_models.rl.settings import SelfplaySettings
from tichu_models.rl.tasks import (
    RULES,
    NetworkOfTask,
    PlayerOfTask,
    RunTasks,
    duel,
    frozen,
    joined,
    play_task,
    player_dtype,
    tasks_of,
)
from tichu_models.rules.asking import GRAND_CALL, KINDS, SCHUPF, SMALL_CALL, TICHU_CALL
from tichu_models.runs import checkpoint
from tichu_models.runs.files import CRITIC, FIGURES, RESUME_SELFPLAY
from tichu_models.runs.manifest import CheckpointError, RunManifest, SpecStamp
from tichu_models.whole_files import write_whole

NETWORKS = {
    "grand": "GrandRLNet",
    "tichu": "TichuRLNet",
    "schupf": "SchupfRLNet",
    "small": "SmallTichuRLNet",
    "bomb": "BombRLNet",
    "wish": "WishRLNet",
    "dragon": "DragonRLNet",
}
SPECS = {
    "grand": "grand-65",
    "tichu": "tichu-65",
    "schupf": "schupf-116",
    "small": "tichu-240",
    "play": "play-375",
    "bomb": "bomb-375",
    "wish": "wish-233",
    "dragon": "dragon-204",
}
# Points are scaled by constants, so that a player needs no data; the previous round's result is always 0 in self-play.
SCALING: dict[str, dict[str, Any]] = {
    "trick_points": {"offset": 0.0, "scale": 25.0, "clip": [-25.0, 125.0]},
    "points": {"offset": 0.0, "scale": 50.0, "clip": [-25.0, 125.0]},
    "game_score": {"offset": 0.0, "scale": 1.0, "clip": [0.0, 0.0]},
}
# Seeds of deals: those of the training are drawn from the run's seed, evaluations have one of their own.
EVALUATION_SEED = 20_000_000
PHASES = ("early", "middle", "late")  # of the play, by turns


@dataclass(frozen=True)
class SelfplayProgress:
    """How far a run is."""

    iteration: int
    iterations: int
    rounds: int
    minutes: float
    points: float | None  # a round against the heuristic player, at the latest evaluation

    def __str__(self) -> str:
        points = "" if self.points is None else f", {self.points:+.1f} points a round against heuristic"
        rate = self.rounds / max(self.minutes * 60, 1e-9)
        return (
            f"iteration {self.iteration:,} of {self.iterations:,}, {self.rounds:,} rounds in {self.minutes:.1f} min, "
            f"{rate:,.0f} rounds/s{points}"
        )


def config_of(kind: str, settings: SelfplaySettings) -> tuple[str, Options]:
    """The network of a kind of decision, and its size."""
    if kind == "play" and settings.network == "PolicyRLNet":
        return settings.network, PolicyRLConfig(hidden=settings.body)
    if kind == "play":
        return settings.network, CandidateRLConfig(body=settings.body, move=settings.move, width=settings.width)
    if kind == "bomb":
        return NETWORKS[kind], CandidateRLConfig(body=settings.decision, move=(64,), width=64)
    return NETWORKS[kind], DecisionRLConfig(hidden=settings.decision)


def manifest_of(name: str, config: Options, spec_name: str, settings: SelfplaySettings, start: str) -> RunManifest:
    """The manifest of one of the networks of a run."""
    read = OPEN if spec_name == OPEN.name else spec(spec_name)
    return RunManifest(
        network=name,
        config=config,
        spec=SpecStamp.of(read),
        inputs=read.size,
        scaling=SCALING,
        data={"from": start} if start else {},
        seed=settings.seed,
        training={"selfplay": settings.plain()},
    )


class SelfPlay:
    """The networks of a run and what they have learned so far."""

    def __init__(self, settings: SelfplaySettings, start: str = "", accelerator: str = "cpu") -> None:
        self.settings, self.start = settings, start
        precision: Any = "bf16-mixed" if accelerator != "cpu" or has_fast_bf16() else "32-true"
        self.fabric = Fabric(accelerator=accelerator, devices=1, precision=precision)
        scaling, dtype = Scaling.of(SCALING), player_dtype()
        self.scaling = scaling
        self.pupils: dict[str, Pupil] = {}
        self.manifests: dict[str, RunManifest] = {}
        torch.manual_seed(settings.seed)
        for kind in KINDS:
            if kind in settings.kinds:
                name, config = config_of(kind, settings)
                self.manifests[kind] = manifest_of(name, config, SPECS[kind], settings, start)
                network = build(name, spec(SPECS[kind]).size, config)
                if kind not in ("play", "bomb"):
                    _soften(network, kind, settings)
                student = Student(self.fabric, network, settings.learning_rate)
                self.pupils[kind] = Pupil(KINDS.index(kind), student, spec(SPECS[kind]), scaling, dtype)
        config = CriticConfig(hidden=settings.critic)
        self.manifests[CRITIC] = manifest_of("CriticRLNet", config, OPEN.name, settings, start)
        critic = build("CriticRLNet", OPEN.size, config)
        self.judge = Judge(Student(self.fabric, critic, settings.critic_rate), scaling, dtype)
        self.averages: dict[str, dict[str, Tensor]] = {}
        self.pool: list[dict[int, NetworkOfTask]] = []
        self.magnets: dict[str, nn.Module] = {}
        self.iteration, self.minutes, self.points = 0, 0.0, None

    @property
    def rounds(self) -> int:
        """Rounds played so far."""
        return self.iteration * self.settings.rounds

    def networks(self, averaged: bool = False) -> dict[int, NetworkOfTask]:
        """The networks as they are now, or their averages."""
        result = {}
        for kind in self.learnt():
            pupil = self.pupils[kind]
            name, config = config_of(kind, self.settings)
            network = frozen(pupil.student.network, name, config, SPECS[kind])
            if averaged and kind in self.averages:
                weights = {key: tensor.to(player_dtype()) for key, tensor in self.averages[kind].items()}
                network = replace(network, weights=safetensors.torch.save(weights))
            result[pupil.kind] = network
        return result

    def player(self) -> PlayerOfTask:
        """The player that the run has made so far. It plays the likeliest answers."""
        averaged = self.settings.average > 0
        return PlayerOfTask(self.networks(averaged), self.scaling, greedy=True, recorded=False)

    def iterate(self, run_tasks: RunTasks = map) -> dict[str, float]:
        """Plays rounds and learns from them. Returns figures."""
        settings, clock = self.settings, _Clock()
        share = self.iteration / settings.iterations
        generator = generator_of(settings.seed, self.iteration)
        experience = self._play(run_tasks, generator)
        clock.lap("collect")
        values = self.judge.values(experience)
        returns = returns_of(experience, values, settings.trace)
        mine = (experience.decisions["player"] == 0) & own_part(experience)
        advantages = np.zeros(len(values), dtype=np.float32)
        advantages[mine] = normalised((returns - values)[mine], experience.decisions["kind"][mine], CUT)
        clock.lap("judge")
        rate = between(settings.learning_rate, settings.last_learning_rate, share)
        figures: dict[str, float] = {"learning_rate": rate}
        unsure = experience.decisions["log"] < np.log(settings.sure)
        kept = mine & (unsure | (generator.random(len(mine)) < settings.sure_share))
        forked, gains = labels_of(experience)
        for kind in self.learnt():
            pupil = self.pupils[kind]
            if pupil.kind in CALLS and settings.twins:
                of_kind = experience.decisions["kind"][forked] == pupil.kind
                learned = self._regress(pupil, experience, forked[of_kind], gains[of_kind], share, generator)
            else:
                rows = np.flatnonzero(kept & (experience.decisions["kind"] == pupil.kind))
                learned = self._learn(kind, pupil, experience, rows, advantages[rows], rate, share, generator)
            figures |= {f"{kind}.{name}": value for name, value in learned.items()}
        clock.lap("learn")
        self.judge.learn(experience, returns, settings.critic_share, settings.critic_batch, generator)
        clock.lap("criticise")
        self.iteration += 1
        self._remember()
        return figures | _facts(experience, values) | clock.seconds

    def _play(self, run_tasks: RunTasks, generator: np.random.Generator) -> Experience:
        """Plays the rounds of an iteration: among itself, and a share of them against one opponent of the pool."""
        settings = self.settings
        seating = np.zeros((settings.rounds, 4), dtype=np.int64)
        players = [PlayerOfTask(self.networks(), self.scaling, seed=settings.seed)]
        others = round(settings.rounds * settings.against)
        if others:
            opponents = [RULES, *(PlayerOfTask(each, self.scaling, recorded=False) for each in self.pool)]
            players.append(opponents[int(generator.integers(len(opponents)))])
            seating[:others:2, 1::2] = 1
            seating[1:others:2, 0::2] = 1
        twins = settings.twins if set(self.learnt()) & {KINDS[kind] for kind in CALLS} else 0.0
        fixtures, forks = twins_of(seating, settings.seed, self.iteration * settings.rounds, twins, generator)
        experience = joined(list(run_tasks(play_task, tasks_of(players, fixtures, forks))))
        if not settings.open_hands:
            experience = replace(experience, opened=closed(experience.opened))
        return experience

    def _learn(
        self,
        kind: str,
        pupil: Pupil,
        experience: Experience,
        rows: np.ndarray,
        advantages: np.ndarray,
        rate: float,
        share: float,
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """One network learns from its decisions."""
        settings = self.settings
        is_play = kind == "play"
        begin, end = (
            (settings.entropy, settings.last_entropy)
            if is_play
            else (settings.decision_entropy, settings.last_decision_entropy)
        )
        pupil.student.set_rate(rate)
        weights = Weights(settings.clip, between(begin, end, share), settings.magnet if kind in self.magnets else 0.0)
        batch = settings.batch if is_play else settings.decision_batch
        return pupil.learn(
            *(experience, rows, advantages, weights, batch, settings.epochs, generator),
            magnet=self.magnets.get(kind),
        )

    def _regress(
        self,
        pupil: Pupil,
        experience: Experience,
        rows: np.ndarray,
        gains: np.ndarray,
        share: float,
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """A network for announcements learns what they were worth, from twin rounds."""
        settings = self.settings
        pupil.student.set_rate(between(settings.call_rate, settings.call_rate / 10, share))
        scaled = gains / np.float32(settings.call_unit)
        error = pupil.regress(experience, rows, scaled, settings.epochs, settings.decision_batch, generator)
        spread = float((gains**2).mean()) if len(gains) else 0.0
        return {"error": error * settings.call_unit**2, "spread": spread}

    def learnt(self) -> list[str]:
        """The kinds of decisions that are learned now; rules of thumb make the others."""
        if self.iteration >= self.settings.plays_first * self.settings.iterations:
            return list(self.pupils)
        return [kind for kind in self.pupils if kind in ("play", "bomb")]

    def _remember(self) -> None:
        """Moves the averages, the pool and the magnet on."""
        settings = self.settings
        if settings.average:
            for kind, pupil in self.pupils.items():
                now = {key: tensor.detach().cpu() for key, tensor in pupil.student.network.state_dict().items()}
                kept = min(settings.average, self.iteration / (self.iteration + 10))  # the first weights are random
                if kind not in self.averages:
                    self.averages[kind] = {key: tensor.clone() for key, tensor in now.items()}
                for key, tensor in self.averages[kind].items():
                    tensor.lerp_(now[key], 1 - kept)
        if settings.against and self.iteration % settings.pool_every == 0:
            self.pool = [*self.pool, self.networks()][-settings.pool_most :]

    def evaluate(self, run_tasks: RunTasks = map) -> dict[str, float | str]:
        """The player against the heuristic one, on deals that are the same at every evaluation."""
        result = duel(self.player(), RULES, self.settings.evaluation_deals, EVALUATION_SEED, run_tasks)
        self.points = result.mean
        return {
            "minutes": round(self.minutes, 3),
            "rounds": self.rounds,
            "opponent": "heuristic",
            "points_per_round": result.mean,
            "low": result.mean - result.error,
            "high": result.mean + result.error,
            "deals": len(result.margins),
            **result.calls(),
        }

    def save(self, folder: Path) -> None:
        """Writes the player as it is now, and the state to resume from."""
        notes = {"iteration": str(self.iteration), "rounds": str(self.rounds)}
        for kind, pupil in self.pupils.items():
            network = pupil.student.network
            weights = self.averages.get(kind) or network.state_dict()
            place = folder if kind == "play" else folder / kind
            checkpoint.save_tensors(place, weights, self.manifests[kind], notes)
        checkpoint.save_tensors(folder / CRITIC, self.judge.student.network.state_dict(), self.manifests[CRITIC], notes)
        tensors: dict[str, Tensor] = {}
        for name, student in self._students().items():
            tensors |= {f"{name}/{key}": tensor for key, tensor in student.tensors().items()}
        for kind, average in self.averages.items():
            tensors |= {f"average/{kind}/{key}": tensor for key, tensor in average.items()}
        for place, networks in enumerate(self.pool):
            for kind, network in networks.items():
                weights = safetensors.torch.load(network.weights)
                tensors |= {f"pool/{place}/{kind}/{key}": tensor for key, tensor in weights.items()}
        facts = {"iteration": self.iteration, "minutes": self.minutes, "points": self.points}
        metadata = {"state": json.dumps(facts), "manifest": self.manifests["play"].digest}
        write_whole(folder / RESUME_SELFPLAY, safetensors.torch.save(tensors, metadata))

    def load(self, folder: Path) -> None:
        """Restores the state that `save` wrote."""
        path = folder / RESUME_SELFPLAY
        tensors, facts = read_state(path, self.manifests["play"])
        for name, student in self._students().items():
            student.load(_below(tensors, f"{name}/"))
        for kind in self.pupils:
            if average := _below(tensors, f"average/{kind}/"):
                self.averages[kind] = average
        present = self.networks()
        places = sorted({int(key.split("/")[1]) for key in tensors if key.startswith("pool/")})
        self.pool = [
            {
                kind: replace(network, weights=safetensors.torch.save(_below(tensors, f"pool/{place}/{kind}/")))
                for kind, network in present.items()
            }
            for place in places
        ]
        self.iteration, self.minutes, self.points = facts["iteration"], facts["minutes"], facts["points"]

    def _students(self) -> dict[str, Student]:
        return {CRITIC: self.judge.student, **{kind: pupil.student for kind, pupil in self.pupils.items()}}


def _soften(network: nn.Module, kind: str, settings: SelfplaySettings) -> None:
    """Makes the first answers of a decision net nearly even, but announcements rare: at even odds they would drown the
    result of every round."""
    last: Any = list(network.children())[-1][-1]  # type: ignore[index]
    with torch.no_grad():
        last.weight.mul_(settings.softness)
        last.bias.zero_()
        if KINDS.index(kind) in (GRAND_CALL, TICHU_CALL, SMALL_CALL):
            last.bias[1] = settings.call_bias


def read_state(path: Path, manifest: RunManifest) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the facts of a saved state, which must be of this run."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  no dictionary
    except (safetensors.SafetensorError, OSError) as error:
        raise CheckpointError(f"{path}: no whole state of a run ({error}); remove it to begin anew") from None
    if metadata.get("manifest") != manifest.digest:
        raise CheckpointError(f"{path}: the state of another run; remove it to begin anew")
    return tensors, json.loads(metadata["state"])


def _below(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {key[len(prefix) :]: tensor for key, tensor in tensors.items() if key.startswith(prefix)}


class _Clock:
    """Seconds of the parts of an iteration."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[f"seconds.{name}"] = now - self._last
        self._last = now


def _facts(experience: Experience, values: np.ndarray) -> dict[str, float]:
    """What the critic explains of the results, by phase of the round, and the announcements of an iteration."""
    decisions, results = experience.decisions, results_of(experience)
    kind, turn = decisions["kind"], decisions["turn"]
    before = (kind == GRAND_CALL) | (kind == TICHU_CALL) | (kind == SCHUPF)
    played = [turn < 20, (turn >= 20) & (turn < 40), turn >= 40]
    phases = {"before": before} | {name: ~before & when for name, when in zip(PHASES, played, strict=True)}
    figures = {}
    for name, inside in phases.items():
        spread = float(results[inside].var()) if inside.any() else 0.0
        error = float(((results - values)[inside] ** 2).mean()) if inside.any() else 0.0
        figures[f"explained.{name}"] = 1 - error / spread if spread else 0.0
    ended = experience.ended
    for call, name in ((1, "small"), (2, "grand")):
        called = ended["call"] == call
        made = called & (np.arange(4) == ended["winner"][:, None])
        figures[f"{name}_a_round"] = float(called.sum() / len(ended))
        figures[f"{name}_made"] = float(made.sum() / max(called.sum(), 1))
    return figures


@dataclass(frozen=True)
class SelfTrained:
    """The result of a run, or how far it came."""

    figures: dict[str, float]
    finished: bool
    reused: bool = False


def figures_of(folder: Path, manifest: RunManifest) -> dict[str, float] | None:
    """The figures of the finished run with this manifest; None if the folder does not hold it."""
    path = folder / FIGURES
    return json.loads(path.read_text()) if checkpoint.is_of(folder, manifest) and path.exists() else None


def train(
    settings: SelfplaySettings,
    folder: Path,
    run_tasks: RunTasks = map,
    minutes: float | None = None,
    progress: Callable[[SelfplayProgress], None] = lambda progress: None,
    evaluated: Callable[[dict[str, float | str]], None] = lambda figures: None,
    start: Path | None = None,
    accelerator: str = "cpu",
) -> SelfTrained:
    """Trains players by self-play, or goes on with a run, for so many minutes at most. `start` is the folder of a run
    whose networks it begins with; `progress` is called after every iteration, `evaluated` after every evaluation."""
    selfplay = SelfPlay(settings, start.name if start else "", accelerator)
    manifest = selfplay.manifests["play"]
    if (finished := figures_of(folder, manifest)) is not None:
        return SelfTrained(finished, True, reused=True)
    checkpoint.begin(folder, manifest)
    if (folder / RESUME_SELFPLAY).exists():
        selfplay.load(folder)
    elif start:
        begin_with(selfplay, start)
    started = time.monotonic()
    before = selfplay.minutes
    figures: dict[str, float | str] = {}
    with Journal(folder, selfplay.iteration) as journal:
        while selfplay.iteration < settings.iterations:
            learned = selfplay.iterate(run_tasks)
            journal.iterated(selfplay.iteration, learned)
            selfplay.minutes = before + (time.monotonic() - started) / 60
            is_last = selfplay.iteration == settings.iterations
            if selfplay.iteration % settings.evaluate_every == 0 or is_last:
                figures = selfplay.evaluate(run_tasks)
                journal.evaluated(selfplay.iteration, figures)
                evaluated(figures)
            out_of_time = minutes is not None and selfplay.minutes - before >= minutes
            if selfplay.iteration % settings.save_every == 0 or is_last or out_of_time:
                selfplay.save(folder)
            progress(_progress(selfplay))
            if out_of_time and not is_last:
                return SelfTrained({}, False)
    figures = figures or selfplay.evaluate(run_tasks)  # killed after its last iteration, it has none
    latest = {name: value for name, value in figures.items() if not isinstance(value, str)}
    write_whole(folder / FIGURES, json.dumps(latest, indent=1) + "\n")
    (folder / RESUME_SELFPLAY).unlink(missing_ok=True)
    return SelfTrained(latest, True)


def _progress(selfplay: SelfPlay) -> SelfplayProgress:
    rounds = selfplay.rounds
    return SelfplayProgress(selfplay.iteration, selfplay.settings.iterations, rounds, selfplay.minutes, selfplay.points)


def begin_with(selfplay: SelfPlay, start: Path) -> None:
    """Loads the networks of another run of self-play, which have to be of the same sizes."""
    students = {start: selfplay.pupils["play"].student, start / CRITIC: selfplay.judge.student}
    students |= {start / kind: pupil.student for kind, pupil in selfplay.pupils.items() if kind != "play"}
    for place, student in students.items():
        if place == start or place.exists():
            loaded = checkpoint.load(place)
            try:
                student.network.load_state_dict(loaded.network.state_dict())
            except RuntimeError:
                here, there = type(student.network).__name__, loaded.manifest.network
                raise CheckpointError(f"{place}: a {there} of other sizes; expected the {here} of this run") from None
