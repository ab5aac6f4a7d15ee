"""Hands, tricks, views and games for tests of rules, replay and players, written as labels of cards."""

from __future__ import annotations

import numpy as np

from tichu_models.arena.selfplay import PlayedRounds, stream
from tichu_models.observation import view as views
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.rules import combinations, legal, state
from tichu_models.rules.cards import labels, parse_cards

PLAYS = legal.new_buffer()
# The hand with the most legal leads, and their number. A test of the legal plays checks it.
RICHEST_HAND = "Ph SA BA GA SK BK GK RK SD BD GD RD SB BB"
MOST_PLAYS = 1674


def cards_of(mask: int) -> frozenset[str]:
    """The labels of a mask, as in the reference rules."""
    return frozenset(labels(int(mask)))


def mask_of(cards: frozenset[str] | list[str]) -> int:
    """The mask of labels."""
    return parse_cards(" ".join(cards))


def play_of(text: str) -> int:
    """The packed play of labels, in its highest reading."""
    return int(combinations.classify(parse_cards(text)))


def trick_of(*laid: str) -> int:
    """The top of a trick after these plays."""
    trick = 0
    for text in laid:
        trick = int(combinations.on_trick(play_of(text), trick))
    return trick


def legal_moves(hand: str, trick: int = 0, wish: int = 0) -> dict[frozenset[str], combinations.Combination]:
    """The legal plays by the engine. The empty set is a pass."""
    n = legal.legal_plays(parse_cards(hand), trick, wish, PLAYS)
    moves = [int(move) for move in PLAYS["move"][:n]]
    found = {cards_of(combinations.cards_of(move)): combinations.combination(move) for move in moves}
    assert len(found) == n, "a card set stands twice among the legal plays"
    return found


class Table:
    """A round in play from given hands. `lay` and `skip` check each move first."""

    def __init__(self, *hands: str, turn: int = 0, calls: tuple[int, ...] = (0, 0, 0, 0)) -> None:
        masks = np.array([parse_cards(hand) for hand in hands], dtype=np.int64)
        self.state = np.zeros(1, dtype=state.STATE)[0]
        state.begin_round(self.state, np.zeros(4, dtype=np.int64), masks, 0, 0, 0, 0)
        self.state["holding"] = sum(1 << seat for seat in range(4) if masks[seat])
        self.state["turn"] = self.state["start_player"] = turn
        self.state["call"] = calls

    def lay(self, seat: int, text: str, wish: int = 0) -> int:
        """Lays cards if that is legal; returns the code of the rule break, or 0."""
        move, code = state.check_play(self.state, seat, parse_cards(text), PLAYS)
        if code == 0:
            state.play(self.state, seat, move)
            if wish:
                state.make_wish(self.state, wish)
        return int(code)

    def skip(self, *seats: int) -> int:
        """The seats pass one after the other; returns the first code that is not 0."""
        for seat in seats:
            code = state.check_pass(self.state, seat, PLAYS)
            if code:
                return int(code)
            state.pass_turn(self.state, seat)
        return 0

    def collect(self, dragon_to: int = state.NOBODY) -> None:
        """The owner takes the trick."""
        state.collect(self.state, dragon_to)

    def __getattr__(self, name: str) -> int | list[int]:
        return self.state[name].tolist()

    def hand(self, seat: int) -> frozenset[str]:
        """The cards that a seat holds."""
        return cards_of(self.state["hand"][seat])


def view_of(kind: int, hand: str, **fields: object) -> np.ndarray:
    """A view of seat 0, as before the first play except for the given fields."""
    view = np.zeros(1, dtype=views.VIEW)
    hand_mask = parse_cards(hand)
    view["kind"] = kind
    view["hand"] = hand_mask
    view["count"] = (len(hand.split()), 10, 10, 10)
    view["given"] = view["received"] = -1
    view["winner"] = view["owner"] = view["dragon_recipient"] = state.NOBODY
    for name, value in fields.items():
        view[name] = value
    return view


def played(games: int, seed: int, agents: str = "HHHH", max_rounds: int = 4096) -> PlayedRounds:
    """Games between built-in players: H is heuristic, B heuristic with blunders, R random."""
    pool = {"H": HeuristicAgent(), "B": HeuristicAgent(blunder=0.2), "R": RandomAgent()}
    seating = np.array([["HBR".index(letter) for letter in agents]] * games)
    (chunk,) = stream(list(pool.values()), seating, seed, max_rounds)
    return chunk
