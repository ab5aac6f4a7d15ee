"""The specs: the features of each vector by name and place. Offsets and docs/features.md follow from them.

A vector has two forms. Packed, as encoders write it and files keep it: the layout's bits end to end, 64 in an int64
word, the lowest first; then raw numbers as int16, four a word; then the turns of the history, a word each. Unpacked,
as a network reads it: one number a place, in the order of the spec. Specs that are encoded alike share a `Layout`; a
spec takes some of the layout's groups, in its own order. `spec("play-376+counts-29")` finds a spec and adds blocks.

Seats are relative: me, right opponent, partner, left opponent. Cards are in the order of card indices.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cache, cached_property

from tichu_models.observation.counts import COUNTED
from tichu_models.observation.fields import BITS_A_WORD, NUMBERS_A_WORD
from tichu_models.observation.view import GOAL_POINTS, HISTORY_MOST
from tichu_models.rules.asking import (
    BOMB_THROW,
    DRAGON_GIFT,
    GRAND_CALL,
    KINDS,
    PLAY,
    SCHUPF,
    SMALL_CALL,
    TICHU_CALL,
    WISH,
)
from tichu_models.rules.cards import ACE, DRAGON_RANK, LABELS, NUM_CARDS, NUM_VALUES
from tichu_models.rules.combinations import TYPE_AND_LENGTH, TYPE_NAMES, combination_name
from tichu_models.rules.state import HAND_SIZE

RELATIVE_SEATS = ("me", "right", "partner", "left")
OTHERS = RELATIVE_SEATS[1:]
ONE_HOT, THERMOMETER, MULTI_HOT, NUMBER = "one-hot", "thermometer", "multi-hot", "number"


@dataclass(frozen=True)
class Group:
    """Bits or numbers that belong together. The names of its places are `name` + each of the endings."""

    name: str
    kind: str
    endings: tuple[str, ...]
    meaning: str
    scaled_by: str = ""  # the variable of scaling.json by which a number is clipped and scaled
    most: int = 1  # the largest value of a number without such a variable: a scaling divides by it
    unit: int = 1  # a number is always divided by this

    @property
    def size(self) -> int:
        return len(self.endings)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.name + ending for ending in self.endings)

    def without(self, dropped: int) -> Group:
        """The group without its first places."""
        return replace(self, endings=self.endings[dropped:])


def _dotted(*labels: object) -> tuple[str, ...]:
    return tuple(f".{label}" for label in labels)


def _by_seat(seats: tuple[str, ...], endings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f".{seat}{ending}" for seat in seats for ending in endings)


def _steps(n: int) -> tuple[str, ...]:
    return tuple(f"[{i}]" for i in range(1, n + 1))


_SEAT_OR_NONE = _dotted("none", *RELATIVE_SEATS)
_CARDS = _dotted(*LABELS)
_CALLS = _dotted("none", "small", "grand")

# fmt: off
CURRENT_TURN = Group("current_turn", ONE_HOT, _SEAT_OR_NONE, "who is on turn")
START_PLAYER = Group("start_player", ONE_HOT, _SEAT_OR_NONE, "who held the Mahjong after schupfen")
COUNT_THERMOMETER = Group("count_hand_cards", THERMOMETER, _by_seat(RELATIVE_SEATS, _steps(HAND_SIZE)),
                          "cards on each hand: of k cards the first k are set")
COUNT_NUMBER = Group("count_hand_cards", NUMBER, _dotted(*RELATIVE_SEATS), "cards on each hand", most=HAND_SIZE)
PLAYED_CARDS = Group("played_cards", MULTI_HOT, _CARDS, "cards played in the round")
ANNOUNCEMENTS = Group("announcements", ONE_HOT, _by_seat(RELATIVE_SEATS, _CALLS), "what each seat has announced")
WISH_VALUE = Group("wish", ONE_HOT, _dotted("none", "fulfilled", *range(2, ACE + 1)), "the wish: none made, or open")
DRAGON_RECIPIENT = Group("dragon_recipient", ONE_HOT, _SEAT_OR_NONE, "who was given the Dragon's trick")
TRICK_OWNER = Group("trick_owner", ONE_HOT, _SEAT_OR_NONE, "who laid the play on top of the trick")
TRICK_COMBINATION = Group("trick_combination", ONE_HOT, _dotted(*(combination_name(*of) for of in TYPE_AND_LENGTH)),
                          "type and length of the play on top; pass on an empty table")
TRICK_RANK = Group("trick_rank", THERMOMETER, _steps(DRAGON_RANK),
                   "rank of the play on top: of rank r the first r are set")
TRICK_TYPE = Group("trick_type", ONE_HOT, _dotted(*(name.lower() for name in TYPE_NAMES)), "type of the play on top")
TRICK_LENGTH = Group("trick_length", ONE_HOT, _dotted(*range(HAND_SIZE + 1)), "number of cards of the play on top")
TRICK_VALUE = Group("trick_value", ONE_HOT, _dotted(*range(DRAGON_RANK + 1)), "rank of the play on top")
TRICK_POINTS = Group("trick_points", NUMBER, ("",), "points of all cards in the running trick", "trick_points")
POINTS = Group("points", NUMBER, _dotted(*RELATIVE_SEATS), "points each seat has collected", "points")
WINNER = Group("winner", ONE_HOT, _SEAT_OR_NONE, "who went out first")
GAME_SCORE = Group("game_score", NUMBER, _dotted("own", "other"),
                   "result of the previous round, 0 before the first", "game_score")
HAND_CARDS = Group("hand_cards", MULTI_HOT, _CARDS, "the own cards; the first eight when asked for a grand Tichu")
_VALUES = _by_seat(OTHERS, _dotted(*range(NUM_VALUES)))
GIVEN_SCHUPF = Group("given_schupf", ONE_HOT, _VALUES, "value of the card given to each: 0 the Dog .. 16 the Phoenix")
RECEIVED_SCHUPF = Group("received_schupf", ONE_HOT, _VALUES, "value of the card got from each")

RTG = Group("rtg", NUMBER, ("",), "return to go: by how much the own team is still to win, in points / 100", unit=100)
SCORE_CUM = Group("score_cum", NUMBER, _dotted("own", "other"), "score of the game before this round", "score_cum")
GOAL = Group("goal", NUMBER, _dotted(*(f"{points:+d}" for points in GOAL_POINTS)),
             "how much more a round that is won by so many points is worth than these points", unit=100)
# fmt: on


@dataclass(frozen=True)
class Layout:
    """The packed form that one encoder writes: its groups, and where each of them begins."""

    name: str
    groups: tuple[Group, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each group begins: the bits before a group of bits, the numbers before a group of numbers."""
        places, bits, numbers = {}, 0, 0
        for group in self.groups:
            if group.kind == NUMBER:
                places[group.name] = numbers
                numbers += group.size
            else:
                places[group.name] = bits
                bits += group.size
        return places

    @cached_property
    def words(self) -> int:
        """Words of bits."""
        return -(-sum(group.size for group in self.groups if group.kind != NUMBER) // BITS_A_WORD)

    @cached_property
    def numbers(self) -> int:
        """Raw numbers."""
        return sum(group.size for group in self.groups if group.kind == NUMBER)


PLAY_LAYOUT = Layout(
    "play",
    (
        *(CURRENT_TURN, START_PLAYER, COUNT_THERMOMETER, PLAYED_CARDS, ANNOUNCEMENTS, WISH_VALUE, DRAGON_RECIPIENT),
        *(TRICK_OWNER, TRICK_COMBINATION, TRICK_RANK, TRICK_POINTS, POINTS, WINNER, GAME_SCORE, HAND_CARDS),
        *(GIVEN_SCHUPF, RECEIVED_SCHUPF),
    ),
)
REDUCED_LAYOUT = Layout(
    "reduced",
    (
        *(HAND_CARDS, GIVEN_SCHUPF, COUNT_NUMBER, PLAYED_CARDS, ANNOUNCEMENTS, WISH_VALUE, TRICK_OWNER, TRICK_TYPE),
        *(TRICK_LENGTH, TRICK_VALUE, TRICK_POINTS, POINTS, WINNER),
    ),
)
LAYOUTS = (PLAY_LAYOUT, REDUCED_LAYOUT)
LAYOUT_PLAY, LAYOUT_REDUCED = range(2)


def _counts(n: int) -> Group:
    return Group("counts", NUMBER, _dotted(*COUNTED[n]), "how often the hand holds it, without the Phoenix")


def _history(entry: int) -> Group:
    endings = (
        *_by_seat(("player",), _SEAT_OR_NONE),
        ".lead",
        *(f".type{ending}" for ending in TRICK_TYPE.endings),
        *(f".length{ending}" for ending in TRICK_LENGTH.endings),
        *(f".value{ending}" for ending in TRICK_VALUE.endings),
    )
    return Group(f"history[{entry}]", ONE_HOT, endings, "a turn before the decision, the latest first")


# Kinds of labels. A stored label is an answer as `rules.asking` describes it, but cards are bits by card index.
CARDS_LABEL, CALL_LABEL, SCHUPF_LABEL, WISH_LABEL, DRAGON_LABEL, BOMB_LABEL = range(6)
PASS_BIT = 1 << NUM_CARDS  # of a label of cards
# fmt: off
LABEL_NAMES = {
    CARDS_LABEL: (*LABELS, "pass"),
    CALL_LABEL: ("called", "first_out"),
    SCHUPF_LABEL: (*(f"{seat}.{value}" for seat in OTHERS for value in range(NUM_VALUES)),
                   *(f"{seat}.{colour}" for seat in OTHERS for colour in ("S", "B", "G", "R", "none"))),
    WISH_LABEL: (*(str(rank) for rank in range(2, ACE + 1)), "none"),
    DRAGON_LABEL: ("right", "left"),
    BOMB_LABEL: ("thrown",),
}
# fmt: on


@dataclass(frozen=True)
class Spec:
    """A vector: its groups in order, the kinds of decisions that it is made of, and its label.

    The version is raised by hand when the same decision would give another vector.
    """

    name: str
    version: int
    layout: Layout
    kinds: tuple[int, ...]
    label: int
    groups: tuple[Group, ...]
    about: str
    rtg: bool = False
    score_cum: bool = False
    counts: int = 0
    history: int = 0
    goal: bool = False

    @cached_property
    def appended(self) -> tuple[Group, ...]:
        """Groups behind those of the layout."""
        return (
            *((RTG,) if self.rtg else ()),
            *((SCORE_CUM,) if self.score_cum else ()),
            *((_counts(self.counts),) if self.counts else ()),
            *(_history(entry) for entry in range(self.history)),
            *((GOAL,) if self.goal else ()),
        )

    @cached_property
    def table(self) -> tuple[Group, ...]:
        """All groups, in the vector's order."""
        return self.groups + self.appended

    @cached_property
    def size(self) -> int:
        """How many numbers a network reads."""
        return sum(group.size for group in self.table)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every place of the vector."""
        return tuple(name for group in self.table for name in group.names)

    @cached_property
    def numbers(self) -> int:
        """Raw numbers of a packed vector."""
        return self.layout.numbers + sum(group.size for group in self.appended if group.kind == NUMBER)

    @cached_property
    def number_words(self) -> int:
        """Words of raw numbers."""
        return -(-self.numbers // NUMBERS_A_WORD)

    @cached_property
    def width(self) -> int:
        """Words of a packed vector: the layout's bits, the numbers, a word for each turn of the history."""
        return self.layout.words + self.number_words + self.history

    @cached_property
    def number_names(self) -> tuple[str, ...]:
        """The numbers of the packed form, in its order."""
        groups = self.layout.groups + self.appended
        return tuple(name for group in groups if group.kind == NUMBER for name in group.names)

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The name of every place of the label."""
        return LABEL_NAMES[self.label]

    def places(self) -> list[tuple[Group, int]]:
        """Every group of the vector, and where it begins in the packed form: which bit, or which number."""
        places = []
        starts, whole = self.layout.places, {group.name: group for group in self.layout.groups}
        for group in self.groups:
            dropped = whole[group.name].size - group.size
            places.append((group, starts[group.name] + dropped))
        word, number = self.layout.words + self.number_words, self.layout.numbers
        for group in self.appended:
            if group.kind == NUMBER:
                places.append((group, number))
                number += group.size
            else:
                places.append((group, BITS_A_WORD * word))
                word += 1
        return places

    @cached_property
    def digest(self) -> str:
        """Digest of the version and of every place, packed and unpacked: files of equal digests hold equal vectors."""
        content = [(group.names, place) for group, place in self.places()]
        text = repr((self.name, self.version, self.width, self.number_names, self.label, self.kinds, content))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


_BEFORE_PLAY = (HAND_CARDS, ANNOUNCEMENTS.without(3))
_REDUCED = REDUCED_LAYOUT.groups


def _all_but(*left_out: Group) -> tuple[Group, ...]:
    return tuple(group for group in _REDUCED if group not in left_out)


_SMALL = tuple(ANNOUNCEMENTS.without(3) if group is ANNOUNCEMENTS else group for group in _all_but(WINNER))
_PLAY = PLAY_LAYOUT.groups

_P, _R = PLAY_LAYOUT, REDUCED_LAYOUT
_TRICK = (TRICK_OWNER, TRICK_TYPE, TRICK_LENGTH, TRICK_VALUE)
_SEQUENCE = "the last states of one seat's round, each with its return to go and its action"
# fmt: off
_ALL = (
    Spec("play-375", 1, _P, (PLAY,), CARDS_LABEL, _PLAY, "which cards to play, or to pass"),
    Spec("play-376", 1, _P, (PLAY,), CARDS_LABEL, _PLAY, "play-375 with the return that is to be reached", rtg=True),
    Spec("sequence", 1, _P, (PLAY,), CARDS_LABEL, _PLAY, _SEQUENCE, rtg=True),
    Spec("grand-65", 1, _R, (GRAND_CALL,), CALL_LABEL, _BEFORE_PLAY, "grand Tichu, on the first eight cards"),
    Spec("tichu-65", 1, _R, (TICHU_CALL,), CALL_LABEL, _BEFORE_PLAY, "small Tichu before schupfen"),
    Spec("tichu-240", 1, _R, (SMALL_CALL,), CALL_LABEL, _SMALL, "small Tichu on the own turn, up to the first play"),
    Spec("schupf-65", 1, _R, (SCHUPF,), SCHUPF_LABEL, _BEFORE_PLAY, "which card to give to whom"),
    Spec("wish-233", 1, _R, (WISH,), WISH_LABEL, _all_but(WISH_VALUE), "what to wish"),
    Spec("dragon-204", 1, _R, (DRAGON_GIFT,), DRAGON_LABEL, _all_but(*_TRICK), "who gets the Dragon's trick"),
    Spec("bomb-375", 1, _P, (BOMB_THROW,), BOMB_LABEL, _PLAY, "whether to throw a bomb out of turn"),
    Spec("schupf-116", 1, _R, (SCHUPF,), SCHUPF_LABEL, (HAND_CARDS, GIVEN_SCHUPF, ANNOUNCEMENTS.without(3)),
         "which card to give next: the hand without those given already, and their values"),
)
# fmt: on
SPECS = {each.name: each for each in _ALL}
SPEC_OF_KIND = dict(
    zip(
        range(len(KINDS)),
        ("grand-65", "tichu-65", "schupf-65", "tichu-240", "play-375", "bomb-375", "wish-233", "dragon-204"),
        strict=True,
    )
)


class SpecError(ValueError):
    """A name that is no spec, or names an unknown block."""


@cache
def spec(name: str) -> Spec:
    """The spec of a name with its blocks, as `play-375+score_cum+counts-29+history-12`."""
    base, *blocks = name.split("+")
    if base not in SPECS:
        raise SpecError(f"spec {base!r}: expected one of {', '.join(SPECS)}")
    result = SPECS[base]
    for block in blocks:
        kind, _, number = block.partition("-")
        n = int(number) if number.isdecimal() else 0
        if block == "score_cum":
            result = replace(result, score_cum=True)
        elif block == "goal":
            result = replace(result, goal=True)
        elif kind == "counts" and n in COUNTED:
            result = replace(result, counts=n)
        elif kind == "history" and 1 <= n <= HISTORY_MOST:
            result = replace(result, history=n)
        else:
            raise SpecError(
                f"spec {name!r}: block {block!r}; expected score_cum, goal, "
                f"counts-{', counts-'.join(map(str, COUNTED))}, or history-1 .. history-{HISTORY_MOST}"
            )
    return replace(result, name=name)
