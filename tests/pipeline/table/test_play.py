"""A person at the table, scripted: what is typed is what is played and logged."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.makers.runs import make_run
from tichu_models.arena import lockstep
from tichu_models.arena.referee import Referee
from tichu_models.arena.table import fixtures_of
from tichu_models.observation.view import VIEW
from tichu_models.players.builtin import HeuristicAgent, RandomAgent
from tichu_models.records.history import KIND_BITS, TAKE_MARK
from tichu_models.records.schema import Rounds
from tichu_models.rules.asking import BOMB_THROW, PLAY, SCHUPF, WISH
from tichu_models.rules.cards import parse_cards
from tichu_pipeline.cli import app
from tichu_pipeline.commands.playing import split_agents
from tichu_pipeline.rounds.inspection import inspect
from tichu_pipeline.table.answers import AnswerError, options, read_answer
from tichu_pipeline.table.hints import said

CLI = CliRunner()


class Recorder(HeuristicAgent):
    """Plays well and keeps what a person would have typed for it."""

    def __init__(self) -> None:
        super().__init__()
        self.typed: list[str] = []

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """The answers of its class."""
        choices = super().decide(kind, views)
        self.typed.append(said(kind, int(choices[0])))
        return choices


def recorded(seat: int, seed: int, rounds: int) -> tuple[list[str], Rounds]:
    """What is typed in a game of so many rounds at most, against random players, and its rounds."""
    recorder = Recorder()
    players = [recorder if other == seat else RandomAgent() for other in range(4)]
    fixtures = fixtures_of(np.arange(4, dtype=np.int32)[None, :], seed)
    return recorder.typed, lockstep.play(players, fixtures, max_rounds=rounds, tables_at_once=1, referee=Referee())


def play(folder: Path, typed: list[str], *arguments: object) -> tuple[str, list[Path]]:
    """What the command prints, and the logs it leaves."""
    command = ["play", "--agents", "random", "--logs", str(folder), *map(str, arguments)]
    result = CLI.invoke(app, command, input="\n".join([*typed, ""]))
    assert result.exit_code == 0, result.output
    return result.output, sorted(folder.rglob("*.tch"))


@pytest.mark.parametrize(("seat", "seed"), [(0, 5), (3, 11)])
def test_a_scripted_round_is_played_and_logged(tmp_path, seat, seed):
    """A prompt that loops for ever, an answer that is read as another, a log of another game."""
    typed, rounds = recorded(seat, seed, rounds=1)
    output, (log,) = play(tmp_path, [*typed, "q"], "--seat", seat, "--seed", seed, "--name", "eva")
    (game,) = inspect([log], pytest.fail)
    (round_,) = game["rounds"]
    assert round_["rule_break"] == 0
    assert round_["score"] == rounds.rows["score"][0].tolist()
    assert round_["start_hands"] == [labels_of(hand) for hand in rounds.rows["start"][0]]
    assert round_["player_names"][seat] == "eva"
    assert f"The log: {log}" in output.replace("\n", "")
    assert "round 1: you" in output


def labels_of(hand: int) -> list[str]:
    """As `inspect` lists them."""
    from tichu_models.rules.cards import labels

    return labels(int(hand))


def test_a_whole_game_ends_by_itself(tmp_path):
    """A game that goes on after 1000 points, or loses rounds on the way to the log."""
    typed, rounds = recorded(0, 7, rounds=100)
    _, (log,) = play(tmp_path, typed, "--seed", 7)
    (game,) = inspect([log], pytest.fail)
    assert game["error_code"] == 0
    assert [round_["score"] for round_ in game["rounds"]] == rounds.rows["score"].tolist()


def test_who_takes_a_trick_and_what_everybody_has_is_told(tmp_path):
    """A person who plays by memory where a table shows the tricks that each has taken."""
    typed, rounds = recorded(0, 7, rounds=100)
    output, _ = play(tmp_path, typed, "--seed", 7)
    takes = sum(kind == TAKE_MARK for kind in (rounds.history & KIND_BITS).tolist())
    told = re.findall(r"(You take|\S+ takes) the trick(?:: (-?\d+) points)?\n", output)
    assert len(told) == takes
    assert {who for who, _ in told} == {"You take", *(f"random-{side} takes" for side in ("right", "partner", "left"))}
    first, second = (output.partition(f"round {number}: you")[0] for number in (1, 2))
    own = [int(points) for points in re.findall(r"You take the trick: (-?\d+) points\n", first)]
    shown = [int(points) for points in re.findall(r"you have (-?\d+) points;", first)]
    assert shown[0] == 0
    assert shown[-1] in [
        sum(own[:tricks]) for tricks in range(1, len(own) + 1)
    ]  # but for Dragons, of which it has none
    assert re.findall(r"you have (-?\d+) points;", second.removeprefix(first))[0] == "0"


def test_who_decides_for_a_network_is_said(tmp_path):
    """A person who thinks that a network announces, and plays against rules of thumb."""
    make_run(tmp_path / "runs", "PolicyNet")
    output, _ = play(tmp_path, ["q"], "--agents", "policy:PolicyNet", "--data", tmp_path)
    line = "policy:PolicyNet: play by PolicyNet; grand, tichu, small, schupf, wish, dragon, bomb by rules of thumb"
    assert " ".join(output.split()).count(line) == 1


def test_nonsense_is_asked_again_and_leaving_is_clean(tmp_path):
    """A typing error that costs the game, or a game that cannot be left."""
    typed, _ = recorded(0, 5, rounds=1)
    nonsense = [line for answer in typed for line in ("xyz", "?", "S2 S2 S2", "999", "h", answer)]
    output, (log,) = play(tmp_path / "a", [*nonsense, "q"], "--seed", 5)
    assert inspect([log], pytest.fail)
    assert "unknown card 'XYZ'" in output
    assert "random: " in output
    assert play(tmp_path / "b", typed[:9], "--seed", 5)[1] == []  # the end of input, in the middle of a round
    assert play(tmp_path / "b", ["q"], "--seed", 5)[1] == []


def test_hints_are_the_advisers_choices(tmp_path):
    """Advice for another position than the one that is shown."""
    typed, _ = recorded(0, 5, rounds=1)
    output, _ = play(tmp_path, [*typed, "q"], "--seed", 5, "--hint", "--adviser", "heuristic")
    hints = [line.split("heuristic: ")[1].strip() for line in output.splitlines() if line.startswith("  heuristic: ")]
    assert hints[: len(typed)] == typed


def view_of(kind: int, hand: str, **fields: int) -> np.void:
    """A view with a hand."""
    view = np.zeros(1, dtype=VIEW)[0]
    view["kind"], view["hand"] = kind, parse_cards(hand)
    for name, value in fields.items():
        view[name] = value
    return view


@pytest.mark.parametrize(
    ("kind", "hand", "text", "choice"),
    [
        (PLAY, "S9 B9 Ma", "b9 s9", parse_cards("S9 B9")),
        (PLAY, "S9 Dr", "DR", parse_cards("Dr")),
        (PLAY, "S9 B9 Ma", "1", parse_cards("Ma")),
        (SCHUPF, "S2 RA G5 Hu", "hu ra s2", 0 | 53 << 8 | 2 << 16),
        (WISH, "S2", "a", 14),
        (WISH, "S2", "", 0),
        (BOMB_THROW, "S2 B2 G2 R2", "", 0),
    ],
)
def test_answers_are_read_as_they_are_meant(kind, hand, text, choice):
    """A player who gives away the wrong card."""
    assert read_answer(kind, view_of(kind, hand, owner=-1), text) == choice


@pytest.mark.parametrize(
    ("kind", "text"),
    [(PLAY, ""), (PLAY, "pass"), (PLAY, "SA"), (PLAY, "0"), (SCHUPF, "S2 S2 B9"), (WISH, "1"), (0, "x")],
)
def test_impossible_answers_are_refused(kind, text):
    """An illegal choice that reaches the table, which would end the game."""
    with pytest.raises(AnswerError):
        read_answer(kind, view_of(kind, "S2 B9 Ma"), text)


def test_all_legal_plays_are_offered():
    """A play that cannot be chosen by its number."""
    found = options(PLAY, view_of(PLAY, "S9 B9 Ph Ma"))
    assert len(found) == 8  # four cards, three pairs, a triple
    assert 0 not in found


def test_agents_are_told_apart():
    """Options that are taken for players."""
    assert split_agents("policy:run,top_k=3,temperature=.5, random,heuristic:blunder=.1") == [
        "policy:run,top_k=3,temperature=.5",
        "random",
        "heuristic:blunder=.1",
    ]
    refused = CLI.invoke(app, ["play", "--agents", "random,random"])
    assert refused.exit_code == 2
    unknown = CLI.invoke(app, ["play", "--agents", "nobody"])
    assert (unknown.exit_code, "nobody" in unknown.output) == (1, True)
