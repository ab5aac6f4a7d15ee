"""A run is read back as it was written, and anything else is refused by name."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file

from tichu_models.networks.architectures import ARCHITECTURES, build
from tichu_models.networks.configs import DTConfig, PolicyConfig
from tichu_models.runs.checkpoint import load, save
from tichu_models.runs.manifest import CheckpointError, RunManifest, SpecStamp

SMALL = {
    "DTNet": {"turns": 4, "d_model": 16, "layers": 1, "heads": 2, "feedforward": 16},
    "GCPolicyNet": {"body": [16], "policy": [8], "value": [8]},
    "CandidatePolicyNet": {"body": [16], "move": [8], "width": 8},
}
SCALING = {"points": {"offset": 0.0, "scale": 40.5, "clip": [-25.0, 125.0]}}


def _manifest(name="PolicyNet", **changes):
    config = ARCHITECTURES[name].config.read(SMALL.get(name, {"hidden": [16, 8]}), name)
    spec = SpecStamp(name="play-375", version=1, digest="abc")
    data = {"features": "f00d"}
    manifest = RunManifest(network=name, config=config, spec=spec, inputs=20, scaling=SCALING, data=data, seed=7)
    return replace(manifest, **changes)


def _network(manifest):
    torch.manual_seed(0)
    return build(manifest.network, manifest.inputs, manifest.config)


@pytest.fixture
def run(tmp_path):
    """The folder of a saved PolicyNet."""
    manifest = _manifest()
    save(tmp_path, _network(manifest), manifest, {"epoch": "3"})
    return tmp_path


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_run_comes_back_as_it_was(name, tmp_path):
    """A player would play by other weights than were trained, or with dropout."""
    manifest = _manifest(name)
    network = _network(manifest)
    save(tmp_path, network, manifest, {"epoch": "3"})
    loaded = load(tmp_path)
    assert loaded.manifest == manifest
    assert loaded.notes == {"epoch": "3"}
    assert not loaded.network.training
    assert type(loaded.network) is type(network)
    assert [key for key, _ in loaded.network.named_parameters()] == [key for key, _ in network.named_parameters()]
    for before, after in zip(network.parameters(), loaded.network.parameters(), strict=True):
        assert torch.equal(before, after)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "model.safetensors"]


def test_equal_outputs(run):
    """What is not in the state of a network would be lost by saving it."""
    state = torch.randn(5, 20)
    assert torch.equal(load(run).network(state), _network(_manifest()).eval()(state))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"network": "ValueNet"}, "network is PolicyNet; expected ValueNet"),
        (
            {"spec": SpecStamp(name="play-376", version=1, digest="abc")},
            "spec is name 'play-375'; expected name 'play-376'",
        ),
        ({"spec": SpecStamp(name="play-375", version=2, digest="abc")}, "spec is version 1; expected version 2"),
        ({"spec": SpecStamp(name="play-375", version=1, digest="x")}, "spec is digest 'abc'; expected digest 'x'"),
        (
            {"scaling": {"points": {**SCALING["points"], "scale": 2.0}}},
            "scaling of points is .*40.5.*; expected .*2.0.*",
        ),
        ({"scaling": {**SCALING, "rtg": {}}}, "scaling of rtg is None; expected {}"),
    ],
)
def test_a_mismatch_is_refused_by_name(run, wanted, message):
    """A network that is fed another vector than it was trained on plays badly, and nothing says why."""
    assert load(run, network="PolicyNet", spec=_manifest().spec, scaling=SCALING)
    with pytest.raises(CheckpointError, match=rf"manifest.json: {message}: train"):
        load(run, **wanted)


def test_a_truncated_file_is_refused(run):
    """A disk that ran full: half the weights would be those of the start, or noise."""
    path = run / "model.safetensors"
    whole = path.read_bytes()
    for length in (0, 4, 100, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match=r"model.safetensors: no whole file of weights"):
            load(run)


def test_foreign_files_are_refused(run):
    """A pickle under another name would run what is in it."""
    path = run / "model.safetensors"
    torch.save({"a": torch.zeros(3)}, path)
    with pytest.raises(CheckpointError, match="no whole file of weights"):
        load(run)
    save_file({"a": torch.zeros(3)}, path)
    with pytest.raises(CheckpointError, match="weights of something else"):
        load(run)
    path.unlink()
    with pytest.raises(CheckpointError, match=r"model.safetensors: not there; expected the weights of a PolicyNet"):
        load(run)


def test_weights_of_another_run_are_refused(run, tmp_path_factory):
    """Two files of two runs, mixed up by copying, fit each other in shape."""
    other = tmp_path_factory.mktemp("other")
    manifest = _manifest(seed=8)
    save(other, _network(manifest), manifest)
    (other / "model.safetensors").replace(run / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"weights of another run than manifest.json"):
        load(run)


def test_a_new_run_in_an_old_folder_leaves_no_old_weights(run, monkeypatch):
    """A run that ends before its first weights are saved would be taken for finished, with those of the last one."""

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("safetensors.torch.save", fail)
    with pytest.raises(KeyboardInterrupt):
        save(run, _network(_manifest()), _manifest(seed=8))
    with pytest.raises(CheckpointError, match="not there"):
        load(run)


def test_weights_that_are_no_numbers_are_not_saved(run):
    """A loss that became NaN would cost the last good checkpoint."""
    network = _network(_manifest())
    network.layers[0].bias.data[1] = torch.nan
    with pytest.raises(CheckpointError, match=r"layers.0.bias is not finite; not saved"):
        save(run, network, _manifest())
    assert load(run).notes == {"epoch": "3"}


def test_tensors_that_do_not_fit_are_named(run):
    """`size mismatch` in a list of a hundred lines helps nobody."""
    path, manifest = run / "model.safetensors", _manifest()
    tensors = load_file(path)
    stamp = {"manifest": manifest.digest}
    for changed, message in (
        (
            {"layers.0.bias": torch.zeros(9)},
            r"layers.0.bias is torch.float32 \[9\]; this network has torch.float32 \[16\]",
        ),
        ({"zz": torch.zeros(1)}, r"zz is torch.float32 \[1\]; this network has no such tensor"),
        ({"layers.0.bias": torch.zeros(16).half()}, r"layers.0.bias is torch.float16 \[16\]; this network has"),
    ):
        save_file({**tensors, **changed}, path, stamp)
        with pytest.raises(CheckpointError, match=message):
            load(run)
    del tensors["layers.0.bias"]
    save_file(tensors, path, stamp)
    with pytest.raises(CheckpointError, match=r"layers.0.bias is no such tensor; this network has"):
        load(run)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format 2; expected 1"),
        ({"network": "LSTM"}, "network 'LSTM': expected one of PolicyNet, "),
        ({"network": ["PolicyNet"]}, "'network' is .*; expected a text"),
        ({"config": {"hiden": [1]}}, "config: unknown key 'hiden'; did you mean 'hidden'"),
        ({"config": {"hidden": [10**30]}}, "expected a number from 1 to 65536"),
        ({"spec": {"name": "play-375"}}, "expected name, version and digest"),
        ({"scaling": {"points": {"offset": 0, "scale": 0, "clip": [0, 1]}}}, "scaling of points is .*expected offset"),
        ({"scaling": {"points": [1]}}, "scaling of points is"),
        ({"seed": True}, "'seed' is True; expected a whole number"),
        ({"inputs": 10**18}, "'inputs' is 1000000000000000000; expected a number from 1 to 65536"),
        ({"inputs": None}, "'inputs' is None; expected a whole number"),
    ],
)
def test_a_foreign_manifest_is_refused(run, changes, message):
    """A manifest comes from outside: it may be of a later version, or written by somebody else."""
    path = run / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(CheckpointError, match=message):
        load(run)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"a": 1}', "[" * 100_000, "\xff"])
def test_what_is_no_manifest_is_refused(run, text):
    """A file that is cut, empty or something else ends in a traceback."""
    (run / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(CheckpointError, match=r"manifest.json: "):
        load(run)
    with pytest.raises(CheckpointError, match="not there; expected the folder of a run"):
        load(run / "nowhere")


def test_a_size_that_no_machine_has_is_refused_before_it_is_made(run):
    """A manifest of a few bytes would take all memory."""
    path = run / "manifest.json"
    huge = _manifest(config=PolicyConfig(hidden=(65536, 65536, 65536)))
    path.write_text(huge.text())
    save_file({"a": torch.zeros(1)}, run / "model.safetensors", {"manifest": huge.digest})
    with pytest.raises(CheckpointError, match=r"a is torch.float32 \[1\]; this network has no such tensor"):
        load(run)


def test_the_manifest_says_all_that_a_player_needs(tmp_path):
    """A run could be played only by who knows how it was trained."""
    manifest = replace(_manifest("DTNet"), config=DTConfig(d_model=32, heads=4))
    plain = json.loads(manifest.text())
    assert sorted(plain) == [
        *("config", "data", "format", "inputs", "network", "scaling", "seed", "spec", "training"),
    ]
    assert plain["config"]["d_model"] == 32
    assert plain["config"]["turns"] == 20
