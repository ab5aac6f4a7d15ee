"""What a network thinks of a logged decision: its score for every legal answer, beside the one that was given.

A network that asks for a return to go is told the one that the round came to, unless another one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tichu_models.learning.batches import Batch
from tichu_models.learning.feed import Tensors
from tichu_models.learning.losses import split_schupf
from tichu_models.learning.unpack import COLOUR_OF_INDEX, Unpacker
from tichu_models.networks import checkpoint
from tichu_models.networks.candidates import Candidates, log_softmax, types
from tichu_models.networks.decision_rule import Rule, move_scores
from tichu_models.networks.manifest import SpecStamp
from tichu_models.networks.registry import ARCHITECTURES
from tichu_models.observation.encode import plan_of
from tichu_models.observation.samples import Encoder, Played, as_records
from tichu_models.observation.specs import OTHERS, Spec, spec
from tichu_models.observation.view import KINDS
from tichu_models.records.decisions import FOUND, MAX_DECISIONS, WALK, WHO_ACTS, find_decisions
from tichu_models.rules.cards import DESCENDING, INDEX_OF_BIT, LABELS, VALUE_OF_INDEX
from tichu_models.rules.combinations import BOMB, TYPE_NAMES, cards_of, type_of
from tichu_models.rules.legal import legal_plays, new_buffer
from tichu_pipeline.features.of_log import LogError, label_of, round_of

POINTS = 100.0  # a value or return of 1


@dataclass(frozen=True)
class Question:
    """Which decisions of a log; None for all of the round."""

    file: Path
    round_index: int
    turn: int | None = None
    seat: int | None = None
    rtg: float | None = None  # in points, of networks that ask for one
    rule: Rule = "sum"


@dataclass(frozen=True)
class _Asked:
    """A decision of the run's kind, with all that came before it in the seat's round."""

    question: Question
    spec: Spec
    row: np.ndarray  # the sample, and those of the seat before it
    view: np.void
    record: np.void

    @property
    def legal(self) -> np.ndarray:
        """The legal plays; of a bomb out of turn, the bombs that beat the trick."""
        buffer, view = new_buffer(), self.view
        wish = 0 if self.record["out_of_turn"] else int(view["wish"])
        n = legal_plays(int(view["hand"]), int(view["trick"]), wish, buffer)
        moves = np.array(buffer["move"][:n], dtype=np.int64)
        return moves[types(torch.from_numpy(moves)).numpy() == BOMB] if self.record["out_of_turn"] else moves

    def batch(self, unpacker: Unpacker, turns: int) -> Batch:
        """What the network reads: the decision, or a sequence that ends with it."""
        rows = np.ascontiguousarray(self.row[-turns:])
        n, read, facts = len(rows), self.spec, as_records(rows, self.spec)
        features = unpacker.features(rows, unpacker.buffer(n, read.size))
        labels = unpacker.labels(rows, unpacker.buffer(n, len(read.label_names)))
        value, rtg = facts["value"].astype(np.float32), facts["rtg"].astype(np.float32) / POINTS
        if self.question.rtg is not None:
            rtg = rtg + np.float32(self.question.rtg / POINTS) - rtg[-1]  # what was won before was won
        if read.name.startswith("sequence"):
            features, labels, value, rtg = features[None], labels[None], value[None], rtg[None]
        arrays = SimpleNamespace(features=features, labels=labels, value=value, rtg=rtg, mask=np.ones((n, 1), bool))
        if read.name.startswith("sequence"):
            arrays.mask = arrays.mask.reshape(1, n)
        batch = Tensors(read.names)(arrays)
        plays = torch.from_numpy(self.legal) if KINDS[self.record["kind"]] == "play" else None
        return batch._replace(
            candidates=None if plays is None else Candidates.of_counts(plays, torch.tensor([len(plays)]))
        )


def explain(folder: Path, question: Question) -> Iterator[dict[str, Any]]:
    """Each of these decisions that the run's network is asked for."""
    run = checkpoint.load(folder)
    read = spec(run.manifest.spec.name)
    run = checkpoint.load(folder, spec=SpecStamp.of(read))
    objective = ARCHITECTURES[run.manifest.network].objective
    unpacker, turns = Unpacker(read, run.manifest.constants), getattr(run.manifest.config, "turns", 1)
    found = 0
    for asked in _decisions(question, read):
        found += 1
        with torch.inference_mode():
            answer = ANSWERS[objective](run.network, asked.batch(unpacker, turns), asked)
        facts = asked.record
        yield {
            "network": run.manifest.network,
            "round": question.round_index,
            "turn": None if facts["turn"] < 0 else int(facts["turn"]),
            "seat": int(facts["seat"]),
            "kind": KINDS[facts["kind"]],
            "forced": bool(facts["forced"]),
            "played": label_of(int(facts["label"]), read),
            **answer,
        }
    if not found:
        where = f"round {question.round_index}" + (f", turn {question.turn}" if question.turn is not None else "")
        where += f", seat {question.seat}" if question.seat is not None else ""
        kinds = " or ".join(KINDS[kind] for kind in read.kinds)
        raise LogError(f"{question.file}: {where} holds no decision of kind {kinds}, which {folder.name} answers")


