"""The critic's vector: every hand in its place, and nothing else hidden."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
import torch

from tests.makers.positions import Table
from tests.makers.rollouts import small_run
from tichu_models.observation.encode import ROW
from tichu_models.observation.scaling import Scaling
from tichu_models.observation.specs import OTHERS, PLAY_LAYOUT, SPECS, spec
from tichu_models.rl.readers import Reader
from tichu_models.rl.team import SCALING
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY, SMALL_CALL, TICHU_CALL
from tichu_models.rules.cards import LABELS
from tichu_models.rules.state import exchange
from tichu_models.search.open_hands import OPEN, answered, closed, encode_open

HANDS = ("S2 B2 Ma", "Ph SA Dr", "R9 G9 B9 S9", "Hu RK")


def read(packed):
    """What the critic reads, by name."""
    packed = np.atleast_2d(packed)
    reader = Reader(OPEN, Scaling.of(SCALING), torch.float32)
    numbers = reader.read(np.arange(len(packed)), packed).numpy()
    return {name: numbers[:, place] for place, name in enumerate(OPEN.names)}


def encoded(state, seat, kind=PLAY):
    """The packed vector of a position."""
    row = np.zeros(1, dtype=ROW)[0]
    encode_open(state, seat, kind, row)
    return row["word"][: OPEN.width].copy()


def cards_in(vector, group, row=0):
    """The cards of a group of places."""
    return {label for label in LABELS if vector[f"{group}.{label}"][row]}


@pytest.mark.parametrize("seat", range(4))
def test_every_hand_has_its_place(seat):
    """A critic that takes the partner's cards for an opponent's."""
    table = Table(*HANDS, turn=2)
    assert table.lay(2, "R9") == 0
    vector = read(encoded(table.state, seat, kind=PLAY))
    hands = [set(hand.split()) for hand in HANDS]
    hands[2] -= {"R9"}
    assert cards_in(vector, "hand_cards") == hands[seat]
    for place, other in enumerate(OTHERS, 1):
        assert cards_in(vector, f"hidden_hands.{other}") == hands[(seat + place) % 4]
    assert cards_in(vector, "played_cards") == {"R9"}
    assert [kind for kind in KINDS if vector[f"asked.{kind}"][0]] == ["play"]
    owner = ("me", "left", "partner", "right")[(seat - 2) % 4]
    assert vector[f"trick_owner.{owner}"][0] == 1
    assert vector["count_hand_cards.me[2]"][0] == (len(hands[seat]) >= 2)


def test_numbers_survive_the_cards_beside_them():
    """The numbers of the play are moved behind the hidden hands: points that are read as cards, or the reverse."""
    table = Table(*HANDS, turn=0)
    state = table.state
    state["points"] = [5, -25, 100, 20]
    state["trick_cards"] = 1 << (4 * 9)  # S10 lies in the trick
    for seat in range(4):
        vector = read(encoded(state, seat))
        assert vector["trick_points"][0] == pytest.approx(10 / 25)
        for place, name in enumerate(("me", "right", "partner", "left")):
            points = [5, -25, 100, 20][(seat + place) % 4]
            assert vector[f"points.{name}"][0] == pytest.approx(points / 50)


def test_schupf_is_that_of_the_seat():
    """Values of the cards given and got: the own ones alone, as in the seat's own view."""
    deck = [card for card in LABELS if card not in ("Hu", "Dr")]
    hands = [[deck[13 * seat + k] for k in range(13)] for seat in range(4)]
    table = Table(*(" ".join(hand) for hand in hands))
    given = np.array([[LABELS.index(hands[seat][to]) for to in range(3)] for seat in range(4)], dtype=np.int8)
    exchange(table.state, given)
    vector = read(encoded(table.state, 1))
    values = [0, 1, *(rank for rank in range(2, 15) for _ in range(4)), 15, 16]
    for to, name in enumerate(OTHERS):
        sent, got = values[given[1, to]], values[given[(2 + to) % 4, 2 - to]]
        assert [value for value in range(17) if vector[f"given_schupf.{name}.{value}"][0]] == [sent]
        assert [value for value in range(17) if vector[f"received_schupf.{name}.{value}"][0]] == [got]


@pytest.fixture(scope="module")
def experience():
    """A small rollout."""
    with pytest.MonkeyPatch.context() as patch:
        return small_run(patch, rounds=60, twins=0).roll()


