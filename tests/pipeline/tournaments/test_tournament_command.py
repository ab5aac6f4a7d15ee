"""`tichu tournament`: what it prints, keeps, logs and plays again."""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tests.makers.runs import make_run, make_runs
from tichu_models.agents.registry import agent_from
from tichu_models.arena import tournament as arena
from tichu_models.arena.summary import summary
from tichu_models.arena.tournament import Task, TournamentRequest
from tichu_models.players.base import Agent
from tichu_models.runs.files import FIGURES, WEIGHTS
from tichu_pipeline.analysis.build import build
from tichu_pipeline.analysis.reading import table, value
from tichu_pipeline.brettspielwelt.text.game_logs import log_name
from tichu_pipeline.cli import app
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths
from tichu_pipeline.tournaments import running
from tichu_pipeline.tournaments.entrants import BUILT_IN, SEARCH, entrants
from tichu_pipeline.tournaments.files import read, to_table
from tichu_pipeline.tournaments.ladder import markdown
from tichu_pipeline.tournaments.logs import first_number
from tichu_pipeline.tournaments.page import _ratings, is_up_to_date, page_path, write_page

CLI = CliRunner()
AGENTS = ("heuristic", "heuristic:blunder=.3", "random")


def invoke(paths: DataPaths, *arguments: object) -> str:
    """What the command prints."""
    result = CLI.invoke(app, ["tournament", *map(str, arguments), "--data", str(paths.root)])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def paths(tmp_path) -> DataPaths:
    """An empty data folder."""
    return DataPaths(tmp_path / "data")


def test_json_is_the_contract_and_the_same_for_any_workers(paths):
    """A program that reads the facts finds others than were agreed on, or others on another machine."""
    facts = [
        json.loads(invoke(paths, *AGENTS, "--deals", 70, "--seed", 3, "--workers", n, "--force", "--json"))
        for n in (1, 2)
    ]
    assert facts[0]["pairings"] == facts[1]["pairings"]
    assert facts[0]["ratings"] == facts[1]["ratings"]
    first = facts[0]["pairings"][0]
    assert (first["a"], first["b"], first["deals"], first["rounds"]) == (*AGENTS[:2], 70, 140)
    assert first["interval"][0] < first["points_per_round"] < first["interval"][1]
    assert (first["illegal"], first["forfeits"], first["games_won"], first["timed"]) == (0, 0, 0, False)
    assert [rating["name"] for rating in facts[0]["ratings"]] == list(AGENTS)
    assert facts[0]["times"][0]["p50"] > 0


def test_whole_games_and_the_sequential_test(paths):
    """Options that are taken and do nothing."""
    (games,) = json.loads(invoke(paths, "heuristic", "random", "--games", 41, "--json"))["pairings"]
    assert (games["deals"], games["games"], games["games_won"]) == (21, 42, 42)
    assert games["win_interval"][0] > 0.9
    (decided,) = json.loads(invoke(paths, "random", "heuristic", "--until-decided", "--json"))["pairings"]
    assert (decided["decided"], decided["deals"]) == ("heuristic", 100)
    assert "heuristic is better after 100 deals" in invoke(paths, "random", "heuristic", "--until-decided")


def test_the_cross_table_of_many_agents_fits_a_narrow_terminal(paths):
    """Results cut off by an ellipsis, and rows that lose their number."""
    agents = [f"heuristic:blunder=.{tenths}" for tenths in range(1, 8)]
    request = ["tournament", "heuristic", *agents, "random", "--deals", "3", "--data", str(paths.root)]
    shown = CLI.invoke(app, request, env={"COLUMNS": "80"}).output
    assert "…" not in shown
    cells = shown.partition("Points a round")[2]
    assert cells.count("±") == 9 * 8
    assert [line[0] for line in cells.splitlines() if line[:1].isdigit()] == [str(number) for number in range(1, 10)]


def test_a_stored_tournament_says_the_same_and_is_not_played_twice(paths):
    """A file from which other facts are read than were printed; hours of playing what is there."""
    printed = json.loads(invoke(paths, *AGENTS, "--deals", 30, "--name", "mine", "--json"))
    stored = read(paths.tournaments / "mine.parquet")
    assert json.loads(json.dumps(summary(stored))) == printed
    assert to_table(stored).equals(pq.read_table(paths.tournaments / "mine.parquet"))
    assert "was there" in invoke(paths, *AGENTS, "--deals", 30, "--name", "mine")
    assert "was there" not in invoke(paths, *AGENTS, "--deals", 31, "--name", "mine")


