"""Planting oddities and rule breaks: each edit does what its name says and no more, and the truth stays true.

The game in tests/golden/sound_game.tch was played by the project's own players; every kind fits it somewhere.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from tests.paths import ROOT, SOUND_GAME
from tichu_models.rules.breaks import RuleBreak
from tichu_models.rules.cards import LABELS, RANK_LABELS
from tichu_pipeline.brettspielwelt.corpus.gametext import GameText, is_complete, names_at_table, renamed
from tichu_pipeline.brettspielwelt.corpus.planting import LEAST, WHOLE_GAME, RoundKind
from tichu_pipeline.brettspielwelt.corpus.quirks import (
    ABANDONED,
    KINDS,
    ROUND_KINDS,
    WHOLE_FILES,
    WHOLE_GAMES,
    Planter,
    Planting,
)
from tichu_pipeline.brettspielwelt.corpus.roundtext import RANK_OF_LABEL, RoundText, naturals, rank

HEADER = "---------------Gr.Tichukarten------------------"
SEEDS = 8

# How many lines an edit takes away, and how many it adds; a moved line is neither.
LINES_CHANGED = {
    "grand Tichu twice": {(0, 1)},
    "grand Tichu in the play": {(0, 0)},
    "Tichu repeated": {(0, 1)},
    "Tichu after the first play": {(0, 0)},
    "Tichu before another's lead": {(0, 0)},
    "no wish": {(1, 0)},
    "passes after the end": {(0, 1), (0, 2), (0, 3)},
    "names differ between lists": {(1, 1)},
    "SYNTAX: garbage": {(0, 1)},
    "PASS_NOT_POSSIBLE": {(0, 1)},
    "PLAYER_NOT_ON_TURN": {(1, 0)},
    "HISTORY_TOO_SHORT": {(1, 0)},
    "HISTORY_TOO_LONG": {(0, 1)},
    "DRAGON_NOT_GIVEN": {(1, 0)},
    "DRAGON_GIVEN_WITHOUT_BEAT": {(0, 1)},
    "WISH_WITHOUT_MAHJONG: too early": {(0, 0)},
    "WISH_WITHOUT_MAHJONG: none played": {(0, 1)},
    "ANNOUNCEMENT_NOT_POSSIBLE": {(0, 1)},
}
MANY_LINES = {"cards in any order", "pair before triple", "Phoenix in its place", "restarted"}


def sound_game(game_id: int = 1) -> GameText:
    """A fresh copy of the sound game."""
    rounds: list[list[str]] = []
    for line in SOUND_GAME.read_text(encoding="utf-8").splitlines():
        if line == HEADER:
            rounds.append([])
        rounds[-1].append(line)
    return GameText(game_id, rounds)


ROUNDS = [RoundText(lines) for lines in sound_game().rounds]


def edits(name: str) -> list[tuple[RoundText, list[str]]]:
    """The kind's edits of the game's rounds: (the round before, the lines after), with several seeds."""
    kind = next(kind for kind in ROUND_KINDS if kind.name == name)
    found = []
    for round_ in ROUNDS:
        for seed in range(SEEDS):
            lines = kind.edit(round_, np.random.default_rng(seed))
            if lines is not None:
                found.append((round_, lines))
    assert found, f"'{name}' fits no round of the golden game"
    return found


def changes(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Lines that an edit took away, and lines that it added."""
    return list((Counter(before) - Counter(after)).elements()), list((Counter(after) - Counter(before)).elements())


def first_change(before: list[str], after: list[str]) -> int:
    """The first line that is different."""
    return next(i for i, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)


def game_kind(name: str, seed: int = 0) -> tuple[GameText, int | None]:
    """The sound game after a quirk of whole games."""
    game = sound_game()
    kind = next(kind for kind in WHOLE_GAMES if kind.name == name)
    return game, kind.edit(game, set(range(len(game.rounds))), np.random.default_rng(seed))


def test_labels_are_the_engines() -> None:
    """Two tables of ranks that drift apart: the planter would lay cards that no deck holds."""
    assert RANK_OF_LABEL == RANK_LABELS
    assert naturals(LABELS) == sorted(label for label in LABELS if label not in ("Hu", "Ma", "Dr", "Ph"))


