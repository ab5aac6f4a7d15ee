"""Explains logged decisions by a network that learned from self-play: the log-probability of every answer.

The network sees what it would see at a table, and its scores are those that it plays by. The three cards of schupfen
are explained one after the other, each with those that were really given before it. A bomb out of turn is explained
where the network would have been asked for it, not as a play.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tichu_models.agents.choosing import give_cards, moves_of
from tichu_models.agents.neural.network import Network
from tichu_models.agents.neural.self_taught_agent import scores_of
from tichu_models.algorithms.answers import log_probabilities
from tichu_models.networks.dtrl_net import DTRLNet
from tichu_models.observation.choices import PICKS, place_of
from tichu_models.observation.decisions import DECISION_BUFFER, DECISIONS_AT_ONCE, find_decisions
from tichu_models.observation.logged_answers import answer_label, with_thrown_bombs
from tichu_models.observation.specs import LABEL_NAMES, OTHERS, WISH_LABEL
from tichu_models.observation.walk import WALK, WHO_ACTS
from tichu_models.rules.asking import BOMB_THROW, DRAGON_GIFT, PLAY, SCHUPF, WISH, given_cards
from tichu_models.rules.cards import DECK, LABELS, labels
from tichu_models.rules.combinations import TYPE_NAMES, type_of
from tichu_pipeline.features.log_decisions import LogError, round_of
from tichu_pipeline.training.questions import Question, facts_of


def explain_self_taught(folder: Path, question: Question, name: str) -> Iterator[dict[str, Any]]:
    """Answers those of the decisions that are of the kind which the network in a folder answers."""
    network = Network(folder)
    if isinstance(network.module, DTRLNet):
        raise LogError(
            f"{name} is a DTRLNet, which reads earlier turns too; expected a network that reads one decision"
        )
    (kind,) = network.spec.kinds
    decisions = _decisions(question, kind, network.spec.history)
    if len(decisions) == 0:
        raise LogError(question.nothing(network.spec.kinds, name))
    answers = _answers(network, kind, decisions)
    for decision, of_decision in zip(decisions, answers, strict=True):
        where = question.round_index, int(decision["turn"]), int(decision["actor"]), kind
        label = int(decision["label"])
        played = labels(label) if kind == BOMB_THROW else answer_label(kind, label)
        facts = facts_of(network.manifest.network, *where, bool(decision["forced"]), played)
        yield {**facts, "answers": of_decision}


def _decisions(question: Question, kind: int, past: int) -> np.ndarray:
    """The decisions of one kind that are asked about, as records of DECISION. The label of a bomb is its cards."""
    played = round_of(question.file, question.round_index)
    buffer, scratch = np.zeros(1, dtype=DECISION_BUFFER)[0], np.zeros(1, dtype=WALK)[0]
    logged = (played.rows, played.before, played.history)
    kinds = np.int64(1 << kind | 1 << PLAY)  # a bomb is followed by a play out of turn, which has its cards
    _, n = find_decisions(*logged, scratch, kinds, past, WHO_ACTS, DECISIONS_AT_ONCE, buffer)
    found = buffer["at"][:n]
    found["label"] = with_thrown_bombs(found["seen"]["kind"], found["actor"], found["out_of_turn"], found["label"])
    chosen = (found["seen"]["kind"] == kind) & (found["out_of_turn"] == 0)
    chosen &= [question.asks(int(each["turn"]), int(each["actor"])) for each in found]
    return found[chosen]


def _answers(network: Network, kind: int, decisions: np.ndarray) -> list[list[dict[str, Any]]]:
    """All legal answers to each decision with their scores, the best first; those of schupfen by receiver."""
    views, given = np.ascontiguousarray(decisions["seen"]), np.zeros(len(decisions), dtype=np.int64)
    found: list[list[dict[str, Any]]] = [[] for _ in decisions]
    for pick in range(PICKS if kind == SCHUPF else 1):
        played = np.array(given_cards(decisions["label"])[pick] if kind == SCHUPF else decisions["label"])
        moves = moves_of(views, kind)
        logs = np.empty(len(moves.plays))
        log_probabilities(scores_of(network, kind, views, moves, pick), moves.counts, logs)
        ends = moves.counts.cumsum()
        for own, begin, end, answer in zip(found, ends - moves.counts, ends, played.tolist(), strict=True):
            rows = sorted(zip(logs[begin:end].tolist(), moves.plays[begin:end].tolist(), strict=True), reverse=True)
            for log, move in rows:
                is_played = move & DECK == answer
                shown = {"score": log, "probability": float(np.exp(log)), "played": is_played}
                own.append({**_described(kind, pick, move), **shown})
        if kind == SCHUPF:
            give_cards(views, pick, played, given)
    return found


def _described(kind: int, pick: int, move: int) -> dict[str, Any]:
    """An answer for people: cards, none for a pass or no bomb; a card and who gets it; a rank; a side; yes or no."""
    if kind in (PLAY, BOMB_THROW):
        return {"answer": labels(move & DECK), "type": TYPE_NAMES[int(type_of(move))]}
    if kind == SCHUPF:
        return {"answer": LABELS[move], "to": OTHERS[pick]}
    if kind == WISH:
        return {"answer": LABEL_NAMES[WISH_LABEL][place_of(kind, 0, move)]}
    return {"answer": answer_label(kind, move) if kind == DRAGON_GIFT else "yes" if move else "no"}
