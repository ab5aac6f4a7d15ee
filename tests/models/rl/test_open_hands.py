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
from tichu_models.rl.open_hands import OPEN, closed, encode_open
from tichu_models.rl.rollout import Reader
from tichu_models.rl.team import SCALING
from tichu_models.rules.asking import GRAND_CALL, KINDS, PLAY
from tichu_models.rules.cards import LABELS
from tichu_models.rules.state import exchange

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
