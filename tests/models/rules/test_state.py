"""A round in play, rule by rule."""

from __future__ import annotations

import numpy as np
import pytest

from tests.makers.positions import PLAYS, Table
from tichu_models.rules import scoring, state
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import INDEX_OF_LABEL

FOURS = "S4 B4 G4 R4"


# Schupfen


def test_schupfen_hands_each_card_to_its_seat():
    """A card goes to the wrong neighbour, or the receiver is told another giver."""
    table = Table("S2 S3 S4 Ma", "B2 B3 B4", "G2 G3 G4", "R2 R3 R4")
    given = [[INDEX_OF_LABEL[c + r] for r in "234"] for c in "SBGR"]
    given[0][1] = INDEX_OF_LABEL["Ma"]
    state.exchange(table.state, np.array(given, dtype=np.int8))
    # From the left neighbour the card for the right, from the partner the second, from the right the third.
    assert table.hand(0) == {"R2", "G3", "B4", "S3"}
    assert table.hand(1) == {"S2", "R3", "G4"}
    assert table.hand(2) == {"B2", "Ma", "R4"}
    assert table.hand(3) == {"G2", "B3", "S4"}
    got = [int(state.received(table.state, 0, sender)) for sender in range(3)]
    assert got == [INDEX_OF_LABEL[card] for card in ("B4", "G3", "R2")]
    assert table.start_player == table.turn == 2, "the Mahjong leads where it lies after schupfen"


# Turns and tricks


def test_turns_go_right_and_three_passes_complete_a_trick():
    """Players are asked in the wrong order, or a trick is taken while somebody may still play."""
    table = Table("S9 S2", "B3 B2", "G10 G2", "R3 R2")
    assert table.lay(0, "S9") == 0
    assert table.turn == 1
    assert table.skip(1) == 0
    assert table.lay(2, "G10") == 0
    assert (table.turn, table.owner) == (3, 2)
    assert table.skip(3, 0) == 0
    assert not table.complete
    assert table.skip(1) == 0
    assert (table.complete, table.turn) == (1, 2)
    table.collect()
    assert table.points == [0, 0, 10, 0]
    assert (table.trick, table.trick_cards, table.owner, table.complete, table.tricks) == (0, 0, -1, 0, 1)
    assert table.turn == 2, "who takes the trick leads"


def test_who_is_out_is_passed_over():
    """A player without cards is asked for a turn, or his missing pass keeps a trick open."""
    table = Table("S9 S2", "", "G3 G2", "R10 R2")
    assert table.lay(0, "S9") == 0
    assert table.turn == 2
    assert table.skip(2) == 0
    assert table.lay(3, "R10") == 0
    assert table.skip(0, 2) == 0
    assert (table.complete, table.turn) == (1, 3)


def test_a_trick_whose_owner_is_out():
    """The next player has to beat a trick that nobody owns any more, or its points are lost."""
    table = Table("SK", "B3 B2", "G3 G2", "R3 R2")
    assert table.lay(0, "SK") == 0
    assert table.skip(1, 2, 3) == 0
    assert (table.complete, table.owner, table.turn) == (1, 0, 1)
    assert state.collects_itself(table.state)
    assert table.skip(1) == RuleBreak.PASS_NOT_POSSIBLE, "it is a lead"
    _, code = state.check_play(table.state, 1, 1 << 5, PLAYS)
    assert code == 0, "a lead of a two, though a king lies there"
    table.collect()
    assert table.points == [10, 0, 0, 0]


@pytest.mark.parametrize(
    ("seat", "cards", "code"),
    [
        (1, "B3", RuleBreak.COMBINATION_NOT_PLAYABLE),
        (1, "B10 G10", RuleBreak.COMBINATION_NOT_PLAYABLE),
        (1, "B10 B3", RuleBreak.COMBINATION_NOT_PLAYABLE),
        (1, "G2", RuleBreak.CARD_NOT_IN_HAND),
        (2, "G2", RuleBreak.PLAYER_NOT_ON_TURN),
        (0, "S9", RuleBreak.CARD_ALREADY_PLAYED),
        (1, "B10", RuleBreak.NONE),
    ],
)
def test_what_is_wrong_with_a_play(seat, cards, code):
    """A wrong play is accepted, or is reported as another mistake."""
    table = Table("S9 S2", "B10 G10 B3", "G2 SA", "R2 R3")
    assert table.lay(0, "S9") == 0
    assert table.lay(seat, cards) == code


