"""Learning from a rollout: the critic judges every decision, the networks follow those that turned out better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call

from tichu_models.agents.choosing import put_move_features
from tichu_models.algorithms.answers import distinct, log_probabilities
from tichu_models.algorithms.ppo import Chosen, Weights, improve
from tichu_models.algorithms.returns import lambda_returns
from tichu_models.algorithms.student import Student, fit
from tichu_models.networks.interface import MOVE_FEATURES
from tichu_models.networks.move_net import MoveNet
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import Spec
from tichu_models.observation.unpack import LANES
from tichu_models.rl.hall import options_of, places_of
from tichu_models.rl.readers import Reader, reader_of
from tichu_models.rl.rollout import Experience
from tichu_models.rules.asking import GRAND_CALL, SCHUPF, TICHU_CALL
from tichu_models.rules.state import GRAND, SMALL
from tichu_models.search.open_hands import answered

VALUES_AT_ONCE = 8192
PHASES = ("before", "early", "middle", "late")  # before the play; then by turns
# Batches are filled up to a multiple of this: torch prepares and keeps a matrix product for every size that it meets.
STEP = 256


def results_of(experience: Experience) -> np.ndarray:
    """What the round of every decision was worth to the team of its seat, in points / 100."""
    decisions = experience.decisions
    return experience.ended["worth"][decisions["round"], decisions["seat"] & 1]


def facts_of(experience: Experience, values: np.ndarray, judged: np.ndarray) -> dict[str, float]:
    """How much of the results the critic explains where it judged, by phase of the round, and how often was announced
    and made."""
    decisions, results = experience.decisions, results_of(experience)
    kind, turn = decisions["kind"], decisions["turn"]
    before = (kind == GRAND_CALL) | (kind == TICHU_CALL) | (kind == SCHUPF)
    phases = dict(zip(PHASES, (before, turn < 20, (turn >= 20) & (turn < 40), turn >= 40), strict=True))
    phases["early"] &= ~before
    figures = {}
    for name, phase in phases.items():
        inside = phase & judged
        spread = float(results[inside].var()) if inside.any() else 0.0
        error = float(((results - values)[inside] ** 2).mean()) if inside.any() else 0.0
        figures[f"explained.{name}"] = 1 - error / spread if spread else 0.0
    ended = experience.ended
    for call, name in ((SMALL, "small"), (GRAND, "grand")):
        called = ended["call"] == call
        made = called & (np.arange(4) == ended["winner"][:, None])
        figures[f"{name}_a_round"] = float(called.sum() / len(ended))
        figures[f"{name}_made"] = float(made.sum() / max(called.sum(), 1))
    return figures


def returns_of(experience: Experience, values: np.ndarray, weight: float) -> np.ndarray:
    """The lambda-return of every decision. The decisions of a round follow each other, whoever makes them."""
    results = results_of(experience)
    if weight == 1:
        return results
    decisions = experience.decisions
    order = np.lexsort((decisions["order"], decisions["round"]))
    signs = (1 - 2 * (decisions["seat"][order] & 1)).astype(np.float32)
    ends = np.flatnonzero(np.diff(decisions["round"][order], append=-1)) + 1
    in_order = np.empty(len(decisions), dtype=np.float32)
    lambda_returns(results[order][ends - 1] * signs[ends - 1], values[order], signs, ends, weight, in_order)
    returns = np.empty(len(decisions), dtype=np.float32)
    returns[order] = in_order
    return returns


def examples_of(
    experience: Experience, own: np.ndarray, share: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """From what the critic learns: decisions, and the vector of each as it reads them. They are a share of the player's
    own (booleans), and such a share of its answers about announcements before the play once more, as `answered` has
    them; there a twin's own answer too, though nobody would have given it."""
    decisions = experience.decisions
    different = own & (decisions["pick"] == 0)  # the three of schupfen are one position
    asked = np.flatnonzero(different & (generator.random(len(own)) < share))
    answers = own | (decisions["fork"] == 1) & (decisions["player"] == 0)
    answers &= generator.random(len(own)) < share
    rows, vectors = [asked], [experience.opened[asked]]
    for kind, called in product((GRAND_CALL, TICHU_CALL), (False, True)):
        told = np.flatnonzero(answers & (decisions["kind"] == kind) & (decisions["chosen"] == called))
        rows.append(told)
        vectors.append(answered(experience.opened[told], kind, called))
    return np.concatenate(rows), np.concatenate(vectors)


