"""Strict settings: frozen dataclasses that document their fields, check values and refuse unknown names.

`option` documents a field beside its default; `Options.read` takes plain data, as from TOML or JSON.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, Literal, Self, Union, get_args, get_origin, get_type_hints


class OptionError(ValueError):
    """An unknown setting, or a value that a setting cannot have."""


def option(
    default: Any,
    about: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    of: tuple[str, ...] = (),
    later: bool = False,
) -> Any:
    """A field with its description; `least` and `most` bound its number, or each of its numbers.

    `of` names the objectives that the setting is for, if it is not for all. `later`: there are files from before it was
    there, which mean the default; `plain` leaves it out where it has that.
    """
    return field(default=default, metadata={"about": about, "least": least, "most": most, "of": of, "later": later})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of settings. Values are checked whenever an instance is made."""

    def __post_init__(self) -> None:
        for name, value in self.fitted({each.name: getattr(self, each.name) for each in fields(self)}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def fitted(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Some of the settings with their values checked one by one; `__post_init__` checks them together."""
        known = {each.name: each.metadata for each in fields(cls)}
        kinds = get_type_hints(cls)
        checked = {}
        for name, value in given.items():
            if name not in known:
                raise OptionError(f"unknown key '{name}'; {expected(name, list(known))}")
            try:
                checked[name] = _fitted(value, kinds[name])
                _check_bounds(checked[name], known[name].get("least", -math.inf), known[name].get("most", math.inf))
            except OptionError as error:
                raise OptionError(f"{name} = {value!r}: {error}") from None
        return checked

    @classmethod
    def read(cls, given: Mapping[str, Any], where: str) -> Self:
        """The settings from a table of plain data; messages name the table by `where`."""
        try:
            return cls(**cls.fitted(given))
        except OptionError as error:
            raise OptionError(f"{where}: {error}") from None

    @classmethod
    def names_of(cls, objective: str) -> list[str]:
        """Names of the settings that are for this objective."""
        return [each.name for each in fields(cls) if objective in (each.metadata["of"] or (objective,))]

    def plain(self) -> dict[str, Any]:
        """The settings as plain data, which `read` takes back."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        for each in fields(self):
            if each.metadata.get("later") and values[each.name] == each.default:
                del values[each.name]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def expected(name: str, known: list[str]) -> str:
    """The end of a message about an unknown name: the closest known one, or all."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"expected one of {', '.join(known)}"


def _fitted(value: Any, kind: Any) -> Any:
    """The value in the type of its field: a list becomes a tuple, a whole number a float."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        if value is None and type(None) in get_args(kind):
            return None
        return _fitted(value, next(part for part in get_args(kind) if part is not type(None)))
    if origin is Literal:
        if value not in get_args(kind) or isinstance(value, bool):
            raise OptionError(f"expected one of {', '.join(map(str, get_args(kind)))}")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise OptionError("expected a list")
        return tuple(_fitted(each, get_args(kind)[0]) for each in value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise OptionError(f"expected {NAMES_OF_TYPES[kind]}")
    return value


NAMES_OF_TYPES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def _check_bounds(value: Any, least: float, most: float) -> None:
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, int | float) and not least <= each <= most:  # nor is NaN between them
            raise OptionError(f"expected a number from {least:g} to {most:g}")