def _decisions(question: Question, read: Spec) -> Iterator[_Asked]:
    played = round_of(question.file, question.round_index)
    samples, views = Encoder(read).samples(played), views_of(played, read)
    records = as_records(samples, read)
    for k, (view, record) in enumerate(zip(views, records, strict=True)):
        if question.turn in (None, int(record["turn"])) and question.seat in (None, int(record["seat"])):
            same = np.flatnonzero(records["seat"][: k + 1] == record["seat"])
            yield _Asked(question, read, samples[same], view, record)


def views_of(played: Played, read: Spec) -> np.ndarray:
    """What was seen at each decision of one round, in the order of its samples."""
    plan, found = plan_of(read), np.zeros(1, dtype=FOUND)[0]
    scratch = np.zeros(1, dtype=WALK)[0]
    rounds, n = find_decisions(
        *(played.rows[:1], played.standings[:1], played.history, scratch),
        *(plan["kinds"], plan["history"], WHO_ACTS, MAX_DECISIONS, found),
    )
    assert rounds == 1
    return found["at"][:n]["seen"].copy()


def _cards_of_play(play: int) -> list[str]:
    cards, held = int(cards_of(play)), []
    while cards:
        held.append(int(INDEX_OF_BIT[(cards & -cards).bit_length() - 1]))
        cards &= cards - 1
    return [LABELS[index] for index in DESCENDING if index in held]


def _moves(scores: Tensor, likelihood: Tensor, asked: _Asked, legal: Candidates) -> dict[str, Any]:
    """Every legal play, the best first."""
    label = set(label_of(int(asked.record["label"]), asked.spec))
    shares = log_softmax(likelihood, legal).exp()
    answers = []
    for play, score, share in zip(legal.plays.tolist(), scores.tolist(), shares.tolist(), strict=True):
        cards = _cards_of_play(play)
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
    legal = batch.candidates
    assert legal is not None
    scores = move_scores(outputs, legal, asked.question.rule)
    return _moves(scores, move_scores(outputs, legal, "likelihood"), asked, legal)


def _cards(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    return _of_cards(network(batch.state[-1:]), batch, asked)


def _goal(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    outputs = network(batch.state[-1:], batch.rtg[-1:])
    expected = {"expected_rtg": POINTS * outputs.value.item(), "asked_rtg": POINTS * batch.rtg[-1].item()}
    return {**_of_cards(outputs.policy, batch, asked), **expected}


def _sequence(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    known, unknown = torch.ones(1, dtype=torch.bool), torch.zeros(1, dtype=torch.bool)
    told = network(batch.rtg, batch.state, batch.target, known)
    blind = network(batch.rtg, batch.state, batch.target, unknown)
    expected = {"expected_rtg": POINTS * blind.value[0, -1].item(), "asked_rtg": POINTS * batch.rtg[0, -1].item()}
    return {**_of_cards(told.policy[:, -1], batch, asked), **expected}


def _move(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    assert batch.candidates is not None
    scores = network(batch.state[-1:], batch.candidates)
    return _moves(scores, scores, asked, batch.candidates)


def _value(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    return {
        "answers": [],
        "expected_difference": POINTS * network(batch.state[-1:]).item(),
        "difference": POINTS * batch.value[-1].item(),
    }


def _yes_no(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """Calls and bombs: each question with the probability of yes, and whether it came so."""
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
    scores, came = network(batch.state[-1:])[0], batch.target[-1]
    rows = zip(asked.spec.label_names, scores.tolist(), scores.softmax(0).tolist(), came.tolist(), strict=True)
    answers = [
        {"answer": name, "score": score, "probability": share, "played": bool(truth)}
        for name, score, share, truth in rows
    ]
    return {"answers": sorted(answers, key=lambda answer: -answer["score"])}


def _schupf(network: Any, batch: Batch, asked: _Asked) -> dict[str, Any]:
    """To whom which of the cards held: value and colour together, among those held."""
    values, colours = (part.log_softmax(-1)[0] for part in split_schupf(network(batch.state[-1:])))
    mask = int(asked.view["hand"])
    held = [int(INDEX_OF_BIT[bit]) for bit in range(mask.bit_length()) if mask >> bit & 1]
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