def test_logs_are_read_back_as_the_rounds_that_were_played(paths, tmp_path):
    """Games that cannot be looked at afterwards, or are others in the logs than in the result."""
    invoke(paths, *AGENTS, "--games", 6, "--logs", tmp_path / "logs", "--name", "logged")
    read_back = DataPaths(tmp_path / "read")
    ingested = ingest(tmp_path / "logs", read_back)
    assert not ingested.problems
    (month,) = (month.summary for month in ingested.months)
    assert (month.games, month.rule_breaks) == (18, {})
    rows = pq.read_table(read_back.rounds / f"{month.month}.parquet")
    played = read(paths.tournaments / "logged.parquet").results
    games = rows["game_id"].to_pylist()
    assert [game % 10**9 for game in games] == played["table"].tolist()
    assert np.array_equal(rows["score_entry"].combine_chunks().flatten().to_numpy().reshape(-1, 2), played["score"])
    request = TournamentRequest(AGENTS, 3, whole_games=True)
    parts = [arena.play_task(Task(request, agent_from, pairing, 0, 3)) for pairing in range(3)]
    histories = [part.rounds.history_of(i) for part in parts for i in range(len(part.rounds))]
    assert rows["history"].to_pylist() == histories
    names = {log_name(agent).decode() for agent in AGENTS}
    assert {name for four in rows["player_names"].to_pylist() for name in four} == names
    shown = CLI.invoke(app, ["show", str(games[0]), "--data", str(read_back.root), "--round", "0"])
    assert shown.exit_code == 0, shown.output


def members(archive: Path) -> dict[str, bytes]:
    """The logs of a zip by name."""
    with zipfile.ZipFile(archive) as logs:
        return {name: logs.read(name) for name in logs.namelist()}


def test_logs_of_several_tournaments_lie_side_by_side(paths, tmp_path):
    """Of two tournaments in a folder only one game of each number is kept; or the same one counts twice, because it was
    played again next month."""
    logs = tmp_path / "logs"
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        invoke(paths, "heuristic", "random", "--deals", 8, "--seed", seed, "--name", name, "--logs", logs)
    one, again, other = (members(logs / f"{name}.zip") for name in ("one", "again", "other"))
    assert one == again
    assert not one.keys() & other.keys()
    assert all(len(Path(name).stem) == 18 for name in one)
    read_back = DataPaths(tmp_path / "read")
    (month,) = ingest(logs, read_back).months
    assert month.summary.games == 32
    stamps = {first_number(TournamentRequest(("random",) * 40, 1), f"{stamp:x}") for stamp in range(1000)}
    assert len(stamps) == 1000
    assert max(stamps) + 781 * 10**8 < 10**18


def test_sql_sees_what_was_played(paths):
    """A tournament that is in a file and nowhere else; or minutes of rebuilding all months for it."""
    from tichu_pipeline.brettspielwelt.corpus.generate import generate

    generate(paths.raw, 20, ["2024-01"], seed=2)
    ingest(paths.raw, paths)
    build(paths)
    facts = json.loads(invoke(paths, *AGENTS, "--deals", 25, "--name", "ladder", "--json"))
    assert not build(paths).reused
    assert build(paths).reused
    rows = table(
        paths,
        "SELECT a, b, count(*) AS rounds, avg(margin) AS margin, count(forfeit) AS forfeits, "
        "bool_and(agents[CASE team_a WHEN 20 THEN 1 ELSE 2 END] = a AND (winner_index BETWEEN 0 AND 3)) AS fine "
        "FROM tournaments WHERE tournament = 'ladder' GROUP BY a, b, pairing ORDER BY pairing",
    ).to_pylist()
    assert [(row["a"], row["b"]) for row in rows] == [(entry["a"], entry["b"]) for entry in facts["pairings"]]
    assert [row["margin"] for row in rows] == [entry["points_per_round"] for entry in facts["pairings"]]
    assert all((row["rounds"], row["forfeits"], row["fine"]) == (50, 0, True) for row in rows)
    assert value(paths, "SELECT count(*) FROM games") == 20


