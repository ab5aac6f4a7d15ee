"""The page about the judge of reviews, drawn from the facts of `review_proof` alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tichu_models.statistics import bootstrap, wilson
from tichu_pipeline.html import markdown
from tichu_pipeline.tools.review_planted import Row
from tichu_pipeline.tools.review_true_deals import Gain

ROW = Row._fields  # the order of numbers in the facts
BANDS = ((60, np.inf), (30, 60), (15, 30), (3, 15), (-np.inf, 3))  # points
LARGE, NEAR = 30, 3
LEVELS = 1.96

ABOUT = """\
How far the losses of [reviews](review.md) can be trusted. All figures come from
`python -m tichu_pipeline.tools.review_proof`, which can be run in parts and goes on where it was. Intervals are 95%
intervals."""
PLANTED_ABOUT = """\
{decisions:,} open decisions of {games} games that four seats of `{player}` have played (seed {seed}), {most} of each
game at random. Each was judged as it was played, and with every other answer that is tried, and one more legal one at
random, in the place of the given answer. What each answer really costs was measured by the same referee on
{deals:,} other deals, {times} times those of the first look and {closer} times those by which losses are measured.
A loss is *seen* if its interval lies above 0."""
SEEN_ABOUT = """\
Of answers that cost {large} points or more, {big} are seen; of those within {near} points of the best, {small}."""
CALIBRATION_ABOUT = """\
Measured loss and the one by the many deals differ by less than 1.96 standard errors of their difference in
{close} of the cases in which the judge looked closer ({closer:,}), and in
{all_close} of all. On the other deals the losses that were seen change by
{natural_change} where decisions are as they were played ({natural:,}), and by
{planted_change} where another answer is in the place of the given one ({plants:,}). Only what is seen is
counted, so that what was lucky is counted more often."""
MORE_ABOUT = """\
Far more deals tell more. Of {decisions:,} decisions of {games} games that four seats of `{player}` have played (seed
{seed}), one answer each, drawn at random, was judged as the given one, and its loss measured on {deals:,} other deals,
{closer} times those by which losses are measured. How sure figures are depends on the judge's statistics, hardly on the
referee."""
TRUE_ABOUT = """\
All deals that agree with what a seat knew are equally likely to the judge, although others announce and play as they do
because of their cards. If this misled it, its better answers would gain less where the cards lay as they really did.
The better answer was chosen on one half of the supposed deals; its gain was measured on the other half, and on the one
true deal, both played on by the referee. *Clearly better* says that it was so by more than 1.5 standard errors on the
half that chose it."""
TRUE_SAYS = """\
Where both columns agree, losses are what they seem. That a strong player loses something by its own playouts is no
contradiction: it answers at once, and does not look ahead."""


STRENGTH_ABOUT = """\
Games of a generated corpus (`tichu generate --games 300 --people 40 --seed 7100`), judged by the stage `reviews` with
`games` 1000, so that every game is judged. Its generator knows which plays were blunders, and how often
each player blunders. The correlation is Spearman's, of that rate with the loss a decision, over players with at least
{least} judged decisions; its interval is a bootstrap over players."""


def page(facts: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    parts = ["# How good the judge is", ABOUT]
    measured = [facts[name] for name in ("planted", "calibration") if facts.get(name, {}).get("games")]
    if facts.get("planted", {}).get("games"):
        parts += _planted(facts["planted"])
    if measured:
        parts += _intervals(measured)
    if facts.get("true_deals"):
        parts += _true_deals(facts["true_deals"])
    if facts.get("strength"):
        parts += _strength(facts["strength"])
    return "\n\n".join(parts) + "\n"


def share(hits: float, of: int) -> str:
    """A share in percent with its interval."""
    if of == 0:
        return "none"
    low, high = wilson(hits, of)
    return f"{100 * hits / of:.1f}% ({100 * low:.1f} to {100 * high:.1f})"


def columns(rows: Iterable[list[Any]], names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The columns of rows of facts."""
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _planted(part: Mapping[str, Any]) -> list[str]:
    """What the judge sees of errors whose size is known."""
    about, games = part["about"], part["games"]
    of = columns([row for rows in games.values() for row in rows], ROW)
    seen, certain = (of[name].astype(bool) for name in ("seen", "certain"))
    decisions = sum(len({row[0] for row in rows}) for rows in games.values())
    rows = []
    for low, high in BANDS:
        inside = (of["worth"] >= low) & (of["worth"] < high)
        name = (
            f"{low} to {high}" if np.isfinite([low, high]).all() else f"{low} or more" if low > 0 else f"below {high}"
        )
        numbers = (share(each[inside].sum(), int(inside.sum())) for each in (seen, certain))
        rows.append((f"{name} points", str(int(inside.sum())), *numbers))
    large, near = of["worth"] >= LARGE, of["worth"] < NEAR
    return [
        "## Planted errors",
        PLANTED_ABOUT.format(
            decisions=decisions,
            games=len(games),
            player=about["player"],
            seed=about["seed"],
            most=about["decisions"],
            deals=about["deals"],
            times=round(about["deals"] / about["looks"][0]),
            closer=round(about["deals"] / about["looks"][-1]),
        ),
        markdown.table(("What the answer costs", "Answers", "Seen", "Certain"), rows),
        SEEN_ABOUT.format(
            large=LARGE,
            near=NEAR,
            big=share(seen[large].sum(), int(large.sum())),
            small=share(seen[near].sum(), int(near.sum())),
        ),
        "By kind of decision, of answers that cost 30 points or more:",
        markdown.table(
            ("Decision", "Answers", "Seen"),
            [
                (
                    kind,
                    str(int((large & (of["kind"] == kind)).sum())),
                    share(*_counted(seen, large, of["kind"] == kind)),
                )
                for kind in dict.fromkeys(of["kind"].tolist())
            ],
        ),
    ]


