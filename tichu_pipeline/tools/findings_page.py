"""The page about what self-play has found out: Markdown and pictures, drawn from the facts of `findings` alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tichu_models.agents.names import CHAMPION
from tichu_pipeline.html import markdown
from tichu_pipeline.tools.findings_grand import advice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HABITS_PICTURE, SCHUPF_PICTURE, GRAND_PICTURE = "findings_habits.png", "findings_schupf.png", "findings_grand.png"
CALLS_PICTURE = "findings_calls.png"
RARE = 0.1  # percent
TOP = 10  # habits that are drawn, and stand in the first table
GRAND = "announces a grand Tichu"
PASSES = (
    "passes on an opponent's trick although able",
    "passes on the trick of an opponent who has called",
    "passes on its partner's trick although able",
    "passes on the trick of a partner who has called",
)
RECIPIENTS = ("right opponent", "partner", "left opponent")

ABOUT = """\
Two corpora that differ in nothing but the player: whole games of four seats of `{own}`, which has learned by playing
against itself, and of four seats of `{other}`, which plays by rules of thumb. {own_rounds:,} and {other_rounds:,}
rounds were written as logs, read as all logs are, and asked the same questions."""
HOW = """\
Each line is a kind of decision. The difference is the least share of these decisions, in percent, that one player would
have to answer otherwise to answer each way as often as the other; where the answer is yes or no, it is the difference
of the shares. Beside it stands the answer whose shares differ most, and by how many standard errors, as if decisions
were independent. Forced answers do not count.