def test_needs_no_engine() -> None:
    """Editing text that waits a second for compiled kernels it never calls."""
    code = "import sys, tichu_pipeline.brettspielwelt.corpus.quirks; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_reader_follows_the_table() -> None:
    """A break planted in the wrong place, because the reader lost track of tricks, hands or the wish."""
    round_ = ROUNDS[7]
    by_line = {turn.line: turn for turn in round_.turns}
    assert by_line[17].leads
    assert by_line[18].leads  # behind the Dog
    assert by_line[22].collects
    assert not by_line[21].collects
    assert by_line[29].top == ("BA",)
    assert by_line[29].owner == 3
    assert (by_line[57].wish, by_line[59].wish, by_line[71].wish, by_line[72].wish) == (0, 2, 2, 0)
    assert by_line[67].leads  # the trick of a player who is out was taken without a word
    assert round_.out == [2, 3, 1]
    assert [len(hand) for hand in round_.hands_left] == [2, 0, 0, 0]


@pytest.mark.parametrize("round_", ROUNDS)
def test_reader_loses_no_card(round_: RoundText) -> None:
    """Hands that drift from the log: a planted 'card not in hand' would be one that is held."""
    laid = [card for turn in round_.plays for card in turn.cards]
    held = [card for hand in round_.hands_left for card in hand]
    assert sorted(laid + held) == sorted(LABELS)
    assert all(set(turn.cards) <= turn.hands[turn.seat] for turn in round_.plays)


@pytest.mark.parametrize("kind", ROUND_KINDS, ids=lambda kind: kind.name)
def test_edit_changes_its_lines_only(kind: RoundKind) -> None:
    """An edit that breaks more than it says: the truth would name one code, a reader would find another."""
    for round_, lines in edits(kind.name):
        if kind.name not in MANY_LINES:
            removed, added = changes(round_.lines, lines)
            assert (len(removed), len(added)) in LINES_CHANGED.get(kind.name, {(1, 1)}), (removed, added)
        assert lines != round_.lines
        assert is_complete(lines)


def test_calls_move_where_the_name_says() -> None:
    """An announcement moved to where it would be a rule break."""
    for round_, lines in edits("Tichu after the first play"):
        moved = RoundText(lines)
        behind = [call for call in moved.calls if moved.plays_of(call.seat)[0].line < call.line]
        assert len(behind) == 1
        first = moved.plays_of(behind[0].seat)[0]
        assert behind[0].line == first.line + (2 if lines[first.line + 1].startswith("Wunsch:") else 1)
        assert len(moved.calls) == len(round_.calls)
    for round_, lines in edits("Tichu before another's lead"):
        moved = RoundText(lines)
        assert moved.play_header + 1 in {call.line for call in moved.calls if call.seat != round_.turns[0].seat}
        assert len(moved.calls) == len(round_.calls)
    for _, lines in edits("grand Tichu in the play"):
        moved = RoundText(lines)
        (call,) = (call for call in moved.calls if call.grand)
        assert moved.play_header < call.line < moved.plays_of(call.seat)[0].line


def test_order_of_cards_is_all_that_changes() -> None:
    """A reordered line that lost a card."""
    for name in ("cards in any order", "pair before triple", "Phoenix in its place"):
        for round_, lines in edits(name):
            assert [sorted(line.split(" ")) for line in lines] == [sorted(line.split(" ")) for line in round_.lines]
    added = [line for round_, lines in edits("Phoenix in its place") for line in changes(round_.lines, lines)[1]]
    assert set(added) == {"(3)anna: B8 B7 Ph R5 R4 R3 S2 "}
    pairs = [line for round_, lines in edits("pair before triple") for line in changes(round_.lines, lines)[1]]
    assert set(pairs) == {"(0)cleo: R3 S3 R9 G9 S9 "}


def test_restart_keeps_the_round() -> None:
    """A restart that eats the round behind it, or that reaches the schupfen."""
    for round_, lines in edits("restarted"):
        begun = lines[: len(lines) - len(round_.lines)]
        assert lines[len(begun) :] == round_.lines
        assert begun == round_.lines[: len(begun)]
        assert "Schupfen:" not in begun


def deal(lines: list[str]) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """First eight cards, start cards and given cards as they stand in the lines."""
    at = lines.index("Schupfen:")
    given = [[part.rsplit(" ", 1)[1] for part in line.split(" - ")[:3]] for line in lines[at + 1 : at + 5]]
    return (
        [line.split(" ")[1:-1] for line in lines[1:5]],
        [line.split(" ")[1:-1] for line in lines[6:10]],
        given,
    )


