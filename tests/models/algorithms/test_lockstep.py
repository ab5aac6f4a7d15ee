"""Many games of two sides, stepped together: that they are the games of the rules, and that networks see what they
are told of."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.algorithms.lockstep_batch import LockstepBatch, Sight, kernels_of, sides_of_seats
from tichu_models.algorithms.solo_batch import drawn_keys
from tichu_models.game import CHANCE, OVER, Game
from tichu_models.games.pachisi.board import OPEN
from tichu_models.games.pachisi.dog import pins as dog_pins
from tichu_models.games.pachisi.dog.actions import SWAPS, cells_of, kind_of
from tichu_models.games.pachisi.madn import pins as madn_pins
from tichu_models.games.registry import game
from tichu_models.options import OptionError

MADN, DOG = game("madn"), game("dog")
PINS = {"madn": madn_pins, "dog": dog_pins}
GAMES, STEPS = 5, 400
CASES = [{"players": "2", "distance": "4"}, {"teams": "1", "distance": "5"}, {"players": "2", "dice": "1"}]


DOGS = [{"players": "2", "distance": "5"}, {"distance": "5"}, {"players": "2", "perfect_information": "1"}]


def batch_of(opening: int = 0, of: Game = MADN, **words: str) -> LockstepBatch:
    """Some games at their beginning."""
    batch = LockstepBatch(of, options_of(of, **words), GAMES, opening)
    batch.begin(drawn_keys(np.random.default_rng(1), GAMES))
    return batch


@pytest.mark.parametrize(("of", "words"), [*((MADN, words) for words in CASES), *((DOG, words) for words in DOGS)])
def test_games_are_those_of_the_rules(of, words):
    """A reward or a relation of the wrong side; a mask of the position before; a game that goes on after its end; a
    position that is seen after the throw in the place of the one before it; actions of one number that differ."""
    batch, generator, seen_as = batch_of(0, of, **words), np.random.default_rng(2), PINS[of.name].seen_as
    ended = 0
    for _ in range(STEPS if of is MADN else 4 * STEPS):
        before = [of.copy(state) for state in batch.states]
        sides, numbers = batch.sides.copy(), np.zeros(GAMES, dtype=np.int64)
        for i, state in enumerate(before):
            assert set(np.flatnonzero(batch.masks[i])) == {seen_as(state, action) for action in of.legal(state)}
            numbers[i] = generator.choice(np.flatnonzero(batch.masks[i]))
        actions = Sight(of, batch.inputs).meant_by(batch.states, numbers)
        batch.step(numbers)
        for i, state in enumerate(before):
            assert numbers[i] == seen_as(state, int(actions[i]))
            of.step(state, int(actions[i]))
            if of.kernels.mover(state) == CHANCE:
                out = np.zeros(PINS[of.name].MOST_ACTIVE, dtype=np.int16)
                n = PINS[of.name].features(state, out)
                assert np.flatnonzero(batch.afters[i]).tolist() == sorted(out[:n].tolist())
                while of.kernels.mover(state) == CHANCE:
                    of.kernels.chance(state)
                assert batch.outcome[i] == (state.die - 1 if of is MADN else 0)
                assert of is DOG or batch.outcome[i] < batch.outcomes
            else:
                assert of is DOG or not batch.afters[i].any()
            mover = int(of.kernels.mover(state))
            if mover == OVER:
                ended += 1
                won = [batch.side_of[seat] for seat in range(4) if of.returns(state)[seat] > 0]
                assert set(won) == {sides[i]}  # who moves last wins
                assert (batch.rewards[i], batch.relations[i]) == (1, 0)
                assert batch.states[i].won == 0
            else:
                assert batch.states[i] == state
                assert batch.rewards[i] == 0
                assert batch.relations[i] == (1 if batch.side_of[mover] == sides[i] else -1)
                assert batch.sides[i] == batch.side_of[mover]
    assert ended > (1 if of is MADN else 0)


@pytest.mark.parametrize("words", CASES)
def test_what_is_seen_tells_positions_apart(words):
    """Pins that actions tell apart and the network does not; an input beyond those that there are; of two players, one
    whose start is a quarter of the ring ahead, taken for one whose start is three quarters ahead."""
    batch, generator = batch_of(**words), np.random.default_rng(3)
    known: dict[bytes, tuple] = {}
    players = len(MADN.seats_of(batch.options))
    for _ in range(100):
        for state, seen in zip(batch.states, batch.seen, strict=True):
            assert seen.sum() == np.count_nonzero(seen) >= 4 * players
            turn, cells = int(state.turn), 4 * int(state.distance)
            order = [(turn + offset) % players for offset in range(players)]
            starts = [player * int(state.distance) for player in range(players)]
            ahead = [(starts[player] - starts[turn]) % cells for player in order]
            ways = [
                [
                    pin if pin < 0 else (pin - starts[player]) % cells if pin < cells else pin - 4 * player
                    for pin in pins
                ]
                for player, pins in zip(order, state.pins[order].tolist(), strict=True)
            ]
            told = (ways, ahead, state.hands[order].tolist(), int(state.die))
            assert known.setdefault(seen.tobytes(), told) == told
        batch.step(np.array([generator.choice(np.flatnonzero(mask)) for mask in batch.masks]))


@pytest.mark.parametrize("words", DOGS)
def test_actions_of_one_number_do_the_same(words):
    """Swaps of two pins that are one action, or a pin at home that leaves in the place of another one on the ring."""
    batch, generator, shared, swaps = batch_of(0, DOG, **words), np.random.default_rng(5), 0, 0
    for _ in range(STEPS):
        for state in batch.states:
            found: dict[int, list] = {}
            for action in DOG.legal(state):
                after = DOG.copy(state)
                DOG.step(after, action)
                pins = sorted(tuple(sorted(of_player)) for of_player in after.pins.tolist())
                of_number = found.setdefault(dog_pins.seen_as(state, action), [])
                of_number.append((pins, after.hands.tolist()))
                swaps += kind_of(np.int64(cells_of(state)), action) == SWAPS
            assert max(found) < DOG.actions
            for each in found.values():
                shared += len(each) > 1
                assert all(other == each[0] for other in each)
        batch.step(np.array([generator.choice(np.flatnonzero(mask)) for mask in batch.masks]))
    assert shared > 10
    assert swaps > 10


@pytest.mark.parametrize("words", DOGS)
def test_a_policy_of_dog_sees_what_it_knows(words):
    """An input that two things share, or beyond those that there are; cards that are known and not seen."""
    batch, generator, compared = batch_of(0, DOG, **words), np.random.default_rng(7), 0
    sight, out = Sight(DOG, batch.inputs), np.zeros(dog_pins.MOST_ACTIVE, dtype=np.int16)
    for _ in range(300):
        known = batch.states.copy()
        for state in known:
            n = dog_pins.features(state, out)
            assert len(set(out[:n].tolist())) == n
            assert 0 <= out[:n].min() <= out[:n].max() < batch.inputs
            own, other = int(state.turn), (int(state.turn) + 1) % int(state.players)
            held = np.flatnonzero(state.hands[own])
            if len(held):
                state.hands[own, held[0]] -= 1
            if state.rules & OPEN:
                state.thrown[other, 0] += 1
        seen, _ = sight.look(known)
        apart = (seen != batch.seen).sum(axis=1)
        expected = [(state.hands[state.turn].sum() > 0) + (1 if state.rules & OPEN else 0) for state in batch.states]
        np.testing.assert_array_equal(apart, expected)
        compared += int(apart.sum())
        batch.step(np.array([generator.choice(np.flatnonzero(mask)) for mask in batch.masks]))
    assert compared > 100


@pytest.mark.parametrize("words", DOGS[:2])
def test_a_policy_of_dog_does_not_see_hidden_cards(words):
    """Cards of others, or of the pack, that reach the policy."""
    batch, generator = batch_of(0, DOG, **words), np.random.default_rng(6)
    for _ in range(200):
        known = batch.states.copy()
        for state in known:
            DOG.hide(state, int(state.turn))
        seen, masks = Sight(DOG, batch.inputs).look(known)
        np.testing.assert_array_equal(seen, batch.seen)
        np.testing.assert_array_equal(masks, batch.masks)
        batch.step(np.array([generator.choice(np.flatnonzero(mask)) for mask in batch.masks]))


def test_pins_at_home_are_one():
    """Four actions that do the same, for each of which a search spends simulations."""
    batch = batch_of(players="2", distance="4")
    assert np.flatnonzero(batch.masks[0]).tolist() == [0, 5]  # the first pin leaves home with 1 or 6
    assert len(MADN.legal(batch.states[0])) == 8


def test_a_larger_board_does_no_harm():
    """Inputs that are written beyond the end of the array."""
    small, large = batch_of(players="2", distance="4"), batch_of(players="2", distance="24", initial_free_pin="1")
    seen, masks = Sight(MADN, small.inputs).look(large.states)
    assert seen.shape == (GAMES, small.inputs)
    assert masks.any(axis=1).all()


def test_openings_differ_by_key():
    """Games of deterministic players that are all the same, or that begin at their end."""
    batch, again = batch_of(opening=12, players="2", distance="4"), batch_of(opening=12, players="2", distance="4")
    assert (batch.states == again.states).all()
    assert len({state.tobytes() for state in batch.states["pins"]}) > 2
    assert (batch_of(opening=2_000, players="2", distance="4").states["won"] == 0).all()


def test_two_sides_are_needed():
    """Values of one side that are taken for the other's, where there is a third one."""
    with pytest.raises(OptionError, match="3 sides play"):
        sides_of_seats(MADN, options_of(MADN, players="3"))
    assert sides_of_seats(MADN, options_of(MADN, teams="1")).tolist() == [0, 1, 0, 1]
    assert kernels_of(MADN).inputs_of(options_of(MADN, players="2", distance="4")) == 2 * 4 * 21 + 6 + 48 + 2