def test_what_is_wrong_with_a_pass():
    """A pass on a lead, or out of turn, is accepted."""
    table = Table("S9 S2", "B10 B3", "G2 SA", "R2 R3")
    assert table.skip(0) == RuleBreak.PASS_NOT_POSSIBLE
    assert table.lay(0, "S9") == 0
    assert table.skip(2) == RuleBreak.PLAYER_NOT_ON_TURN
    assert table.skip(1) == 0


def test_a_trick_that_waits_is_not_beaten_by_its_owner():
    """Two tricks run together: with all others passed, only a bomb may still be laid on one's own trick."""
    table = Table("S9 S10 S2", "B3 B2", "G3 G2", "R3 R2")
    assert table.lay(0, "S9") == 0
    assert table.skip(1, 2, 3) == 0
    assert table.lay(0, "S10") != RuleBreak.NONE


# The wish


def wished(value: int, *hands: str) -> Table:
    """Seat 0 has led the Mahjong and wishes; seat 1 is on turn."""
    table = Table("Ma S2", *hands)
    assert table.lay(0, "Ma", wish=value) == 0
    return table


def test_who_can_must_follow_the_wish():
    """A wish is ignored by a play or by a pass."""
    table = wished(8, "B8 B9", "G2 G3", "R2 R3")
    assert table.lay(1, "B9") == RuleBreak.WISH_NOT_FOLLOWED
    assert table.skip(1) == RuleBreak.WISH_NOT_FOLLOWED
    assert table.lay(1, "B8") == 0
    assert table.wish == state.FULFILLED


def test_who_cannot_is_free_and_the_wish_stays():
    """A wish ends when somebody lacks the card, or binds him though he lacks it."""
    table = wished(8, "B9 B7", "G8 G10", "R2 R3")
    assert table.lay(1, "B9") == 0
    assert table.wish == 8
    assert table.skip(2) == 0, "the eight does not beat the nine"
    assert table.skip(3, 0) == 0
    table.collect()
    assert table.wish == 8
    assert table.lay(1, "B7") == 0
    assert table.lay(2, "G10") == RuleBreak.WISH_NOT_FOLLOWED
    assert table.lay(2, "G8") == 0
    assert table.wish == state.FULFILLED


def test_a_wish_binds_on_a_lead():
    """Who leads may keep the wished card back."""
    table = wished(14, "B8 B9", "G2 G3", "R2 R3")
    table.state["trick"] = 0
    table.state["owner"] = state.NOBODY
    table.state["wish"] = 9
    assert table.lay(1, "B8") == RuleBreak.WISH_NOT_FOLLOWED
    assert table.lay(1, "B9") == 0


def test_the_wish_is_for_the_others_too_and_for_oneself():
    """The one who wished is bound as well when his turn comes with the card on his hand."""
    table = Table("Ma S8 S9", "B2 B3", "G4 G5", "R2 R3")
    assert table.lay(0, "Ma", wish=8) == 0
    assert table.skip(1) == 0
    assert table.lay(2, "G4") == 0
    assert table.skip(3) == 0
    assert table.skip(0) == RuleBreak.WISH_NOT_FOLLOWED
    assert table.lay(0, "S8") == 0


def test_any_bomb_answers_the_wish():
    """A bomb without the wished card is refused on turn; the wish must stay open after it."""
    table = wished(8, f"B8 {FOURS}", "G8 G9", "R2 R3")
    assert table.lay(1, FOURS) == 0
    assert table.wish == 8


def test_a_bomb_out_of_turn_need_not_follow_the_wish():
    """A bomb out of turn is checked against the wish."""
    table = wished(8, "B8 B9", f"G8 {FOURS}", "R2 R3")
    assert table.lay(2, FOURS) == 0
    assert (table.wish, table.turn, table.owner) == (8, 3, 2)


def test_a_bomb_out_of_turn_ends_the_wish():
    """The wish stays open although its value was played out of turn."""
    table = wished(4, "B8 B9", f"G8 {FOURS}", "R2 R3")
    assert table.lay(2, FOURS) == 0
    assert table.wish == state.FULFILLED


