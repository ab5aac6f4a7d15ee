"""Forms for the launchpad that are made from options: each with its type, its description, and no default."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import dagster as dg
from pydantic import Field, create_model

from tichu_models.options import Options


def section(name: str, options: type[Options], objective: str, without: Collection[str] = ()) -> type[dg.Config]:
    """The options that apply to an objective, as optional fields."""
    kinds, applicable = get_type_hints(options), options.names_of(objective)
    optional: dict[str, Any] = {
        each.name: (_plain(kinds[each.name]) | None, Field(None, description=each.metadata["about"]))
        for each in fields(options)
        if each.name in applicable and each.name not in without
    }
    return create_model(name, __base__=dg.Config, **optional)


def given(form: dg.Config) -> dict[str, Any]:
    """The values that were filled in."""
    return {name: value for name, value in form.model_dump().items() if value is not None}


def _plain(kind: Any) -> Any:
    """The type by which Dagster's config describes values of this type."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _plain(next(part for part in parts if part is not type(None)))
    if origin is Literal:
        return str
    return list[parts[0]] if origin is tuple else kind  # type: ignore[valid-type]