class Crashing(Agent):
    """Crashes at the first lead."""

    name = "crashing"

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """The answers of the random player, till the play begins."""
        if kind == 4:
            raise ValueError("out of ideas")
        return agent_from("random").decide(kind, views)


def test_what_fails_is_named_and_can_be_played_again(paths, monkeypatch):
    """A crash that is reported and that nobody can look into."""
    make = lambda name, runs=None: Crashing() if name == "crashing" else agent_from(name)  # noqa: E731
    monkeypatch.setattr(running, "agent_from", make)
    facts = json.loads(invoke(paths, "crashing", "random", "--deals", 4, "--workers", 1, "--json"))
    assert facts["pairings"][0]["forfeits"] == len(facts["forfeits"]) == 8
    assert read(paths.tournaments / "latest.parquet").forfeits[0].agent == "crashing"
    game = facts["forfeits"][3]["table"]
    shown = invoke(paths, "crashing", "random", "--replay", game)
    assert "out of ideas" in shown
    assert "Traceback" in shown
    assert f"game {game}, round 0" in " ".join(shown.split())
    assert invoke(paths, "--replay", game) == shown  # the file knows who played
    again = json.loads(invoke(paths, "--replay", game, "--json"))
    assert again["forfeits"][0]["turn"] == int(facts["forfeits"][3]["what"].split("turn ")[1].split(":")[0])
    assert "Again: --replay TABLE in" in invoke(paths, "crashing", "random", "--deals", 4, "--workers", 1)
    named = invoke(paths, "crashing", "random", "--deals", 4, "--workers", 1, "--name", "mine")
    assert "Again: --replay TABLE --name mine in" in named  # else it is another tournament's table


def test_a_replay_with_other_weights_is_no_replay(paths):
    """Somebody looks for a mistake in a game that was never played, since a network has been trained anew."""
    make_run(paths.runs, "PolicyNet", seed=1)
    facts = json.loads(invoke(paths, "policy:PolicyNet", "random", "--deals", 3, "--name", "mine", "--json"))
    game = 100000002
    known = json.loads(invoke(paths, "--replay", game, "--name", "mine", "--json"))
    assert (known["same_runs"], known["as_played"]) == (True, True)
    arena._built.cache_clear()  # as in another process
    shutil.rmtree(paths.runs / "PolicyNet")
    make_run(paths.runs, "PolicyNet", seed=2)
    command = ["tournament", "--replay", str(game), "--name", "mine", "--data", str(paths.root)]
    shown, told = CLI.invoke(app, command), CLI.invoke(app, [*command, "--json"])
    assert (shown.exit_code, told.exit_code) == (1, 1)
    assert "other weights, than when mine was played" in " ".join(shown.output.split())
    assert f"table {game} has other results" in " ".join(shown.output.split())
    again = json.loads(told.stdout)
    assert (again["same_runs"], again["as_played"], again["forfeits"]) == (False, False, facts["forfeits"])
    beyond = CLI.invoke(app, [*command[:2], "100000090", *command[3:], "--json"])
    assert json.loads(beyond.stdout)["as_played"] is None  # a table that was not played


def test_what_rules_of_thumb_decide_is_said_everywhere(paths):
    """A strength that is taken for a network's, and is that of the rules that play beside it."""
    make_runs(paths.runs, ("PolicyNet", "GrandNet"))
    make_run(paths.runs, "WishNet", "wishes")
    request = ("policy:PolicyNet", "random", "--deals", 2, "--name", "ladder")
    (told,) = json.loads(invoke(paths, *request, "--json"))["decisions"]
    assert told["name"] == "policy:PolicyNet"
    by_run = {kind: run for kind, run in told["answered_by"].items() if run}
    assert by_run == {"play": "PolicyNet", "grand": "GrandNet", "wish": "wishes"}
    line = "play by PolicyNet; grand by GrandNet; wish by wishes; tichu, small, schupf, dragon, bomb by rules of thumb"
    assert f"policy:PolicyNet: {line}" in " ".join(invoke(paths, *request).split())
    write_page(paths, "ladder")
    assert line in page_path(paths).read_text()
    facts = summary(read(paths.tournaments / "ladder.parquet"))
    assert "`policy:PolicyNet`: tichu, small, schupf, dragon, bomb by rules of thumb." in markdown(facts)


