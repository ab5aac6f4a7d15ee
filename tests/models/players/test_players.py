"""The built-in players: chance is uniform, and the rules of thumb one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.makers.positions import cards_of, legal_moves, mask_of, trick_of, view_of
from tichu_models.observation import view as v
from tichu_models.observation.view import see
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.players.heuristic import bomb_cards, strength
from tichu_models.rules import asking as q
from tichu_models.rules import state
from tichu_models.rules.cards import INDEX_OF_LABEL, LABELS, RANK_LABELS, parse_cards
from tichu_models.rules.state import GRAND, LEFT, NO_CALL, RIGHT, SMALL

HEURISTIC, RANDOM = HeuristicAgent(), RandomAgent()
FOURS = "S4 B4 G4 R4"
FILLER = "S2 S6 B8 GB"


def choice_of(view: np.ndarray, agent: HeuristicAgent | RandomAgent = HEURISTIC) -> int:
    """What a player answers to one view."""
    (choice,) = agent.decide(int(view["kind"][0]), view)
    return int(choice)


def laid(view: np.ndarray, agent: HeuristicAgent | RandomAgent = HEURISTIC) -> set[str]:
    """The cards that a player answers with; empty: a pass."""
    return set(cards_of(choice_of(view, agent)))


def many(view: np.ndarray, times: int) -> np.ndarray:
    """The same view with different keys."""
    views = np.repeat(view, times)
    views["key"] = np.arange(1, times + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return views


def follow(hand: str, *trick: str, **fields: object) -> np.ndarray:
    """A view on turn; the left opponent owns the trick unless said otherwise."""
    top = trick_of(*trick)
    lying = sum(parse_cards(text) for text in trick)
    return view_of(q.PLAY, hand, **{"trick": top, "trick_cards": lying, "owner": 3, **fields})


def lead(hand: str, **fields: object) -> np.ndarray:
    """A view on turn on an empty table."""
    return view_of(q.PLAY, hand, **fields)


# Chance


def chi_square(counts: np.ndarray) -> float:
    """How far counts are from being all alike, in standard deviations of the statistic."""
    freedom = len(counts) - 1
    expected = counts.sum() / len(counts)
    return float((((counts - expected) ** 2).sum() / expected - freedom) / np.sqrt(2 * freedom))


@pytest.mark.parametrize(
    ("view", "options"),
    [
        (lead("Ph Ma S2 S3 B3 S4 S5 B6 S7"), None),
        (follow("Ph S5 S9 SK Dr", "S3"), None),
        (follow("S5 S9 B9 SK", "S3", wish=9), None),
        (view_of(q.WISH, "S2"), [0, *range(2, 15)]),
        (view_of(q.DRAGON_GIFT, "S2"), [RIGHT, LEFT]),
        (view_of(q.BOMB_THROW, f"{FOURS} S5 S6 S7 S8", trick=trick_of("SA")), "bombs"),
    ],
    ids=["lead", "follow", "wish to follow", "wish", "dragon", "bomb"],
)
def test_chance_takes_every_answer_equally_often(view, options):
    """The baseline that everything is measured against prefers some plays."""
    if options is None:
        trick, wish = int(view["trick"][0]), int(view["wish"][0])
        options = [mask_of(cards) for cards in legal_moves(" ".join(cards_of(view["hand"][0])), trick, wish)]
    elif options == "bombs":
        options = [0, parse_cards(FOURS), parse_cards("S4 S5 S6 S7 S8")]
    choices = RANDOM.decide(int(view["kind"][0]), many(view, 400 * len(options))).tolist()
    assert set(choices) == set(options)
    assert abs(chi_square(np.array([choices.count(option) for option in options]))) < 5


def test_chance_gives_every_card_equally_often_to_everybody():
    """Schupfen by chance prefers cards or seats."""
    hand = "Ma Hu Ph Dr S2 S3 S4 S5 S6 S7 S8 S9 S10 SB"
    choices = RANDOM.decide(q.SCHUPF, many(view_of(q.SCHUPF, hand), 14 * 400))
    places = np.stack([choices >> 8 * to & 255 for to in range(3)])
    assert all(len(set(three)) == 3 for three in places.T.tolist())
    counts = np.array([[np.sum(row == INDEX_OF_LABEL[card]) for card in hand.split()] for row in places])
    assert counts.sum() == choices.size * 3
    assert all(abs(chi_square(row)) < 5 for row in counts)


@pytest.mark.parametrize("kind", [q.GRAND_CALL, q.TICHU_CALL, q.SMALL_CALL])
def test_chance_announces_nothing(kind):
    """The baseline loses points by calls instead of plays."""
    assert not RANDOM.decide(kind, many(view_of(kind, "Dr Ph SA BA GA RA SK BK"), 300)).any()


# Schupfen


def given_by(hand: str) -> tuple[str, str, str]:
    """What goes to the right opponent, the partner, the left opponent."""
    choice = choice_of(view_of(q.SCHUPF, hand))
    right, partner, left = (LABELS[choice >> 8 * to & 255] for to in range(3))
    return right, partner, left


@pytest.mark.parametrize(
    ("hand", "right", "partner", "left"),
    [
        ("Ma S2 S3 B5 G6 S7 S9 B9 G10 SB BD RD SK GK", "S2", "SK", "S3"),
        ("Dr Ph S2 S3 B5 G6 S7 S9 B9 G10 SB BD RD SA", "S2", "SA", "S3"),
        ("Hu S2 S3 B5 G6 S7 S9 B9 G10 SB BD RD SA BA", "S2", "SA", "S3"),
        ("Hu Ph S2 S3 B5 G6 S7 S9 B9 G10 SB BD SA BA", "Hu", "SA", "S2"),
        ("Hu Ph Dr S2 S3 B5 G6 S7 S9 B9 G10 SB BD SK", "S2", "SK", "S3"),
        ("Ma S2 B2 G2 R2 B5 G6 S7 S9 B9 G10 SB BD RK", "B5", "RK", "G6"),
        ("Ma S2 S3 S4 S5 S6 B7 G8 B9 G10 BA GA RA SA", "B7", "G10", "G8"),
    ],
    ids=[
        "Mahjong kept",
        "high card",
        "weak with Dog",
        "strong with Dog",
        "two strong",
        "four of a kind",
        "two bombs",
    ],
)
def test_schupfen(hand, right, partner, left):
    """The wrong card goes to a seat, the Mahjong is given away, or a bomb is broken."""
    assert given_by(hand) == (right, partner, left)


def test_bombs_are_broken_when_nothing_else_is_left():
    """A hand full of bombs has no answer to schupfen."""
    hand = "S2 B2 G2 R2 S3 B3 G3 R3 S4 B4 G4 R4 Ph Dr"
    right, partner, left = given_by(hand)
    assert len({right, partner, left} & set(hand.split())) == 3
    assert (right[1:], partner[1:], left[1:]) == ("2", "4", "2")


# Announcements


@pytest.mark.parametrize(
    ("hand", "index"),
    [
        ("SD", 0),
        ("SA BA", 4),
        ("Dr", 6),
        ("Ph", 6),
        ("Hu", -2),
        ("Ma", 0),
        ("S2", -1),
        ("SB", -1),
        ("S2 B2", 0),
        (FOURS, 5),
        ("S2 S3 S4 S5 S6", 6),
        ("S2 S3 S4 S5 B6", 1),
        ("S2 S3 S4 S5 B6 S8 B10", -1),
        ("Dr Ph SA BA GA RA", 25),
    ],
)
def test_the_index_of_a_hand(hand, index):
    """A hand is worth more or less than the rules of thumb say."""
    assert strength(parse_cards(hand)) == index


CALLS = {
    "grand from 12": (q.GRAND_CALL, "Dr Ph SD SK", {}, True),
    "no grand below 12": (q.GRAND_CALL, "Dr Ph S2 SK", {}, False),
    "small from 7": (q.SMALL_CALL, "Dr SA S2 SK", {}, True),
    "no small below 7": (q.SMALL_CALL, "Dr SA S2 S4 SK", {}, False),
    "before schupfen not as soon": (q.TICHU_CALL, "Dr SA S2 SK", {}, False),
    "before schupfen with a great hand": (q.TICHU_CALL, "Dr SA BA SK", {}, True),
    "not over the partner's call": (q.SMALL_CALL, "Dr Ph SA BA", {"call": (0, 0, SMALL, 0)}, False),
    "not over the partner's grand call": (q.SMALL_CALL, "Dr Ph SA BA", {"call": (0, 0, GRAND, 0)}, False),
    "over an opponent's call": (q.SMALL_CALL, "Dr Ph SA BA", {"call": (0, SMALL, 0, GRAND)}, True),
    "not when somebody is out": (q.SMALL_CALL, "Dr Ph SA BA", {"winner": 3}, False),
    "sooner when behind": (q.SMALL_CALL, "Dr S2 SK", {"total": (0, 800)}, True),
    "later when ahead": (q.SMALL_CALL, "Dr SA S2 SK", {"total": (400, 0)}, False),
    "not with a pass": (
        q.SMALL_CALL,
        "Dr SA S3 SK",
        {"trick": trick_of("Dr"), "trick_cards": parse_cards("Dr"), "owner": 3},
        False,
    ),
}


@pytest.mark.parametrize("rule", CALLS)
def test_announcements(rule):
    """The rule that names the case is broken."""
    kind, hand, fields, calls = CALLS[rule]
    assert choice_of(view_of(kind, hand, **fields)) == calls


def test_team_31_looks_at_its_own_score():
    """Seats 1 and 3 announce by the score of the other team."""
    hand = "Dr SA S2 SK"
    assert not choice_of(view_of(q.SMALL_CALL, hand, seat=1, total=(0, 400)))
    assert choice_of(view_of(q.SMALL_CALL, hand, seat=1, total=(400, 0)))


# Leading


LEADS = {
    "out with one play": ("S9 B9", {}, "S9 B9"),
    "out with a street rather than its lowest": ("S5 S6 B7 S8 S9", {}, "S5 S6 B7 S8 S9"),
    "the Dog to a partner who is in": (f"Hu {FILLER}", {}, "Hu"),
    "no Dog to a partner who is out": (f"Hu {FILLER}", {"count": (5, 9, 0, 9)}, "S2"),
    "the longest play with the lowest card": ("S2 B2 S3 B3 S5 SK", {}, "S2 B2 S3 B3"),
    "the lowest card rather than a longer play without it": ("S2 S9 B9 G9 SK", {}, "S2"),
    "the Mahjong is the lowest": ("Ma S3 S9", {}, "Ma"),
}


@pytest.mark.parametrize("rule", LEADS)
def test_leads(rule):
    """The rule that names the case is broken."""
    hand, fields, expected = LEADS[rule]
    assert laid(lead(hand, **fields)) == set(expected.split())


def test_a_bomb_is_led_last():
    """A bomb is spent on an empty table."""
    cards = laid(lead(f"{FOURS} S9 SK"))
    assert cards < {*FOURS.split(), "S9", "SK"}
    assert cards != set(FOURS.split())


# Following


FOLLOWS = {
    "the lowest that beats": ("S5 S9 SK", ["S4"], {}, "S5"),
    "natural cards before the Phoenix": ("Ph S9 SK", ["S4"], {}, "S9"),
    "an ace before the Phoenix": ("Ph SA S3", ["SK"], {}, "SA"),
    "the Phoenix before the Dragon": ("Ph Dr S3", ["SK"], {}, "Ph"),
    "nothing that beats": ("S5 S9", ["SK"], {}, ""),
    "pass on the partner's trick": ("S5 S9 SK", ["S4"], {"owner": 2}, ""),
    "out on the partner's trick": ("S5", ["S4"], {"owner": 2}, "S5"),
    "over the partner if the right opponent is about to go": (
        "S5 S9",
        ["S4"],
        {"owner": 2, "count": (2, 1, 9, 9)},
        "S5",
    ),
    "not over the partner if he cannot go": ("S5 S9", ["S4"], {"owner": 2, "count": (2, 2, 9, 9)}, ""),
    "over the partner's pair before two cards": (
        "S5 B5 S9",
        ["S4 B4"],
        {"owner": 2, "count": (3, 2, 9, 9)},
        "S5 B5",
    ),
    "not over the partner if the right opponent is out": (
        "S5 S9",
        ["S4"],
        {"owner": 2, "count": (2, 0, 9, 9)},
        "",
    ),
    "over the partner under a wish": ("S5 S9", ["S4"], {"owner": 2, "wish": 9}, "S9"),
    "out with everything": ("S5 B5", ["S4 B4"], {}, "S5 B5"),
    "no bomb early": (f"{FOURS} S3 SK", ["SA"], {}, ""),
    "a bomb when an opponent has few cards": (f"{FOURS} S3 SK", ["SA"], {"count": (6, 5, 9, 9)}, FOURS),
    "no bomb when the partner has few cards": (f"{FOURS} S3 SK", ["SA"], {"count": (6, 9, 2, 9)}, ""),
    "no bomb because an opponent is out": (f"{FOURS} S3 SK", ["SA"], {"count": (6, 0, 9, 9)}, ""),
    "a bomb for points": (f"{FOURS} S3 SK", ["S10", "SK", "SA"], {}, FOURS),
    "no bomb for few points": (f"{FOURS} S3 S5", ["S5", "B10", "SA"], {}, ""),
    "the lowest bomb": (
        f"{FOURS} S3 B3 G3 R3 S7",
        ["SA"],
        {"count": (9, 5, 9, 9)},
        "S3 B3 G3 R3",
    ),
    "a bomb that goes out": (FOURS, ["SA"], {}, FOURS),
    "not out over the partner's Tichu": ("S5", ["S4"], {"call": (0, 0, SMALL, 0)}, ""),
    "not out over the partner's grand Tichu": ("S5 B5", ["S4 B4"], {"call": (0, 0, GRAND, 0)}, ""),
    "out when the partner's Tichu is lost": ("S5", ["S4"], {"call": (0, 0, SMALL, 0), "winner": 1}, "S5"),
    "out when the partner's Tichu is made": ("S5", ["S4"], {"call": (0, 0, SMALL, 0), "winner": 2}, "S5"),
    "no bomb out over the partner's Tichu": (
        FOURS,
        ["SA"],
        {"call": (0, 0, SMALL, 0), "count": (4, 2, 9, 9)},
        "",
    ),
}


@pytest.mark.parametrize("rule", FOLLOWS)
def test_follows(rule):
    """The rule that names the case is broken."""
    hand, trick, fields, expected = FOLLOWS[rule]
    assert laid(follow(hand, *trick, **fields)) == set(expected.split())


def test_a_forced_play_that_breaks_the_partners_tichu():
    """The only legal play is refused, which is an illegal answer."""
    assert laid(lead("S5", call=(0, 0, SMALL, 0))) == {"S5"}
    assert laid(lead("S5 B5", call=(0, 0, SMALL, 0))) in ({"S5"}, {"B5"})
    assert laid(follow("S5", "S4", wish=5, call=(0, 0, SMALL, 0))) == {"S5"}


# Bombs out of turn


BOMBS = {
    "not early": (f"{FOURS} S9 SK", ["SA"], {}, ""),
    "when an opponent has few cards": (f"{FOURS} S9 SK", ["SA"], {"count": (6, 9, 9, 3)}, FOURS),
    "for points": (f"{FOURS} S9 SK", ["Dr"], {}, FOURS),
    "not on the partner's trick": (f"{FOURS} S9 SK", ["Dr"], {"owner": 2}, ""),
    "not on the own trick": (f"{FOURS} S9 SK", ["Dr"], {"owner": 0}, ""),
    "to go out": (FOURS, ["SA"], {}, FOURS),
    "not to go out over the partner's Tichu": (FOURS, ["Dr"], {"call": (0, 0, SMALL, 0)}, ""),
}


@pytest.mark.parametrize("rule", BOMBS)
def test_bombs_out_of_turn(rule):
    """The rule that names the case is broken."""
    hand, trick, fields, expected = BOMBS[rule]
    view = follow(hand, *trick, **fields)
    view["kind"] = q.BOMB_THROW
    assert laid(view) == set(expected.split())


def test_bomb_cards():
    """Cards of a bomb are given away, or other cards are kept as if they were one's."""
    assert cards_of(bomb_cards(parse_cards(f"{FOURS} S5 S6 S7 B8"))) == set(FOURS.split())
    long_one = "S2 S3 S4 S5 S6 S7"
    assert cards_of(bomb_cards(parse_cards(f"{long_one} B7 Ph"))) == set(long_one.split())


