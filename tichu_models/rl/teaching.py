"""Teaching: a DTRLNet learns what another run of self-play plays, and what its critic expects.

Most plays are taught with the return to go left open: the targets are the teacher's probabilities of all legal moves.
The others are relabelled in hindsight: what is asked for is the gain that the play brought, and the target is the play
itself. The gain is the critic's value after the play less the one before it. It sees all hands, so that neither the
deal nor what others do later counts as a gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning.fabric import Fabric
from torch import Tensor

from tichu_models.algorithms.matching import match_tensors
from tichu_models.algorithms.ppo import STATISTICS
from tichu_models.algorithms.student import Student, minibatches
from tichu_models.networks.candidates import Candidates, log_softmax
from tichu_models.networks.dtrl_net import DTRLNet, ask_for
from tichu_models.observation.specs import spec
from tichu_models.options import OptionError
from tichu_models.rl.learning import Pupil
from tichu_models.rl.players import player_of
from tichu_models.rl.rollout import Experience
from tichu_models.rl.settings import SelfplaySettings
from tichu_models.rl.tasks import NetworkOfTask, player_dtype
from tichu_models.rules.asking import KINDS, PLAY
from tichu_models.runs import checkpoint
from tichu_models.runs.files import MANIFEST
from tichu_models.runs.folders import of_critic, of_kind


class Teacher:
    """A run of self-play that plays, and knows of each of its plays how likely all the others were."""

    def __init__(self, run: Path | None, settings: SelfplaySettings, fabric: Fabric) -> None:
        if run is None:
            raise OptionError("network = DTRLNet: it is taught by another run; expected its name as --from RUN")
        if not (of_critic(run) / MANIFEST).exists():
            raise OptionError(f"{run}: no critic, by which its plays are judged; expected a run of self-play")
        self.settings = settings
        loaded = checkpoint.load(run)
        read = loaded.manifest.spec.name
        if isinstance(loaded.network, DTRLNet) or read != settings.vector:
            raise OptionError(
                f"{run}: a {loaded.manifest.network} that reads {read}; expected one without sequences that reads "
                f"{settings.vector}, as the setting vector has it"
            )
        self._run = run
        self.player = replace(
            player_of(run, [kind for kind in KINDS if kind not in settings.kinds]), greedy=False, recorded=True
        )
        self._plays = Pupil(PLAY, Student(fabric, loaded.network, 0.0), spec(read), self.player.scaling, player_dtype())

    @property
    def others(self) -> dict[int, NetworkOfTask]:
        """Its networks for decisions other than plays."""
        return {kind: network for kind, network in self.player.networks.items() if kind != PLAY}

    def give_others(self, folder: Path, notes: Mapping[str, str]) -> None:
        """Writes these networks into the folder of the run that is taught."""
        for kind in self.others:
            own = checkpoint.load(of_kind(self._run, kind))
            checkpoint.save_tensors(of_kind(folder, kind), own.network.state_dict(), own.manifest, notes)

    def teach(
        self,
        pupil: Pupil,
        experience: Experience,
        learned: np.ndarray,
        values: np.ndarray,
        returns: np.ndarray,
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """One epoch over the teacher's plays among the decisions `learned` (booleans), with the critic's values before
        and after each decision. Returns the mean STATISTICS, each minibatch's before its step; `kl` is the divergence
        from the teacher where nothing is asked for."""
        settings, sums, decisions = self.settings, dict.fromkeys(STATISTICS, 0.0), experience.decisions
        rows = np.flatnonzero(learned & (decisions["kind"] == PLAY))
        asked = generator.random(len(rows)) < settings.hindsight
        gains = np.where(asked, (returns - values)[rows], np.nan).astype(np.float32)
        for part in minibatches(len(rows), settings.batch, generator):
            targets = self.targets(experience, rows[part], asked[part])
            scores, expected = scores_and_values(pupil, experience, rows[part], gains[part])
            counts = decisions["options"][rows[part]].astype(np.int64)
            loss, figures = taught_loss(scores, counts, targets, asked[part])
            errors = (expected - torch.from_numpy(values[rows[part]]).to(expected.device)).square()
            is_open = torch.from_numpy(~asked[part]).to(expected.device)
            loss = loss + settings.taught_values * (errors * is_open).sum() / is_open.sum().clamp(min=1)
            pupil.student.step(loss)
            for name, value in (figures | {"loss": loss.item()}).items():
                sums[name] += value * len(part) / len(rows)
        return {f"play.{name}": value for name, value in sums.items()}

    def targets(self, experience: Experience, rows: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """The probabilities of all legal moves that are taught: the teacher's, and where a gain is asked for 1 for the
        move that it has played."""
        counts = experience.decisions["options"][rows].astype(np.int64)
        shares = np.exp(self._plays.log_probabilities(experience, rows))
        shares[np.repeat(asked, counts)] = 0
        chosen = np.cumsum(counts) - counts + experience.decisions["chosen"][rows]
        shares[chosen[asked]] = 1
        return shares


def scores_and_values(
    pupil: Pupil, experience: Experience, rows: np.ndarray, gains: np.ndarray
) -> tuple[Tensor, Tensor]:
    """The score of every legal move at these plays if these gains are asked for (NaN: none), and the values."""
    student, values = pupil.student, []

    def ask(state: Tensor, moves: Tensor, which: Tensor, counts: Tensor) -> Tensor:
        network: Any = student.network
        ask_for(torch.from_numpy(gains).to(state.device), state)
        with student.fabric.autocast():
            policy, value = network.policy_and_value(state)
            values.append(value[: len(rows)].float())
            return match_tensors(policy, network.moves(moves), which, counts, network.scale)

    return pupil.scores(experience, rows, ask), values[0]


def taught_loss(
    scores: Tensor, counts: np.ndarray, targets: np.ndarray, asked: np.ndarray
) -> tuple[Tensor, dict[str, float]]:
    """The mean cross-entropy of the targets and the softmax of the scores, over the moves (m,) of n decisions. Beside
    it the mean entropy of the answers, and their divergence from the targets where nothing is asked for."""
    wanted = torch.from_numpy(targets).to(scores.device)
    moves = Candidates.of_counts(wanted, torch.from_numpy(counts).to(scores.device))
    logs = log_softmax(scores, moves)
    with torch.no_grad():
        entropy = -(logs.exp() * logs).sum().item() / len(counts)
        is_open = torch.from_numpy(~asked).to(scores.device)[moves.row]
        divergence = (wanted * (wanted.clamp(min=1e-30).log() - logs))[is_open].sum().item()
    return -(wanted * logs).sum() / len(counts), {"entropy": entropy, "kl": divergence / max(int((~asked).sum()), 1)}
