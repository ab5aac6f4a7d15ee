"""What holds for every player that the registry makes, whatever it is: blind, legal, reproducible, alone or in a batch.

A name that is new in `tichu_models.agents.names` needs texts in `tests.makers.agents`; then it is tested here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.makers.agents import TEXTS, make_champion, make_data
from tests.makers.hidden_cards import hidden_from
from tichu_models.agents.names import NAMES
from tichu_models.agents.registry import agent_from
from tichu_models.arena import lockstep
from tichu_models.arena.extras import extras_for
from tichu_models.arena.referee import Referee
from tichu_models.arena.table import fixtures_of, look
from tichu_models.kernels import kernel
from tichu_models.observation.turns import recall
from tichu_models.observation.view import VIEW
from tichu_models.records.schema import ROUND, joined
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY
from tichu_models.rules.cards import BIT_OF_INDEX, INDEX_OF_BIT
from tichu_models.rules.legal import new_buffer
from tichu_models.runs import files

EVERY_TEXT = [text for texts in TEXTS.values() for text in texts]
MOST, ALONE = 40, 8  # positions of a kind, and how many of them are asked one by one
HIDDEN_FIELDS = ("first", "start", "hand")


@dataclass(frozen=True)
class Question:
    """Tables that wait for an answer of one kind, and the same tables with other cards where the seat sees none."""

    kind: int
    tables: np.ndarray
    others: np.ndarray

    def asked(self, agent: Any, tables: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """What an agent is shown of tables: views, and what it is handed beside them."""
        views = np.zeros(len(tables), dtype=VIEW)
        look_all(tables, views, agent.past)
        return views, extras_for(agent, tables) if self.kind == PLAY else {}


@kernel
def look_all(tables, views, past):
    """The views of the pending decisions."""
    for i in range(len(tables)):
        look(tables[i], views[i])
        if past:
            recall(tables[i].log, tables[i].log.length, past, views[i])


def with_other_hands(tables: np.ndarray, views: np.ndarray, seed: int) -> np.ndarray:
    """The same tables, but that the cards which are hidden from the seat that is asked have changed places."""
    tables, chance = tables.copy(), np.random.default_rng(seed)
    for table, view in zip(tables, views, strict=True):
        hidden = hidden_from(view, int(table["wish"]))
        bits = [bit for bit in range(56) if hidden >> bit & 1]
        moved = np.arange(56)
        moved[bits] = chance.permutation(bits)
        state = table["position"]["state"]
        for field in HIDDEN_FIELDS:
            for seat in range(4):
                cards = int(state[field][seat])
                state[field][seat] = sum(1 << int(moved[bit]) for bit in range(56) if cards >> bit & 1)
        given = state["given"]
        given[given >= 0] = INDEX_OF_BIT[moved[BIT_OF_INDEX[given[given >= 0]]]]
    return tables


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder of runs from which every name can be made."""
    data = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHAMPION", make_champion(data))
        yield make_data(data)


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    """Positions of some rounds in which rules of thumb and chance sit side by side, sorted by what is asked."""
    agents = [agent_from("heuristic"), agent_from("heuristic:blunder=.5"), agent_from("random")]
    seating = np.random.default_rng(1).integers(0, len(agents), (40, 4))
    hall = lockstep._Hall(agents, fixtures_of(seating.astype(np.int32), 3), 3, len(seating), Referee())
    plays, found = new_buffer(), {kind: [] for kind in range(len(KINDS))}
    for step in range(400):
        if len(hall.tables) == 0:
            break
        tables = hall.tables.copy()
        views, kinds = np.zeros(len(tables), dtype=VIEW), np.empty(len(tables), dtype=np.int64)
        lockstep._next_decisions(tables, views, kinds, plays, 0)
        for kind in np.unique(kinds[kinds >= 0]).tolist():
            rare = kind != PLAY or step % 16 == 0
            found[kind] += [tables[i : i + 1] for i in np.flatnonzero(kinds == kind)] if rare else []
        hall.step()
    made = []
    for kind, parts in found.items():
        tables = np.concatenate([parts[i] for i in np.linspace(0, len(parts) - 1, MOST).astype(int)])
        views = np.zeros(len(tables), dtype=VIEW)
        look_all(tables, views, 0)
        made.append(Question(kind, tables, with_other_hands(tables, views, kind)))
    return made


