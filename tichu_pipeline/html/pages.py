"""Self-contained HTML pages: their style, tables, links and pictures."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tichu_models.whole_files import write_whole

TABLE = re.compile(r"<table>.*?</table>", flags=re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", flags=re.DOTALL)
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; }
p, ul { max-width: 50rem; } h2 { margin: 2.2rem 0 .6rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } tr { border-bottom: 1px solid #ddd; }
th, td { padding: .3rem .7rem; text-align: right; vertical-align: top; }
th { font-weight: 600; vertical-align: bottom; color: #555; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; padding-left: 0; }
td, code { white-space: nowrap; } td.text { white-space: normal; min-width: 9rem; }
td.text:last-child { min-width: 20rem; }
.prose th, .prose td { text-align: left; } .prose td { white-space: normal; }
td.text, th.text { text-align: left; } code { background: #f4f4f2; padding: 0 .2em; }
img { max-width: 100%; } .stale { color: #a33; } .missing { color: #888; } a { color: #2b6f77; }
figure { display: inline-block; margin: .5rem; width: 29rem; max-width: 100%; vertical-align: top; }
"""


def page(title: str, body: str) -> str:
    """A page with a title. The body is HTML."""
    head = f"<meta charset='utf-8'><title>{html.escape(title)}</title><style>{STYLE}</style>"
    return (
        f"<!doctype html><html lang='en'><head>{head}</head><body><h1>{html.escape(title)}</h1>{body}</body></html>\n"
    )


def section(heading: str, about: str) -> str:
    """A heading with a sentence on what the figures below it mean. Both are HTML."""
    return f"<h2>{heading}</h2><p>{about}</p>"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], as_text: Sequence[int] = ()) -> str:
    """A table that scrolls inside its box if it is wider than the page. Cells are HTML; the columns `as_text` are
    aligned to the left, and their lines wrap."""

    def cells(tag: str, values: Sequence[str]) -> str:
        of_text = " class='text'"
        return "".join(f"<{tag}{of_text if i in as_text else ''}>{value}</{tag}>" for i, value in enumerate(values))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return _boxed(f"<table><tr>{cells('th', [html.escape(heading) for heading in headings])}</tr>{body}</table>")


def of_markdown(text: str) -> str:
    """Markdown as HTML without comments. Its tables scroll inside boxes as those of `table`."""
    import mistune

    render = mistune.create_markdown(plugins=["table"])
    return TABLE.sub(lambda match: _boxed(match[0], "wide prose"), str(render(COMMENT.sub("", text))))


def _boxed(table: str, look: str = "wide") -> str:
    """A table inside a box that scrolls."""
    return f"<div class='{look}'>{table}</div>"


def link(target: Path, beside: Path, text: str) -> str:
    """A link from the page `beside` to a file. It is relative, since a data folder may be moved."""
    relative = Path(os.path.relpath(target, beside.parent)).as_posix()
    return f"<a href='{html.escape(relative, quote=True)}'>{html.escape(text)}</a>"


def picture(target: Path, beside: Path, caption: str) -> str:
    """A picture with a caption. Its file is linked to as by `link`."""
    relative = html.escape(Path(os.path.relpath(target, beside.parent)).as_posix(), quote=True)
    text = html.escape(caption)
    return (
        f"<figure><a href='{relative}'><img alt='{text}' src='{relative}'></a><figcaption>{text}</figcaption></figure>"
    )


def write(path: Path, content: str) -> bool:
    """Writes a page, whole or not at all; False if the file has this content already."""
    if path.is_file() and path.read_bytes() == content.encode():
        return False
    write_whole(path, content)
    return True
