"""The networks of a run of self-play: one for each kind of decision, and the critic. Built, saved and restored here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch
from lightning.fabric import Fabric
from torch import Tensor, nn

from tichu_models.algorithms.precision import has_fast_bf16
from tichu_models.algorithms.student import Student
from tichu_models.networks.architectures import build
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import GOAL
from tichu_models.options import OptionError
from tichu_models.rl import forks
from tichu_models.rl.learning import Judge, Pupil
from tichu_models.rl.opponents import Opponent
from tichu_models.rl.planned import planned, read_by
from tichu_models.rl.settings import SelfplaySettings
from tichu_models.rl.tasks import RULES, NetworkOfTask, PlayerOfTask, frozen, player_dtype
from tichu_models.rl.teaching import Teacher
from tichu_models.rules.asking import KINDS
from tichu_models.runs import checkpoint
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import CRITIC, MANIFEST, RESUME_SELFPLAY
from tichu_models.runs.folders import of_critic, of_kind
from tichu_models.runs.manifest import CheckpointError, RunManifest, SpecStamp
from tichu_models.whole_files import write_whole

# Points are scaled by constants, so that a player needs no data; the previous round's result is always 0 in self-play.
SCALING: dict[str, dict[str, Any]] = {
    "trick_points": {"offset": 0.0, "scale": 25.0, "clip": [-25.0, 125.0]},
    "points": {"offset": 0.0, "scale": 50.0, "clip": [-25.0, 125.0]},
    "game_score": {"offset": 0.0, "scale": 1.0, "clip": [0.0, 0.0]},
}
CALLS = tuple(KINDS[kind] for kind in forks.CALLS)
IMITATIONS = {"CandidatePolicyNet": "CandidateRLNet", "PolicyNet": "PolicyRLNet"}  # and their like in self-play
# The networks from which others can start, beside their own kind.
STARTS = {
    "CandidateRLNet": ("CandidatePolicyNet",),
    "PolicyRLNet": ("PolicyNet",),
    "GCPolicyRLNet": ("CandidateRLNet", "CandidatePolicyNet"),
}


class Team:
    """The networks of a run, each with its optimiser."""

    def __init__(
        self,
        settings: SelfplaySettings,
        start: Path | None = None,
        accelerator: str = "cpu",
        opponent: Opponent | None = None,
    ) -> None:
        self.settings, self.start, self.opponent = settings, start, opponent
        precision: Any = "bf16-mixed" if accelerator != "cpu" or has_fast_bf16() else "32-true"
        fabric = Fabric(accelerator=accelerator, devices=1, precision=precision)
        self._constants = _constants_of(start) if start else SCALING
        self.scaling = Scaling.of(self._constants)
        self.pupils: dict[str, Pupil] = {}
        self.teacher = Teacher(start, settings, fabric) if settings.network == "DTRLNet" else None
        kinds = ("play",) if self.teacher else settings.kinds
        torch.manual_seed(settings.seed)
        for kind in (kind for kind in KINDS if kind in kinds):
            student, read = self._student(kind, fabric, settings.learning_rate), read_by(kind, settings)
            self.pupils[kind] = Pupil(KINDS.index(kind), student, read, self.scaling, player_dtype())
        critic, opened = self._student(CRITIC, fabric, settings.critic_rate), read_by(CRITIC, settings)
        self.judge = Judge(critic, opened, self.scaling, player_dtype())
        self.averages: dict[str, dict[str, Tensor]] = {}
        self.magnets: dict[str, dict[str, Tensor]] = {}
        self.pool: list[dict[int, NetworkOfTask]] = []
        if start:
            self._begin_with(start)
        if settings.magnet:
            self.set_magnets()

    def _student(self, kind: str, fabric: Fabric, rate: float) -> Student:
        name, config, _ = planned(kind, self.settings)
        network = build(name, read_by(kind, self.settings).size, config)
        if kind not in ("play", "bomb", CRITIC):
            _soften(network, self.settings.softness, self.settings.call_bias if kind in CALLS else 0.0)
        return Student(fabric, network, rate)

    @property
    def students(self) -> dict[str, Student]:
        """All networks that learn, the critic too."""
        return {CRITIC: self.judge.student, **{kind: pupil.student for kind, pupil in self.pupils.items()}}

    def manifest(self, kind: str = "play") -> RunManifest:
        """The manifest of one of the networks; that of the network for plays is the run's."""
        name, config, _ = planned(kind, self.settings)
        seen = read_by(kind, self.settings)
        data = {"start": manifests.read(self.start / MANIFEST).digest} if self.start else {}
        training: dict[str, Any] = {"selfplay": self.settings.plain()}
        if self.opponent:
            data["opponent"] = self.opponent.digest
            training["opponent"] = {"agent": self.opponent.name, "minutes": self.opponent.minutes}
        return RunManifest(
            network=name,
            config=config,
            spec=SpecStamp.of(seen),
            inputs=seen.size,
            scaling=self._constants,
            data=data,
            seed=self.settings.seed,
            training=training,
        )

    def networks(self, kinds: list[str]) -> dict[int, NetworkOfTask]:
        """The networks for these kinds of decisions, as they are now, and those of a teacher for other kinds."""
        return (self.teacher.others if self.teacher else {}) | {
            self.pupils[kind].kind: frozen(
                self.pupils[kind].student.network.state_dict(), *planned(kind, self.settings)
            )
            for kind in kinds
        }

    def player(self, kinds: list[str], greedy: bool = True) -> PlayerOfTask:
        """The player that the networks make, or their averages. It plays the likeliest answers, or draws them."""
        networks = self.networks(kinds)
        for kind in set(kinds) & set(self.averages):
            networks[self.pupils[kind].kind] = frozen(self.averages[kind], *planned(kind, self.settings))
        return PlayerOfTask(networks, self.scaling, greedy=greedy, recorded=not greedy)

    def adversary(self, generator: np.random.Generator, judged: bool) -> PlayerOfTask:
        """Whom the rounds `against` are played with: the opponent, or else the heuristic player or one of the pool.
        `judged`: returns read the values of its decisions too."""
        if self.opponent:
            return replace(self.opponent.player, recorded=judged)
        those = [RULES, *(PlayerOfTask(each, self.scaling, recorded=judged) for each in self.pool)]
        return those[int(generator.integers(len(those)))]

    def average(self, share: float) -> None:
        """Moves the averages on: they keep this share of what they were."""
        for kind, pupil in self.pupils.items():
            now = {key: tensor.detach().cpu() for key, tensor in pupil.student.network.state_dict().items()}
            before = self.averages.setdefault(kind, {key: tensor.clone() for key, tensor in now.items()})
            for key, tensor in before.items():
                tensor.lerp_(now[key], 1 - share)

    def set_magnets(self) -> None:
        """Makes the networks as they are now those that the others shall stay near to."""
        self.magnets = {
            kind: {key: tensor.detach().clone() for key, tensor in pupil.student.network.state_dict().items()}
            for kind, pupil in self.pupils.items()
        }

    def save(self, folder: Path, kinds: list[str], facts: Mapping[str, Any]) -> None:
        """Writes the player as it is now into a run's folder, its networks for these kinds of decisions, and the state
        to resume from with some facts."""
        notes = {name: str(value) for name, value in facts.items()}
        for kind, student in ((kind, self.students[kind]) for kind in (*kinds, CRITIC)):
            weights = self.averages.get(kind) or student.network.state_dict()
            checkpoint.save_tensors(_place(folder, kind), weights, self.manifest(kind), notes)
        if self.teacher:
            self.teacher.give_others(folder, notes)
        parts = {f"student/{kind}": student.tensors() for kind, student in self.students.items()}
        parts |= {f"average/{kind}": tensors for kind, tensors in self.averages.items()}
        parts |= {f"magnet/{kind}": tensors for kind, tensors in self.magnets.items()}
        for place, networks in enumerate(self.pool):
            for number, network in networks.items():
                parts[f"pool/{place}/{KINDS[number]}"] = safetensors.torch.load(network.weights)
        tensors = {f"{name}/{key}": tensor.cpu() for name, part in parts.items() for key, tensor in part.items()}
        metadata = {"facts": json.dumps(facts), "manifest": self.manifest().digest}
        write_whole(folder / RESUME_SELFPLAY, safetensors.torch.save(tensors, metadata))

    def load(self, folder: Path) -> dict[str, Any]:
        """Restores the state that `save` wrote, and returns the facts."""
        path = folder / RESUME_SELFPLAY
        tensors, facts = _state(path, self.manifest())
        try:
            self._restore(tensors)
        except (KeyError, RuntimeError) as error:  # a tensor that is missing, or of another shape
            raise CheckpointError(f"{path}: damaged state of a run ({error}); remove it to begin anew") from None
        return facts

    def _restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Takes over the tensors of a saved state."""
        for kind, student in self.students.items():
            student.load(_below(tensors, f"student/{kind}/"))
        for kind in self.pupils:
            if average := _below(tensors, f"average/{kind}/"):
                self.averages[kind] = average
            if magnet := _below(tensors, f"magnet/{kind}/"):
                self.magnets[kind] = magnet
        members = sorted({tuple(key.split("/")[1:3]) for key in tensors if key.startswith("pool/")})
        self.pool = [{} for _ in {place for place, _ in members}]
        for place, kind in members:
            number, others = KINDS.index(kind), self.teacher.others if self.teacher else {}
            weights = _below(tensors, f"pool/{place}/{kind}/")
            self.pool[int(place)][number] = others.get(number) or frozen(weights, *planned(kind, self.settings))

    def _begin_with(self, start: Path) -> None:
        """Takes the weights of another run: of self-play, or of an imitation for plays."""
        for kind, student in self.students.items():
            folder = _place(start, kind)
            if not (folder / MANIFEST).exists() or (kind == "play" and self.teacher):
                continue
            loaded = checkpoint.load(folder)
            name = planned(kind, self.settings)[0]
            found = loaded.manifest.network
            if found != name and found not in STARTS.get(name, ()):
                raise OptionError(f"{folder} is a {found}, from which a {name} cannot start")
            copy_layers(loaded.network, student.network, folder)
            if found in IMITATIONS:
                _scale_scores(student.network, self.settings.start_softness)


def _place(run: Path, kind: str) -> Path:
    """The folder of one of a run's networks."""
    return of_critic(run) if kind == CRITIC else of_kind(run, KINDS.index(kind))