def deal_problems(lines: list[str]) -> list[int]:
    """All that is wrong with the deal, in the order in which it is checked, as plainly as possible."""
    first, start, given = deal(lines)
    problems = []
    if any(card not in LABELS for hand in (*first, *start, *given) for card in hand):
        problems.append(RuleBreak.INVALID_CARD_LABEL)
    for hands, size in ((first, 8), (start, 14), (given, 3)):
        if any(len(hand) != size for hand in hands):
            problems.append(RuleBreak.INVALID_CARD_COUNT)
    if len({card for hand in start for card in hand}) < sum(map(len, start)):
        problems.append(RuleBreak.DUPLICATE_CARD)
    if any(set(some) - set(hand) for cards in (first, given) for some, hand in zip(cards, start, strict=True)):
        problems.append(RuleBreak.CARD_NOT_IN_HAND)
    return problems


@pytest.mark.parametrize(
    "name",
    [
        "INVALID_CARD_LABEL: deal",
        "INVALID_CARD_COUNT",
        "DUPLICATE_CARD",
        "CARD_NOT_IN_HAND: first cards",
        "CARD_NOT_IN_HAND: schupfen",
    ],
)
def test_breaks_in_the_deal(name: str) -> None:
    """A deal that breaks another rule first, or twice the same card in one hand, which a mask cannot show."""
    code = next(kind.rule_break for kind in ROUND_KINDS if kind.name == name)
    for round_, lines in edits(name):
        assert deal_problems(round_.lines) == []
        assert deal_problems(lines)[0] == code
        if code == RuleBreak.DUPLICATE_CARD:
            assert deal_problems(lines) == [code]
        first, start, given = deal(lines)
        assert all(len(set(hand)) == len(hand) for hand in (*first, *start, *given))


def changed_play(round_: RoundText, lines: list[str]) -> tuple[int, list[str]]:
    """(seat, cards) of the play that an edit changed."""
    line = lines[first_change(round_.lines, lines)]
    return int(line[1]), line.split(": ")[1].split()


def turn_at(round_: RoundText, lines: list[str]):
    """The turn of the sound round that stood where the edit begins."""
    at = first_change(round_.lines, lines)
    return next(turn for turn in round_.turns if turn.line == at)


def test_cards_that_are_not_there() -> None:
    """A planted card that the seat holds after all, or that is at once too low."""
    for name in ("CARD_NOT_IN_HAND: play", "CARD_ALREADY_PLAYED"):
        for round_, lines in edits(name):
            seat, (card,) = changed_play(round_, lines)
            turn = turn_at(round_, lines)
            laid = {card for play in round_.plays_of(seat) if play.line < turn.line for card in play.cards}
            assert card not in turn.hands[seat]
            assert (card in laid) == (name == "CARD_ALREADY_PLAYED")
            assert any(card in hand for hand in turn.hands) == (name == "CARD_NOT_IN_HAND: play")
            assert turn.leads or rank(card) > rank(turn.top[0])
            assert turn.wish == 0


def test_combinations_that_cannot_be_played() -> None:
    """A 'wrong' combination that is legal."""
    for round_, lines in edits("COMBINATION_NOT_PLAYABLE: none"):
        seat, cards = changed_play(round_, lines)
        assert set(cards) <= turn_at(round_, lines).hands[seat]
        assert len(cards) in (2, 3)
        assert len({rank(card) for card in cards}) == 2
        assert all(map(rank, cards))
    for round_, lines in edits("COMBINATION_NOT_PLAYABLE: too low"):
        seat, (card,) = changed_play(round_, lines)
        turn = turn_at(round_, lines)
        assert card in turn.hands[seat]
        assert rank(card) <= rank(turn.top[0])


def test_wish_that_could_be_followed() -> None:
    """A wish that the next player need not follow, because he does not hold it or does play it."""
    for round_, lines in edits("WISH_NOT_FOLLOWED"):
        at = first_change(round_.lines, lines)
        wished = RANK_LABELS[lines[at].removeprefix("Wunsch:")]
        turn = next(turn for turn in round_.turns if turn.line > at)
        assert round_.lines[at - 1].endswith(": Ma ")
        assert wished in map(rank, turn.hands[turn.seat])
        assert wished not in map(rank, turn.cards)
        assert len(turn.cards) <= 1


