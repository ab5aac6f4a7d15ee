"""What `tichu inspect`, `show`, `export` and `ingest` say of logs good and bad, and with what exit status."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.oracles.reading import sorted_lines
from tests.paths import SOUND_GAME
from tichu_models.rules.breaks import GameError, RuleBreak
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.cli import app
from tichu_pipeline.storage.months import parse_months

SOUND = SOUND_GAME.read_text()
ROUNDS = SOUND.count("Ergebnis:")
HTML = "<html><head><title>404 Not Found</title></head></html>\n"
HEADER = "---------------Gr.Tichukarten------------------\n"
PLAY_HEADER = "---------------Rundenverlauf------------------\n"
ENTRY = ["game_id", "file", "error_code", "error", "rounds", "fragments"]
ROUND = [
    "round_index", "line", "player_names", "score", "replayed_score", "rule_break", "rule_break_text", "wish_value",
    "dragon_recipient", "tichu_positions", "bomb_owners", "start_hands", "given_schupf_cards", "num_tricks",
    "num_turns", "winner_index", "loser_index", "is_double_victory", "phoenix_low", "history",
]  # fmt: skip


def run(*arguments: object) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def inspected(*paths: Path, status: int = 0) -> list[dict]:
    """What inspect prints, and with this exit status."""
    result = run("inspect", *paths, "--json")
    assert result.exit_code == status, result.stderr
    assert not result.exception or isinstance(result.exception, SystemExit)
    return json.loads(result.stdout)


def brief(entries: list[dict]) -> list[tuple]:
    """Id, code, rounds and fragments of each entry."""
    return [(entry["game_id"], entry["error_code"], len(entry["rounds"]), len(entry["fragments"])) for entry in entries]


def test_the_form_of_an_entry(tmp_path):
    """Programs that read the JSON, and find a key missing, renamed or of another kind."""
    (tmp_path / "12.tch").write_text(SOUND)
    (entry,) = inspected(tmp_path / "12.tch")
    assert list(entry) == ENTRY
    assert (entry["game_id"], entry["file"]) == (12, str(tmp_path / "12.tch"))
    assert (entry["error_code"], entry["error"], entry["fragments"]) == (0, "NO_ERROR", [])
    first, *_ = rounds = entry["rounds"]
    assert len(rounds) == ROUNDS
    assert list(first) == ROUND
    assert [round_["round_index"] for round_ in rounds] == list(range(ROUNDS))
    assert first["line"] == 1
    assert SOUND.splitlines()[rounds[1]["line"] - 1] + "\n" == HEADER
    assert first["score"] == first["replayed_score"]
    assert [len(first[name]) for name in ("player_names", "start_hands", "bomb_owners")] == [4, 4, 4]
    assert [len(hand) for hand in first["start_hands"]] == [14] * 4
    assert [len(given) for given in first["given_schupf_cards"]] == [3] * 4
    assert len(first["history"]) == first["num_turns"]
    assert all(isinstance(seat, int) for seat, *_ in first["history"])
    assert {len(turn) for turn in first["history"]} == {1, 2}


def test_files_that_hold_no_game_are_in_the_list(tmp_path):
    """A file that is passed over in silence, or one that costs the others their answer."""
    (tmp_path / "1.tch").write_bytes(b"")
    (tmp_path / "2.tch").write_text("\r\n \n\n")
    (tmp_path / "3.tch").write_text(HTML)
    (tmp_path / "4.tch").write_text(SOUND)
    (tmp_path / "x.tch").write_text(SOUND)
    entries = inspected(tmp_path)
    assert brief(entries) == [
        (1, 90, 0, 0),
        (2, 90, 0, 0),
        (3, 91, 0, 0),
        (4, 0, ROUNDS, 0),
        (None, 0, ROUNDS, 0),
    ]
    assert [entry["error"] for entry in entries[:3]] == ["EMPTY", "EMPTY", "UNREADABLE"]
    text = run("inspect", tmp_path).stdout
    assert f"{tmp_path / '3.tch'}: 0 rounds, UNREADABLE" in text


@pytest.mark.skipif(os.name != "posix", reason="pipes and links of Unix")
def test_what_cannot_be_read_is_in_the_list_and_told(tmp_path):
    """A pipe that is waited for, a device read without end, a stack trace for a missing file; or status 0 for these."""
    os.mkfifo(tmp_path / "1.tch")
    (tmp_path / "2.tch").symlink_to("/dev/zero")
    (tmp_path / "3.tch").symlink_to(tmp_path / "nothing")
    (tmp_path / "4.tch").mkdir()
    (tmp_path / "4.tch" / "5.tch").write_text(SOUND)
    with (tmp_path / "6.tch").open("wb") as file:
        file.truncate(SIZE_LIMIT + 1)
    (tmp_path / "7.zip").write_bytes(b"")
    entries = inspected(tmp_path, tmp_path / "missing.tch", status=1)
    assert brief(entries) == [(game, 91, 0, 0) for game in (1, 2, 3, 6)] + [(None, 91, 0, 0), (5, 0, ROUNDS, 0)]
    told = run("inspect", tmp_path, tmp_path / "missing.tch").stderr.splitlines()
    assert len(told) == 6
    assert any("missing.tch: there is no such file; expected" in line for line in told)
    assert all(": " in line and "; " in line for line in told)


def test_archives_are_inspected_themselves(tmp_path):
    """All logs of an archive's neighbours instead of its own, or only those whose month is known."""
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        archive.writestr("8.tch", SOUND)
        archive.writestr("deep/er/9.tch", SOUND[:4000])
        archive.writestr("readme.tch", "")
        archive.writestr("notes.txt", "mine")
    (tmp_path / "10.tch").write_text(SOUND)
    entries = inspected(tmp_path / "some.zip", status=1)
    assert brief(entries) == [(None, 91, 0, 0), (8, 0, ROUNDS, 0), (9, 70, 2, 1)]
    assert entries[2]["file"] == f"{tmp_path / 'some.zip'}:deep/er/9.tch"
    assert "name it ID.tch" in run("inspect", tmp_path / "some.zip").stderr


