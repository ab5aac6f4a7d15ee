"""Tichu as a game among others: the same rounds as at a table, and nothing in a state that its seat does not know.

What every game promises is tested in `tests/models/games/test_conformance.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.games import options_of, random_game
from tichu_models.arena.as_game.rules import answer_of
from tichu_models.arena.table import TABLE, advance, answer, begin_game, next_round
from tichu_models.game import CHANCE, OVER, IllegalAction, State
from tichu_models.games.registry import game
from tichu_models.options import OptionError
from tichu_models.rules.asking import ASK_GRAND, ASK_SCHUPF, ASK_TURN, BOMB_THROW, ROUND_OVER, SCHUPF, WISH
from tichu_models.rules.cards import DECK, indices, mask_of
from tichu_models.rules.legal import new_buffer
from tichu_models.rules.scoring import NOT_OVER
from tichu_models.rules.state import SEATS

TICHU = game("tichu")


def positions(key: int, rounds: int = 1) -> list[State]:
    """Every position of a random game in which somebody is asked, and its end."""
    options = options_of(TICHU, rounds=str(rounds))
    state, found = TICHU.new(options, key), []
    for action in random_game(TICHU, options, key).actions:
        while TICHU.kernels.mover(state) == CHANCE:
            TICHU.kernels.chance(state)
        found.append(TICHU.copy(state))
        TICHU.kernels.step(state, action)
    return [*found, state]


def test_rounds_are_those_of_a_table():
    """An answer that is taken for another one, a question that is left out, or scores of another round."""
    key, plays, asked = 5, new_buffer(), set()
    table = np.zeros(1, dtype=TABLE).view(np.recarray)[0]
    begin_game(table, np.uint64(key), 0)
    whole = positions(key, rounds=4)
    for state, action in zip(whole, random_game(TICHU, options_of(TICHU, rounds="4"), key).actions, strict=False):
        if table.round_index < 0:
            next_round(table)
            advance(table, plays)
        kind = int(table.position.kind)
        asked.add(kind)
        assert state.table.position.tobytes() == table.position.tobytes()
        assert answer(table, int(answer_of(state, action)), plays) == 0
        if advance(table, plays) == ROUND_OVER and table.result == NOT_OVER and table.round_index < 3:
            next_round(table)
            advance(table, plays)
    assert whole[-1].table.position.state.total.tolist() == table.position.state.total.tolist()
    assert len(asked) >= 6


def test_an_action_is_a_place_among_the_legal_plays():
    """A play that cannot be chosen, or two numbers of the same one."""
    for state in positions(2)[:-1:3]:
        legal = TICHU.legal(state)
        assert len({int(answer_of(state, action)) for action in legal}) == len(legal)


def with_other_hidden_cards(state: State, seat: int, generator: np.random.Generator) -> State:
    """The same for a seat, with another deal of what it does not know."""
    other = TICHU.copy(state)
    position, of = other.table.position, other.table.position.state
    held = [int(hand).bit_count() for hand in of.hand]
    own = int(of.first[seat]) if position.phase == ASK_GRAND else int(of.hand[seat])
    given = {(seat + 1 + to) & 3: mask_of([int(of.given[seat, to])]) for to in range(3) if of.given[seat, to] >= 0}
    kept = {each: given.get(each, 0) & int(of.hand[each]) for each in SEATS} | {seat: own}
    left = generator.permutation(indices(DECK & ~int(of.played) & ~sum(kept.values()))).tolist()
    for each in SEATS:
        n = held[each] - kept[each].bit_count()
        of.hand[each] = kept[each] | mask_of(left[:n])
        left = left[n:]
        if each != seat:
            of.first[each] = of.start[each] = int(generator.integers(1 << 50))
            position.answers[each] = int(generator.integers(2))
            of.dealt_bombs ^= int(generator.integers(2)) << each
            for to in range(3):
                if of.given[each, to] >= 0 and (each + 1 + to) & 3 != seat:
                    of.given[each, to] = int(generator.integers(56))
    other.table.key = np.uint64(generator.integers(1 << 62))
    return other


def test_nothing_is_known_that_is_not_seen():
    """An agent that reads the others' cards, their schupf, or the deals to come, out of the state that it is given."""
    generator = np.random.default_rng(3)
    phases = set()
    for state in [each for key in (1, 4) for each in positions(key, rounds=2)[:-1:2]]:
        if TICHU.kernels.mover(state) == OVER:
            continue
        phases.add(int(state.table.position.phase))
        for seat in SEATS:
            other = with_other_hidden_cards(state, seat, generator)
            known, same = TICHU.as_known_to(seat, state), TICHU.as_known_to(seat, other)
            assert known.tobytes() == same.tobytes()
            seen = np.zeros((3, TICHU.observation), dtype=np.float32)
            for row, each in zip(seen, (state, other, known), strict=True):
                TICHU.kernels.observe(each, seat, row)
            np.testing.assert_array_equal(seen[0], seen[1])
            np.testing.assert_array_equal(seen[0], seen[2])
            if TICHU.kernels.mover(state) == seat and state.table.position.kind != BOMB_THROW:
                assert TICHU.legal(known) == TICHU.legal(state)
    assert {ASK_GRAND, ASK_SCHUPF, ASK_TURN} <= phases


def test_answers_before_the_play_are_secret():
    """Schupf that is called out before all have chosen."""
    state = next(each for each in positions(1) if each.table.position.phase == ASK_SCHUPF)
    assert "nobody else" in TICHU.say_openly(state, TICHU.legal(state)[0])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"hand": [["S2"], ["S2"], [], []]}, "twice"),
        ({"hand": [["XX"], [], [], []]}, "unknown card"),
        ({"seat": 9}, "seat"),
        ({"given": [[99, 0, 0]] * 4}, "given"),
        ({"rounds": 0}, "rounds"),
        ({"trick": {"cards": ["S2"], "type": "HEAP", "rank": 2}}, "HEAP"),
        ({"phase": "now"}, "phase"),
    ],
)
def test_states_that_make_no_sense_are_refused(change, complaint):
    """A program that sends half a game, and gets another one, or the memory behind a table."""
    written = TICHU.notation.write_state(positions(1)[20])
    with pytest.raises(IllegalAction, match=f"no state.*{complaint}"):
        TICHU.notation.read_state({**written, **change})
    del written["turn"]
    with pytest.raises(IllegalAction, match="expected the key 'turn'"):
        TICHU.notation.read_state(written)


def test_wrong_words_are_named():
    """A move that is another one than a person meant."""
    state = positions(1)[0]
    for words in ("perhaps", "", "announce twice"):
        with pytest.raises(IllegalAction, match="announce or no"):
            TICHU.notation.hear_action(state, words)
    for kind, words in ((WISH, "9"), (WISH, "wish"), (SCHUPF, "S2 S3 S4"), (BOMB_THROW, "pass"), (BOMB_THROW, "bomb")):
        state.table.position.kind = kind
        with pytest.raises(IllegalAction, match="and then"):
            TICHU.notation.hear_action(state, words)
    with pytest.raises(OptionError, match="rounds"):
        TICHU.read_options({"rounds": "1000"})
    with pytest.raises(OptionError, match="unknown key 'round'"):
        TICHU.read_options({"round": "1"})
