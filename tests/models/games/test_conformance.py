"""What every game promises (`tichu_models.game`), proved once for all that are registered.

A new game needs no test of its own for any of this. Each is tried with its own choice of options.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.makers.games import FOLDER, RENEW, options_of, playthrough, random_game
from tests.paths import ROOT
from tichu_models.game import CHANCE, OVER, Game, IllegalAction, State
from tichu_models.games.registry import ELSEWHERE, MODULES, UnknownGame, game
from tichu_models.kernel_cache import closure

# Options with which a game is tried beside its own default.
VARIANTS = {
    "chameleon": [{}, {"players": "RY"}, {"players": "BGY", "limit": "40"}],
    "clever": [{}, {"players": "4"}, {"players": "2", "seed_rules": "1"}],
    "clever-prototype": [{}, {"dice": "4"}],
    "dog": [
        {"distance": "5"},
        {"players": "2", "distance": "6", "history": "2"},
        {"players": "3", "distance": "4", "start_blocking": "0", "perfect_information": "1"},
    ],
    "madn": [
        {"distance": "8", "start_blocking": "1"},
        {"players": "2", "dice": "1", "dice_rethrow": "1"},
        {"teams": "1", "distance": "5", "history": "2"},
    ],
    "tichu": [{}, {"rounds": "3"}],
}
NAMES = [*MODULES, *ELSEWHERE]
CASES = [pytest.param(name, words, id=f"{name}-{words}") for name in NAMES for words in VARIANTS[name]]
# Options with which plain Python plays too, where the default takes it too long, and how many games.
SHORT = {"dog": {"players": "2", "distance": "4", "start_blocking": "0"}, "madn": {"players": "2", "distance": "5"}}
PLAIN_GAMES = {"dog": 2, "madn": 3, "tichu": 3}
GAMES = 20
MOST_POSITIONS = 150
NOTHING_OF = ("rules", "records", "observation", "players", "networks", "agents", "arena", "search", "learning", "rl")


def positions(of: Game, options: np.ndarray, key: int) -> list[State]:
    """Every position of a random game in which somebody acts, its end too; of a long game every second, third, ..."""
    state = of.new(options, key)
    let_chance_act(of, state)
    found, actions = [of.copy(state)], random_game(of, options, key).actions
    every = 1 + len(actions) // MOST_POSITIONS
    for made, action in enumerate(actions, start=1):
        of.kernels.step(state, action)
        let_chance_act(of, state)
        if made % every == 0 or made == len(actions):
            found.append(of.copy(state))
    return found


def let_chance_act(of: Game, state: State) -> None:
    """Until somebody has to act, or the game is over."""
    while of.kernels.mover(state) == CHANCE:
        of.kernels.chance(state)


def seen(of: Game, state: State, seat: int) -> np.ndarray:
    """What a seat sees."""
    out = np.full(of.observation, np.nan, dtype=np.float32)
    of.kernels.observe(state, seat, out)
    return out


@pytest.mark.parametrize(("name", "words"), CASES)
class TestGame:
    """Every test runs for every game and its variants."""

    def test_it_begins_and_nobody_has_won(self, name, words):
        """A game that is over before it begins, or pays somebody for sitting down."""
        of = game(name)
        state = of.new(options_of(of, **words))
        assert of.kernels.mover(state) in (*of.seats_of(options_of(of, **words)), CHANCE)
        assert not of.returns(state).any()

    def test_legal_actions_are_codes_in_range_each_once_and_counted(self, name, words):
        """An action that a table of policies has no place for, or that is twice as likely by chance as the others."""
        of = game(name)
        for state in positions(of, options_of(of, **words), 3)[:-1]:
            found = of.legal(state)
            assert 0 < len(found) <= of.most_actions
            assert len(set(found)) == len(found) == of.kernels.count(state)
            assert all(0 <= action < of.actions for action in found)

    def test_an_illegal_action_is_refused_and_changes_nothing(self, name, words):
        """A client that corrupts a game, or goes on playing when it is over."""
        of = game(name)
        whole = positions(of, options_of(of, **words), 4)
        for state in (whole[0], whole[len(whole) // 2], whole[-1]):
            before = state.tobytes()
            for action in {-1, of.actions, *range(of.actions)} - set(of.legal(state)):
                with pytest.raises(IllegalAction):
                    of.step(state, action)
            assert state.tobytes() == before

    def test_a_fork_leaves_its_source_alone(self, name, words):
        """A search that plays on the board of the game."""
        of = game(name)
        for state in positions(of, options_of(of, **words), 5)[:-1:7]:
            before, fork = state.tobytes(), of.copy(state)
            of.step(fork, of.legal(fork)[-1])
            assert state.tobytes() == before != fork.tobytes()

    def test_games_end_in_their_bound_and_returns_add_up(self, name, words):
        """A game that never ends, or a result that invents a share or loses one."""
        of = game(name)
        for key in range(GAMES):
            whole = positions(of, options_of(of, **words), key)
            assert len(whole) <= of.bound
            assert of.kernels.mover(whole[-1]) == OVER
            assert all(of.kernels.mover(state) != OVER and not of.returns(state).any() for state in whole[:-1])
            assert of.total is None or of.returns(whole[-1]).sum() == pytest.approx(of.total)

    def test_the_same_key_gives_the_same_game(self, name, words):
        """A result that cannot be had again, or that depends on who has looked."""
        of, options = game(name), options_of(game(name), **words)
        assert [s.tobytes() for s in positions(of, options, 6)] == [s.tobytes() for s in positions(of, options, 6)]
        assert random_game(of, options, 6) != random_game(of, options, 7)
        for state in positions(of, options, 6)[:-1:9]:
            before = state.tobytes()
            for seat in of.seats_of(options):
                seen(of, state, seat)
            of.legal(state)
            of.returns(state)
            of.notation.text(state)
            assert state.tobytes() == before

    def test_observations_are_whole_and_bounded(self, name, words):
        """A number that nobody has written, or one that drowns the others in a network."""
        of, options = game(name), options_of(game(name), **words)
        for state in positions(of, options, 8)[::5]:
            for seat in of.seats_of(options):
                out = seen(of, state, seat)
                assert np.isfinite(out).all()
                assert ((out >= 0) & (out <= 1)).all()

    def test_inputs_of_networks_are_in_range_and_each_once(self, name, words):
        """An input that stands for two things, or that lies outside of the weights."""
        of = game(name)
        out = np.zeros(of.most_active, dtype=np.int16)
        for state in positions(of, options_of(of, **words), 12)[:-1]:
            found = out[: of.kernels.features(state, out)].tolist()
            assert len(set(found)) == len(found) > 0
            assert all(0 <= each < of.inputs for each in found)

    def test_evaluations_are_shares(self, name, words):
        """Shares that add up to more than the whole: pruning would cut what could still win."""
        from tichu_models.game import ONE

        of, options = game(name), options_of(game(name), **words)
        whole = positions(of, options, 9)
        values = np.zeros(len(of.seats), dtype=np.int64)
        for kind in range(len(of.evaluations)):
            for state in whole:
                of.kernels.evaluate(state, kind, values)
                assert (values >= 0).all()
                assert ONE - 8 <= values.sum() <= ONE
            np.testing.assert_allclose(values / ONE, of.returns(whole[-1]), atol=1e-9)

    def test_what_is_written_can_be_read(self, name, words):
        """A position or an action that a program gets, and that is another one when it comes back."""
        of, written = game(name), game(name).notation
        for state in positions(of, options_of(of, **words), 10)[:-1:4]:
            again = written.read_state(written.write_state(state))
            assert written.write_state(again) == written.write_state(state)
            assert of.legal(again) == of.legal(state)
            for action in of.legal(state):
                assert written.read_action(state, written.write_action(state, action)) == action
                assert written.hear_action(state, written.say_action(state, action)) == action

    def test_it_is_drawn(self, name, words):
        """A board that looks the same after a move."""
        of = game(name)
        whole = positions(of, options_of(of, **words), 11)
        for draw in (of.notation.text, of.notation.svg):
            assert draw(whole[0]) != draw(whole[1])
            assert "\n" in draw(whole[-1])


# As plain Python: the same games as the machine code plays. Kernels widen integers; records of wide ones do the same.
SCRIPT = """
import warnings
import numpy as np
warnings.simplefilter("ignore", RuntimeWarning)  # random numbers and sets of fields wrap around on purpose
from tichu_models.games.registry import game

