"""The tables of docs/selfplay.md: facts that `selfplay_page` has collected, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tichu_pipeline.html import markdown
from tichu_pipeline.tools.selfplay_study import arms
from tichu_pipeline.tournaments.facts import cell, duration


def interval(figures: Mapping[str, Any], mean: str = "points") -> str:
    """A mean and half the width of its 95 % interval."""
    return f"{figures[mean]:+.1f} ± {figures['error']:.1f}"


def arms_table(found: Mapping[str, dict[str, Any]]) -> str:
    """The arms, the best first."""
    about, rows = {name: settings["about"] for name, settings in arms().items()}, []
    for name, arm in sorted(found.items(), key=lambda item: -item[1]["points"]):
        last = arm["curve"][-1]
        calls = (
            f"{arm['small_a_round']:.2f}, {arm['small_made']:.0%}; {arm['grand_a_round']:.2f}, {arm['grand_made']:.0%}"
        )
        rows.append((f"`{name}`", about[name], interval(arm), f"{last['minutes']:.0f}", calls))
    return markdown.table(
        ("Arm", "What it changes", "Points a round", "Minutes", "Small, grand Tichus a round, made"), rows
    )


def runs_table(runs: Mapping[str, dict[str, Any]]) -> str:
    """The runs that were judged: what they trained, and what they are worth."""
    rows = []
    for name, facts in runs.items():
        last = facts["curve"][-1] if facts["curve"] else {}
        rounds, minutes = (f"{last['rounds']:,.0f}", f"{last['minutes']:.0f}") if last else ("", "")
        against = facts["against_heuristic"]
        figures = (interval(against), f"{against['deals']:,}", interval(facts["against_blunderer"]))
        rows.append((f"`{name}`", str(facts.get("seed", "")), rounds, minutes, *figures))
    heading = ("Run", "Seed", "Rounds", "Minutes", "Against `heuristic`", "Deals", "Against `heuristic:blunder=.1`")
    return markdown.table(heading, rows)


def decisions_table(runs: Mapping[str, dict[str, Any]]) -> str:
    """What each kind of decision adds."""
    kinds = dict.fromkeys(kind for facts in runs.values() for kind in facts["decisions"])
    rows = [
        (kind, *(interval(facts["decisions"][kind]) if kind in facts["decisions"] else "" for facts in runs.values()))
        for kind in kinds
    ]
    return markdown.table(("Decision", *(f"`{name}`" for name in runs)), rows)


def style_table(runs: Mapping[str, dict[str, Any]]) -> str:
    """How the runs play, beside the heuristic player."""
    names = next(iter(runs.values()))["style"]["self-play"]
    rows = []
    for what in names:
        own = [f"{facts['style']['self-play'][what]:.3f}" for facts in runs.values()]
        rows.append((what, *own, f"{next(iter(runs.values()))['style']['heuristic'][what]:.3f}"))
    return markdown.table(("A pair of players", *(f"`{name}`" for name in runs), "`heuristic`"), rows)


def pairs_table(pairs: Sequence[Mapping[str, Any]], key: str, heading: str) -> str:
    """Figures of pairs of runs."""
    rows = [(" and ".join(f"`{run}`" for run in pair["runs"]), interval(pair, key)) for pair in pairs]
    return markdown.table(("Runs", heading), rows)


def matches_table(matches: Mapping[str, Mapping[str, Any]]) -> str:
    """Duels with players of other kinds, those who lose most first."""
    rows = []
    for match in sorted(matches.values(), key=lambda match: -match["points_per_round"]):
        times = [", ".join(map(duration, match["seconds"][match[side]])) for side in ("a", "b")]
        points = cell(match["points_per_round"], match["interval"])
        rows.append((f"`{match['a']}` : `{match['b']}`", points, f"{match['deals']:,}", f"{match['seed']}", *times))
    heading = ("Agents", "Points a round", "Deals", "Seed", "Time of the first", "Time of the second")
    return markdown.table(heading, rows)


def goals_tables(run: str, facts: Mapping[str, Any]) -> list[str]:
    """What a run achieves with goals, and in whole games from a score."""
    parts, calibration = [f"`{facts['command']}`"], facts["calibration"]
    if calibration:
        rows = [(f"{each['asked']:+g}", cell(each["achieved"], each["interval"])) for each in calibration["goals"]]
        rho, slope = calibration["rho"]["value"], 100 * calibration["slope"]["value"]
        about = (
            f"`{run}`, {calibration['deals']:,} duplicate deals for each goal, seed {calibration['seed']}: {slope:.1f} "
            f"points more for 100 that are asked more; Spearman's rho {rho:.2f}."
        )
        parts += [about, markdown.table(("Asked for", "Achieved"), rows)]
    rows = []
    for score, each in facts["games"].items():
        shares = [each[key] for key in ("won", "gain_with_first_score", "gain_with_second_score")]
        low, high = (100 * bound for bound in shares[0]["interval"])
        gains = [f"{100 * share['value']:+.2f}" for share in shares[1:]]
        rows.append((score, f"{100 * shares[0]['value']:.2f} ({low:.2f} .. {high:.2f})", *gains, f"{each['games']:,}"))
    heading = ("Games from", "Won by who knows the score, %", "More won behind, %", "More won ahead, %", "Games")
    return [*parts, markdown.table(heading, rows)]


def search_table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """What a search adds."""
    rows = [
        (
            f"`{arm['agent']}`",
            "both" if arm["searchers"] == 2 else "one",
            f"`{arm['other']}`",
            interval(arm),
            f"{arm['deals']:,}",
            str(arm["seed"]),
            f"{duration(arm['alone'])}, {duration(arm['alone_90'])}",
        )
        for arm in found.values()
    ]
    return markdown.table(
        ("Searches", "Of a pair", "Against", "Points a round", "Deals", "Seed", "Time of a play"), rows
    )


def lessons_table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """What was found to teach, and what the pupils made of it."""
    rows = []
    for name, facts in found.items():
        lessons, learned, against = facts["found"], facts["learned"], facts["against"]
        points = cell(against["points_per_round"], [against["low"], against["high"]])
        worth = (f"{lessons['points_a_lesson']:.0f}", f"{lessons['points_a_round_and_team']:.1f}")
        followed = (f"{learned['learned']:.0%}", f"{learned['held_out']:.0%}", f"{learned['kept']:.0%}")
        settings = ", ".join(f"{facts['settings'][each]:g}" for each in ("leash", "epochs", "learning_rate"))
        counted = (settings, f"{lessons['rounds']:,}", f"{lessons['lessons']:,}")
        rows.append((f"`{name}`", *counted, *worth, *followed, f"{points}"))
    heading = (
        *("Pupil", "Leash, epochs, rate", "Rounds", "Lessons", "Points each", "Points a round"),
        *("Followed", "Of those held out", "Others kept"),
    )
    return markdown.table((*heading, "Pupil against teacher"), rows)


def exploited_table(found: Sequence[Mapping[str, Any]]) -> str:
    """Best responses, the player who is hardest to beat first."""
    rows = []
    for facts in sorted(found, key=lambda facts: facts["best_response"]["points_per_round"]):
        best, starts = facts["best_response"], len(facts["trained"])
        (low, high), points = best["interval"], best["points_per_round"]
        rows.append(
            (
                f"`{facts['agent']}`",
                f"{points:+.1f} ({low:+.1f} .. {high:+.1f})",
                f"{best['deals']:,}",
                f"{best['start']}, seed {best['seed']}",
                f"{best['minutes']:.0f}",
                f"{best['rounds']:,}",
                f"{starts}, {min(each['points_per_round'] for each in facts['trained']):+.1f}",
            )
        )
    heading = ("Player", "Points a round that it loses", "Deals", "To one who began with", "Minutes", "Rounds")
    return markdown.table((*heading, "Trainings, the worst of them"), rows)