class Judge:
    """The critic: what decisions were worth, seen with all hands open, and how it learns that."""

    def __init__(self, student: Student, spec: Spec, scaling: Scaling, dtype: torch.dtype) -> None:
        self.student = student
        self._reader = Reader(spec, scaling, dtype)

    def values(self, experience: Experience, wanted: np.ndarray) -> np.ndarray:
        """What the round is expected to be worth to the team of each decision's seat, in points / 100; 0 for those not
        wanted (booleans)."""
        values = np.zeros(len(wanted), dtype=np.float32)
        rows = np.flatnonzero(wanted)
        with torch.no_grad():
            for begin in range(0, len(rows), VALUES_AT_ONCE):
                part = rows[begin : begin + VALUES_AT_ONCE]
                values[part] = self._ask(experience, part).float().cpu().numpy()
        return values

    def gains(self, opened: np.ndarray, kind: int) -> np.ndarray:
        """What an announcement of a kind is worth, in points / 100, where these vectors of the critic ask for it: the
        value of the position with it less that without."""
        rows = np.arange(len(opened))
        with torch.no_grad():
            with_it, without = (self._read(answered(opened, kind, called), rows).float() for called in (True, False))
        return (with_it - without).cpu().numpy()

    def learn(
        self,
        experience: Experience,
        returns: np.ndarray,
        own: np.ndarray,
        share: float,
        batch: int,
        generator: np.random.Generator,
    ) -> float:
        """Learns from examples of the player's own decisions; returns the mean squared error before."""
        rows, opened = examples_of(experience, own, share, generator)
        return fit(
            self.student, returns[rows], lambda part: self._read(opened, part), np.arange(len(rows)), batch, generator
        )

    def _ask(self, experience: Experience, rows: np.ndarray) -> Tensor:
        return self._read(experience.opened, rows)

    def _read(self, opened: np.ndarray, rows: np.ndarray) -> Tensor:
        state = self._reader.read(rows, opened, STEP).to(self.student.device)
        return self.student.ask(state)[: len(rows)]


class Pupil:
    """A network that learns from its own decisions of one kind."""

    def __init__(self, kind: int, student: Student, spec: Spec, scaling: Scaling, dtype: torch.dtype) -> None:
        self.kind, self.student = kind, student
        self._reader = reader_of(student.network, spec, scaling, dtype)

    def scores(self, experience: Experience, rows: np.ndarray, ask: Callable[..., Tensor] | None = None) -> Tensor:
        """The score of every option of these decisions, by the network or by `ask`, with its gradient."""
        ask, device = ask or self.student.ask, self.student.device
        decisions = experience.decisions
        counts = decisions["options"][rows].astype(np.int64)
        found = np.empty(counts.sum(), dtype=np.int64)
        options_of(rows, decisions, experience.options, found, counts)
        state = self._reader.states(rows, decisions, experience.seen, experience.options, STEP).to(device)
        if isinstance(self.student.network, MoveNet):
            different, which = distinct(found)
            moves = self._features(different).to(device)
            return ask(state, moves, torch.from_numpy(which).to(device), torch.from_numpy(counts).to(device)).float()
        outputs = ask(state).float()
        places = np.empty(len(found), dtype=np.int64)
        places_of(rows, decisions, found, counts, places)
        places += np.repeat(np.arange(len(rows)) * outputs.shape[1], counts)
        return outputs.reshape(-1)[torch.from_numpy(places).to(device)]

    def _features(self, plays: np.ndarray) -> Tensor:
        lookup, n = self._reader.lookup, -(-len(plays) // STEP) * STEP
        features = np.zeros(n * MOVE_FEATURES + LANES, dtype=lookup.dtype)
        put_move_features(plays, lookup, features)
        tensor = torch.from_numpy(features[: n * MOVE_FEATURES].reshape(n, -1))
        return tensor.view(torch.bfloat16) if features.dtype == np.int16 else tensor

    def log_probabilities(
        self, experience: Experience, rows: np.ndarray, weights: Mapping[str, Tensor] | None = None
    ) -> np.ndarray:
        """The logarithm of every option's probability, by the network or by one with other weights."""

        def ask(*inputs: Tensor) -> Tensor:
            with self.student.fabric.autocast():
                return functional_call(self.student.network, dict(weights or {}), inputs)

        with torch.no_grad():
            scores = self.scores(experience, rows, ask if weights else None).cpu().numpy()
        logs = np.empty(len(scores), dtype=np.float32)
        log_probabilities(scores, experience.decisions["options"][rows].astype(np.int64), logs)
        return logs

    def regress(self, seen: np.ndarray, gains: np.ndarray, batch: int, generator: np.random.Generator) -> float:
        """Learns how much higher the second of two answers has to score than the first: by its gain. Returns the mean
        squared error."""
        rows = np.arange(len(seen))
        return fit(self.student, gains, lambda part: self._difference(seen, part), rows, batch, generator)

    def gains(self, seen: np.ndarray) -> np.ndarray:
        """How much higher the second of two answers scores than the first."""
        with torch.no_grad():
            return self._difference(seen, np.arange(len(seen))).cpu().numpy()

    def _difference(self, seen: np.ndarray, rows: np.ndarray) -> Tensor:
        scores = self.student.ask(self._reader.read(rows, seen, STEP).to(self.student.device))[: len(rows)].float()
        return scores[:, 1] - scores[:, 0]

    def learn(
        self,
        experience: Experience,
        rows: np.ndarray,
        advantages: np.ndarray,
        weights: Weights,
        batch: int,
        epochs: int,
        generator: np.random.Generator,
        magnet: Mapping[str, Tensor] | None = None,
    ) -> dict[str, float]:
        """Some epochs of PPO over these decisions."""
        made = experience.decisions[rows]
        counts, chosen = made["options"].astype(np.int64), made["chosen"].astype(np.int64)
        return improve(
            self.student,
            Chosen(counts, chosen, made["log"], advantages),
            lambda part: self.scores(experience, rows[part]),
            weights,
            batch,
            epochs,
            generator,
            (lambda part: self.log_probabilities(experience, rows[part], magnet)) if magnet else None,
        )