def wide(dtype):
    if dtype.subdtype:
        return np.dtype((wide(dtype.subdtype[0]), dtype.shape))
    if dtype.names:
        return np.dtype([(name, wide(dtype.fields[name][0])) for name in dtype.names])
    return np.dtype(np.int64) if dtype.kind == "i" else dtype

of = game(NAME)
assert not hasattr(of.kernels.step, "signatures"), "the kernels are compiled"
state = np.zeros(1, dtype=wide(of.state)).view(np.recarray)[0]
actions, made, widths = (np.zeros(n, dtype=np.int64) for n in (of.most_actions, of.bound, of.bound))
for key in range(GAMES):
    play = of.algorithms["play_random"]
    n = play(state, of.read_options(WORDS), np.uint64(key), of.bound, actions, made, widths)
    print(*made[:n], *widths[:n])
"""


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_plays_the_same_games(name):
    """An overflow or a type that only one of the two has makes kernels and their sources disagree."""
    of, games, words = game(name), PLAIN_GAMES.get(name, 6), SHORT.get(name, {})
    expected = [random_game(of, options_of(of, **words), key) for key in range(games)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    script = SCRIPT.replace("NAME", repr(name)).replace("GAMES", str(games)).replace("WORDS", repr(words))
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert [line.split() for line in run.stdout.splitlines()] == [
        [str(number) for number in (*played.actions, *played.widths)] for played in expected
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_playthrough_is_played_again(name):
    """Rules, the order of actions or the random numbers changed where nobody meant to: matches cannot be had again."""
    assert playthrough(game(name), options_of(game(name))) == (FOLDER / f"{name}.txt").read_text(), RENEW


@pytest.mark.parametrize("name", MODULES)
def test_a_game_compiles_by_itself(name):
    """An edit of a game compiles Tichu anew, or the other way round."""
    apart = tuple(f"tichu_models.{room}" for room in NOTHING_OF)
    assert not [module for module in closure(MODULES[name]) if module.startswith(apart)]
    assert "tichu_models.games.chameleon.rules" in closure(MODULES["chameleon"])
    assert not [module for module in closure("tichu_models.arena.selfplay") if module.startswith("tichu_models.games")]


def test_an_unknown_game_is_named():
    """A slip of the pen that ends in a traceback."""
    with pytest.raises(UnknownGame, match=r"chess.*chameleon"):
        game("chess")
