"""Tables in Markdown, and how they become HTML."""

from __future__ import annotations

from tichu_pipeline.html import markdown, pages


def test_a_table_holds_what_it_was_given():
    """A bar in a reason or a file's name that pushes every figure behind it into another column."""
    text = markdown.table(("run", "figure"), [("a|b", "1"), ("<i>", "-2 ± 1")])
    assert text == "| run | figure |\n| --- | ---: |\n| a\\|b | 1 |\n| <i> | -2 ± 1 |"
    shown = pages.of_markdown(text)
    assert "<td>a|b</td>" in shown
    assert "&lt;i&gt;" in shown
    assert shown.startswith("<div class='wide")


def test_a_table_without_rows_keeps_its_headings():
    """A data folder in which nothing has been counted yet ends in a traceback."""
    assert markdown.table(("code", "rounds"), []) == "| code | rounds |\n| --- | --- |"
