"""When the VERSION of `scaling` has to be raised."""

from __future__ import annotations

from tests.makers import golden
from tichu_pipeline.scaling import fit


def test_constants_change_only_with_their_version(tmp_path):
    """Constants of an older rule that count as up to date."""
    paths = golden.known_games(tmp_path / "data", games=[7])
    constants = fit.fit(paths, force=True).constants
    golden.check("scaling", fit, {"variables": golden.digest(constants["variables"])})
