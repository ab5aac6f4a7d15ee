"""Config files of training runs: a preset, a file on top of it, single settings on top of both.

    preset = "laptop"          # the preset that the file builds on; "laptop" by default
    [training]                 # for all networks; the sections are training and data
    epochs = 5
    [DTNet.training]           # for one network, on top of the above; the sections are network, training and data
    batch_size = 32

Unknown keys and values out of bounds are errors. The settings are defined in `settings` and `networks.configs`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from tichu_models.learning.settings import DataConfig, RunConfig, TrainingConfig
from tichu_models.networks.architectures import ARCHITECTURES, Architecture, architecture
from tichu_models.options import OptionError, Options, expected

PRESETS = ("smoke", "demo", "laptop", "full")
DEFAULT_PRESET = "laptop"
SECTIONS = ("network", "training", "data")
Tables = dict[str, dict[str, Any]]


class ConfigError(ValueError):
    """A config file or a setting that is wrong."""


def run_config(network: str, config: str | Path | None = None, settings: Iterable[str] = ()) -> RunConfig:
    """The settings of a run: those of a preset or a file, changed by each `section.key=value` of `settings`."""
    try:
        kind = architecture(network)
        tables = _layered(kind, str(config or DEFAULT_PRESET))
        for setting in settings:
            _set(tables, setting, kind)
        where = f"{network} with {config or DEFAULT_PRESET}"
        return RunConfig(
            architecture=kind,
            network=kind.config.read(tables["network"], f"{where}, network"),
            training=TrainingConfig.read(tables["training"], f"{where}, training"),
            data=DataConfig.read(tables["data"], f"{where}, data"),
        )
    except OptionError as error:
        raise ConfigError(str(error)) from None


def preset_text(name: str) -> str:
    """The text of a preset's file."""
    return (resources.files("tichu_models.learning") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _layered(kind: Architecture, config: str) -> Tables:
    """The tables of a file on top of those of its preset. Each is checked by itself, so that messages name it."""
    if config in PRESETS:
        return _tables_of(kind, preset_text(config), f"preset {config}")[1]
    try:
        text = Path(config).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{config}: cannot be read ({error}); expected a TOML file or one of {', '.join(PRESETS)}"
        ) from None
    preset, tables = _tables_of(kind, text, config)
    base = _layered(kind, preset)
    return {section: {**base[section], **tables[section]} for section in SECTIONS}


def _tables_of(kind: Architecture, text: str, where: str) -> tuple[str, Tables]:
    """The preset that a file builds on, and its settings for this network."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: no TOML ({error})") from None
    preset = content.pop("preset", DEFAULT_PRESET)
    if preset not in PRESETS:
        raise ConfigError(f"{where}: preset = {preset!r}: {expected(str(preset), list(PRESETS))}")
    _no_others(content, (*SECTIONS, *ARCHITECTURES), where)
    own = {name: content.pop(name) for name in ARCHITECTURES if name in content}
    for name, sections in own.items():
        _check_tables(ARCHITECTURES[name], sections, f"{where}, {name}.")
        _none_of_others(ARCHITECTURES[name], sections.get("training", {}), f"{where}, {name}.training")
    if "network" in content:
        raise ConfigError(f"{where}: [network] is of no network; expected [{kind.name}.network], say")
    _check_tables(kind, content, f"{where}, ")
    mine = own.get(kind.name, {})
    return preset, {section: {**content.get(section, {}), **mine.get(section, {})} for section in SECTIONS}


def _check_tables(kind: Architecture, sections: Any, where: str) -> None:
    """Checks the sections of a network, trained now or not: a mistake shows when the file is first read."""
    if not isinstance(sections, dict):
        raise ConfigError(f"{where.rstrip('., ')}: expected a table with the sections {', '.join(SECTIONS)}")
    _no_others(sections, SECTIONS, where.rstrip("., "))
    for section, table in sections.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{where}{section}: expected a table")
        _check(kind, section, table, f"{where}{section}")


def _no_others(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuses keys that are not known."""
    for name in given:
        if name not in known:
            raise ConfigError(f"{where}: unknown key '{name}'; {expected(name, list(known))}")


def _check(kind: Architecture, section: str, table: dict[str, Any], where: str) -> None:
    """Refuses unknown settings and wrong values in a section."""
    options: type[Options] = {"network": kind.config, "training": TrainingConfig, "data": DataConfig}[section]
    try:
        options.fitted(table)
    except OptionError as error:
        raise ConfigError(f"{where}: {error}") from None


def _none_of_others(kind: Architecture, training: dict[str, Any], where: str) -> None:
    """Refuses settings for one network that do not apply to its objective."""
    for name in sorted(set(training) - set(TrainingConfig.names_of(kind.objective))):
        followers = [each.name for each in ARCHITECTURES.values() if name in TrainingConfig.names_of(each.objective)]
        raise ConfigError(f"{where}: '{name}' is a setting of {', '.join(followers)}, not of {kind.name}")


def _set(tables: Tables, setting: str, kind: Architecture) -> None:
    """Changes one setting, given as `section.key=value`."""
    key, equals, text = setting.partition("=")
    section, dot, name = key.strip().partition(".")
    if not equals or not dot or section not in SECTIONS:
        raise ConfigError(f"--set {setting}: expected section.key=value with a section of {', '.join(SECTIONS)}")
    value = _value(text.strip())
    _check(kind, section, {name: value}, f"--set {setting}")
    if section == "training":
        _none_of_others(kind, {name: value}, f"--set {setting}")
    tables[section] = {**tables[section], name: value}


def _value(text: str) -> Any:
    """A value in TOML; anything else is a string."""
    try:
        content = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return content["value"] if len(content) == 1 else text
