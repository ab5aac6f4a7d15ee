"""Config files of training runs, strictly read: a preset, a file on top, single settings on top of that.

    preset = "laptop"          # what the file builds on; "laptop" unless it says so
    [training]                 # of all networks: sections network, training, data
    epochs = 5
    [DTNet.training]           # of one network, on top of the above
    batch_size = 32

Which settings there are stands in `settings`.
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
    """A config file or a setting that cannot be followed."""


def run_config(network: str, config: str | Path | None = None, settings: Iterable[str] = ()) -> RunConfig:
    """The settings of a run: those of a preset or file, then each `section.key=value`."""
    try:
        found = architecture(network)
        tables = _layered(found, str(config or DEFAULT_PRESET))
        for setting in settings:
            _set(tables, setting, found)
        where = f"{network} with {config or DEFAULT_PRESET}"
        return RunConfig(
            architecture=found,
            network=found.config.read(tables["network"], f"{where}, network"),
            training=TrainingConfig.read(tables["training"], f"{where}, training"),
            data=DataConfig.read(tables["data"], f"{where}, data"),
        )
    except OptionError as error:
        raise ConfigError(str(error)) from None


def preset_text(name: str) -> str:
    """The file of a shipped preset."""
    return (resources.files("tichu_models.learning") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def _layered(found: Architecture, config: str) -> Tables:
    """The tables of a file on top of those it builds on. Each is checked by itself, so that messages name it."""
    if config in PRESETS:
        return _tables_of(found, preset_text(config), f"preset {config}")[1]
    try:
        text = Path(config).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{config}: cannot be read ({error}); expected a TOML file or one of {', '.join(PRESETS)}"
        ) from None
    preset, tables = _tables_of(found, text, config)
    base = _layered(found, preset)
    return {section: {**base[section], **tables[section]} for section in SECTIONS}


def _tables_of(found: Architecture, text: str, where: str) -> tuple[str, Tables]:
    """The preset that a file builds on, and what it sets for this network."""
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
        raise ConfigError(f"{where}: [network] is of no network; expected [{found.name}.network], say")
    _check_tables(found, content, f"{where}, ")
    mine = own.get(found.name, {})
    return preset, {section: {**content.get(section, {}), **mine.get(section, {})} for section in SECTIONS}


def _check_tables(found: Architecture, sections: Any, where: str) -> None:
    """Also of networks that are not trained now: a mistake shows when the file is first read."""
    if not isinstance(sections, dict):
        raise ConfigError(f"{where.rstrip('., ')}: expected a table with the sections {', '.join(SECTIONS)}")
    _no_others(sections, SECTIONS, where.rstrip("., "))
    for section, table in sections.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{where}{section}: expected a table")
        _check(found, section, table, f"{where}{section}")


def _no_others(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in given:
        if name not in known:
            raise ConfigError(f"{where}: unknown key '{name}'; {expected(name, list(known))}")


def _check(found: Architecture, section: str, table: dict[str, Any], where: str) -> None:
    options: type[Options] = {"network": found.config, "training": TrainingConfig, "data": DataConfig}[section]
    try:
        options.fitted(table)
    except OptionError as error:
        raise ConfigError(f"{where}: {error}") from None


def _none_of_others(found: Architecture, training: dict[str, Any], where: str) -> None:
    """Said of one network, a setting that it does not follow is a mistake."""
    for name in sorted(set(training) - set(TrainingConfig.names_of(found.objective))):
        followers = [each.name for each in ARCHITECTURES.values() if name in TrainingConfig.names_of(each.objective)]
        raise ConfigError(f"{where}: '{name}' is a setting of {', '.join(followers)}, not of {found.name}")


def _set(tables: Tables, setting: str, found: Architecture) -> None:
    key, equals, text = setting.partition("=")
    section, dot, name = key.strip().partition(".")
    if not equals or not dot or section not in SECTIONS:
        raise ConfigError(f"--set {setting}: expected section.key=value with a section of {', '.join(SECTIONS)}")
    value = _value(text.strip())
    _check(found, section, {name: value}, f"--set {setting}")
    if section == "training":
        _none_of_others(found, {name: value}, f"--set {setting}")
    tables[section] = {**tables[section], name: value}


def _value(text: str) -> Any:
    """A value as TOML spells it; anything else is a text."""
    try:
        content = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return content["value"] if len(content) == 1 else text