def _constants_of(start: Path) -> dict[str, dict[str, Any]]:
    """The constants by which the networks of a run have their points scaled."""
    return {name: dict(facts) for name, facts in manifests.read(start / MANIFEST).scaling.items()}


def _linear_layers(network: nn.Module) -> list[nn.Linear]:
    return [module for module in network.modules() if isinstance(module, nn.Linear)]


def copy_layers(source: nn.Module, target: nn.Module, where: object) -> None:
    """Copies the layers one by one: the dropout between those of an imitation changes their names. Inputs for a goal,
    which the source lacks, are the last ones of the first layer; with weights of 0 they change nothing yet."""
    theirs, ours = _linear_layers(source), _linear_layers(target)
    shapes = [[tuple(layer.weight.shape) for layer in layers] for layers in (theirs, ours)]
    rows, inputs = shapes[0][0]
    if shapes[0] != shapes[1] and [(rows, inputs + GOAL.size), *shapes[0][1:]] != shapes[1]:
        raise OptionError(f"{where}: layers of {shapes[0]}; those of this run are {shapes[1]}: set their sizes alike")
    for from_, to in zip(theirs, ours, strict=True):
        with torch.no_grad():
            to.weight.zero_()[:, : from_.in_features] = from_.weight
            to.bias.copy_(from_.bias)


