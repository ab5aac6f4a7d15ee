"""Presets of settings: tables of a TOML file, which `key=value` texts change."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from tichu_models.options import OptionError, Options

Settings = TypeVar("Settings", bound=Options)


def changed(settings: type[Settings], preset: Mapping[str, Any], changes: Iterable[str], where: str) -> Settings:
    """The settings of a preset, changed by each `key=value`. What neither gives is the default. Messages name the
    preset by `where`."""
    values = dict(preset)
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise OptionError(
                f"--set {change}: expected key=value; keys: {', '.join(each.name for each in fields(settings))}"
            )
        values[key.strip()] = _value(value.strip())
    return settings.read(values, where)


def _value(text: str) -> Any:
    """A value in TOML; anything else is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