The worth is measured by duplicate deals: `{own}` against itself, with the rules of thumb of `{other}` for these
decisions and no others (of schupfen: in this recipient or card alone) in both players of one team. A positive figure
says that its own way is better by so many points a round. Partners play the same way: what is a convention between them
is worth as much to those who know it, and not to others. Single rounds at 0 : 0."""
GRAND_ABOUT = """\
Each hand of eight cards was played twice by four seats of `{own}`: the same deal, once with a grand Tichu of this seat
and once without; all that follows is played on as `{own}` plays. The gain is the difference of the own team's result,
at 0 : 0, with a 95 % interval. It holds among players who play like `{own}`; `even` is a hand where the interval holds
0. Hands with a bomb are not in the other rows."""
SIGNALS_ABOUT = """\
What the card to the partner says: honours (aces, Dragon, Phoenix) among the giver's fourteen cards, and how often
either partner calls or is out first after it. Cards that are given less than once in a thousand times are left out."""
SCORE_ABOUT = """\
Shares of seats that announce, in percent, by the own team's score less the other team's before the round. A player that
learned from single rounds at 0 : 0 was never taught what a score means."""


def page(facts: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    own, other = facts["players"]
    habits = facts["habits"]
    return (
        "\n\n".join(
            [
                "# What self-play has found out",
                "Made by `python -m tichu_pipeline.tools.findings`; do not edit it by hand.",
                ABOUT.format(
                    own=own,
                    other=other,
                    own_rounds=facts["rounds"][0],
                    other_rounds=facts["rounds"][1],
                ),
                commands(facts),
                "## The largest differences",
                HOW.format(own=own, other=other),
                habits_table(habits[:TOP], own, other),
                f"![The largest differences]({HABITS_PICTURE})",
                "## Grand Tichu or not",
                GRAND_ABOUT.format(own=own),
                grand_table(facts["grand"]["classes"], own),
                f"![Gain of a grand Tichu]({GRAND_PICTURE})",
                "What one more card adds to the gain, among hands of the same row:",
                markdown.table(("Card", "Points"), [(row["card"], interval(row)) for row in facts["grand"]["more"]]),
                "## Beside people",
                people_table(habits, own, other),
                "## Schupfen",
                "What is given, in percent of all rounds and seats.",
                f"![What is given]({SCHUPF_PICTURE})",
                SIGNALS_ABOUT,
                signals_table(facts["card_to_partner"], own),
                "## Announcements by the score",
                SCORE_ABOUT,
                f"![Announcements by the score]({CALLS_PICTURE})",
                "## Smaller differences",
                habits_table(habits[TOP:], own, other),
                "## The questions",
                "Of every question about shares, the share that differs most, in percent with standard errors.",
                questions_table(facts["questions"], own, other),
            ]
        ).replace("\n\n\n", "\n\n")
        + "\n"
    )


def commands(facts: Mapping[str, Any]) -> str:
    """What to run for this page, with as many games."""
    lines = ["To make it again, or for another player:", "", "```"]
    for player, agent, games in zip(facts["players"], facts["agents"], facts["games"], strict=True):
        lines += [
            f"tichu generate --players {agent} --games {games} --out corpora/{player}/raw",
            f"tichu ingest --data corpora/{player}",
            f"tichu analyse --data corpora/{player}",
        ]
    deals = facts["habits"][0]["worth"]["deals"]
    hands = max(row["n"] for row in facts["grand"]["classes"])
    own, other = facts["players"]
    lines += [
        f"python -m tichu_pipeline.tools.findings corpora/{own} corpora/{other} \\",
        f"    --deals {deals} --hands {hands}" + ("" if own == CHAMPION else f" --run {own}"),
        "```",
    ]
    return "\n".join(lines)


def interval(figures: Mapping[str, float]) -> str:
    """A mean and half the width of its 95 % interval."""
    return f"{figures['points']:+.1f} ± {figures['error']:.1f}"


def habits_table(habits: list[dict[str, Any]], own: str, other: str) -> str:
    """Habits with the answer that differs most, and what the own way is worth."""
    rows = []
    for habit in habits:
        what = habit["name"] if habit["most"] == "yes" else f"{habit['name']}: {habit['most']}"
        shares = tuple(f"{share:.1f}" for share in habit["shares"])
        differences = (f"{habit['distance']:.1f}", f"{habit['errors']:.0f}")
        rows.append((what, *shares, *differences, interval(habit["worth"])))
    headings = ("Decision", f"`{own}` %", f"`{other}` %", "Difference", "Standard errors", "Points a round")
    return markdown.table(headings, rows)


def grand_table(classes: list[dict[str, Any]], own: str) -> str:
    """What a grand Tichu gains by class of hand, the best first."""
    rows = [
        (
            row["hand"],
            f"{row['share']:.2f}",
            interval(row),
            advice(row),
            f"{row['made']:.0f}",
            f"{row['called']:.0f}",
            f"{row['n']:,}",
        )
        for row in sorted(classes, key=lambda row: -row["points"])
    ]
    headings = ("The first eight cards hold", "% of hands", "Gain of calling", "So", "% made")
    return markdown.table((*headings, f"% called by `{own}`", "n"), rows)


def people_table(habits: list[dict[str, Any]], own: str, other: str) -> str:
    """Shares for which figures of people are published."""
    counts = {habit["name"]: np.array(habit["counts"]) for habit in habits}
    passes = np.sum([counts[name] for name in PASSES], axis=0)
    rows = [
        ("announces a grand Tichu", *_percent(counts[GRAND]), "7.8; the best tenth 13.3"),
        ("passes although able", *_percent(passes), "top players 31; an imitation of people 36"),
    ]
    table = markdown.table(("", f"`{own}` %", f"`{other}` %", "People %"), rows)
    return f"{table}\n\nPeople: as the project ainze/tichu has published them; how it counts may differ."


def signals_table(answers: list[list[dict[str, Any]]], own: str) -> str:
    """What follows on each card that the player gives to its partner."""
    columns = ("honours", *(f"percent_{who}_{what}" for what in ("calls", "first") for who in ("giver", "partner")))
    rows = [
        (row["name"], f"{row['percent']:.1f}", *(f"{row[column]:.1f}" for column in columns))
        for row in answers[0]
        if row["percent"] >= RARE
    ]
    headings = ("Card", f"% given by `{own}`", "Honours", "% giver calls", "% partner calls")
    return markdown.table((*headings, "% giver first", "% partner first"), rows)


def _percent(counts: np.ndarray) -> list[str]:
    """The share of the second answer, of both players."""
    return [f"{100 * yes / max(no + yes, 1):.1f}" for no, yes in counts]


def questions_table(found: list[dict[str, Any]], own: str, other: str) -> str:
    """The share that differs most, by question."""
    rows = [
        (
            f"`{row['query']}`",
            row["where"],
            *(f"{share:.1f} ± {error:.1f}" for share, error in zip(row["shares"], row["errors"], strict=True)),
        )
        for row in found
    ]
    return markdown.table(("Question", "Where", f"`{own}`", f"`{other}`"), rows)


def draw(facts: Mapping[str, Any], folder: Path) -> None:
    """Writes the pictures of the page into a folder."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    for name, size, panels, painter in (
        (HABITS_PICTURE, (9, 4), 2, _draw_habits),
        (SCHUPF_PICTURE, (12, 3.5), 3, _draw_schupf),
        (GRAND_PICTURE, (8, 5), 1, _draw_grand),
        (CALLS_PICTURE, (9, 3.2), 2, _draw_calls),
    ):
        figure = Figure(figsize=size, layout="constrained")
        painter(facts, list(np.atleast_1d(figure.subplots(1, panels, sharey=True))))
        save(figure, folder / name)