def _scale_scores(network: Any, factor: float) -> None:
    """Multiplies the scores of all moves, which makes a policy softer."""
    last = _linear_layers(network.body if hasattr(network, "body") else network)[-1]
    with torch.no_grad():
        last.weight.mul_(factor)
        last.bias.mul_(factor)


def _soften(network: nn.Module, softness: float, bias: float) -> None:
    """Makes the first answers of a decision net nearly even, but announcements rare: at even odds they would drown the
    result of every round."""
    last = _linear_layers(network)[-1]
    with torch.no_grad():
        last.weight.mul_(softness)
        last.bias.zero_()
        last.bias[-1] = bias


def _below(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {key[len(prefix) :]: tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def _state(path: Path, manifest: RunManifest) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the facts of a saved state, which must be of this run."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  no dictionary
    except (safetensors.SafetensorError, OSError) as error:
        raise CheckpointError(f"{path}: no whole state of a run ({error}); remove it to begin anew") from None
    if metadata.get("manifest") != manifest.digest:
        raise CheckpointError(f"{path}: the state of another run; remove it to begin anew")
    try:
        facts = json.loads(metadata["facts"])
        return tensors, {name: facts[name] for name in ("iteration", "minutes", "points")}
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged facts of a run ({error!r}); remove it to begin anew") from None
