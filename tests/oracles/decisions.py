"""What a seat sees before every play, derived from a log's text in plain Python.

It shares no code with the product's replay, walk or encoders. Rounds must be sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.oracles.reading import RANKS, read_rounds

VALUES = {"Hu": 0, "Ma": 1, "Dr": 15, "Ph": 16}
POINTS = {"5": 5, "10": 10, "K": 10}
SEATS = ("me", "right", "partner", "left")


def value(card: str) -> int:
    """0 the Dog, 1 the Mahjong, 2..14, 15 the Dragon, 16 the Phoenix."""
    return VALUES[card] if card in VALUES else RANKS[card[1:]]


def points(cards: list[str]) -> int:
    """The points of cards."""
    return sum({"Dr": 25, "Ph": -25}.get(card, POINTS.get(card[1:], 0)) for card in cards)


def figure(cards: list[str], below: int) -> tuple[str, int]:
    """(name, rank) of a legal play. `below` is the rank under a single Phoenix. A Phoenix has its highest reading."""
    if len(cards) == 1:
        return ("single", below if cards == ["Ph"] else value(cards[0]))
    natural = sorted(value(card) for card in cards if card != "Ph")
    counts = sorted((natural.count(rank), rank) for rank in set(natural))
    n, phoenix = len(cards), "Ph" in cards
    if len(counts) == 1:
        if n == 4:
            return "bomb4", natural[0]
        return {2: "pair", 3: "triple"}[n], natural[0]
    if n == 5 and len(counts) == 2:
        return "fullhouse", counts[-1][1]
    if counts[-1][0] == 1:
        missing = set(range(natural[0], natural[-1] + 1)) - set(natural)
        top = natural[-1] + (1 if phoenix and not missing and natural[-1] < 14 else 0)
        is_bomb = not phoenix and "Ma" not in cards and len({card[0] for card in cards}) == 1
        return f"{'bomb' if is_bomb else 'street'}{n}", top
    return f"stair{n}", natural[-1]


@dataclass
class Scene:
    """All that is public in a round, and all hands."""

    hands: list[set[str]]
    given: list[list[str]]
    calls: list[str]
    last: tuple[int, int]
    start: int
    played: set[str] = field(default_factory=set)
    wish: str = "none"
    dragon: int = -1
    owner: int = -1
    top: tuple[str, int] = ("pass", 0)
    trick: list[str] = field(default_factory=list)
    points: list[int] = field(default_factory=lambda: [0] * 4)
    winner: int = -1

    def seen_by(self, seat: int, turn: int) -> dict[str, int]:
        """The features that are not zero, as `seat` sees them."""
        found = {}

        def who(other: int) -> str:
            return "none" if other < 0 else SEATS[(other - seat) % 4]

        for name, other in (
            ("current_turn", turn), ("start_player", self.start), ("dragon_recipient", self.dragon),
            ("trick_owner", self.owner), ("winner", self.winner),
        ):  # fmt: skip
            found[f"{name}.{who(other)}"] = 1
        for away, name in enumerate(SEATS):
            other = (seat + away) % 4
            found |= {f"count_hand_cards.{name}[{k + 1}]": 1 for k in range(len(self.hands[other]))}
            found[f"announcements.{name}.{self.calls[other]}"] = 1
            found[f"points.{name}"] = self.points[other]
            if away:
                found[f"given_schupf.{name}.{value(self.given[seat][away - 1])}"] = 1
                found[f"received_schupf.{name}.{value(self.given[other][3 - away])}"] = 1
        found |= {f"played_cards.{card}": 1 for card in self.played}
        found |= {f"hand_cards.{card}": 1 for card in self.hands[seat]}
        found[f"wish.{self.wish}"] = 1
        found[f"trick_combination.{self.top[0]}"] = 1
        found |= {f"trick_rank[{k + 1}]": 1 for k in range(self.top[1])}
        found["trick_points"] = points(self.trick)
        found["game_score.own"], found["game_score.other"] = self.last[seat % 2], self.last[1 - seat % 2]
        return {name: number for name, number in found.items() if number}


def plays(text: str) -> Iterator[tuple[int, int, int, list[str], dict[str, int]]]:
    """(round, turn, seat, cards, features) of every play and pass of a log."""
    last = (0, 0)
    for index, round_ in enumerate(read_rounds(text)):
        yield from ((index, *entry) for entry in _plays(round_, last))
        last = round_["score"]


def _plays(round_: dict, last: tuple[int, int]) -> Iterator[tuple[int, int, list[str], dict[str, int]]]:
    """(turn, seat, cards, features) of every play and pass of a round."""
    hands = [set(hand) for hand in round_["start"]]
    for seat, cards in enumerate(round_["given"]):
        for to, card in enumerate(cards):
            hands[seat].remove(card)
            hands[(seat + to + 1) % 4].add(card)
    calls = ["none"] * 4
    for seat, position in round_["calls"].items():
        calls[seat] = {-2: "grand", -1: "small"}.get(position, "none")
    start = next(seat for seat in range(4) if "Ma" in hands[seat])
    scene = Scene(hands, round_["given"], calls, last, start)
    turn = passes = 0
    lines = round_["lines"]
    for seat, cards in lines:
        if not cards and seat == scene.owner:
            _take(scene, round_)
            continue
        if cards and scene.owner >= 0 and passes >= _others(scene) and (not _is_bomb(cards) or seat == _heir(scene)):
            _take(scene, round_)
        for caller, position in round_["calls"].items():
            if position == turn:
                scene.calls[caller] = "small"
        yield turn, seat, cards, scene.seen_by(seat, seat)
        turn += 1
        if not cards:
            passes += 1
            continue
        passes = 0
        _lay(scene, seat, cards, round_["wish"])


def _is_bomb(cards: list[str]) -> bool:
    return len(cards) > 3 and figure(cards, 0)[0].startswith("bomb")


def _others(scene: Scene) -> int:
    """The number of players who have to pass until the owner takes the trick."""
    return sum(1 for seat in range(4) if seat != scene.owner and scene.hands[seat])


def _heir(scene: Scene) -> int:
    """The seat that leads after an owner who is out of cards and so does not collect by a pass. -1 if he has cards."""
    if scene.hands[scene.owner]:
        return -1
    return next(seat % 4 for seat in range(scene.owner + 1, scene.owner + 4) if scene.hands[seat % 4])


def _lay(scene: Scene, seat: int, cards: list[str], wish: int) -> None:
    """A seat lays cards."""
    scene.hands[seat] -= set(cards)
    scene.played |= set(cards)
    if scene.wish not in ("none", "fulfilled") and any(value(card) == int(scene.wish) for card in cards):
        scene.wish = "fulfilled"
    if not scene.hands[seat] and scene.winner < 0:
        scene.winner = seat
    if cards == ["Hu"]:
        return
    below = scene.top[1] if scene.owner >= 0 else 1
    scene.top = figure(cards, below)
    scene.owner = seat
    scene.trick += cards
    if "Ma" in cards:
        scene.wish = str(wish) if wish else "none"


def _take(scene: Scene, round_: dict) -> None:
    """The trick is taken."""
    taker = scene.owner
    if scene.top == ("single", 15) and scene.trick[-1] == "Dr":
        taker = scene.dragon = round_["dragon"]
    scene.points[taker] += points(scene.trick)
    scene.trick, scene.owner, scene.top = [], -1, ("pass", 0)