def _intervals(parts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Whether intervals hold what they promise: by the planted errors, and by more decisions and deals."""
    said = ["## Intervals"]
    for part in parts:
        about, games = part["about"], part["games"]
        of = columns([row for rows in games.values() for row in rows], ROW)
        if len(said) > 1:
            numbers = {name: about[name] for name in ("player", "seed", "deals")}
            closer = round(about["deals"] / about["looks"][-1])
            said.append(MORE_ABOUT.format(decisions=len(of["worth"]), games=len(games), closer=closer, **numbers))
        said.append(_calibration(of))
    return said


def _counted(hits: np.ndarray, *among: np.ndarray) -> tuple[int, int]:
    """How many there are among these, and of how many."""
    inside = np.logical_and.reduce(among)
    return int(hits[inside].sum()), int(inside.sum())


def _calibration(of: dict[str, np.ndarray]) -> str:
    """Whether intervals hold what they promise, and how losses change on other deals."""
    again, planted, seen = (of[name].astype(bool) for name in ("again", "planted", "seen"))
    known = np.isfinite(of["error"]) & (of["error"] > 0)
    close = np.abs(of["loss"] - of["worth"]) <= LEVELS * np.hypot(of["error"], of["worth_error"])
    return CALIBRATION_ABOUT.format(
        close=share(*_counted(close, again, known)),
        closer=int((again & known).sum()),
        all_close=share(*_counted(close, known)),
        natural=int((seen & ~planted).sum()),
        natural_change=_change(of, seen & ~planted),
        plants=int((seen & planted).sum()),
        planted_change=_change(of, seen & planted),
    )


def _change(of: dict[str, np.ndarray], rows: np.ndarray) -> str:
    """By how much losses change on other deals, with the interval."""
    if not of["loss"][rows].sum():
        return "not known"
    low, high = bootstrap(of["worth"][rows], of["loss"][rows])
    changes = [100 * (each - 1) for each in (of["worth"][rows].sum() / of["loss"][rows].sum(), low, high)]
    return "{:+.1f}% ({:+.1f} to {:+.1f})".format(*changes)


def _true_deals(sources: Mapping[str, Any]) -> list[str]:
    """What better answers gain on the deals as they lay."""
    rows = []
    for name, source in sources.items():
        of = columns([row for each in source["games"].values() for row in each], Gain._fields)
        clear = of["clear"].astype(bool)
        for said, inside in ((name, clear | True), (f"{name}: clearly better", clear)):
            cells = (_mean(of[each][inside]) for each in ("supposed", "true"))
            rows.append((said, str(len(source["games"])), str(round(inside.sum() / 2)), *cells))
    return [
        "## Are the losses real?",
        TRUE_ABOUT,
        markdown.table(("Games of", "Games", "Decisions", "Gain, supposed deals", "Gain, true deals"), rows),
        TRUE_SAYS,
    ]


def _strength(referees: Mapping[str, Any]) -> list[str]:
    """Losses beside what the generator of a corpus knows."""
    rows = []
    for name, facts in referees.items():
        means = (
            "not known" if each["loss"] is None else f"{each['loss']:.1f} ± {each['error']:.1f} ({each['plays']:,})"
            for each in (facts["blunders"], facts["others"])
        )
        correlation = "not known"
        if facts["interval"]:
            low, high = facts["interval"]
            correlation = f"{facts['correlation']:.2f} ({low:.2f} to {high:.2f})"
        rows.append((f"`{name}`", str(facts["games"]), *means, str(facts["players"]), correlation))
    least = max(facts["least"] for facts in referees.values())
    headings = ("Referee", "Games", "Loss of blunders (plays)", "Loss of others (plays)", "Players", "Correlation")
    return ["## Losses and strength", STRENGTH_ABOUT.format(least=least), markdown.table(headings, rows)]


def _mean(gains: np.ndarray) -> str:
    """A mean gain with its interval. Both halves of the deals of a decision count as one."""
    if len(gains) < 2:
        return "not known"
    return f"{gains.mean():+.1f} ± {LEVELS * gains.std() / (len(gains) / 2) ** 0.5:.1f}"
