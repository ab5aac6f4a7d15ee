"""Makes docs/features.md from the specs: `python -m tichu_models.observation.features_page > docs/features.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tichu_models.observation.counts import COUNTED
from tichu_models.observation.specs import LABEL_NAMES, NUMBER, SPECS, Group, Spec, spec
from tichu_models.observation.view import GOAL_POINTS, HISTORY_MOST
from tichu_models.rules.asking import KINDS

INTRODUCTION = """# Features

<!-- Made from the specs: python -m tichu_models.observation.features_page > docs/features.md -->

This page lists what a network reads when it makes a decision, and what it answers. A spec is a table of groups. Every
number of a vector has a name. A spec's version changes when the same decision would give another vector.

Seats are relative to the player who decides: me, right opponent, partner, left opponent. Cards are ordered Hu, Ma, then
2 to A each in S, B, G, R, then Dr, Ph. A vector holds nothing that comes after its decision, with one exception: if a
later play proves that an ambiguous Phoenix was meant low, the rank is the proved one.

`tichu features --file LOG --spec play-375` prints the vectors of a log by name.

- An empty table has no owner, combination `pass`, rank 0 and points 0. So has the table after the Dog.
- `trick_points` counts all cards of the running trick. A Dragon's trick counts for the player who was given it.
- A small Tichu called right before a play is part of that play's vector.
- Numbers are raw points until a scaling is applied. Then they are clipped and scaled by the variable named below, and
  counts are divided by their largest value. `rtg` is always in points / 100.
- A decision is *forced* when only one answer is legal. A bomb out of turn is a play decision of its player, who counts
  as being on turn; it is marked `out_of_turn`.
- The turn of a decision is the number of plays and passes before it. A wish comes after the play of the Mahjong.

Every sample has two targets. `value` is the number of points by which the own team wins the round. `rtg`, the return to
go, is `value` less the points that the own team has collected more than the other so far; it is constant when the round
ends with a double victory.
"""


def _span(group: Group) -> str:
    """The names of a group, shortened."""
    names = group.names
    return f"`{names[0]}`" if len(names) == 1 else f"`{names[0]}` .. `{names[-1]}`"


def _scale(group: Group) -> str:
    if group.kind != NUMBER:
        return ""
    return group.scaled_by or (f"/ {group.most}" if group.most > 1 else f"/ {group.unit}" if group.unit > 1 else "")


def _table(groups: tuple[Group, ...]) -> Iterator[str]:
    yield "| Places | Size | Kind | Names | Meaning | Scaled by |"
    yield "|---|---|---|---|---|---|"
    at = 0
    for group in groups:
        places = str(at) if group.size == 1 else f"{at}..{at + group.size - 1}"
        yield f"| {places} | {group.size} | {group.kind} | {_span(group)} | {group.meaning} | {_scale(group)} |"
        at += group.size


def _labels(of: Spec) -> str:
    names = LABEL_NAMES[of.label]
    shown = ", ".join(f"`{name}`" for name in names) if len(names) <= 14 else f"`{names[0]}` .. `{names[-1]}`"
    return f"{len(names)} labels: {shown}"


def _spec(of: Spec) -> Iterator[str]:
    kinds = ", ".join(KINDS[kind] for kind in of.kinds)
    yield f"## {of.name}"
    yield ""
    yield f"{of.about[0].upper()}{of.about[1:]}. Version {of.version}, decisions of kind {kinds}."
    yield f"{_labels(of)}."
    yield ""
    yield from _table(of.table)
    yield ""


def _blocks() -> Iterator[str]:
    base = SPECS["play-375"]
    yield "## Blocks"
    yield ""
    yield "Appended to any spec, in this order: `play-375+score_cum+counts-29+history-12+goal`."
    yield ""
    yield "- `score_cum`: the game's score of both teams before this round."
    for n, rows in COUNTED.items():
        names = list(rows)
        span = f"`{names[0]}` .. `{names[-1]}`"
        yield f"- `counts-{n}`: how often the hand holds each at once, without the Phoenix: {span}."
    token = spec("play-375+history-1").table[len(base.table)]
    yield (
        f"- `history-1` .. `history-{HISTORY_MOST}`: the latest turns, {token.size} places each: player 5, lead 1, "
        "type 8, length 15, value 16."
    )
    yield (
        f"- `goal`: how much more than its points a round is worth to the own team that is won by {GOAL_POINTS[0]}, "
        f"{GOAL_POINTS[1]} .. {GOAL_POINTS[-1]} points. Only self-play has goals; in logs they are 0."
    )
    yield ""
    yield "## The same in a file"
    yield ""
    yield "Shards and loader keep vectors packed. The bits follow each other, 64 in each of the int64 columns `bits_0`,"
    yield "`bits_1`, ..., the lowest first. Numbers are int16 columns under their own names; turns of the history are"
    yield "int64."
    yield ""
    for layout in dict.fromkeys(each.layout for each in SPECS.values()):
        yield f"| {layout.name}: group | First bit | Size |"
        yield "|---|---|---|"
        places = sorted((place, group) for group, place in _bits(layout.groups, layout.places))
        for place, group in places:
            yield f"| {group} | {place} | {_size(layout.groups, group)} |"
        yield ""


def _bits(groups: tuple[Group, ...], places: dict[str, int]) -> Iterator[tuple[str, int]]:
    return ((group.name, places[group.name]) for group in groups if group.kind != NUMBER)


def _size(groups: tuple[Group, ...], name: str) -> int:
    return next(group.size for group in groups if group.name == name)


def page() -> str:
    """The whole page."""
    lines = [INTRODUCTION]
    for each in SPECS.values():
        lines += _spec(each)
    lines += _blocks()
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
