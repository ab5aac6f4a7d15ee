"""The cards of DOG: numbers of actions, deals, hands that are hidden, and what comes of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of
from tichu_models.chance import draw_below
from tichu_models.game import CHANCE, OVER, IllegalAction, State
from tichu_models.games.agents import agent_of
from tichu_models.games.pachisi.board import OPEN
from tichu_models.games.pachisi.dog.actions import MOST_CODES, SPLITS, decode, encode
from tichu_models.games.pachisi.dog.rules import ALL_CARDS, DEALS, EXCHANGE
from tichu_models.games.registry import game

DOG = game("dog")
STEPS, MANY_STEPS = 20_000, 1_000_000
# The first code of each kind: swaps, sevens, moves and -4 by a joker, the same without, gifts, and to discard.
FIRST = {
    (10, 4): [0, 224, 344, 392, 396, 620, 740, 788, 792, 806],
    (10, 2): [0, 192, 312, 360, 364, 556, 676, 724, 728, 742],
}


@pytest.mark.parametrize(("distance", "players"), [(10, 4), (10, 2), (10, 3), (4, 2), (16, 4), (24, 4)])
def test_codes_and_actions_are_inverse(distance, players):
    """Two actions with one number, or a number that means nothing: a policy that plays something else."""
    cells = 4 * distance + 4 * players
    codes = range(2 * (4 * cells + 172) + 15)
    actions = [decode(cells, code) for code in codes]
    assert len(set(actions)) == len(codes) <= MOST_CODES
    assert [encode(cells, action) for action in actions] == list(codes)
    for code in (-1, len(codes)):
        with pytest.raises(ValueError, match="expected an action"):
            decode(cells, code)


@pytest.mark.parametrize(("distance", "players"), FIRST)
def test_codes_are_those_of_the_table(distance, players):
    """A table in the notes, with its overlap, that has come into the code; or a network that was taught by another."""
    cells, firsts = 4 * distance + 4 * players, FIRST[distance, players]
    kinds = [decode(cells, code).kind for code in firsts]
    assert kinds == [0, 1, 2, 3, 0, 1, 2, 3, 4, 5]
    assert [decode(cells, code - 1).kind for code in firsts[1:]] == kinds[:-1]
    assert [decode(cells, code).joker for code in firsts] == [True] * 4 + [False] * 6
    assert decode(cells, firsts[4] + cells + 3)[2:4] == (1, 3)  # pin 1 with the pin on cell 3
    assert decode(cells, firsts[6] + 12 + 6)[2:4] == (1, 8)  # there is no move of 7


def test_there_are_120_splits():
    """A split that is left out, or the other order of the pins."""
    assert len(SPLITS) == len({tuple(split) for split in SPLITS.tolist()}) == 120
    assert (SPLITS.sum(axis=1) == 7).all()
    assert SPLITS.tolist() == sorted(SPLITS.tolist())


def test_cards_are_exchanged_at_once():
    """A partner who sees the card before it chooses its own, or a card that is lost."""
    state = DOG.new(options_of(DOG), 3)
    assert DOG.kernels.mover(state) == CHANCE
    DOG.kernels.chance(state)
    before, given = state.hands.copy(), []
    for player in range(4):
        assert state.turn == player
        assert (state.held[[each for each in range(4) if each >= player]] == 6).all()
        given.append(DOG.legal(state)[-1] - 792)
        DOG.step(state, DOG.legal(state)[-1])
    for player in range(4):
        before[player, given[player]] -= 1
        before[player, given[player ^ 2]] += 1
    np.testing.assert_array_equal(state.hands, before)
    assert state.held.tolist() == [6] * 4
    assert all(action < 792 or action == 806 for action in DOG.legal(state))


def cards(state: State) -> np.ndarray:
    """All cards, wherever they are."""
    found = state.deck + state.hands.sum(axis=0) + state.played + state.thrown.sum(axis=0)
    for player in range(4):
        if state.phase == EXCHANGE and state.gave[player] >= 0:
            found[state.gave[player]] += 1
    return found


def check_cards(steps: int) -> None:
    """Plays at random, and counts all cards after every action."""
    made, key, pack = 0, 0, np.array([6] + [8] * 13)
    while made < steps:
        words = [{}, {"players": "2"}, {"teams": "0", "players": "3"}][key % 3]
        state = DOG.new(options_of(DOG, **words), key)
        while made < steps and DOG.kernels.mover(state) != OVER:
            if DOG.kernels.mover(state) == CHANCE:
                left, dealt = int(state.deck.sum()), int(DEALS[state.deal]) * int(state.players)
                DOG.kernels.chance(state)
                assert state.deck.sum() == (left if left >= dealt else ALL_CARDS) - dealt
            else:
                found = DOG.legal(state)
                DOG.kernels.step(state, found[int(draw_below(np.uint64(key), made, len(found)))])
                made += 1
            assert (cards(state) == pack).all()
            assert (state.hands.sum(axis=1) == state.held).all()
        key += 1
    assert pack.sum() == ALL_CARDS == 110


def test_no_card_is_lost():
    """A discard, an exchange or a shuffle that makes cards, or eats them; a shuffle while there are enough cards."""
    check_cards(STEPS)


@pytest.mark.proof
def test_no_card_is_lost_in_a_million_steps():
    """As above, over whole games of two, three and four."""
    check_cards(MANY_STEPS)


def with_other_hidden_cards(state: State, seat: int, generator: np.random.Generator) -> State:
    """The same for a seat, with another deal of what it does not know."""
    other = DOG.copy(state)
    places = [
        other.deck,
        *(other[name][player] for player in range(4) if player != seat for name in ("hands", "thrown")),
    ]
    gifts = [player for player in range(4) if player != seat and other.gave[player] >= 0 and other.phase == EXCHANGE]
    hidden = np.concatenate([np.repeat(np.arange(14), place) for place in places] + [other.gave[gifts]])
    hidden = generator.permutation(hidden)
    for place in places:
        n = int(place.sum())
        place[:], hidden = np.bincount(hidden[:n], minlength=14), hidden[n:]
    other.gave[gifts] = hidden
    for player in range(4):
        if player != seat and other.gave[player] >= 0 and other.phase != EXCHANGE:
            other.gave[player] = generator.integers(14)
    other.key, other.draws = generator.integers(1 << 62), generator.integers(1000)
    assert (cards(other) == cards(state)).all()
    return other


def views_of(state: State, seat: int) -> list[object]:
    """All that a seat is shown."""
    seen = np.zeros(DOG.observation, dtype=np.float32)
    DOG.kernels.observe(state, seat, seen)
    shown: list[object] = [seen.tobytes(), DOG.as_known_to(seat, state).tobytes()]
    if DOG.kernels.mover(state) == seat:
        out = np.zeros(DOG.most_active, dtype=np.int16)
        n = DOG.kernels.features(state, out)
        rules = agent_of(DOG, "rules").choose(DOG.as_known_to(seat, state), np.uint64(0))
        shown += [out[:n].tolist(), DOG.legal(state), DOG.notation.text(state), rules]
    return shown


@pytest.mark.parametrize("words", [{}, {"players": "2"}])
def test_hidden_cards_change_nothing_that_is_seen(words):
    """A network or a player that knows the hands of others, the pack or what they have discarded."""
    generator, changed = np.random.default_rng(1), 0
    state = DOG.new(options_of(DOG, **words), 5)
    for made in range(150):
        while DOG.kernels.mover(state) == CHANCE:
            DOG.kernels.chance(state)
        if made % 7 == 0:
            for seat in range(int(state.players)):
                other = with_other_hidden_cards(state, seat, generator)
                changed += other.hands.tobytes() != state.hands.tobytes()
                assert views_of(other, seat) == views_of(state, seat)
        found = DOG.legal(state)
        DOG.kernels.step(state, found[int(generator.integers(len(found)))])
    assert changed > 20


def test_open_hands_are_seen():
    """Perfect information in name only."""
    state = DOG.new(options_of(DOG, perfect_information="1"), 5)
    DOG.kernels.chance(state)
    other = DOG.copy(state)
    other.hands[1], other.hands[2] = state.hands[2], state.hands[1]
    assert views_of(other, 0)[0] != views_of(state, 0)[0]
    assert (DOG.as_known_to(0, state).hands == state.hands).all()


def test_a_discarded_hand_is_seen_by_nobody_else():
    """Cards that were thrown away count as seen by all; or as unknown, though all hands were open."""
    pins = [[-1] * 4, [-1] * 4]
    state = DOG.notation.read_state({"pins": pins, "turn": 0, "hands": [["2", "5"], ["3"]]})
    assert [DOG.notation.write_action(state, action) for action in DOG.legal(state)] == [{"discard": True}]
    DOG.step(state, DOG.legal(state)[0])
    written = DOG.notation.write_state(state)
    assert (written["thrown"], written["played"], written["hands"]) == ([["2", "5"], []], [], [[], ["3"]])
    assert DOG.as_known_to(0, state).thrown[0].sum() == 2
    assert DOG.as_known_to(1, state).thrown.sum() == 0
    hidden = views_of(state, 1)
    state.rules |= OPEN
    assert DOG.as_known_to(1, state).thrown[0].sum() == 2  # who has seen the hand knows it
    opened = views_of(state, 1)
    state.thrown[0] = 0
    assert views_of(state, 1)[0] != opened[0] != hidden[0]


OUT = {"pins": [[5, 12, -1, -1], [20, 10, -1, -1]], "turn": 0, "distance": 10}


@pytest.mark.parametrize(
    ("hand", "action", "reason"),
    [
        (["2"], {"pin": 0, "move": 3}, "no 3"),
        (["2"], {"card": "3", "pin": 0, "move": 2}, "does not do that"),
        (["3"], {"pin": 2, "move": 3}, "leaves home"),
        (["7"], {"seven": [0, 0, 7, 0]}, "at home"),
        (["7"], {"seven": [7, 7, 0, 0]}, "add up"),
        (["7"], {"pin": 2, "move": 7}, "at home"),
        (["2"], {"pin": 2, "move": 0}, "from 1 to 13"),
        (["swap"], {"swap": [0, 1, 1]}, "own start"),
        (["swap"], {"swap": [0, 0, 1]}, "another player"),
        (["swap"], {"swap": [2, 1, 0]}, "not on the ring"),
        (["swap"], {"swap": [0, 1, 2]}, "not on the ring"),
        (["5"], {"pin": 0, "move": 5}, "bars"),
        (["2"], {"discard": True}, "can be played"),
        (["2"], {"give": "2"}, "no card is given"),
        (["2"], {"give": "ace"}, "expected one of"),
        (["2"], {"pin": 4, "move": 2}, "from 0 to 3"),
    ],
)
def test_an_illegal_action_is_explained(hand, action, reason):
    """A person who is refused and not told why."""
    state = DOG.notation.read_state({**OUT, "hand": hand})
    with pytest.raises(IllegalAction, match=reason):
        DOG.step(state, DOG.notation.read_action(state, action))


@pytest.mark.parametrize(
    "change",
    [
        {"pins": [[5, 5, -1, -1], [-1] * 4]},
        {"pins": [[44, -1, -1, -1], [-1] * 4]},
        {"pins": [[-1] * 3, [-1] * 4]},
        {"pins": [[-1] * 4]},
        {"turn": 2},
        {"hand": ["joker"] * 7},
        {"hand": ["ace"]},
        {"rules": {"speed": 1}},
        {"phase": "play", "hand": []},
        {"distance": 99},
    ],
)
def test_states_that_make_no_sense_are_refused(change):
    """A program that sends half a game, and gets another one."""
    with pytest.raises(IllegalAction, match="no state"):
        DOG.notation.read_state({**OUT, "hand": ["2"], **change})


def test_agents_are_given_what_they_know():
    """A match in which an agent could read the hands of the others out of the state."""
    from tichu_models.games.match import match

    class Spy:
        """Looks at everything, and plays the first legal action."""

        name = "spy"

        def choose(self, state: State, key: object) -> int:
            """The hands of all others are empty, and the key of chance is nobody's."""
            assert state.hands.sum() == state.held[state.turn]
            assert (state.key, state.draws) == (0, 0)
            assert cards(state).sum() == 110
            return DOG.legal(state)[0]

    found = match(DOG, options_of(DOG, distance="5"), [Spy(), agent_of(DOG, "rules")], 2, 1, 0)
    assert [agent["seats"] for agent in found["agents"]] == [2, 2]
    assert sum(agent["wins"] for agent in found["agents"]) == 2
    assert sum(seat["wins"] for seat in found["seats"].values()) == 4
    assert found["seatings"] == 2