def test_a_broken_round_says_what_and_where(tmp_path):
    """A break without its line, or values of the replay that stand beside it as if they were sound."""
    lines = SOUND.splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith(": Ma "))
    lines[at] = lines[at].replace("Ma", "XX")
    (tmp_path / "1.tch").write_text("\n".join(lines))
    (entry,) = inspected(tmp_path / "1.tch")
    broken = [round_ for round_ in entry["rounds"] if round_["rule_break"]]
    assert (entry["error"], len(broken)) == ("ROUND_FAILED", 1)
    assert broken[0]["rule_break"] == RuleBreak.INVALID_CARD_LABEL
    assert broken[0]["rule_break_text"] == f"INVALID_CARD_LABEL at line {at + 1}"
    assert [broken[0][name] for name in ("replayed_score", "num_turns", "winner_index")] == [None] * 3


FIRST = SOUND[: SOUND.index(HEADER, 9)]


@pytest.mark.parametrize("cards", ["R7", "XX", "R7 R7", "R7 X9"])
def test_cards_behind_the_end(cards, tmp_path):
    """A play after the round's end that counts for nothing, and that export loses, because its cards are no cards."""
    (tmp_path / "1.tch").write_text(FIRST.replace("Ergebnis:", f"(3)anna: {cards} \nErgebnis:"))
    (entry,) = inspected(tmp_path / "1.tch")
    assert [round_["rule_break"] for round_ in entry["rounds"]] == [RuleBreak.HISTORY_TOO_LONG]


@pytest.mark.parametrize(
    ("broken", "positions", "code"),
    [
        (FIRST.replace("(1)bert: S6 ", "(1)bert: S7 ", 1), [-3, -1, 28, 0], RuleBreak.CARD_NOT_IN_HAND),
        (FIRST.replace("(1)bert: S6 ", "(1)bert: XX ", 1), [-3, -1, 28, 0], RuleBreak.INVALID_CARD_LABEL),
        (FIRST.replace("(0)cleo BA", "(0)cleo XX", 1), [-3, -1, 28, 0], RuleBreak.INVALID_CARD_LABEL),
        (FIRST.replace("Tichu: (1)", "Grosses Tichu: (1)", 1)[:-20], [-3, -2, 28, 0], RuleBreak.HISTORY_TOO_SHORT),
    ],
)
def test_calls_behind_a_break_are_kept(broken, positions, code, tmp_path):
    """A small Tichu that the log has, and that is gone because the replay never came there; or one that is put
    elsewhere than in a round that is sound up to it."""
    text = broken.replace(PLAY_HEADER, PLAY_HEADER + "Tichu: (3)anna\n")
    at = text.index("(1)bert: R9 S9")  # behind 28 turns, and two passes that collect
    text = text[:at] + "Tichu: (2)dora\nTichu: (3)anna\n" + text[at:]
    if code == RuleBreak.HISTORY_TOO_SHORT:
        text = text[: text.index("(1)bert: R3")] + "Ergebnis: 0 - 300\n"
    (tmp_path / "1.tch").write_text(text)
    (entry,) = inspected(tmp_path / "1.tch")
    assert [(round_["rule_break"], round_["tichu_positions"]) for round_ in entry["rounds"]] == [(code, positions)]


