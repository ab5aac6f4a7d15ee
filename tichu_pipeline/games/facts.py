"""Facts about a game as a JSON file with a stamp, which the stages of games write and the page reads."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tichu_models.whole_files import write_whole
from tichu_pipeline.storage.made import Made
from tichu_pipeline.storage.stamps import KEY, json_object

REQUEST = "request"  # key of what was asked for


@dataclass(frozen=True, kw_only=True)
class Facts(Made):
    """A file of facts that was made, or was found."""

    facts: Mapping[str, Any]


def stamp_of(stage: str, version: int, request: Mapping[str, Any], *inputs: str) -> str:
    """The stamp of a file: a digest of the stage's version, the request, and the stamps of what it reads."""
    parts = (stage, version, dict(request), list(inputs))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def kept(path: Path, stamp: str, seconds: float = 0.0, reused: bool = True) -> Facts | None:
    """The facts of a file, if it has this stamp."""
    facts = json_object(path)
    if facts.get(KEY) != stamp:
        return None
    return Facts(
        path=path,
        stamp=stamp,
        rows=int(facts.get("rows", 0)),
        bytes=path.stat().st_size,
        seconds=seconds,
        reused=reused,
        facts=facts,
    )


def write(
    path: Path, stamp: str, request: Mapping[str, Any], facts: Mapping[str, Any], rows: int, began: float
) -> Facts:
    """Writes facts with their stamp and the request. `began` is of time.perf_counter."""
    content = {KEY: stamp, "rows": rows, REQUEST: dict(request), **facts}
    write_whole(path, json.dumps(content, indent=1) + "\n")
    made = kept(path, stamp, time.perf_counter() - began, reused=False)
    assert made is not None
    return made