def test_passes_and_turns() -> None:
    """A pass that could be the collecting one, or a seat left out that had no turn anyway."""
    for round_, lines in edits("PASS_NOT_POSSIBLE"):
        turn = turn_at(round_, lines)
        assert turn.leads
        assert lines[turn.line] == round_.pass_line(turn.seat)
        before = round_.turns[round_.turns.index(turn) - 1]
        assert turn is round_.turns[0] or (before.collects and before.seat == turn.seat)
    for round_, lines in edits("PLAYER_NOT_ON_TURN"):
        (line,) = changes(round_.lines, lines)[0]
        assert line.endswith(" passt.")
        following = next(t for t in round_.turns if t.line > turn_at(round_, lines).line)
        assert following.seat not in (int(line[1]), following.owner)
        assert len(following.cards) < 4


def test_the_end_of_the_round() -> None:
    """A round that ends before its last play, or goes on with a card that nobody holds."""
    for round_, lines in edits("HISTORY_TOO_SHORT"):
        assert changes(round_.lines, lines) == ([round_.lines[round_.end.line]], [])
    for round_, lines in edits("HISTORY_TOO_LONG"):
        line = lines[-2]
        assert line.split(": ")[1].strip() in round_.hands_left[int(line[1])]
    for round_, lines in edits("passes after the end"):
        assert all(line.endswith(" passt.") for line in changes(round_.lines, lines)[1])
        assert lines[-2].endswith(" passt.")


def test_the_dragon() -> None:
    """A Dragon given to an opponent after all, or planted where it had won."""
    for round_, lines in edits("DRAGON_NOT_GIVEN"):
        assert changes(round_.lines, lines)[0][0].startswith("Drache an: ")
    for round_, lines in edits("DRAGON_GIVEN_TO_OWN_TEAM"):
        gift = lines[first_change(round_.lines, lines)]
        winner = next(turn.seat for turn in round_.plays if turn.cards == ("Dr",))
        assert int(gift.removeprefix("Drache an: (")[0]) % 2 == winner % 2
        assert gift.endswith(round_.names[int(gift.removeprefix("Drache an: (")[0])])
    for round_, lines in edits("DRAGON_GIVEN_WITHOUT_BEAT"):
        at = first_change(round_.lines, lines)
        taken = next(turn for turn in round_.turns if turn.line == at - 1)
        assert taken.collects
        assert taken.top != ("Dr",)
        assert int(lines[at].removeprefix("Drache an: (")[0]) % 2 != taken.seat % 2
        assert not any(line.startswith("Drache an: ") for line in round_.lines)


def test_wishes_without_mahjong() -> None:
    """A wish behind the Mahjong, which is none too many."""
    for round_, lines in edits("WISH_WITHOUT_MAHJONG: too early"):
        wish = next(i for i, line in enumerate(lines) if line.startswith("Wunsch:"))
        assert not any("Ma" in line.split(" ") for line in lines[round_.play_header : wish])
        assert any("Ma" in line.split(" ") for line in lines[wish:])
    for _, lines in edits("WISH_WITHOUT_MAHJONG: none played"):
        played = lines[lines.index("---------------Rundenverlauf------------------") :]
        assert not any("Ma" in line.split(" ") for line in played)


def test_late_announcement() -> None:
    """A late Tichu of a player who has announced, or directly behind his first play, where it is allowed."""
    for round_, lines in edits("ANNOUNCEMENT_NOT_POSSIBLE"):
        at = first_change(round_.lines, lines)
        seat = int(lines[at].removeprefix("Tichu: (")[0])
        assert seat not in {call.seat for call in round_.calls}
        assert len([turn for turn in round_.plays_of(seat) if turn.line < at]) == 2


def test_scores() -> None:
    """A wrong score that a reader would call possible, or a moved one that sums to something else."""
    for name in ("SCORE_NOT_POSSIBLE: odd", "SCORE_NOT_POSSIBLE: sum", "SCORE_MISMATCH"):
        for round_, lines in edits(name):
            was, now = round_.score, RoundText(lines).score
            assert now != was
            assert (now[0] % 5 > 0 or now[1] % 5 > 0) == (name == "SCORE_NOT_POSSIBLE: odd")
            assert (sum(now) == sum(was)) == (name == "SCORE_MISMATCH")
            assert name == "SCORE_MISMATCH" or sum(now) % 100


def test_negative_scores_are_written_as_the_portal_does() -> None:
    """`240--40`, which no reader knows."""
    printed = {lines[-1] for _, lines in edits("SCORE_NOT_POSSIBLE: sum")}
    assert any(line.startswith("Ergebnis: -") for line in printed)
    assert all(line.split(" ")[2] == "-" and len(line.split(" ")) == 4 for line in printed)