def test_all_seats_see_the_same_table(experience):
    """Four critics of one position that disagree on a hand. Before the play all four seats are asked in turn."""
    vector, made = read(experience.opened), experience.decisions
    asked = defaultdict(dict)
    for row in np.flatnonzero(made["kind"] == GRAND_CALL):
        seat = int(made["seat"][row])
        hands = [cards_in(vector, group, row) for group in ("hand_cards", *(f"hidden_hands.{o}" for o in OTHERS))]
        asked[int(made["round"][row])][seat] = {(seat + place) % 4: hand for place, hand in enumerate(hands)}
    assert len(asked) == 60
    for seats in asked.values():
        assert len(seats) == 4
        assert all(seen == seats[0] for seen in seats.values())
        assert all(len(hand) == 14 for hand in seats[0].values())  # though a seat has seen only eight
        assert set().union(*seats[0].values()) == set(LABELS)


def test_hands_and_played_cards_are_the_deck(experience):
    """A card that is in two hands, or in none, at any decision of any kind."""
    vector = read(experience.opened)
    groups = ("hand_cards", "played_cards", *(f"hidden_hands.{other}" for other in OTHERS))
    for label in LABELS:
        assert np.all(sum(vector[f"{group}.{label}"] for group in groups) == 1), label
    kinds = np.array([vector[f"asked.{kind}"] for kind in KINDS])
    assert np.array_equal(kinds.argmax(0), experience.decisions["kind"])
    assert np.all(kinds.sum(0) == 1)


def test_the_seen_part_is_what_the_player_sees(experience):
    """A critic of the own view that sees another position than the player."""
    rows = np.flatnonzero(experience.decisions["kind"] == PLAY)
    own = spec("play-375")
    seen = Reader(own, Scaling.of(SCALING), torch.float32).read(rows, experience.seen).numpy()
    vector = read(experience.opened[rows])
    for place, name in enumerate(own.names):
        assert np.array_equal(vector[name], seen[:, place]), name


def test_closed_takes_the_hidden_hands_and_nothing_else(experience):
    """The study of what all hands bring: a card that is left, or a trick that is lost with them."""
    before, after = read(experience.opened), read(closed(experience.opened))
    for name in OPEN.names:
        if name.startswith("hidden_hands"):
            assert np.all(after[name] == 0), name
        else:
            assert np.array_equal(after[name], before[name]), name


def test_no_player_can_read_it():
    """A player whose vector has hidden cards: a spec that agents find by its name."""
    assert OPEN.name not in SPECS
    assert not any(name.startswith("hidden_hands") for each in SPECS.values() for name in each.names)
    assert OPEN.size == 551 == sum(group.size for group in PLAY_LAYOUT.groups) + 3 * len(LABELS) + len(KINDS)


def test_an_answered_small_tichu_is_the_position_that_comes_next(monkeypatch):
    """Announcements are learned from positions that never occur, in which the critic's values mean nothing."""
    experience = small_run(monkeypatch, rounds=200, call_bias=0.0).roll()
    decisions, opened = experience.decisions, experience.opened
    order = np.lexsort((decisions["order"], decisions["round"]))
    made, seen, found = decisions[order], opened[order], {0: 0, 1: 0}
    for now, then in zip(np.arange(len(made) - 1), np.arange(1, len(made)), strict=True):
        asked = made[now]["kind"] == SMALL_CALL and made[then]["kind"] == PLAY
        if asked and all(made[now][name] == made[then][name] for name in ("round", "seat", "turn")):
            called = int(made[now]["chosen"])
            found[called] += 1
            assert answered(seen[now : now + 1], SMALL_CALL, bool(called)).tolist() == [seen[then].tolist()]
    assert min(found.values()) > 50


@pytest.mark.parametrize(("kind", "call"), [(GRAND_CALL, "grand"), (TICHU_CALL, "small")])
def test_an_answer_before_the_schupf_changes_nothing_else(kind, call):
    """An announcement that gives another one away, or the answer of another seat; a position in which the partner, who
    is still to be asked, looks like one who has declined."""
    state = Table(*HANDS, turn=0).state
    packed = encoded(state, 2, kind)[None]
    before = read(packed)
    for called in (True, False):
        after = read(answered(packed, kind, called))
        changed = {name for name in before if before[name][0] != after[name][0]}
        own = {"announcements.me.none", f"announcements.me.{call}"} if called else set()
        assert changed == {"asked.schupf"} | own
        assert after["asked.schupf"][0] == after[f"asked.{KINDS[kind]}"][0] == 1