def test_line_ends_and_blank_lines_change_only_line_numbers(tmp_path):
    """Logs that went through Windows or an editor read as something else, or told with the lines of another file."""
    spaced = "\n \n" + SOUND.replace("\n", "\n\t\n").replace("Ergebnis: ", "Ergebnis: 1", 1) + "\n\n"
    for name, text in (("1.tch", SOUND.replace("Ergebnis: ", "Ergebnis: 1", 1)), ("2.tch", spaced)):
        (tmp_path / name).write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    plain, odd = inspected(tmp_path)
    assert _without_lines(odd) | {"game_id": 1} == _without_lines(plain)
    for entry, text in ((plain, SOUND), (odd, spaced)):
        lines = [number for number, line in enumerate(text.splitlines(), start=1) if line + "\n" == HEADER]
        assert [round_["line"] for round_ in entry["rounds"]] == lines
    assert odd["rounds"][0]["rule_break"] == RuleBreak.SCORE_NOT_POSSIBLE


def restarted(rounds: str, cut_before: str) -> str:
    """The game with its second round begun, broken off before that line, and dealt anew."""
    first, second, *rest = [HEADER + part for part in rounds.split(HEADER)[1:]]
    return "".join([first, second[: second.index(cut_before)], second, *rest])


CASES = {
    "sound": (SOUND, 0),
    "dealt anew before schupfen": (restarted(SOUND, "Schupfen:"), 0),
    "dealt anew before anybody played": (restarted(SOUND, PLAY_HEADER), 0),
    "broken off in the play": (restarted(SOUND, "Ergebnis:"), 80),
    "cut in the last round": (SOUND[:-12], 70),
    "cut within a line": (SOUND[: SOUND.rindex("Ergebnis:")] + "(0)an", 70),
    "left at the end of a line": (SOUND[: SOUND.rindex("Ergebnis:")], 70),
    "no result at the end": (SOUND[: SOUND.rindex("Ergebnis:")] + "Ergebnis: abc\n", 80),
    "no possible result at the end": (SOUND[: SOUND.rindex("Ergebnis:")] + "Ergebnis: 99999 - 1\n", 80),
    "a line of nothing at the end": (SOUND[: SOUND.rindex("Ergebnis:")] + "foo bar\n\n", 80),
    "begun again after the end": (SOUND + SOUND[:900], 70),
    "one round only": (SOUND[: SOUND.index(HEADER, 9)], 70),
    "played on": (SOUND + SOUND[: SOUND.index(HEADER, 9)], 71),
    "a line of nothing": (SOUND.replace("Ergebnis:", "\nnothing\nErgebnis:", 1), 80),
    "a broken round, then cut": (SOUND.replace(": Ma \n", ": XX \n", 1)[:-12], 80),
}


@pytest.mark.parametrize("case", CASES)
def test_the_code_of_a_game(case, tmp_path):
    """Whole games taken out of the analyses because a deal was repeated, or kept in them though a result is missing."""
    text, code = CASES[case]
    (tmp_path / "1.tch").write_text(text)
    (entry,) = inspected(tmp_path / "1.tch")
    assert GameError(entry["error_code"]).name == GameError(code).name


def test_a_log_may_end_anywhere(tmp_path):
    """A download that was cut at an unlucky byte, and counts as a broken game, or as one whose result was 0 : 0."""
    first = SOUND[: SOUND.index(HEADER, 9)]
    text = first + SOUND[len(first) : SOUND.index(HEADER, len(first) + 9)]
    within = [*range(len(HEADER) + 1), *range(200, len(first) - 200, 97), *range(len(first) - 200, len(first) + 600)]
    within += range(len(text) - 60, len(text))
    with zipfile.ZipFile(tmp_path / "cut.zip", "w") as archive:
        for length in within:
            archive.writestr(f"{length + 1}.tch", text[:length])
    results = [text.index("\n", text.index("Ergebnis")), text.rindex("\n")]
    for entry, length in zip(inspected(tmp_path / "cut.zip"), within, strict=True):
        begun = text[:length].count(HEADER.strip("-\n"))
        complete = sum(length >= end for end in results)
        line = text[:length].rpartition("\n")[2]
        if line.startswith("Ergebnis: ") and line.rpartition(" - ")[2].lstrip("-") and length not in results:
            continue  # within the last number, which may be any
        expected = "EMPTY" if not length else "GAME_NOT_FINISHED" if begun else "UNREADABLE"
        assert (entry["error"], len(entry["rounds"])) == (expected, complete), (length, line)
        assert [round_["rule_break"] for round_ in entry["rounds"]] == [0] * complete
        assert [f["rule_break_text"] for f in entry["fragments"]] in ([], ["TRUNCATED"])