def test_renaming_reaches_every_line() -> None:
    """A substitute who plays, but whom the others still give their cards to under the old name."""
    game = sound_game()
    for lines in game.rounds:
        new = renamed(lines, 2, "a(0)b")
        assert not any("dora" in line for line in new)
        assert [line.replace("a(0)b", "dora") for line in new] == lines
        assert names_at_table(new) == ["cleo", "bert", "a(0)b", "anna"]


def test_names_with_odd_characters() -> None:
    """Names that get lost between the seats, or in the bytes."""
    game, _ = game_kind("Latin-1")
    text = game.to_bytes()
    with pytest.raises(UnicodeDecodeError):
        text.decode()
    assert text.decode("latin-1").count("\n") == sum(map(len, game.rounds))
    for name in ("no-break space in a name", "no-break space after a name"):
        game, at = game_kind(name)
        assert at == WHOLE_GAME
        spaced = [name for name in names_at_table(game.rounds[0]) if "\u00a0" in name]
        assert len(spaced) == 1
        assert spaced[0].endswith("\u00a0") == (name == "no-break space after a name")
        restored = [[line.replace("\u00a0", "") for line in lines] for lines in game.rounds]
        assert restored == sound_game().rounds
    game, _ = game_kind("empty name")
    assert names_at_table(game.rounds[3]).count("") == 1
    game, at = game_kind("substitution")
    assert at
    names = [names_at_table(lines) for lines in game.rounds]
    assert names[:at] == [names[0]] * at
    assert names[at:] == [names[-1]] * (len(names) - at)
    assert sum(a != b for a, b in zip(names[0], names[-1], strict=True)) == 1


def test_umlauts_of_the_game_are_kept_in_latin_1() -> None:
    """A name whose Latin-1 bytes are UTF-8 of another name: nobody could read it right."""
    game = sound_game()
    kind = next(kind for kind in WHOLE_GAMES if kind.name == "Latin-1")
    game.rounds = [renamed(lines, 0, "Ã¤nne") for lines in game.rounds]
    assert kind.edit(game, set(), np.random.default_rng(0)) is None
    game.rounds = [renamed(lines, 0, "łucja") for lines in game.rounds]
    assert kind.edit(game, set(), np.random.default_rng(0)) is None
    assert game.encoding == "utf-8"


def test_line_ends_and_blank_lines() -> None:
    """Blank lines within a round, or mixed line ends."""
    sound = sound_game().to_bytes()
    assert sound == SOUND_GAME.read_bytes()
    assert game_kind("CRLF")[0].to_bytes() == sound.replace(b"\n", b"\r\n")
    spaced = game_kind("blank lines")[0].to_bytes().split(b"\n")
    assert [line for line in spaced if line] == sound.split(b"\n")[:-1]
    assert all(
        spaced[i - 1].startswith(b"Ergebnis:") for i in range(len(spaced) - 1) if not spaced[i] and spaced[i - 1]
    )


def test_truncated_games_end_within_their_last_round() -> None:
    """A cut that leaves the result, or takes more than one round."""
    for name in ("truncated", "truncated in a pass"):
        for seed in range(SEEDS):
            game, at = game_kind(name, seed)
            assert at == len(game.rounds) - 1
            assert game.num_whole_rounds() == at
            assert sound_game().to_bytes().startswith(game.to_bytes())
            assert game.rounds[at][0] == HEADER
        assert game.to_bytes().endswith(b" passt") == (name == "truncated in a pass")


def test_overplayed_game_was_won_before() -> None:
    """A round behind a game that was still open, which is no mistake at all."""
    game, at = game_kind("overplayed")
    assert at == len(game.rounds) - 1
    assert game.rounds[at] in game.rounds[:at]
    unfinished = sound_game()
    del unfinished.rounds[-3:]
    kind = next(kind for kind in WHOLE_GAMES if kind.name == "overplayed")
    assert kind.edit(unfinished, {0, 1}, np.random.default_rng(0)) is None


def plant_all(games: int, seed: int) -> tuple[list[GameText], list[Planting], Planter]:
    """A corpus of copies of the sound game, planted."""
    planter = Planter(games, np.random.default_rng(seed))
    corpus = [sound_game(i) for i in range(games)]
    return corpus, [planter.plant(game) for game in corpus], planter


