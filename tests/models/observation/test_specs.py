"""The tables of the specs: sizes, names and places, as they were agreed on."""

from __future__ import annotations

import pytest

from tests.paths import ROOT
from tichu_models.observation.features_page import page
from tichu_models.observation.specs import NUMBER, SPECS, SpecError, spec

SIZES = {
    "play-375": 375, "play-376": 376, "sequence": 376, "grand-65": 65, "tichu-65": 65, "tichu-240": 240,
    "schupf-65": 65, "wish-233": 233, "dragon-204": 204, "bomb-375": 375, "schupf-116": 116,
}  # fmt: skip
# Sizes by group, in the order of the contract.
PLAY_375 = [
    ("current_turn", 5), ("start_player", 5), ("count_hand_cards", 56), ("played_cards", 56), ("announcements", 12),
    ("wish", 15), ("dragon_recipient", 5), ("trick_owner", 5), ("trick_combination", 31), ("trick_rank", 15),
    ("trick_points", 1), ("points", 4), ("winner", 5), ("game_score", 2), ("hand_cards", 56), ("given_schupf", 51),
    ("received_schupf", 51),
]  # fmt: skip
NAMED = [
    "current_turn.me",
    "start_player.none",
    "count_hand_cards.right[1]",
    "count_hand_cards.right[14]",
    "played_cards.S9",
    "announcements.partner.grand",
    "wish.none",
    "wish.fulfilled",
    "wish.7",
    "dragon_recipient.left",
    "trick_owner.none",
    "trick_combination.pass",
    "trick_combination.single",
    "trick_combination.pair",
    "trick_combination.triple",
    "trick_combination.stair4",
    "trick_combination.stair14",
    "trick_combination.fullhouse",
    "trick_combination.street5",
    "trick_combination.street14",
    "trick_combination.bomb4",
    "trick_combination.bomb13",
    "trick_rank[1]",
    "trick_rank[15]",
    "trick_points",
    "points.me",
    "winner.none",
    "game_score.own",
    "game_score.other",
    "hand_cards.Ph",
    "given_schupf.right.0",
    "given_schupf.right.16",
    "received_schupf.left.14",
    "rtg",
]


def test_every_spec_has_the_size_in_its_name():
    """A group left out or doubled: networks would be built for another vector than files hold."""
    assert {name: found.size for name, found in SPECS.items()} == SIZES
    for found in SPECS.values():
        assert len(set(found.names)) == found.size
    assert [(group.name, group.size) for group in SPECS["play-375"].table] == PLAY_375
    assert sum(group.size for group in SPECS["play-375"].table if group.kind != NUMBER) == 368


def test_names_are_those_of_the_contract():
    """Tools that ask for a feature by its name find nothing."""
    assert set(NAMED) <= set(SPECS["play-376"].names)
    assert SPECS["play-375"].names[:6] == (
        "current_turn.none", "current_turn.me", "current_turn.right", "current_turn.partner", "current_turn.left",
        "start_player.none",
    )  # fmt: skip
    assert SPECS["play-376"].names[-1] == "rtg"


@pytest.mark.parametrize(
    "name", [*SPECS, "play-376+score_cum+counts-29+history-3+goal", "tichu-240+counts-226+history-16"]
)
def test_no_two_features_share_a_place(name):
    """Two features in one bit, or a group torn across words: vectors that look right and are not."""
    found = spec(name)
    bits, numbers = set(), set()
    for group, place in found.places():
        places = set(range(place, place + group.size))
        if group.kind == NUMBER:
            assert not places & numbers
            numbers |= places
        else:
            assert not places & bits
            bits |= places
    # numbers lie between the layout's bits and the history
    words = {place // 64 for place in bits}
    assert words <= {*range(found.layout.words), *range(found.width - found.history, found.width)}


def test_blocks_are_appended():
    """A switched-on block that moves the features of networks without it."""
    plain, more = spec("play-375"), spec("play-375+score_cum+counts-6+history-2")
    assert more.names[:375] == plain.names
    assert more.names[375:383] == (
        "score_cum.own", "score_cum.other", "counts.pairs", "counts.triples", "counts.stairs", "counts.fullhouses",
        "counts.streets", "counts.bombs",
    )  # fmt: skip
    assert more.size == 375 + 2 + 6 + 2 * 45
    assert spec("play-375+history-2+goal").names[:465] == spec("play-375+history-2").names
    assert spec("play-375+history-2+goal").names[465:] == (
        "goal.-300", "goal.-200", "goal.-100", "goal.+0", "goal.+100", "goal.+200", "goal.+300",
    )  # fmt: skip
    assert {n: spec(f"play-375+counts-{n}").size - 375 for n in (6, 29, 226)} == {6: 6, 29: 29, 226: 226}


@pytest.mark.parametrize("name", ["play-374", "", "play-375+", "play-375+counts-7", "play-375+history-17"])
def test_what_is_no_spec_is_told(name):
    """A typing error that trains on something else."""
    with pytest.raises(SpecError, match="expected"):
        spec(name)


def test_the_digest_tells_of_every_change():
    """Files of one layout read as another."""
    digests = {found.digest for found in SPECS.values()} | {spec("play-375+counts-6").digest}
    assert len(digests) == len(SPECS) + 1


def test_the_docs_page_is_up_to_date():
    """A page that tells of other vectors than the program makes."""
    path = ROOT / "docs" / "features.md"
    assert path.read_text() == page(), f"make it anew: python -m tichu_models.observation.features_page > {path.name}"