# Through the data folder


@pytest.fixture
def folder(tmp_path) -> Path:
    """A raw folder with a sound log, a broken one, an empty one and an HTML page."""
    raw = tmp_path / "raw" / "202401"
    raw.mkdir(parents=True)
    (raw / "1.tch").write_text(SOUND)
    (raw / "2.tch").write_text(SOUND.replace(": Ma \n", ": XX \n", 1)[:-12])
    (raw / "3.tch").write_bytes(b"")
    (raw / "4.tch").write_text(HTML)
    (raw / "5.tch").write_text(SOUND[:900])
    (raw / "x.tch").write_text(SOUND)
    return tmp_path


def test_ingest_names_what_it_could_not_use(folder):
    """Files that are counted, but cannot be found; or a bad file that makes the command fail."""
    result = run("ingest", "--raw", folder / "raw", "--data", folder / "data", "--json")
    assert result.exit_code == 0
    made = json.loads(result.stdout)
    (month,) = made["months"]
    assert [month[name] for name in ("files", "games", "empty", "unreadable")] == [5, 3, 1, 1]
    assert (month["empty_files"], month["not_logs"]) == (["202401:3.tch"], ["202401:4.tch"])
    assert "x.tch" in made["problems"][0]
    again = run("ingest", "--raw", folder / "raw", "--data", folder / "data")
    assert "1 files empty, 1 no logs, unchanged" in again.stdout
    assert "x.tch: its name is no game id" in again.stderr


def test_show_and_export_of_all_kinds_of_logs(folder):
    """A stack trace, or nothing at all, for a game that has no rounds; or a broken game that cannot be looked at."""
    run("ingest", "--raw", folder / "raw", "--data", folder / "data")
    outcomes = {
        (command, game): run(command, game, "--data", folder / "data")
        for command in ("show", "export")
        for game in (1, 2, 3, 4, 5, 6)
    }
    assert {key: result.exit_code for key, result in outcomes.items()} == {
        (command, game): int(game in (3, 4, 6) or (command, game) == ("show", 5))
        for command in ("show", "export")
        for game in (1, 2, 3, 4, 5, 6)
    }
    assert sorted_lines(outcomes["export", 1].stdout) == sorted_lines(SOUND)
    assert sorted_lines(outcomes["export", 2].stdout) == sorted_lines((folder / "raw" / "202401" / "2.tch").read_text())
    assert sorted_lines(outcomes["export", 5].stdout) == sorted_lines(SOUND[:900])
    assert "INVALID_CARD_LABEL" in outcomes["show", 2].stdout
    assert "202401:3.tch is empty" in outcomes["show", 3].stderr
    assert "202401:4.tch holds no round" in outcomes["export", 4].stderr
    assert "tichu export 5" in outcomes["show", 5].stderr
    assert "expected the id of an ingested log" in outcomes["show", 6].stderr
    assert f"expected 0..{ROUNDS - 1}" in run("show", 1, "--round", ROUNDS, "--data", folder / "data").stderr
    for wrong in ("0", str(2**63), "abc"):
        assert run("show", wrong, "--data", folder / "data").exit_code == 2


def test_names_of_any_kind_come_back(tmp_path):
    """Export that fails on a name of 200 letters or gives a no-break space back as one that ends the name; show that
    takes brackets for markup."""
    players = ["ö" * 300, "[/red]\u00a0[x", "", "\x7f\u009b31m"]
    text = SOUND
    for seat, name in enumerate(("cleo", "bert", "dora", "anna")):
        text = text.replace(name, players[seat])
    (tmp_path / "raw" / "202401").mkdir(parents=True)
    (tmp_path / "raw" / "202401" / "1.tch").write_text(text)
    run("ingest", "--raw", tmp_path / "raw", "--data", tmp_path / "data")
    assert sorted_lines(run("export", 1, "--data", tmp_path / "data").stdout) == sorted_lines(text)
    shown = run("show", 1, "--data", tmp_path / "data")
    assert (shown.exit_code, shown.exception) == (0, None)
    assert "[/red] [x" in shown.stdout
    assert "\x7f" not in shown.stdout
    assert "\u009b" not in shown.stdout