def test_every_kind_is_planted_often_enough() -> None:
    """A corpus that proves nothing about a code, because it holds none or too few of it."""
    corpus, plantings, planter = plant_all(300, seed=1)
    planted = Counter(quirk.name for planting in plantings for quirk in planting.quirks)
    assert planter.left() == {}
    assert set(planted) == {kind.name for kind in KINDS}
    assert min(planted.values()) == LEAST
    assert planted["no wish"] == round(0.05 * 9.4 * 300)
    for game, planting in zip(corpus, plantings, strict=True):
        _check_truth(game, planting)


def _check_truth(game: GameText, planting: Planting) -> None:
    """Reads the file as plainly as possible, and compares what is there with the truth."""
    quirks = planting.quirks
    if any(quirk.name in {kind.name for kind in WHOLE_FILES} for quirk in quirks):
        assert len(quirks) == 1
        assert HEADER.encode() not in game.to_bytes()
        assert set(planting.parsed) == {None}
        return
    text = game.to_bytes().decode(game.encoding).replace("\r\n", "\n")
    parts = text.split(HEADER)[1:]
    truncated = [i for i, part in enumerate(parts) if "\nErgebnis:" not in part]
    assert len(truncated) == sum(quirk.rule_break == RuleBreak.TRUNCATED for quirk in quirks)
    numbers = [number for number in planting.parsed if number is not None]
    assert numbers == list(range(len(numbers)))
    syntax = sum(quirk.rule_break == RuleBreak.SYNTAX for quirk in quirks)
    overplayed = sum(quirk.name == "overplayed" for quirk in quirks)
    assert len(parts) == len(numbers) + overplayed + syntax + len(truncated)
    of_rounds = [quirk.round_index for quirk in quirks if quirk.is_round]
    assert len(of_rounds) == len(set(of_rounds))
    assert all(index < len(numbers) + overplayed for index in of_rounds if index is not None)
    if overplayed:
        assert all(quirk.rule_break == 0 for quirk in quirks)


def test_truth_counts_parsed_rounds() -> None:
    """Rows of truth that point a round too far, because a round before them is a fragment now."""
    for planting in plant_all(300, seed=2)[1]:
        quirks = planting.quirks
        for quirk in quirks:
            if quirk.rule_break == RuleBreak.SYNTAX:
                assert quirk.round_index is not None
                assert not quirk.is_round
                gone = [i for i, number in enumerate(planting.parsed) if number is None]
                before = [sum(number is not None for number in planting.parsed[:i]) for i in gone]
                assert quirk.round_index in before


def test_abandoned_game_has_its_row() -> None:
    """A fragment that came with the game, found by every reader, but unknown to the truth."""
    game = sound_game()
    game.rounds[3:] = [game.rounds[3][:20]]
    planting = Planter(1_000_000, np.random.default_rng(0)).plant(game)
    abandoned = [quirk for quirk in planting.quirks if quirk.name == ABANDONED]
    assert [(quirk.rule_break, quirk.is_round) for quirk in abandoned] == [(RuleBreak.TRUNCATED, False)]
    assert planting.parsed[3] is None


def test_tiny_fragments_are_planted_around() -> None:
    """A game that was abandoned while the cards were dealt: no list of names, no round to edit."""
    game = sound_game()
    game.rounds = [game.rounds[0][:3]]
    planter = Planter(1, np.random.default_rng(0))
    assert [quirk.name for quirk in planter.plant(game).quirks if quirk.round_index is not None] == [ABANDONED]
    assert len(planter.left()) > len(ROUND_KINDS) - 1


def test_what_does_not_fit_waits() -> None:
    """A kind that is lost because the game it was due in had no place for it."""
    planter = Planter(16, np.random.default_rng(0))
    wanted = sum(kind.number_in(16) for kind in KINDS)
    planted = 0
    for i in range(16):
        game = sound_game(i)
        del game.rounds[6]  # the only round with a grand Tichu
        planted += len(planter.plant(game).quirks)
    assert planted + sum(planter.left().values()) == wanted
    assert planter.left()["grand Tichu twice"] == 2


def test_same_seed_same_corpus() -> None:
    """A corpus that cannot be made again."""
    one, two = plant_all(60, seed=3), plant_all(60, seed=3)
    assert [game.to_bytes() for game in one[0]] == [game.to_bytes() for game in two[0]]
    assert one[1] == two[1]
    other = plant_all(60, seed=4)
    assert [game.to_bytes() for game in one[0]] != [game.to_bytes() for game in other[0]]