def test_the_wish_is_fulfilled_inside_a_longer_play():
    """A wished card in a street leaves the wish open."""
    table = Table("Ma S2 S3 S4 B5 SA", "B2 B3 B4 B6 G5 BA", "G2 G3", "R2 R3")
    assert table.lay(0, "Ma S2 S3 S4 B5", wish=6) == 0
    assert table.skip(1) == RuleBreak.WISH_NOT_FOLLOWED
    assert table.lay(1, "B2 B3 B4 G5 B6") == 0
    assert table.wish == state.FULFILLED


def test_the_phoenix_fulfils_no_wish():
    """A Phoenix that stands for the value ends the wish."""
    table = wished(8, "Ph B7", "G8 G9", "R2 R3")
    assert table.lay(1, "Ph") == 0
    assert table.wish == 8


# Bombs out of turn


def test_bomb_before_ones_turn():
    """A bomb between two turns is refused, or the seats it skipped are asked next."""
    table = Table("S9 S2", "B10 B3", "G2 G3", f"{FOURS} R2")
    assert table.lay(0, "S9") == 0
    assert table.lay(3, FOURS) == 0
    assert (table.turn, table.owner) == (0, 3)
    assert table.skip(0, 1, 2) == 0
    assert (table.complete, table.turn) == (1, 3)


def test_bomb_after_ones_own_pass():
    """Who has passed may not bomb any more."""
    table = Table("S9 S2", f"{FOURS} B3", "G2 G3", "R2 R3")
    assert table.lay(0, "S9") == 0
    assert table.skip(1, 2) == 0
    assert table.lay(1, FOURS) == 0
    assert table.turn == 2


def test_bomb_on_ones_own_trick():
    """One's own trick cannot be bombed while others are on turn."""
    table = Table(f"S9 {FOURS}", "B10 B3", "G2 G3", "R2 R3")
    assert table.lay(0, "S9") == 0
    assert table.lay(0, FOURS) == 0
    assert (table.place[0], table.winner, table.turn, table.owner) == (1, 0, 1, 0)


@pytest.mark.parametrize("seat", [0, 2])
def test_bomb_after_all_have_passed(seat):
    """A trick that waits to be collected is out of reach of a bomb."""
    hands = ["S9 S2", "B10 B3", "G2 G3", "R2 R3"]
    hands[seat] += f" {FOURS}"
    table = Table(*hands)
    assert table.lay(0, "S9") == 0
    assert table.skip(1, 2, 3) == 0
    assert table.lay(seat, FOURS) == 0
    assert (table.complete, table.owner, table.turn) == (0, seat, (seat + 1) % 4)


def test_no_bomb_out_of_turn_on_an_empty_table():
    """A bomb out of turn takes the lead away."""
    table = Table("S9 S2", "B10 B3", "G2 G3", f"{FOURS} R2")
    assert table.lay(3, FOURS) == RuleBreak.PLAYER_NOT_ON_TURN
    assert table.lay(0, "S9") == 0
    assert table.skip(1, 2, 3) == 0
    table.collect()
    assert table.lay(3, FOURS) == RuleBreak.PLAYER_NOT_ON_TURN


def test_no_bomb_out_of_turn_on_the_dog():
    """The Dog is bombed, so that the partner loses the lead."""
    table = Table("Hu S2", "B10 B3", "G2 G3", f"{FOURS} R2")
    assert table.lay(0, "Hu") == 0
    assert table.lay(3, FOURS) == RuleBreak.PLAYER_NOT_ON_TURN
    assert table.lay(2, "G2") == 0


def test_bombs_that_do_not_beat_and_plays_that_are_no_bombs():
    """Anything may be laid out of turn."""
    table = Table("S9 S2", "B10 B3", "G10 G3", f"{FOURS} S3 B3 G3 R3")
    assert table.lay(0, "S9") == 0
    assert table.lay(2, "G10") == RuleBreak.PLAYER_NOT_ON_TURN
    assert table.lay(3, FOURS) == 0
    assert table.lay(3, "S3 B3 G3 R3") != 0


# Dog


def test_the_dog_gives_the_lead_to_the_partner():
    """The Dog lies as a trick, or the lead goes to the next player."""
    table = Table("Hu S2", "B3", "G2 G3", "R2 R3")
    assert table.lay(0, "Hu") == 0
    assert (table.turn, table.trick, table.trick_cards, table.owner) == (2, 0, 0, -1)
    assert (table.turns, table.tricks) == (1, 0)
    assert table.skip(2) == RuleBreak.PASS_NOT_POSSIBLE


