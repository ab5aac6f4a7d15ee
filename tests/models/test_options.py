"""Settings are refused when they are wrong, and the message says what was meant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import pytest

from tichu_models.networks.architectures import ARCHITECTURES, architecture
from tichu_models.networks.configs import DTConfig, PolicyConfig
from tichu_models.options import OptionError, Options, option


@dataclass(frozen=True, kw_only=True)
class Example(Options):
    """One field of each type."""

    size: int = option(3, "how many", least=1, most=10)
    rate: float = option(0.5, "how fast", least=0)
    sizes: tuple[int, ...] = option((1, 2), "how many of each", least=1)
    mode: Literal["a", "b"] = option("a", "which way")
    name: str | None = option(None, "of what")
    extra: int = option(0, "what came later", later=True)


def test_plain_data_comes_back_unchanged():
    """A configuration that is written to a manifest and read again would be another one."""
    example = Example(size=4, rate=1, sizes=(3,), mode="b", name="x")  # a whole number is a number
    assert Example.read(example.plain(), "here") == example
    assert isinstance(example.rate, float)
    assert isinstance(Example.read({"sizes": [5, 6]}, "here").sizes, tuple)


def test_what_came_later_is_left_out_at_its_default():
    """Runs from before a setting was there that count as others, are refused and trained anew."""
    assert "extra" not in Example().plain()
    assert Example(extra=2).plain()["extra"] == 2
    assert Example.read(Example(extra=2).plain(), "here").extra == 2


def test_an_unknown_key_is_an_error_that_names_the_nearest():
    """A misspelt setting would silently leave its default in force."""
    with pytest.raises(OptionError, match=r"run.toml, \[network\]: unknown key 'hiden'; did you mean 'hidden'\?"):
        PolicyConfig.read({"hiden": [1]}, "run.toml, [network]")
    with pytest.raises(OptionError, match="unknown key 'zzz'; expected one of hidden, dropout, hierarchical"):
        PolicyConfig.read({"zzz": 1}, "x")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 1.5}, "size = 1.5: expected a whole number"),
        ({"size": True}, "size = True: expected a whole number"),
        ({"size": 11}, "size = 11: expected a number from 1 to 10"),
        ({"rate": math.nan}, "rate = nan: expected a number from 0 to inf"),
        ({"rate": "fast"}, "rate = 'fast': expected a number"),
        ({"sizes": 5}, "sizes = 5: expected a list"),
        ({"sizes": [1, 0]}, r"sizes = \[1, 0\]: expected a number from 1 to inf"),
        ({"mode": "c"}, "mode = 'c': expected one of a, b"),
        ({"name": 5}, "name = 5: expected a text"),
    ],
)
def test_a_wrong_value_is_an_error(given, message):
    """A value of the wrong type or size would fail far from where it was set, or not at all."""
    with pytest.raises(OptionError, match=message):
        Example.read(given, "x")


def test_checks_hold_without_a_file():
    """A configuration that is made in Python would escape them."""
    with pytest.raises(OptionError, match="d_model = 100: expected a multiple of heads = 8"):
        DTConfig(d_model=100)


def test_every_setting_of_every_network_says_what_it_is_for():
    """A setting would be found in the source only."""
    for each in ARCHITECTURES.values():
        for name, field in each.config.__dataclass_fields__.items():
            assert field.metadata["about"], name


def test_an_unknown_network_is_an_error_that_names_the_nearest():
    """`tichu train PolicyNte` would end in a KeyError."""
    with pytest.raises(OptionError, match="network 'PolicyNte': did you mean 'PolicyNet'"):
        architecture("PolicyNte")
