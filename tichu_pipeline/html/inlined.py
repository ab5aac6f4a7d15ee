"""Pages that stand alone: scripts, style and data in one file, which asks nobody for anything.

Scripts are plain ES modules in `static/`, which a server can hand out as they are. A page in one file cannot import, so
they are put into one script, each module a function of its own. The security policy allows this script and this style
by their digests, and nothing else: a name in a log that were taken for code would not run.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"
IMPORT = re.compile(r'^import \{(?P<names>[^}]*)\} from "\./(?P<module>\w+)\.js";$', flags=re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (?P<name>\w+))", flags=re.MULTILINE)
POLICY = "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"


class ScriptError(Exception):
    """A module that cannot be put into a page."""


def static_text(name: str) -> str:
    """A file of `static/`."""
    return (STATIC / name).read_text(encoding="utf-8")


def script_of(entry: str) -> str:
    """A module with all that it imports as one script; every module stands behind those that it imports."""
    parts: dict[str, str] = {}
    _add(entry, parts, ())
    return '"use strict";\n' + "\n".join(parts.values())


def _add(name: str, parts: dict[str, str], importers: tuple[str, ...]) -> None:
    """Adds a module to the parts of a script, after its imports."""
    if name in importers:
        raise ScriptError(f"{name}.js imports itself by way of {', '.join(importers)}")
    source = static_text(f"{name}.js")
    for found in IMPORT.finditer(source):
        if found["module"] not in parts:
            _add(found["module"], parts, (*importers, name))
    exported = ", ".join(found["name"] for found in EXPORT.finditer(source))
    body = EXPORT.sub("", IMPORT.sub(r"const {\g<names>} = module_\g<module>;", source))
    if left := re.search(r"^(?:import|export)\b.*", body, flags=re.MULTILINE):
        raise ScriptError(
            f"{name}.js: '{left[0]}' cannot stand in one script; expected import {{..}} from \"./module.js\""
        )
    parts[name] = f"const module_{name} = (() => {{\n{body}return {{ {exported} }};\n}})();"


def standalone(title: str, lang: str, entry: str, styles: Sequence[str], data: Mapping[str, Any], without: str) -> str:
    """A page whose script is the module `entry`. `data` gives JSON by the id of its element; `without` is said where no
    scripts run."""
    script, style = script_of(entry), "".join(map(static_text, styles))
    policy = POLICY.format(script=_digest(script), style=_digest(style))
    blocks = "".join(
        f'<script type="application/json" id="{name}">{_json(value)}</script>\n' for name, value in data.items()
    )
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<noscript>{html.escape(without)}</noscript>\n{blocks}<script type="module">{script}</script>\n'
        "</body>\n</html>\n"
    )


def _json(value: Any) -> str:
    """JSON that cannot end the element in which it stands."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _digest(content: str) -> str:
    """The digest of an inline script or style, as a security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