def test_the_dog_goes_on_when_the_partner_is_out():
    """A player who is out is asked to lead."""
    table = Table("Hu S2", "B3", "", "R2 R3")
    assert table.lay(0, "Hu") == 0
    assert table.turn == 3


def test_the_dog_comes_back_to_its_own_player():
    """With the partner and the next seat out, somebody else leads than the Dog's own player."""
    table = Table("Hu S2", "B3", "", "")
    assert table.lay(0, "Hu") == 0
    assert table.turn == 0


def test_the_dog_ends_a_round():
    """Going out with the Dog leaves the round open."""
    table = Table("Hu", "", "G2 G3", "R2")
    table.state["out"], table.state["place"], table.state["winner"] = 1, (0, 1, 0, 0), 1
    assert table.lay(0, "Hu") == 0
    assert not table.over
    table = Table("Hu", "B2", "", "")
    table.state["out"], table.state["place"], table.state["winner"] = 2, (0, 0, 1, 2), 2
    assert table.lay(0, "Hu") == 0
    assert (table.over, table.double, table.loser, table.place) == (1, 0, 1, [3, 0, 1, 2])
    table = Table("Hu", "B2", "", "R2")
    table.state["out"], table.state["place"], table.state["winner"] = 1, (0, 0, 1, 0), 2
    assert table.lay(0, "Hu") == 0
    assert (table.over, table.double) == (1, 1)


def test_the_dog_is_never_laid_on_a_trick():
    """The Dog follows a single."""
    table = Table("S2 S3", "Hu B3", "G2 G3", "R2 R3")
    assert table.lay(0, "S2") == 0
    assert table.lay(1, "Hu") == RuleBreak.COMBINATION_NOT_PLAYABLE


# Dragon


def dragon_trick(*hands: str) -> Table:
    """Seat 0 has led the Dragon and all have passed."""
    table = Table(*hands)
    assert table.lay(0, "Dr") == 0
    for seat in (1, 2, 3):
        if hands[seat]:
            assert table.skip(seat) == 0
    return table


@pytest.mark.parametrize("recipient", [1, 3])
def test_the_dragons_trick_is_given_away(recipient):
    """The Dragon's points stay with the player who won them."""
    table = dragon_trick("Dr S2", "B2 B3", "G2 G3", "R2 R3")
    assert state.dragon_is_due(table.state)
    table.collect(recipient)
    assert table.points == [25 if seat == recipient else 0 for seat in range(4)]
    assert (table.dragon_recipient, table.turn) == (recipient, 0)


def test_the_dragons_trick_may_go_to_a_player_who_is_out():
    """An opponent who is out gets no trick."""
    table = dragon_trick("Dr S2", "", "G2 G3", "R2 R3")
    table.collect(1)
    assert table.points == [0, 25, 0, 0]


def test_a_bomb_takes_the_dragons_trick():
    """The bomber has to give the trick away, or the Dragon's player decides on it."""
    table = dragon_trick("Dr S2", f"{FOURS} B3", "G2 G3", "R2 R3")
    assert table.lay(1, FOURS) == 0
    assert not state.dragon_is_due(table.state)
    assert table.skip(2, 3, 0) == 0
    table.collect()
    assert table.points == [0, 25, 0, 0]
    assert table.dragon_recipient == state.NOBODY


def test_the_dragon_stays_on_a_double_victory():
    """A gift is asked for that the rules do not know."""
    table = Table("Dr", "B2 B3", "", "R2 R3")
    table.state["out"], table.state["place"], table.state["winner"] = 1, (0, 0, 1, 0), 2
    assert table.lay(0, "Dr") == 0
    assert (table.over, table.double) == (1, 1)
    assert not state.dragon_is_due(table.state)
    table.collect()
    scoring.score_round(table.state)
    assert table.score == [200, 0]
    assert table.dragon_recipient == state.NOBODY


# The end of a round


def endgame(hands: tuple[str, str, str, str], places: tuple[int, int, int, int], **fields: object) -> Table:
    """A round in which some are out already, in this order."""
    table = Table(*hands)
    table.state["place"] = places
    table.state["out"] = max(places)
    table.state["winner"] = places.index(1) if 1 in places else state.NOBODY
    for name, value in fields.items():
        table.state[name] = value
    return table


