"""Explains a logged decision: a network's score for every legal answer, with the given answer marked.

A network that reads a return to go gets the one that the round really had, unless the question names another. Networks
that learned from self-play are asked by `explain_self_taught`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tichu_models.learning.losses import split_schupf
from tichu_models.networks.architectures import SELF_PLAY, architecture
from tichu_models.networks.candidates import Candidates, log_softmax
from tichu_models.networks.decision_rule import move_scores
from tichu_models.observation.samples import Encoder, as_records, features_of
from tichu_models.observation.specs import CARDS_LABEL, HAND_CARDS, OTHERS, Spec, spec
from tichu_models.rules.cards import COLOUR_OF_INDEX, LABELS, VALUE_OF_INDEX, labels
from tichu_models.rules.combinations import TYPE_NAMES, cards_of, type_of
from tichu_models.rules.scoring import VALUE_UNIT
from tichu_models.runs import checkpoint
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import MANIFEST
from tichu_models.runs.manifest import SpecStamp
from tichu_models.samples.arrays import SampleUnpacker
from tichu_models.samples.batches import Batch
from tichu_models.samples.feed import Tensors
from tichu_pipeline.features.log_decisions import LogError, label_of, round_of
from tichu_pipeline.training.explain_self_taught import explain_self_taught
from tichu_pipeline.training.questions import Question, facts_of
from tichu_pipeline.training.runs import config_of

LAST = torch.tensor([-1])


@dataclass(frozen=True)
class _Asked:
    """A decision that the network answers, with the earlier ones of its seat in the round."""

    question: Question
    spec: Spec
    rows: np.ndarray  # the samples of the seat's earlier decisions, then this one
    record: np.void

    def batch(self, unpacker: SampleUnpacker) -> Batch:
        """The input of the network: the decision, or the sequence that ends with it."""
        rows = np.ascontiguousarray(self.rows[-unpacker.steps :])
        n = len(rows)
        arrays = unpacker.batch(rows, np.ones((1, n), dtype=bool))
        if self.question.rtg is not None:  # earlier turns move by the same points
            asked = np.float32(self.question.rtg / VALUE_UNIT)
            arrays = arrays._replace(rtg=arrays.rtg + asked - arrays.rtg[..., -1:])
        batch = Tensors(self.spec.names)(arrays)
        return batch if batch.candidates is None else batch._replace(candidates=batch.candidates.take(LAST + n))


def explain(folder: Path, question: Question, name: str = "") -> Iterator[dict[str, Any]]:
    """Answers those of the decisions that are of a kind which the network in a folder answers. `name` is its name in
    messages, by default the folder's."""
    manifest, name = manifests.read(folder / MANIFEST), name or folder.name
    objective = architecture(manifest.network).objective
    if objective == SELF_PLAY:
        yield from explain_self_taught(folder, question, name)
        return
    read = spec(manifest.spec.name)
    run = checkpoint.load(folder, spec=SpecStamp.of(read))
    turns = getattr(run.manifest.config, "turns", 1)
    unpacker = SampleUnpacker(read, 1, run.manifest.constants, steps=turns, moves=read.label == CARDS_LABEL)
    explained = 0
    only_open = objective == "sequence" and config_of(run.manifest).data.drop_forced
    for asked in _decisions(question, read, only_open):
        explained += 1
        with torch.inference_mode():
            answer = ANSWERS[objective](run.network, asked.batch(unpacker), asked)
        decision = asked.record
        where = question.round_index, int(decision["turn"]), int(decision["seat"]), int(decision["kind"])
        played = label_of(int(decision["label"]), read)
        yield {**facts_of(run.manifest.network, *where, bool(decision["forced"]), played), **answer}
    if not explained:
        raise LogError(question.nothing(read.kinds, name))


def _decisions(question: Question, read: Spec, only_open: bool) -> Iterator[_Asked]:
    """Each decision with the earlier ones of its seat, without forced ones if `only_open`."""
    played = round_of(question.file, question.round_index)
    samples = Encoder(read).samples(played)
    records = as_records(samples, read)
    for k, record in enumerate(records):
        if question.asks(int(record["turn"]), int(record["seat"])):
            before = (records["seat"][:k] == record["seat"]) & ~(only_open & (records["forced"][:k] != 0))
            yield _Asked(question, read, samples[[*np.flatnonzero(before), k]], record)


