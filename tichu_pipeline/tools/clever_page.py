"""docs/clever.md: the thesis' pictures of Ganz schön clever redrawn, and its questions answered, from the facts that
`clever_study` has collected. Nothing in its tables is written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tichu_models.whole_files import write_whole
from tichu_pipeline.html import markdown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTS, PAGE, PICTURES = "clever.json", "clever.md", "clever_pictures.png"
FIRST = 12  # iterations of the first picture
STEP = 10  # of the bars, in points
THESIS = {(2, False): "about 50", (2, True): "about 65", (4, True): "a little over 80"}

ABOUT = """\
A thesis taught a policy to play Ganz schön clever alone, first the yellow area (the prototype), then the whole game.
This page repeats its experiments under the true rules, with policies of `tichu games train --method ppo`; what they
are compared with in the prototype is the exact optimum over all boards. `python -m tichu_pipeline.tools.clever_study`
trains what is missing, judges it by games that it was not trained on, draws the pictures, and writes this page. The
intervals are 95% and say how sure the games are, not what another seed would give."""

PICTURES_ABOUT = """\
Pictures 9 to 18 of the thesis, in its order. Where it shows 200 steps, here are 20 games. Three things differ. Its
first environment ended a game with an illegal action, and counted some points several times; here the step is lost,
and 86 is the most there is. Its environment of the whole game let illegal entries pass; here there are none, and what
is counted in their place are rolls in which nothing fits. Its whole game ended after the last own turn, and its tray
was by chance: that is the option `seed_rules=1`, which is not used here."""

QUESTIONS = """\
**Can masked PPO learn the game?** Yes: the table says how close it comes to the best possible play of the prototype,
and in the whole game it passes both what the thesis reports of people (about 160) and its own best policy (about 205),
in about as many steps as the thesis made.

**Does the mask help?** Yes, in the first million steps: without it a policy has to learn what is legal, and its errors
cost points, as the first table says. After eight times as many steps next to nothing is left of that.

**Why are there invalid moves in spite of the mask?** Because no die fits. They are a matter of luck and of the boxes
that are left: with four dice there are far fewer than with two, and the best play itself cannot avoid them.

**How good is "a little over 80" with four dice?** It is nearly the optimum: nobody can have more than that on average.

**What would be better than a policy over numbered actions?** Learning what positions are worth: TD(lambda) on
afterstates knows what an action does before it takes it. [games.md](games.md) has its figures."""


def write_page(docs: Path, facts: Mapping[str, Any]) -> None:
    """Writes the page and its picture."""
    parts = ["# Ganz schön clever, and the thesis", ABOUT]
    if rows := facts.get("prototype"):
        parts += ["## The prototype", _prototype(rows)]
    if longer := facts.get("longer"):
        parts.append(_prototype(longer))
    if whole := facts.get("whole"):
        parts += ["## The whole game by PPO", _whole(whole)]
    if players := facts.get("players"):
        parts += ["## The whole game by others", _players(players)]
    if rows and whole:
        draw(docs / PICTURES, facts)
        parts += ["## Pictures", PICTURES_ABOUT, f"![scores and invalid moves of all experiments]({PICTURES})"]
    parts += ["## Questions", QUESTIONS]
    write_whole(docs / PAGE, "\n\n".join(parts) + "\n")


def _interval(facts: Mapping[str, Any]) -> str:
    return f"{facts['low']:.2f} .. {facts['high']:.2f}"


def _prototype(rows: list[dict[str, Any]]) -> str:
    cells = [
        (
            str(row["dice"]),
            "with" if row["mask"] else "without",
            f"{row['mean']:.2f}",
            _interval(row),
            f"{row['optimum']:.3f}",
            THESIS.get((row["dice"], row["mask"]), "-"),
            f"{row['invalid']:.3f}",
            f"{row['invalid_at_best']:.3f}",
        )
        for row in rows
    ]
    headings = ("Dice", "Mask", "Points", "95% interval", "Optimum", "Thesis", "Invalid moves", "of the best play")
    games, steps = rows[0]["games"], round(rows[0]["steps"], -3)
    about = f"{games:,} games each, by the likeliest actions after {steps:,} steps of training."
    return f"{about}\n\n{markdown.table(headings, cells)}"


def _whole(facts: Mapping[str, Any]) -> str:
    return (
        f"After {round(facts['steps'], -3):,} steps the likeliest actions bring **{facts['mean']:.1f} points** "
        f"({_interval(facts)}; {facts['games']:,} games), with {facts['actions']:.1f} actions a game, "
        f"{facts['illegal']} of them illegal in all games, and {facts['lost']:.2f} rolls in which nothing fits."
    )


def _players(players: list[dict[str, Any]]) -> str:
    cells = [
        (f"`{each['agent']}`", f"{each['mean']:.2f}", _interval(each), f"{each['games']:,}", f"{each['actions']:.1f}")
        for each in players
    ]
    return markdown.table(("Agent", "Points", "95% interval", "Games", "Actions"), cells)


def draw(path: Path, facts: Mapping[str, Any]) -> None:
    """Draws the ten pictures."""
    from matplotlib.figure import Figure

    from tichu_pipeline.plots import save

    of = {(row["dice"], row["mask"]): row for row in facts["prototype"]}
    whole = facts["whole"]
    figure = Figure(figsize=(18, 7), layout="constrained")
    axes = list(figure.subplots(2, 5).flat)
    _line(axes[0], "9 First training, no mask", of[2, False]["history"], "iteration")
    _line(axes[1], "10 Its beginning", of[2, False]["history"][:FIRST], "iteration")
    _bars(axes[2], "11 Two dice, no mask", of[2, False]["scores"], 86)
    _bars(axes[3], "12 Two dice, mask", of[2, True]["scores"], 86)
    _bars(axes[4], "13 Invalid moves, two dice", of[2, True]["invalid_moves"], 10)
    _bars(axes[5], "14 Invalid moves, four dice", of[4, True]["invalid_moves"], 10)
    _bars(axes[6], "15 Four dice, mask", of[4, True]["scores"], 86)
    _line(axes[7], "16 Training of the whole game", whole["history"], "iteration")
    shares = [count / whole["games"] for count in whole["bars"]]
    axes[8].bar([STEP * (i + 0.5) for i in range(len(shares))], shares, width=STEP)
    axes[8].set(title=f"17 Whole game, mean {whole['mean']:.1f}", xlabel="points", ylabel="share of games")
    lost = whole["lost_counts"]
    axes[9].bar(range(len(lost)), [count / sum(lost) for count in lost])
    axes[9].set(title="18 Rolls in which nothing fits", xlabel="in a game", ylabel="share of games")
    save(figure, path)


def _line(axes: Axes, title: str, values: list[float], over: str) -> None:
    axes.plot(range(1, len(values) + 1), values)
    axes.set(title=title, xlabel=over, ylabel="points of a game")


def _bars(axes: Axes, title: str, values: list[float], most: float) -> None:
    axes.bar(range(1, len(values) + 1), values)
    axes.set(title=f"{title}: {sum(values) / len(values):.1f}", xlabel="game", ylim=(0, most))
