"""Clipping and scaling: statistics against numpy and scipy, bounds, the rule, and what it is fitted on."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.dataset as ds
import pytest
from scipy import stats

from tests.oracles.reading import read_rounds
from tichu_models.records.split import split_of
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.distribution import SAMPLE, Distribution
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.rounds.stored_rounds import find_game, text_of
from tichu_pipeline.scaling.fit import QUANTILES, ScalingFitError, clip_bounds, describe, fit, nice
from tichu_pipeline.scaling.gather import VARIABLES, count_variables
from tichu_pipeline.storage.folders import DataPaths

MONTHS = ["2024-01", "2024-02", "2024-03"]


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """Ingested months."""
    made = DataPaths(tmp_path_factory.mktemp("data"))
    generate(made.raw, 60, MONTHS, seed=41)
    ingest(made.raw, made)
    return made


def test_statistics_are_those_of_numpy():
    """Quantiles of counts that are off by one value, or a deviation divided by n."""
    rng = np.random.default_rng(1)
    values = rng.integers(-40, 90, 3_001) * 5
    distribution = Distribution.of(values)
    assert distribution.n == len(values)
    assert distribution.mean == pytest.approx(values.mean())
    assert distribution.sd == pytest.approx(values.std(ddof=1))
    assert distribution.skewness == pytest.approx(stats.skew(values))
    assert distribution.excess_kurtosis == pytest.approx(stats.kurtosis(values))
    for q in (0, 0.0033, *QUANTILES, 1):
        assert distribution.quantile(q) == pytest.approx(np.quantile(values, q)), q
    assert np.array_equal(np.sort(distribution.sample()), np.sort(values))
    clipped = distribution.clipped(-100, 200)
    assert clipped.mean == pytest.approx(np.clip(values, -100, 200).mean())
    assert len(Distribution.sum([distribution] * 4).sample()) == SAMPLE
    assert np.array_equal(Distribution.sum([distribution] * 4).sample(), Distribution.sum([distribution] * 4).sample())


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-380, -400), (410, 400), (-25, -25), (125, 125), (112, 120), (0, 0), (3, 3), (44, 40), (985, 1000), (300, 300)],
)
def test_bounds_are_round_numbers(value, expected):
    """A clipping at 387.3 that nobody can remember, or one far from the quantile."""
    assert nice(value) == expected


def test_bounds_and_method_follow_the_shape():
    """A bell squeezed between its outliers, or a skewed variable standardised."""
    rng = np.random.default_rng(2)
    bell = Distribution.of(np.round(rng.normal(7, 150, 50_000)).astype(int))
    facts = describe(bell)
    assert (facts["clip"], facts["method"]) == ([-400, 400], "zscore")
    assert facts["offset"] == pytest.approx(facts["clipped"]["mean"])
    assert facts["scale"] == pytest.approx(facts["clipped"]["sd"])
    skewed = Distribution.of(np.round(rng.exponential(20, 50_000)).astype(int))
    facts = describe(skewed)
    assert (facts["method"], facts["offset"], facts["scale"]) == ("minmax01", 0, facts["clip"][1])
    shifted = Distribution.of(np.round(rng.exponential(20, 50_000)).astype(int) - 25)
    facts = describe(shifted)
    low, high = facts["clip"]
    assert facts["method"] == "minmax11"
    assert [(x - facts["offset"]) / facts["scale"] for x in (low, high)] == [-1, 1]
    assert describe(bell, "minmax01")["method_from"] == "config"
    assert clip_bounds(Distribution.of(np.array([5, 5, 5]))) == (5, 6)


def test_variables_are_those_of_the_training_games(paths):
    """Constants that know the test set, count the turn's own trick, or mix up games."""
    rounds = ds.dataset(str(paths.rounds)).to_table(columns=["game_id"])["game_id"].unique().to_pylist()
    scores, previous, total = [], [], []
    turns = 0
    for game in rounds:
        table = find_game(paths, game).rounds
        if split_of(game, [name for names in table["player_names"].to_pylist() for name in names]) != "train":
            continue
        last, so_far = (0, 0), [0, 0]
        for round_ in read_rounds(text_of(find_game(paths, game))):
            if round_["score"] is None:
                continue
            scores.append(round_["score"][0] - round_["score"][1])
            previous += last
            total += so_far
            last = round_["score"]
            so_far = [so_far[0] + last[0], so_far[1] + last[1]]
        turns += sum(table["num_turns"].to_pylist())
    found = count_variables(paths, MONTHS)
    assert (found.rounds, found.turns) == (len(scores), turns)
    for name, values in (("score_diff", scores), ("game_score", previous), ("score_cum", total)):
        expected = Distribution.of(np.array(values))
        assert np.array_equal(found.distributions[name].values, expected.values), name
        assert np.array_equal(found.distributions[name].counts, expected.counts), name
    assert found.distributions["trick_points"].n == found.distributions["rtg"].n == turns
    assert found.distributions["points"].n == 4 * turns


def test_a_new_month_leaves_the_constants_alone(paths, tmp_path):
    """All data sets and networks of the past made stale by every month that comes."""
    data = DataPaths(tmp_path)
    for table in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (data.root / table).mkdir(parents=True)
        for month in MONTHS[:2]:
            (data.root / table / f"{month}.parquet").symlink_to(paths.root / table / f"{month}.parquet")
    first = fit(data)
    assert (first.reused, first.constants["fit"]["through"]) == (False, "2024-02")
    assert sorted(first.constants["variables"]) == sorted(VARIABLES)
    assert len(list((data.plots / "scaling").glob("*.png"))) == 2 * len(VARIABLES)
    for table in ("games", "rounds", "rule_breaks", "tricks", "combination_stats"):
        (data.root / table / "2024-03.parquet").symlink_to(paths.root / table / "2024-03.parquet")
    again = fit(data)
    assert again.reused
    assert again.constants == first.constants == json.loads(data.scaling.read_text())
    later = fit(data, "2024-03", {"rtg": "zscore"})
    assert not later.reused
    assert later.constants["fit"]["rounds"] > first.constants["fit"]["rounds"]
    assert later.constants["variables"]["rtg"]["method"] == "zscore"
    with pytest.raises(ScalingFitError, match="expected one of"):
        fit(data, methods={"rtg": "log"})
    with pytest.raises(ScalingFitError, match="no rounds up to 2023-01"):
        fit(data, "2023-01")