# Wish and Dragon


@pytest.mark.parametrize(
    ("given", "calls", "wish"),
    [
        ("S2", (0, 0, 0, 0), 2),
        ("RK", (0, 0, 0, 0), 13),
        ("Hu", (0, 0, 0, 0), 14),
        ("S2", (0, GRAND, 0, 0), 14),
        ("S2", (0, 0, 0, GRAND), 14),
        ("S2", (0, 0, GRAND, 0), 2),
        ("S2", (0, SMALL, 0, 0), 2),
    ],
)
def test_wishes(given, calls, wish):
    """The wish is not the value given to the right opponent, or not an ace against a grand Tichu."""
    cards = [INDEX_OF_LABEL[card] for card in (given, "SA", "S9")]
    assert choice_of(view_of(q.WISH, "S3", given=cards, call=calls)) == wish


@pytest.mark.parametrize(("counts", "to"), [((3, 5, 1, 4), RIGHT), ((3, 4, 1, 5), LEFT), ((3, 0, 9, 1), LEFT)])
def test_the_dragon_goes_to_the_opponent_with_more_cards(counts, to):
    """The Dragon's points go to the opponent who is sooner out."""
    assert choice_of(view_of(q.DRAGON_GIFT, "S3 S4 S5", count=counts)) == to
    turned = tuple(counts[(seat - 1) % 4] for seat in range(4))
    assert choice_of(view_of(q.DRAGON_GIFT, "S3 S4 S5", seat=1, count=turned)) == to