@pytest.mark.parametrize("name", ["a\x01b", "e\x0bf", "\x02\x0c", "a\rb", "\0"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_control_characters_in_names(name, line_end, tmp_path):
    """A round lost because a name holds a control character; or one player's name put into another's by export."""
    text = SOUND.replace("anna", name).replace("cleo", "\x02x\x03")
    (tmp_path / "raw" / "202401").mkdir(parents=True)
    (tmp_path / "raw" / "202401" / "1.tch").write_bytes(text.replace("\n", line_end).encode())
    (entry,) = inspected(tmp_path / "raw" / "202401" / "1.tch")
    assert (entry["error_code"], len(entry["rounds"])) == (0, ROUNDS)
    assert {seat for round_ in entry["rounds"] for seat in round_["player_names"]} >= {name, "\x02x\x03"}
    run("ingest", "--raw", tmp_path / "raw", "--data", tmp_path / "data")
    assert sorted_lines(run("export", 1, "--data", tmp_path / "data").stdout) == sorted_lines(text)
    assert name not in run("show", 1, "--data", tmp_path / "data").stdout


def test_a_call_behind_the_last_turn_is_shown(tmp_path):
    """A Tichu that counts, or breaks the round, and that nobody sees where the round is printed."""
    text = FIRST.replace("Ergebnis:", "Tichu: (2)dora\nErgebnis:")
    (tmp_path / "raw" / "202401").mkdir(parents=True)
    (tmp_path / "raw" / "202401" / "1.tch").write_text(text)
    (tmp_path / "raw" / "202401" / "2.tch").write_text(text.replace("(0)cleo BA", "(0)cleo XX", 1))
    run("ingest", "--raw", tmp_path / "raw", "--data", tmp_path / "data")
    for game in (1, 2):
        assert run("show", game, "--data", tmp_path / "data").stdout.count("dora: Tichu!") == 1


def test_ingest_with_nothing_to_read_or_nowhere_to_write(folder):
    """An empty result that looks like success, or a stack trace for a data folder that is none."""
    (folder / "empty").mkdir()
    (folder / "file").write_text("")
    for arguments, message in (
        (("--raw", folder / "empty"), "no logs; expected members or folders"),
        (("--raw", folder / "raw", "--months", "2030-01"), "no logs of 2030-01"),
        (("--raw", folder / "missing"), "no such folder"),
    ):
        result = run("ingest", *arguments, "--data", folder / "data")
        assert (result.exit_code, message in result.stderr) == (1, True)
    result = run("ingest", "--raw", folder / "raw", "--data", folder / "file")
    assert result.exit_code == 1
    assert "expected a folder there" in result.stderr
    assert run("ingest", "--raw", folder / "raw", "--months", "2024-13").exit_code == 2


def test_a_damaged_month_is_told_and_read_again(folder):
    """A stack trace of the Parquet library, or a month that stays damaged for ever because its stamp looks right."""
    run("ingest", "--raw", folder / "raw", "--data", folder / "data")
    path = folder / "data" / "rounds" / "2024-01.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    result = run("show", 1, "--data", folder / "data")
    assert result.exit_code == 1
    assert "a month cannot be read" in result.stderr
    assert "unchanged" not in run("ingest", "--raw", folder / "raw", "--data", folder / "data").stdout
    assert run("show", 1, "--data", folder / "data").exit_code == 0


def test_what_export_gives_reads_as_the_same_game(tmp_path):
    """Anything of a round, an oddity or a break that is lost or changed on the way through the tables."""
    generate(tmp_path / "raw", 60, parse_months("2024-01"), seed=5, quirks=True)
    with zipfile.ZipFile(tmp_path / "raw" / "2024.zip") as archive:
        games = [Path(name).stem for name in archive.namelist() if name.endswith(".tch")]
    run("ingest", "--raw", tmp_path / "raw", "--data", tmp_path / "data")
    again = tmp_path / "again"
    again.mkdir()
    for game in games:
        result = run("export", game, "--data", tmp_path / "data")
        if result.exit_code == 0:
            (again / f"{game}.tch").write_bytes(result.stdout_bytes)
    first = {entry["game_id"]: entry for entry in inspected(tmp_path / "raw" / "2024.zip")}
    second = {entry["game_id"]: entry for entry in inspected(again)}
    assert set(second) == {game for game, entry in first.items() if entry["error_code"] < GameError.EMPTY}
    for game, entry in second.items():
        assert _without_lines(entry) == _without_lines(first[game])


def _without_lines(entry: dict) -> dict:
    """The entry without what blank lines and calls that were repeated change."""
    rounds = [round_ | {"line": 0, "rule_break_text": ""} for round_ in entry["rounds"]]
    fragments = [fragment | {"line": 0} for fragment in entry["fragments"]]
    return entry | {"file": "", "rounds": rounds, "fragments": fragments}