class Thinking(Agent):
    """Takes its time over every play from the 20th turn on."""

    name = "thinking"

    def decide(self, kind: int, views: np.ndarray) -> np.ndarray:
        """Answers of the random player, sooner or later."""
        if kind == 4 and (views["turns"] > 20).any():
            time.sleep(5)
        return agent_from("random").decide(kind, views)


def test_a_timeout_is_played_again_with_the_limit_that_it_had(paths, monkeypatch):
    """A forfeit that nobody sees again, since the limit, or the seed, was another one."""
    make = lambda name, runs=None: Thinking() if name == "thinking" else agent_from(name)  # noqa: E731
    monkeypatch.setattr(running, "agent_from", make)
    facts = json.loads(
        invoke(paths, "random", "thinking", "--deals", 1, "--seed", 9, "--limit", 0.05, "--workers", 1, "--json")
    )
    assert [forfeit["reason"] for forfeit in facts["forfeits"]] == ["timeout"] * 2
    for forfeit in facts["forfeits"]:
        (again,) = json.loads(invoke(paths, "--replay", forfeit["table"], "--json"))["forfeits"]
        assert (again["reason"], f"turn {again['turn']}:" in forfeit["what"]) == ("timeout", True)
        assert again["turn"] > 20


def test_luck_is_reported_beside_and_changes_nothing_else(paths):
    """An option that is taken and does nothing, or that changes what is played."""
    make_runs(paths.runs, ("ValueNet", "WishNet"))
    request = ("heuristic", "random", "--games", 16, "--seed", 4)
    (plain,) = json.loads(invoke(paths, *request, "--json"))["pairings"]
    (facts,) = json.loads(invoke(paths, *request, "--control", "ValueNet", "--name", "ladder", "--json"))["pairings"]
    assert plain.items() <= facts.items()
    assert facts["control"] == "ValueNet"
    assert facts["controlled_points_per_round"] != facts["points_per_round"]
    assert "of the variance of deals" in invoke(paths, *request, "--control", "ValueNet")
    write_page(paths, "ladder")
    assert "Luck by <code>ValueNet</code>" in page_path(paths).read_text()
    refused = CLI.invoke(app, ["tournament", "heuristic", "random", "--control", "WishNet", "--data", str(paths.root)])
    assert (refused.exit_code, "expected ValueNet" in " ".join(refused.output.split())) == (1, True)


def test_who_cannot_play_is_named(paths):
    """A run that is missing in the ladder, and nobody knows why; or one damaged run that costs all others."""
    make_runs(paths.runs, ("PolicyNet", "GCPolicyNet", "DTNet", "CandidatePolicyNet", "WishNet", "DragonNet"))
    for run in paths.runs.iterdir():
        (run / FIGURES).write_text("{}")
    (paths.runs / "GCPolicyNet" / FIGURES).unlink()
    (paths.runs / "DTNet" / WEIGHTS).write_bytes(b"nothing")
    (paths.runs / "DragonNet" / "manifest.json").write_text("{}")
    able = entrants(paths)
    *networks, search = able.agents[len(BUILT_IN) :]
    assert (networks, search.partition(",")[0]) == (["policy:CandidatePolicyNet", "policy:PolicyNet"], "mcts:PolicyNet")
    reasons = dict(able.left_out)
    assert list(reasons) == ["DTNet", "DragonNet", "GCPolicyNet"]
    assert "no whole file of weights" in reasons["DTNet"]
    assert "no manifest" in reasons["DragonNet"]
    assert "unfinished" in reasons["GCPolicyNet"]
    request = TournamentRequest(AGENTS, 5)
    first = running.run(paths, "ladder", request)
    write_page(paths, "ladder")
    again = running.run(paths, "ladder", request, left_out=able.left_out)
    assert (first.reused, again.reused, first.stamp == again.stamp) == (False, True, True)
    assert read(again.path).left_out == able.left_out
    assert not is_up_to_date(paths, "ladder")
    write_page(paths, "ladder")
    assert "Left out: <code>DTNet</code>" in page_path(paths).read_text()
    assert "`DTNet` is left out" in markdown(summary(again.played))