def _moves(scores: Tensor, likelihood: Tensor, asked: _Asked, legal: Candidates) -> dict[str, Any]:
    """All legal plays with their scores, the best first."""
    label = set(label_of(int(asked.record["label"]), asked.spec))
    shares = log_softmax(likelihood, legal).exp()
    answers = []
    for play, score, share in zip(legal.plays.tolist(), scores.tolist(), shares.tolist(), strict=True):
        cards = labels(int(cards_of(play)))
        answers.append(
            {
                "answer": cards,
                "type": TYPE_NAMES[int(type_of(play))],
                "score": score,
                "probability": share,
                "played": set(cards) == label,
            }
        )
    return {"answers": sorted(answers, key=lambda answer: -answer["score"])}


def _of_cards(outputs: Tensor, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """The legal plays, scored by the outputs for cards."""
    legal = batch.candidates
    assert legal is not None
    scores = move_scores(outputs, legal, asked.question.rule)
    return _moves(scores, move_scores(outputs, legal, "likelihood"), asked, legal)


def _cards(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    return _of_cards(network(batch.state[-1:]), batch, asked)


def _goal(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """The legal plays, the return to go that the network expects, and the one it was asked for."""
    outputs = network(batch.state[-1:], batch.rtg[-1:])
    expected = {"expected_rtg": VALUE_UNIT * outputs.value.item(), "asked_rtg": VALUE_UNIT * batch.rtg[-1].item()}
    return {**_of_cards(outputs.policy, batch, asked), **expected}


def _sequence(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """As `_goal`, for a network that reads sequences."""
    known, unknown = torch.ones(1, dtype=torch.bool), torch.zeros(1, dtype=torch.bool)
    with_goal = network(batch.rtg, batch.state, batch.target, known)
    without_goal = network(batch.rtg, batch.state, batch.target, unknown)
    expected = {
        "expected_rtg": VALUE_UNIT * without_goal.value[0, -1].item(),
        "asked_rtg": VALUE_UNIT * batch.rtg[0, -1].item(),
    }
    return {**_of_cards(with_goal.policy[:, -1], batch, asked), **expected}


def _move(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    assert batch.candidates is not None
    scores = network(batch.state[-1:], batch.candidates)
    return _moves(scores, scores, asked, batch.candidates)


def _value(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """The difference in points that the network expects, and the real one."""
    return {
        "answers": [],
        "expected_difference": VALUE_UNIT * network(batch.state[-1:]).item(),
        "difference": VALUE_UNIT * batch.value[-1].item(),
    }


def _yes_no(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """Calls and bombs: each output with the probability of yes, and whether yes was right."""
    odds, came = network(batch.state[-1:])[0], batch.target[-1]
    names = asked.spec.label_names
    return {
        "answers": [
            {"answer": name, "score": score, "probability": share, "played": bool(truth)}
            for name, score, share, truth in zip(
                names, odds.tolist(), odds.sigmoid().tolist(), came.tolist(), strict=True
            )
        ]
    }


def _choice(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """All answers with their scores, the best first."""
    scores, came = network(batch.state[-1:])[0], batch.target[-1]
    rows = zip(asked.spec.label_names, scores.tolist(), scores.softmax(0).tolist(), came.tolist(), strict=True)
    answers = [
        {"answer": name, "score": score, "probability": share, "played": bool(truth)}
        for name, score, share, truth in rows
    ]
    return {"answers": sorted(answers, key=lambda answer: -answer["score"])}


def _schupf(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """Schupf: each held card for each receiver, scored by the sum of its value's and its colour's log-probability."""
    values, colours = (part.log_softmax(-1)[0] for part in split_schupf(network(batch.state[-1:])))
    seen = features_of(asked.rows[-1], asked.spec)
    held = [i for i, label in enumerate(LABELS) if f"{HAND_CARDS.name}.{label}" in seen]
    given = label_of(int(asked.record["label"]), asked.spec)
    answers = []
    for to, other in enumerate(OTHERS):
        scores = torch.stack([values[to, VALUE_OF_INDEX[i]] + colours[to, COLOUR_OF_INDEX[i]] for i in held])
        rows = sorted(zip(scores.tolist(), scores.softmax(0).tolist(), held, strict=True), reverse=True)
        answers += [
            {"answer": LABELS[i], "to": other, "score": s, "probability": p, "played": LABELS[i] == given[to]}
            for s, p, i in rows
        ]
    return {"answers": answers}


ANSWERS: dict[str, Callable[[Any, Batch, _Asked], dict[str, Any]]] = {
    "cards": _cards,
    "goal": _goal,
    "sequence": _sequence,
    "move": _move,
    "value": _value,
    "calls": _yes_no,
    "bomb": _yes_no,
    "choice": _choice,
    "schupf": _schupf,
}
