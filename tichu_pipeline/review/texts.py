"""The words of a review's page in all its languages, from `texts.toml`. The scripts of the page ask for them by key."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path


class Language(StrEnum):
    """The languages of a page."""

    EN = "en"
    DE = "de"


FILE = Path(__file__).with_name("texts.toml")


def texts_in(lang: Language) -> dict[str, str]:
    """All texts in one language."""
    return {key: text[lang.value] for key, text in tomllib.loads(FILE.read_text(encoding="utf-8")).items()}