# Blunders and views


def test_the_blunder_rate():
    """Players of a corpus are stronger or weaker than their hidden strength says."""
    views = many(follow("S5 S9 BD GK SA", "S4"), 20_000)
    best = laid(views[:1])
    for rate in (0.0, 0.1, 0.3, 1.0):
        answers = HeuristicAgent(blunder=rate).decide(q.PLAY, views)
        other = np.mean(answers != mask_of(best))
        # A blunder is any of the six legal answers, the best one included.
        assert abs(other - rate * 5 / 6) < 4 * np.sqrt(max(rate * (1 - rate * 5 / 6), 1e-9) / len(views)) + 1e-9


def test_only_plays_are_blundered():
    """A blunder gives the Dragon away or calls a Tichu, which the truth table does not flag."""
    wild = HeuristicAgent(blunder=1.0)
    for view in (view_of(q.SMALL_CALL, "Dr Ph SA"), view_of(q.DRAGON_GIFT, "S2", count=(1, 9, 3, 2))):
        kind = int(view["kind"][0])
        assert (wild.decide(kind, many(view, 100)) == choice_of(view)).all()


def test_blunder_rates_are_checked():
    """A rate in percent is taken for a rate."""
    with pytest.raises(ValueError, match="30"):
        HeuristicAgent(blunder=30)