def test_everybody_is_in_the_ladder(paths):
    """A ladder of all agents in which the one that thinks ahead is missing, or a network, or those it learned from; or
    a search that the weaker of two networks leads."""
    made = {"PolicyNet": 0.5, "GCPolicyNet": 0.9, "DTNet": 0.9, "CandidatePolicyNet": 0.9}
    for network, figure in made.items():
        make_run(paths.runs, network)
        (paths.runs / network / FIGURES).write_text(json.dumps({"val_top1_not_forced": figure}))
    make_run(paths.runs, "PolicyNet", "better")
    (paths.runs / "better" / FIGURES).write_text(json.dumps({"val_top1_not_forced": 0.6}))
    paths.raw.mkdir()
    pq.write_table(pa.table({"blunder_rates": [[0.1, 0.2, 0.0, 0.1]]}), paths.raw / "truth.parquet")
    able = entrants(paths)
    networks = {f"policy:{run}" for run in (*made, "better")}
    assert set(able.agents) == {*BUILT_IN, "crowd", *networks, SEARCH.format("better")}
    assert not able.left_out
    (paths.raw / "truth.parquet").write_bytes(b"nothing")
    assert "crowd" not in entrants(paths).agents
    assert dict(entrants(paths).left_out).keys() == {"crowd"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "two or more"),
        (["--replay", "100000000"], 1, "no tournament"),
        (["random"], 1, "two or more"),
        (["random", "grandmaster"], 1, "grandmaster"),
        (["random", "heuristic:blunder=2"], 1, "blunder"),
        (["random", "heuristic", "--deals", "3", "--games", "2"], 2, "one of the two"),
        (["random", "heuristic", "--name", "../x"], 1, "../x"),
        (["random", "heuristic", "--replay", "5"], 1, "no table 5"),
        (["random", "heuristic", "--deals", "0"], 2, "deals"),
    ],
)
def test_wrong_orders_are_refused_in_plain_words(paths, arguments, code, said):
    """A traceback, or a tournament of something else than was asked for."""
    result = CLI.invoke(app, ["tournament", *arguments, "--data", str(paths.root)])
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert not paths.tournaments.exists()


def test_the_ladder_goes_into_the_readme_and_nowhere_else(paths, tmp_path):
    """A README that is damaged, or tells figures that nobody can make again."""
    invoke(paths, *AGENTS, "--deals", 20, "--name", "ladder")
    readme = tmp_path / "README.md"
    readme.write_text(
        "# Before\n<!-- ladder: written by `tichu ladder --readme` -->\nold\n<!-- end of the ladder -->\nafter\n"
    )
    for _ in range(2):
        done = CLI.invoke(app, ["ladder", "--data", str(paths.root), "--readme", str(readme)])
        assert done.exit_code == 0, done.output
    text = readme.read_text()
    assert text.startswith("# Before\n<!-- ladder")
    assert text.endswith("<!-- end of the ladder -->\nafter\n")
    assert text.count("| `random` |") == 1
    assert "old" not in text
    readme.write_text("no place")
    refused = CLI.invoke(app, ["ladder", "--data", str(paths.root), "--readme", str(readme)])
    assert (refused.exit_code, readme.read_text()) == (1, "no place")
    missing = CLI.invoke(app, ["ladder", "--data", str(paths.root), "--name", "nothing"])
    assert (missing.exit_code, "nothing.parquet" in missing.output) == (1, True)


def test_the_page_shows_all_and_is_not_made_twice(paths):
    """A page without its pictures, or of an older tournament."""
    invoke(paths, *AGENTS, "--deals", 20, "--name", "ladder")
    assert not write_page(paths, "ladder").reused
    page = page_path(paths).read_text()
    assert page.count("data:image/png;base64") == 3
    assert all(agent in page for agent in AGENTS)
    assert write_page(paths, "ladder").reused
    (axes,) = _ratings(summary(read(paths.tournaments / "ladder.parquet"))).axes
    assert axes.lines[-1].get_xdata()[0] == 25  # where ratings begin, and what they are in the middle
    invoke(paths, *AGENTS, "--games", 4, "--name", "ladder")
    assert not is_up_to_date(paths, "ladder")
    assert not write_page(paths, "ladder").reused
    assert "share won" in page_path(paths).read_text()