def _draw_habits(facts: Mapping[str, Any], panels: list[Axes]) -> None:
    from tichu_pipeline.plots import ACCENT, COLOUR

    habits = facts["habits"][:TOP][::-1]
    names = [habit["name"] for habit in habits]
    panels[0].barh(names, [habit["distance"] for habit in habits], color=COLOUR)
    panels[0].set(xlabel="decisions answered otherwise, %")
    panels[0].tick_params(axis="y", labelsize=8)
    points, errors = ([habit["worth"][key] for habit in habits] for key in ("points", "error"))
    panels[1].errorbar(points, names, xerr=errors, fmt="o", color=ACCENT, capsize=2)
    panels[1].axvline(0, color="grey", linewidth=0.8)
    panels[1].set(xlabel="worth, points a round")


def _draw_schupf(facts: Mapping[str, Any], panels: list[Axes]) -> None:
    from tichu_pipeline.plots import ACCENT, COLOUR

    habits = {habit["name"]: habit for habit in facts["habits"]}
    for axes, recipient in zip(panels, RECIPIENTS, strict=True):
        habit = habits[f"gives to the {recipient}"]
        for place, (player, colour) in enumerate(zip(facts["players"], (COLOUR, ACCENT), strict=True)):
            counts = np.array(habit["counts"][place])
            at = np.arange(len(counts)) + 0.4 * place - 0.2
            axes.bar(at, 100 * counts / max(counts.sum(), 1), 0.4, color=colour, label=player)
        axes.set(title=f"to the {recipient}")
        axes.set_xticks(range(len(habit["answers"])), habit["answers"], rotation=70, fontsize=8)
    panels[0].set(ylabel="%")
    panels[0].legend()


def _draw_grand(facts: Mapping[str, Any], panels: list[Axes]) -> None:
    from tichu_pipeline.plots import ACCENT, COLOUR

    rows = sorted(facts["grand"]["classes"], key=lambda row: row["points"])
    for place, row in enumerate(rows):
        colour = COLOUR if row["points"] > 0 else ACCENT
        panels[0].errorbar(row["points"], place, xerr=row["error"], fmt="o", color=colour, capsize=2)
    panels[0].axvline(0, color="grey", linewidth=0.8)
    panels[0].set_yticks(range(len(rows)), [row["hand"] for row in rows], fontsize=8)
    panels[0].set(xlabel="gain of a grand Tichu, points")


def _draw_calls(facts: Mapping[str, Any], panels: list[Axes]) -> None:
    from tichu_pipeline.plots import ACCENT, COLOUR

    for axes, call in zip(panels, ("grand", "small"), strict=True):
        for player, by_score, colour in zip(facts["players"], facts["calls_by_score"], (COLOUR, ACCENT), strict=True):
            axes.plot([int(lead) for lead in by_score], [row[call] for row in by_score.values()], "o-", color=colour)
            axes.lines[-1].set_label(player)
        axes.set(title=f"{call} Tichu", xlabel="lead before the round", ylabel="% of seats")
        axes.grid(alpha=0.3)
    panels[0].legend()
