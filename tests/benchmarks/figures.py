"""How a benchmark's figure is taken, printed and judged."""

from __future__ import annotations

import time
from collections.abc import Callable

CLEARLY_MISSED = 0.7


def best_seconds(work: Callable[[], object], times: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The shortest of several runs; the first, which compiles, does not count."""
    work()
    seconds = []
    for _ in range(times):
        started = clock()
        work()
        seconds.append(clock() - started)
    return min(seconds)


def report(what: str, rate: float, target: float, plain: float | None = None) -> None:
    """Prints a figure beside its target, and fails if it is clearly missed."""
    ratio = "" if plain is None else f", {rate / plain:,.0f} x plain Python ({plain:,.0f})"
    print(f"\n{what}: {rate:,.0f}/s, target {target:,.0f} ({'reached' if rate >= target else 'missed'}){ratio}")
    assert rate >= CLEARLY_MISSED * target