@settings(max_examples=100)
@given(st.permutations(LABELS), st.integers(0, 3), st.integers(0, 7), st.integers(0, 3), st.booleans())
def test_answers_depend_on_the_view_only(deck, seat, kind, swapped, on_turn):
    """A player looks at cards that its seat does not see."""
    hands = [deck[14 * other : 14 * other + 13] for other in range(4)]
    others = [other for other in range(4) if other != seat]
    hidden = [list(hand) for hand in hands]
    one, two = others[swapped % 3], others[(swapped + 1) % 3]
    hidden[one], hidden[two] = hidden[two], hidden[one]
    answers = []
    for dealt in (hands, hidden):
        position = np.zeros(1, dtype=state.STATE)[0]
        masks = np.array([mask_of(hand) for hand in dealt], dtype=np.int64)
        state.begin_round(position, masks, masks, 0, 0, 0, 0)
        position["trick"] = 0 if on_turn else trick_of("S2")
        position["trick_cards"] = 0 if on_turn else parse_cards("S2")
        position["owner"] = state.NOBODY if on_turn else others[0]
        view = np.zeros(1, dtype=v.VIEW)
        see(position, seat, kind, np.uint64(77), view[0])
        answers.append([choice_of(view, agent) for agent in (HEURISTIC, RANDOM, HeuristicAgent(0.5))])
        answers[-1].append(view.tobytes())
    assert answers[0] == answers[1]


