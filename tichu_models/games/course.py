"""The course of a game between agents, and many games side by side for agents that answer many positions at once.

An agent is given what its seat knows, and nothing else of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from tichu_models.chance import Key, draw, draw_below
from tichu_models.game import CHANCE, OVER, Game, State
from tichu_models.games.agents import GameAgent

AT_ONCE = 512  # games side by side, at most


@runtime_checkable
class Together(Protocol):
    """An agent that answers many positions at once, sooner than one by one."""

    def choose_all(self, states: Sequence[State], keys: Sequence[Key]) -> list[int]:
        """The action in each position, as by `choose`."""


class Asked(NamedTuple):
    """A decision that an agent has to make."""

    seat: int
    state: State  # as the seat knows it
    key: Key


class Played(NamedTuple):
    """One game of a match."""

    returns: np.ndarray  # of the seats
    shares: np.ndarray  # of the game, by seat
    length: int
    illegal: dict[int, int]  # by seat
    is_over: bool  # or it has been broken off


Course = Generator[Asked, int, Played]
Seated = Sequence[GameAgent | None]  # one for each seat that there can be


def key_of(key: Key, counter: int) -> Key:
    """A key that follows from another one."""
    return np.uint64(draw(key, counter))  # Python gets an int from a kernel


def course(game: Game, options: np.ndarray, key: Key, opening: int) -> Course:
    """Asks for every action of a game but for some random ones at the beginning. The first legal action is made in the
    place of one that is not. After `Game.bound` actions all sides have drawn: agents without chance can go round in
    circles for ever."""
    state, made, illegal = game.new(options, int(draw(key, 0))), 0, dict.fromkeys(game.seats_of(options), 0)
    decisions, by_chance = key_of(key, 1), key_of(key, 2)
    while (seat := int(game.kernels.mover(state))) != OVER and made < game.bound:
        if seat == CHANCE:
            game.kernels.chance(state)
            continue
        legal = game.legal(state)
        if made < opening:
            action = legal[int(draw_below(by_chance, made, len(legal)))]
        else:
            action = yield Asked(seat, game.as_known_to(seat, state), key_of(decisions, made))
            if action not in legal:
                illegal[seat] += 1
                action = legal[0]
        game.kernels.step(state, action)
        made += 1
    is_over = seat == OVER
    returns = game.returns(state) if is_over else _drawn(game, options)
    shares = returns if game.total is not None else _won(returns, game.seats_of(options))
    return Played(returns, shares, made, illegal, is_over)


def _drawn(game: Game, options: np.ndarray) -> np.ndarray:
    """The returns of a game that all sides win alike."""
    returns, sides = np.zeros(len(game.seats)), game.sides(options)
    for side in sides:
        returns[list(side)] = (game.total or 0) / len(sides) / len(side)
    return returns


def _won(scores: np.ndarray, seats: tuple[int, ...]) -> np.ndarray:
    """The shares of a game that the highest score wins; who has it too has as much."""
    shares = np.zeros(len(scores))
    best = [seat for seat in seats if scores[seat] == max(scores[list(seats)])]
    shares[best] = 1 / len(best)
    return shares


def play_all(
    game: Game,
    options: np.ndarray,
    seated: Sequence[Seated],
    keys: Sequence[Key],
    opening: int,
    report: Callable[[int], None] = lambda _: None,
) -> list[Played]:
    """Plays a game for each key. If an agent answers many positions at once, games are side by side."""
    together = any(isinstance(agent, Together) for agents in seated for agent in agents)
    size, played = AT_ONCE if together else 1, list[Played]()
    for begin in range(0, len(keys), size):
        courses = [course(game, options, key, opening) for key in keys[begin : begin + size]]
        played += _play(courses, seated[begin : begin + size], report)
    return played


def _play(courses: Sequence[Course], seated: Sequence[Seated], report: Callable[[int], None]) -> list[Played]:
    played: dict[int, Played] = {}
    answers: dict[int, int | None] = dict.fromkeys(range(len(courses)))  # None begins a course
    while answers:
        asked: dict[int, Asked] = {}
        for number, answer in answers.items():
            try:
                asked[number] = courses[number].send(answer)  # type: ignore[arg-type]
            except StopIteration as end:
                played[number] = end.value
                report(1)
        answers = _answers(asked, seated)
    return [played[number] for number in range(len(courses))]


def _answers(asked: dict[int, Asked], seated: Sequence[Seated]) -> dict[int, int | None]:
    """What the agents say in each game, those that answer many positions at once all together."""
    answers: dict[int, int | None] = {}
    waiting: dict[int, tuple[Together, list[int]]] = {}
    for number, of in asked.items():
        agent = seated[number][of.seat]
        assert agent is not None
        if isinstance(agent, Together):
            waiting.setdefault(id(agent), (agent, []))[1].append(number)
        else:
            answers[number] = agent.choose(of.state, of.key)
    for together, numbers in waiting.values():
        states, keys = [asked[number].state for number in numbers], [asked[number].key for number in numbers]
        answers |= zip(numbers, together.choose_all(states, keys), strict=True)
    return dict(sorted(answers.items()))