def decide(agent: Any, kind: int, views: np.ndarray, extras: dict[str, np.ndarray]) -> np.ndarray:
    """An agent's choices."""
    return agent.decide(kind, views, **extras)


def test_every_name_is_tested():
    """A player that is added to the registry, and that nobody has tried on what players must be."""
    assert set(TEXTS) == set(NAMES), "TEXTS in tests/makers/agents.py has the agents of each name that are tried here"
    assert all(text.partition(":")[0] == name for name, texts in TEXTS.items() for text in texts)


def test_there_are_positions_of_every_kind(questions):
    """Tests over positions that are none; or hands that are said to be others and are the same."""
    assert [KINDS[question.kind] for question in questions] == list(KINDS)
    for question in questions:
        hands = [tables["position"]["state"]["hand"] for tables in (question.tables, question.others)]
        assert (hands[0] != hands[1]).any(1).mean() > 0.5, KINDS[question.kind]
        views = np.zeros((2, len(question.tables)), dtype=VIEW)
        look_all(question.tables, views[0], 0)
        look_all(question.others, views[1], 0)
        assert views[0].tobytes() == views[1].tobytes()
        assert question.kind == GRAND_CALL or not np.array_equal(
            question.tables["position"]["state"], question.others["position"]["state"]
        )


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_a_batch_is_answered_as_its_views_one_by_one(runs, questions, text):
    """Tournaments with another number of tables would have other results, and none could be played again."""
    agent = agent_from(text, runs)
    for question in questions:
        views, extras = question.asked(agent, question.tables)
        together = decide(agent, question.kind, views, extras)
        assert (together.shape, together.dtype) == ((len(views),), np.int64)
        for i in range(0, len(views), len(views) // ALONE):
            alone = {name: each[i : i + 1] for name, each in extras.items()}
            assert decide(agent, question.kind, views[i : i + 1], alone) == together[i], KINDS[question.kind]
        turned = decide(agent, question.kind, views[::-1].copy(), {name: each[::-1] for name, each in extras.items()})
        assert np.array_equal(together, turned[::-1]), KINDS[question.kind]


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_hidden_cards_change_no_answer(runs, questions, text):
    """A player who sees through cards wins for that, and no tournament tells."""
    agent = agent_from(text, runs)
    for question in questions:
        (views, extras), (same_views, same_extras) = (
            question.asked(agent, tables) for tables in (question.tables, question.others)
        )
        answers = decide(agent, question.kind, views, extras), decide(agent, question.kind, same_views, same_extras)
        assert np.array_equal(*answers), KINDS[question.kind]
        for name in extras:
            assert extras[name].tobytes() == same_extras[name].tobytes(), f"{name} tells where hidden cards are"
        for i in range(0, len(views), len(views) // ALONE) if question.kind == PLAY else ():
            one, other = (
                agent.opinion(seen[i : i + 1], **{name: each[i : i + 1] for name, each in heard.items()})
                for seen, heard in ((views, extras), (same_views, same_extras))
            )
            assert one is None or np.array_equal(one.scores, other.scores)


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_every_answer_is_legal(runs, questions, text):
    """A player that is illegal in a rare kind of question forfeits games of long tournaments only."""
    agent = agent_from(text, runs)
    for question in questions:
        choices = decide(agent, question.kind, *question.asked(agent, question.tables))
        codes, kinds = np.zeros(len(choices), dtype=np.int64), np.full(len(choices), question.kind, dtype=np.int64)
        lockstep._perform(question.tables.copy(), kinds, choices, codes, new_buffer())
        assert codes.tolist() == [0] * len(codes), KINDS[question.kind]


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_the_same_seed_gives_the_same_game(runs, text):
    """A player that keeps something between games, or asks the clock: nothing that it did could be looked at again.
    The arena checks every answer."""
    seating = np.zeros((2 if text.startswith(("mcts", "dt")) else 4, 4), dtype=np.int64)

    def game(seed: int, agent: Any, tables_at_once: int) -> tuple[list, bytes]:
        rounds = joined(list(lockstep.play_games([agent], seating, seed, 1, tables_at_once)))
        return [rounds.rows[name].tolist() for name in ROUND.names], rounds.history.tobytes()

    agent = agent_from(text, runs)
    first = game(5, agent, len(seating))
    assert game(5, agent, 1) == first
    assert game(5, agent_from(text, runs), len(seating)) == first
    assert game(6, agent, len(seating)) != first
