"""Saves and loads the weights of a run: the best ones, and those of its last step. Nothing is ever unpickled.
Weights that were rounded to bfloat16 to be small are loaded as float32.

The manifest is written before the weights, both as whole files. The weights name the digest of their manifest, so that
weights of another run, or of an older run in the same folder, are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from tichu_models.networks.architectures import build
from tichu_models.runs import manifest as manifests
from tichu_models.runs.files import LAST_WEIGHTS, MANIFEST, WEIGHTS
from tichu_models.runs.manifest import CheckpointError, RunManifest, SpecStamp
from tichu_models.whole_files import write_whole

MANIFEST_DIGEST = "manifest"  # key in the metadata of the weights
DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16, "F64": torch.float64}


class LoadedRun(NamedTuple):
    """A trained network in evaluation mode, with its manifest."""

    network: nn.Module
    manifest: RunManifest
    notes: Mapping[str, str]  # on the saved weights, such as their epoch


def begin(folder: Path, manifest: RunManifest) -> None:
    """Writes the manifest of a run, after removing weights of another run from its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if is_of(folder, manifest):
        return
    for weights in (WEIGHTS, LAST_WEIGHTS):
        (folder / weights).unlink(missing_ok=True)
    write_whole(folder / MANIFEST, manifest.text())


def is_of(folder: Path, manifest: RunManifest) -> bool:
    """Whether a folder has this manifest; the run may be unfinished."""
    try:
        return (folder / MANIFEST).read_text(encoding="utf-8") == manifest.text()
    except (OSError, UnicodeDecodeError):
        return False


def save(
    folder: Path, network: nn.Module, manifest: RunManifest, notes: Mapping[str, str] | None = None, file: str = WEIGHTS
) -> None:
    """Writes the weights of a network into a run's folder, and the manifest if need be."""
    save_tensors(folder, network.state_dict(), manifest, notes, file)


def save_tensors(
    folder: Path,
    weights: Mapping[str, torch.Tensor],
    manifest: RunManifest,
    notes: Mapping[str, str] | None = None,
    file: str = WEIGHTS,
) -> None:
    """Likewise, of the weights alone. Refuses weights that are not finite."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise CheckpointError(f"{folder}: {name} is not finite; not saved, what was saved before stays")
    begin(folder, manifest)
    write_whole(folder / file, safetensors.torch.save(tensors, {**(notes or {}), MANIFEST_DIGEST: manifest.digest}))


def load(
    folder: Path,
    *,
    network: str | None = None,
    spec: SpecStamp | None = None,
    scaling: Mapping[str, Mapping[str, Any]] | None = None,
    file: str = WEIGHTS,
) -> LoadedRun:
    """Loads the run of a folder. Raises CheckpointError if a given network, spec or scaling is not the run's."""
    manifest = manifests.read(folder / MANIFEST)
    manifests.check(manifest, folder / MANIFEST, {"network": network, "spec": spec, "scaling": scaling})
    with torch.device("meta"):  # takes no memory, whatever size a manifest claims
        built = build(manifest.network, manifest.inputs, manifest.config)
    tensors, notes = _weights(folder / file, manifest, built.state_dict())
    built.load_state_dict(tensors, assign=True)
    return LoadedRun(built.eval(), manifest, notes)


def _weights(
    path: Path, manifest: RunManifest, expected: Mapping[str, torch.Tensor]
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    if not path.exists():
        raise CheckpointError(f"{path}: not there; expected the weights of a {manifest.network}: was the run finished?")
    try:
        with safe_open(path, framework="pt") as file:
            notes = dict(file.metadata() or {})
            if MANIFEST_DIGEST not in notes:
                raise CheckpointError(f"{path}: weights of something else; expected those of a run of this project")
            if notes.pop(MANIFEST_DIGEST) != manifest.digest:
                raise CheckpointError(f"{path}: weights of another run than {MANIFEST} beside it speaks of")
            slices = {name: file.get_slice(name) for name in list(file.keys())}
            shapes = {name: (tensor.get_dtype(), tensor.get_shape()) for name, tensor in slices.items()}
            _check_shapes(path, shapes, expected)
            return {name: file.get_tensor(name).to(expected[name].dtype) for name in shapes}, notes
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"{path}: no whole file of weights ({error}); restore it, or train the run anew"
        ) from None


def _check_shapes(path: Path, found: Mapping[str, tuple[str, list[int]]], expected: Mapping[str, torch.Tensor]) -> None:
    """Raises CheckpointError for the first tensor that differs from the network's."""
    for name in sorted({*found, *expected}):
        here = (expected[name].dtype, list(expected[name].shape)) if name in expected else None
        there = (DTYPES.get(found[name][0]), found[name][1]) if name in found else None
        if here and there == (torch.bfloat16, here[1]):
            continue
        if here != there:
            raise CheckpointError(f"{path}: {name} is {_described(there)}; this network has {_described(here)}")


def _described(tensor: tuple[torch.dtype | None, list[int]] | None) -> str:
    return "no such tensor" if tensor is None else f"{tensor[0]} {tensor[1]}"