def test_double_victory_ends_the_round_at_once():
    """The losers play on, or the card points count."""
    table = endgame(("SK", "BK B3", "", "RK R3"), (0, 0, 1, 0), points=(0, 35, 40, 0), turn=0)
    assert table.lay(0, "SK") == 0
    assert (table.over, table.double, table.loser, table.winner) == (1, 1, -1, 2)
    table.collect()
    scoring.score_round(table.state)
    assert table.score == [200, 0]


def test_second_place_of_an_opponent_is_no_double_victory():
    """A round ends with two players out who do not play together."""
    table = endgame(("SK", "", "G2 G3", "RK R3"), (0, 1, 0, 0))
    assert table.lay(0, "SK") == 0
    assert (table.over, table.double, table.winner) == (0, 0, 1)


def test_the_last_player_loses_hand_and_tricks():
    """The last player keeps his tricks, or the hand goes to his own team."""
    table = endgame(("S2", "", "", "RK R10 R3"), (0, 1, 2, 0), points=(10, 20, 30, 5))
    assert table.lay(0, "S2") == 0
    assert (table.over, table.loser, table.place) == (1, 3, [3, 1, 2, 0])
    table.collect()
    scoring.score_round(table.state)
    # Hand of seat 3 (20) to team 20; his tricks (5) to seat 1, who was out first.
    assert table.score == [10 + 30 + 20, 20 + 5]


def test_the_last_players_tricks_may_come_to_his_opponents():
    """The last player's tricks stay in his team although an opponent was out first."""
    table = endgame(("S2", "", "", "RK R3"), (0, 2, 1, 0), points=(10, 20, 55, 5))
    assert table.lay(0, "S2") == 0
    table.collect()
    scoring.score_round(table.state)
    assert table.score == [10 + 55 + 10 + 5, 20]


def test_the_last_trick_counts():
    """The trick that ends the round is not collected."""
    table = endgame(("SK", "", "", "R3 R2"), (0, 1, 2, 0), points=(10, 20, 60, 0))
    assert table.lay(0, "SK") == 0
    assert table.owner == 0
    table.collect()
    scoring.score_round(table.state)
    assert table.score == [80, 20]


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ((0, 0, 0, 0), [65, 35]),
        ((0, 1, 0, 0), [65, 135]),
        ((0, 2, 0, 0), [65, 235]),
        ((1, 0, 0, 0), [-35, 35]),
        ((2, 0, 0, 0), [-135, 35]),
        ((1, 1, 2, 1), [-235, 35]),
    ],
)
def test_calls_are_made_by_who_is_out_first(calls, score):
    """An announcement counts for the team, or for a later place."""
    table = endgame(("S2", "", "", "R3"), (0, 1, 2, 0), points=(25, 35, 40, 0), call=calls)
    assert table.lay(0, "S2") == 0
    table.collect()
    scoring.score_round(table.state)
    assert table.score == score


def test_calls_count_on_a_double_victory():
    """A double victory swallows the announcements."""
    table = endgame(("S2", "B2", "", "R3"), (0, 0, 1, 0), call=(0, 1, 2, 0))
    assert table.lay(0, "S2") == 0
    table.collect()
    scoring.score_round(table.state)
    assert table.score == [400, -100]


@pytest.mark.parametrize(
    ("totals", "result"),
    [
        ((995, 990), scoring.NOT_OVER),
        ((1000, 0), scoring.TEAM_20),
        ((990, 1000), scoring.TEAM_31),
        ((1100, 1000), scoring.TEAM_20),
        ((1005, 1010), scoring.TEAM_31),
        ((1000, 1000), scoring.DRAW),
        ((-300, 1000), scoring.TEAM_31),
        ((995, 995), scoring.NOT_OVER),
    ],
)
def test_the_end_of_a_game(totals, result):
    """A game goes on after 1000 points, ends before, or gives a draw to one team."""
    assert scoring.game_result(*totals) == result


def test_first_plays_are_counted_in_turns():
    """A small Tichu is judged against another turn than the caller's first play."""
    table = Table("S9 S2", "B10 B3", "G2 GB", "R2 R3")
    assert table.first_play == [-1, -1, -1, -1]
    assert table.lay(0, "S9") == 0
    assert table.skip(1) == 0
    assert table.lay(2, "GB") == 0
    assert table.first_play == [0, -1, 2, -1]
    assert table.turns == 3