def test_a_view_shows_a_seat_its_own_cards_and_nothing_hidden():
    """A field of the view leaks cards, or is another seat's."""
    position = np.zeros(1, dtype=state.STATE)[0]
    hands = [[colour + label for label in RANK_LABELS] for colour in "SBGR"]
    hands[1][0] = "Ma"
    start = np.array([mask_of([*hand, extra]) for hand, extra in zip(hands, ("Hu", "B2", "Dr", "Ph"), strict=True)])
    first = start & (1 << 36) - 1
    state.begin_round(position, first, start, 300, 200, 100, -100)
    view = np.zeros(1, dtype=v.VIEW)
    see(position, 2, q.GRAND_CALL, np.uint64(5), view[0])
    assert view["hand"][0] == first[2]
    assert view["count"][0].tolist() == [8] * 4
    given = [[INDEX_OF_LABEL[colour + label] for label in ("3", "4", "5")] for colour in "SBGR"]
    state.exchange(position, np.array(given, dtype=np.int8))
    see(position, 2, q.PLAY, np.uint64(5), view[0])
    assert cards_of(view["hand"][0]) == (cards_of(start[2]) - {"G3", "G4", "G5"}) | {"B3", "S4", "R5"}
    assert [LABELS[i] for i in view["given"][0]] == ["G3", "G4", "G5"]
    assert [LABELS[i] for i in view["received"][0]] == ["R5", "S4", "B3"]
    assert (view["seat"][0], view["turn"][0], view["start_player"][0], view["key"][0]) == (2, 1, 1, 5)
    assert (view["total"][0].tolist(), view["last"][0].tolist()) == ([300, 200], [100, -100])
    assert view["call"][0].tolist() == [NO_CALL] * 4
