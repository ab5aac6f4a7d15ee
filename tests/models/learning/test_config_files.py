"""Config files mean what they say, or say where they are wrong."""

from __future__ import annotations

import pytest

from tichu_models.learning.config_files import PRESETS, ConfigError, run_config
from tichu_models.networks.architectures import ARCHITECTURES
from tichu_models.networks.configs import DTConfig
from tichu_models.observation.specs import spec


@pytest.fixture
def file(tmp_path):
    """Writes a config file."""

    def write(text):
        path = tmp_path / "run.toml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("network", ARCHITECTURES)
def test_every_preset_fits_every_network(preset, network):
    """A preset would fail for a network that nobody has tried it with."""
    config = run_config(network, preset)
    assert config.architecture.name == network
    assert config.spec.split("+")[0] == ARCHITECTURES[network].spec
    assert spec(config.spec).label == spec(ARCHITECTURES[network].spec).label
    assert {"network", "training", "data"} == set(config.plain())


def test_layers(file):
    """What stands nearer wins: defaults, preset, its network, file, its network, --set."""
    path = file("""
        preset = "smoke"
        [training]
        seed = 5
        batch_size = 7
        [DTNet.training]
        batch_size = 3
        [DTNet.network]
        heads = 4
    """)
    config = run_config("DTNet", path, ["training.seed=6", "data.spec=sequence", "network.policy=[8, 8]"])
    assert (config.training.seed, config.training.batch_size) == (6, 3)
    assert config.training.epochs == 2  # the preset's
    assert config.training.clip == 1.0  # the default
    assert config.spec == "sequence"
    assert isinstance(config.network, DTConfig)
    assert (config.network.d_model, config.network.heads, config.network.policy) == (32, 4, (8, 8))
    assert run_config("PolicyNet", path).training.batch_size == 7


def test_without_a_file_it_is_the_laptop():
    """The largest preset would run for days."""
    assert run_config("PolicyNet") == run_config("PolicyNet", "laptop")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[training]\nepoch = 3", r"run.toml, training: unknown key 'epoch'; did you mean 'epochs'\?"),
        ("[trainng]\nepochs = 3", r"run.toml: unknown key 'trainng'; did you mean 'training'\?"),
        (
            "[ValueNet.network]\nhiden = [3]",
            r"run.toml, ValueNet.network: unknown key 'hiden'; did you mean 'hidden'\?",
        ),
        ("[ValueNet.netwrk]\nhidden = [3]", r"run.toml, ValueNet: unknown key 'netwrk'"),
        ("[training]\nepochs = 'three'", "run.toml, training: epochs = 'three': expected a whole number"),
        ("[network]\nhidden = [3]", r"run.toml: \[network\] is of no network; expected \[PolicyNet.network\], say"),
        ("preset = 'huge'", "run.toml: preset = 'huge': expected one of smoke, demo, laptop, full"),
        (
            "[GrandNet.training]\nvalue_weight = 1",
            "run.toml, GrandNet.training: 'value_weight' is a setting of GCPolicyNet",
        ),
        ("training = 3", "run.toml, training: expected a table"),
        ("PolicyNet = 3", "run.toml, PolicyNet: expected a table with the sections"),
        ("epochs = ", r"run.toml: no TOML \("),
        (
            "[data]\nfirst_month = '2024-13'",
            "PolicyNet with .*run.toml, data: first_month = '2024-13': expected a month as 2024-01",
        ),
    ],
)
def test_a_mistake_is_named_with_file_and_place(file, text, message):
    """A setting without effect is found out after a night of training, if at all."""
    with pytest.raises(ConfigError, match=message):
        run_config("PolicyNet", file(text))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("epochs=3", "--set epochs=3: expected section.key=value with a section of network, training, data"),
        ("training.epochs", "expected section.key=value"),
        ("training.epoch=3", r"--set training.epoch=3: unknown key 'epoch'; did you mean 'epochs'\?"),
        ("training.epochs=many", "--set training.epochs=many: epochs = 'many': expected a whole number"),
        ("network.d_model=64", "unknown key 'd_model'; expected one of hidden, dropout, hierarchical"),
        ("training.epochs=3\nseed=5", "expected a whole number"),
        ("training.value_weight=1", "'value_weight' is a setting of GCPolicyNet, DTNet, not of PolicyNet"),
    ],
)
def test_a_wrong_setting_is_named(setting, message):
    """As in a file."""
    with pytest.raises(ConfigError, match=message):
        run_config("PolicyNet", "smoke", [setting])


def test_settings_that_do_not_go_together_are_named():
    """Each is fine by itself: the error would come from deep within the network."""
    with pytest.raises(ConfigError, match="DTNet with smoke, network: d_model = 32: expected a multiple of heads = 5"):
        run_config("DTNet", "smoke", ["network.heads=5"])
    both = run_config("DTNet", "smoke", ["network.heads=5", "network.d_model=10"])
    assert (both.network.heads, both.network.d_model) == (5, 10)


def test_what_is_no_file_is_said_to_be_none(tmp_path):
    """A misspelt preset would end in a FileNotFoundError."""
    with pytest.raises(ConfigError, match=r"labtop: cannot be read .*; expected a TOML file or one of smoke, demo"):
        run_config("PolicyNet", "labtop")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        run_config("PolicyNet", tmp_path / "binary")
    with pytest.raises(ConfigError, match="network 'Policy': did you mean 'PolicyNet'"):
        run_config("Policy")


def test_settings_of_other_networks_are_no_part_of_a_run(file):
    """A new default of what a network does not follow would have it trained anew."""
    one, other = (run_config("PolicyNet", file(f"[training]\nvalue_weight = {weight}")) for weight in (0.1, 0.2))
    assert one.plain() == other.plain()
    assert run_config("DTNet", file("[training]\nvalue_weight = 0.2")).plain()["training"]["value_weight"] == 0.2
