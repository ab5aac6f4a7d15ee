"""From rounds to batches: shards and rounds give the same samples, batches are what the specs say, epochs go on where
they stopped, data sets hold what shards hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from threading import Event

import h5py
import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.paths import ROOT
from tichu_models.observation.samples import as_records, features_of, width_of
from tichu_models.observation.scaling import Constants, Scaling, ScalingError
from tichu_models.observation.specs import NUMBER, SPECS, spec
from tichu_models.observation.unpack import BFLOAT16
from tichu_models.records.split import SPLITS, split_of
from tichu_models.rules.cards import NUM_CARDS, mask_of
from tichu_models.rules.combinations import cards_of
from tichu_models.samples.classes import classes_of
from tichu_models.samples.legal_moves import MoveFinder
from tichu_models.samples.loader import Loader, SampleFilter, StateError
from tichu_models.samples.sources import RoundsSource, ShardSource, SourceError
from tichu_pipeline.brettspielwelt.corpus.generate import generate
from tichu_pipeline.features import dataset, groups, shards
from tichu_pipeline.features.filters import FilterError, Filters, seats_of
from tichu_pipeline.rounds.ingest import ingest
from tichu_pipeline.storage.folders import DataPaths, month_file

MONTHS = ["2024-01", "2024-02"]
NAMES = [*SPECS, "tichu-240+score_cum+counts-226+history-5"]
CONSTANTS = {
    "trick_points": Constants(-10.0, 40.0, 10.0, 20.0),
    "points": Constants(-25.0, 75.0, 10.0, 50.0),
    "game_score": Constants(-200.0, 300.0, 50.0, 125.0),
    "score_cum": Constants(-500.0, 1000.0, 0.0, 500.0),
    "score_diff": Constants(-400.0, 400.0, 0.0, 400.0),
}
SCALING = Scaling("a stamp", CONSTANTS)


@pytest.fixture(scope="module")
def paths(tmp_path_factory) -> DataPaths:
    """A data folder with two months of rounds, shards of every spec, and constants."""
    folder = tmp_path_factory.mktemp("data")
    generate(folder / "raw", 220, MONTHS, seed=8, quirks=True)
    made = DataPaths(folder)
    ingest(made.raw, made)
    for name in NAMES:
        shards.make_shards(made, spec(name), MONTHS)
    variables = {name: {"clip": [c.low, c.high], "offset": c.offset, "scale": c.scale} for name, c in CONSTANTS.items()}
    made.scaling.write_text(json.dumps({"stamp": SCALING.stamp, "variables": variables}))
    return made


def rounds_source(paths: DataPaths, name: str) -> RoundsSource:
    """Samples straight from rounds."""
    return RoundsSource([month_file(paths.rounds, month) for month in MONTHS], spec(name))


def shard_source(paths: DataPaths, name: str) -> ShardSource:
    """Samples from shards."""
    return ShardSource([shards.shard_file(paths, spec(name), month) for month in MONTHS], spec(name))


def samples_of(source: RoundsSource | ShardSource) -> np.ndarray:
    """All samples of a source."""
    parts = []
    for block in source.blocks:
        into = np.full((source.room(block), width_of(source.spec)), -1, dtype=np.int64)
        parts.append(into[: source.fill(block, into)])
    return np.concatenate(parts)


def copies(loader: Loader) -> list[list[np.ndarray]]:
    """The batches of the rest of an epoch."""
    return [[part.copy() for part in batch if part is not None] for batch in loader]


def same(some: list[list[np.ndarray]], others: list[list[np.ndarray]]) -> bool:
    """Whether two epochs have the same batches."""
    return len(some) == len(others) and all(
        np.array_equal(a, b) for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", NAMES)
def test_shards_and_rounds_give_the_same_samples(paths, name):
    """A network that sees other samples when it trains from shards."""
    from_rounds, from_shards = rounds_source(paths, name), shard_source(paths, name)
    assert len(from_rounds.blocks) == len(from_shards.blocks)
    assert np.array_equal(samples_of(from_rounds), samples_of(from_shards))
    # The two sources may be swapped in mid-run: nothing but their data counts.
    assert from_rounds.fingerprint == from_shards.fingerprint


def test_shards_hold_facts(paths):
    """Shards that hold another round's samples, another split, or a broken round."""
    for month in MONTHS:
        shard = pq.read_table(shards.shard_file(paths, spec("play-375"), month))
        rounds = pq.read_table(month_file(paths.rounds, month)).to_pylist()
        sound = [row for row in rounds if row["rule_break"] == 0]
        assert len(sound) < len(rounds)
        turns = Counter(zip(shard["game_id"].to_pylist(), shard["round_index"].to_pylist(), strict=True))
        assert turns == {(row["game_id"], row["round_index"]): row["num_turns"] for row in sound}
        names: dict[int, set[str]] = {}
        for row in rounds:
            names.setdefault(row["game_id"], set()).update(row["player_names"])
        expected = {game: SPLITS.index(split_of(game, players)) for game, players in names.items()}
        found = dict(zip(shard["game_id"].to_pylist(), shard["split"].to_pylist(), strict=True))
        assert found == {game: expected[game] for game in found}
        scores = {(row["game_id"], row["round_index"]): row["score_entry"] for row in sound}
        for game, index, seat, value in zip(
            *(shard[name].to_pylist() for name in ("game_id", "round_index", "seat", "value")), strict=True
        ):
            own, other = scores[game, index][seat % 2], scores[game, index][1 - seat % 2]
            assert value == own - other


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_what_the_spec_says(paths, name):
    """Features in another place, or scaled by another variable, than the table of the spec says."""
    source, found = rounds_source(paths, name), spec(name)
    for scaling in (None, SCALING):
        loader = Loader(source, 64, SampleFilter(), scaling, shuffle=False)
        batch = next(iter(loader))
        rows = samples_of(source)
        rows = rows[as_records(rows, found)["split"] == 0][:64]
        for row, vector in zip(rows, batch.features, strict=True):
            raw = features_of(row, found)
            expected = []
            for group in found.table:
                for feature in group.names:
                    value = raw.get(feature, 0) / group.unit
                    if group.kind == NUMBER and scaling and group.scaled_by:
                        c = CONSTANTS[group.scaled_by]
                        value = (min(max(value, c.low), c.high) - c.offset) / c.scale
                    elif scaling:
                        value /= group.most
                    expected.append(value)
            assert np.array_equal(vector, np.array(expected, dtype=np.float32)), name
        assert np.array_equal(batch.value, as_records(rows, found)["value"].astype(np.float32))
        assert np.array_equal(batch.rtg, (as_records(rows, found)["rtg"] / 100).astype(np.float32))


def test_labels_are_unpacked(paths):
    """Targets in another order than the spec's label names."""
    for name in SPECS:
        source, found = rounds_source(paths, name), spec(name)
        batch = next(iter(Loader(source, 48, shuffle=False)))
        rows = samples_of(source)
        records = as_records(rows, found)
        records = records[records["split"] == 0][:48]
        for record, vector in zip(records, batch.labels, strict=True):
            hot = {label for label, value in zip(found.label_names, vector, strict=True) if value}
            assert set(np.unique(vector)) <= {0, 1}
            choice = int(record["label"])
            if name.startswith(("play", "sequence")):
                assert hot == {label for k, label in enumerate(found.label_names) if choice >> k & 1}
            elif name.startswith("wish"):
                assert hot == {str(choice) if choice else "none"}
            elif name.startswith("dragon"):
                assert hot == {"right" if choice == 1 else "left"}
            elif name.startswith("schupf"):
                assert len(hot) == 6
            elif name.startswith("bomb"):
                assert hot == ({"thrown"} if choice else set())
            else:
                assert hot == ({"called"} if choice else set()) | ({"first_out"} if record["first_out"] else set())


def test_bfloat16_is_rounded_float32(paths):
    """Half the memory, other numbers."""
    source = rounds_source(paths, "play-376")
    whole = next(iter(Loader(source, 64, scaling=SCALING, shuffle=False))).features.copy()
    half = next(iter(Loader(source, 64, scaling=SCALING, shuffle=False, kind=BFLOAT16))).features
    torch = pytest.importorskip("torch")
    expected = torch.from_numpy(whole).to(torch.bfloat16)
    assert torch.equal(torch.from_numpy(half.copy()).view(torch.bfloat16), expected)


def test_the_same_seed_gives_the_same_batches(paths):
    """Runs that cannot be repeated, or epochs that all see one order."""
    rounds, files = rounds_source(paths, "play-376"), shard_source(paths, "play-376")
    one, other = Loader(rounds, 256, seed=3), Loader(files, 256, seed=3)
    first, second = copies(one), copies(one)
    assert len(first) > 20
    assert same(first, copies(other))
    assert same(second, copies(other))
    assert not same(first, second)
    assert not same(first, copies(Loader(rounds, 256, seed=4)))


def test_an_epoch_has_every_sample_once(paths):
    """Samples lost or doubled by shuffling."""
    source = shard_source(paths, "play-375")
    wanted = SampleFilter(split="train")
    records = as_records(samples_of(source), source.spec)
    expected = sorted(records["value"][records["split"] == 0].tolist())
    found = [value for batch in Loader(source, 200, wanted, drop_last=False) for value in batch.value.tolist()]
    assert sorted(found) == expected
    dropped = sum(len(batch.value) for batch in Loader(source, 200, wanted))
    assert len(expected) - 200 < dropped <= len(expected)


@pytest.mark.parametrize("begun", [0, 3])
def test_counting_leaves_the_loader_where_it_stood(paths, begun):
    """The first epoch would be lost, or the learning rate planned for another number of steps."""
    loader, whole = (Loader(rounds_source(paths, "play-375"), 512, seed=1) for _ in range(2))
    expected = copies(whole)
    loop = iter(loader)
    for _ in range(begun):
        next(loop)
    state = loader.state_dict()
    assert loader.count() == len(expected) - begun
    assert loader.count(2) == 2
    assert loader.state_dict() == state
    assert same(copies(loader), expected[begun:])


def test_an_epoch_that_is_left_keeps_nobody_waiting(paths, monkeypatch):
    """The garbage collector ends such a loop within any thread, even one that starts: to join another is to hang."""
    loader, go_on = Loader(rounds_source(paths, "play-375"), 64, SampleFilter(), seed=1), Event()
    fill = loader._fill
    monkeypatch.setattr(loader, "_fill", lambda *args: (args[2] == 0 or go_on.wait(60)) and fill(*args))
    loop = iter(loader)
    next(loop)
    loop.close()  # type: ignore[attr-defined]
    assert not go_on.is_set()
    assert not loader._coming[0].done()
    go_on.set()
    whole = copies(Loader(rounds_source(paths, "play-375"), 64, SampleFilter(), seed=1))
    assert same(copies(loader), whole[1:])


@pytest.mark.parametrize("stopped_after", [0, 1, 7])
def test_an_epoch_goes_on_where_it_stopped(paths, stopped_after):
    """A restart that trains on some samples twice and on others never."""
    source = rounds_source(paths, "play-375")
    whole = Loader(source, 512, seed=1)
    copies(whole)
    expected = copies(whole)
    stopped = Loader(source, 512, seed=1)
    copies(stopped)
    for number, _ in enumerate(stopped):
        if number == stopped_after:
            break
    state = json.loads(json.dumps(stopped.state_dict()))
    resumed = Loader(shard_source(paths, "play-375"), 512, seed=1)
    resumed.load_state_dict(state)
    assert same(expected[stopped_after + 1 :], copies(resumed))
    for another in (Loader(source, 512, seed=2), Loader(source, 512, SampleFilter(drop_forced=True), seed=1)):
        with pytest.raises(StateError):
            another.load_state_dict(state)


def test_several_processes_share_an_epoch(paths):
    """Ranks that see the same samples, or unequally many batches, at which training hangs."""
    source = rounds_source(paths, "play-375")
    alone = copies(Loader(source, 300, seed=5))
    ranks = [copies(Loader(source, 100, seed=5, rank=rank, world=3)) for rank in range(3)]
    assert len({len(batches) for batches in ranks}) == 1
    for whole, *parts in zip(alone, *ranks, strict=True):
        together = np.concatenate([part[0] for part in parts])
        assert sorted(map(bytes, together)) == sorted(map(bytes, whole[0]))


def test_filters_leave_out_what_they_say(paths):
    """Forced moves, or other splits, that slip into training."""
    source = shard_source(paths, "play-375")
    records = as_records(samples_of(source), source.spec)
    counts = {
        split: sum(len(batch.value) for batch in Loader(source, 50, SampleFilter(split), drop_last=False))
        for split in SPLITS
    }
    assert counts == {split: int((records["split"] == k).sum()) for k, split in enumerate(SPLITS)}
    train = records["split"] == 0
    free = sum(len(b.value) for b in Loader(source, 50, SampleFilter(drop_forced=True), drop_last=False))
    assert free == int((train & (records["forced"] == 0)).sum()) < counts["train"]
    some = sum(len(b.value) for b in Loader(source, 50, SampleFilter(sample_rate=0.25), drop_last=False))
    assert 0.22 < some / counts["train"] < 0.28
    clean = seats_of(paths, MONTHS, Filters(clean_games=True, no_substitutes=True))
    kept = sum(len(b.value) for b in Loader(source, 50, SampleFilter(seats=clean), drop_last=False))
    expected = 0
    for month in MONTHS:
        games = pq.read_table(month_file(paths.games, month)).to_pylist()
        good = {row["game_id"] for row in games if row["error_code"] == 0 and not row["player_changed"]}
        shard = pq.read_table(shards.shard_file(paths, spec("play-375"), month), columns=["game_id", "split"])
        expected += sum(g in good and s == 0 for g, s in zip(*(c.to_pylist() for c in shard.columns), strict=True))
    assert kept == expected < counts["train"]
    with pytest.raises(FilterError, match="fit_through"):
        Filters(min_rating=1600)


def test_sequences_are_a_seats_round(paths):
    """Steps of another seat or round in a sequence, or in another order."""
    source = rounds_source(paths, "sequence")
    batches = copies(Loader(source, 16, steps=6, shuffle=False))
    records = as_records(samples_of(source), source.spec)
    records = records[records["split"] == 0]
    expected: dict[tuple[int, int], list[int]] = {}
    for record in records:
        expected.setdefault((int(record["round"]), int(record["seat"])), []).append(int(record["rtg"]))
    found = [
        (np.round(rtg[mask] * 100)).astype(int).tolist()
        for batch in batches
        for rtg, mask in zip(batch[3], batch[4], strict=True)
    ]
    months = len({block.month for block in source.blocks})
    assert months == 2
    first = [steps[-6:] for (_, _), steps in list(expected.items())[:16]]
    assert found[:16] == first
    features, labels = batches[0][0], batches[0][1]
    assert features.shape == (16, 6, 376)
    assert labels.shape == (16, 6, 57)
    assert features[~batches[0][4]].sum() == 0


@pytest.mark.parametrize("name", ["play-375", "play-376+counts-6+history-2"])
def test_legal_moves_travel_along(paths, name):
    """A network that is asked to choose among moves that were not legal, or among which the played one is missing."""
    source = rounds_source(paths, name)
    samples = samples_of(source)
    moves, counts = MoveFinder(source.spec).of(samples)
    of_sample = np.split(moves, np.cumsum(counts)[:-1])
    seen = as_records(samples, source.spec)
    assert len(seen) == len(of_sample) > 10_000
    on_turn = seen["out_of_turn"] == 0
    assert np.array_equal((counts == 1)[on_turn], (seen["forced"] == 1)[on_turn])
    played = cards_from_labels(seen["label"])
    assert all(cards in cards_of(legal) for cards, legal in zip(played, of_sample, strict=True))
    assert all(len(set(legal)) == len(legal) for legal in of_sample)
    batches = Loader(source, 64, SampleFilter(drop_forced=True), seed=1, moves=True)
    for batch in batches:
        assert len(batch.moves) == batch.move_counts.sum()
        assert (batch.move_counts >= 2).all()
        of_row = np.split(cards_of(batch.moves), np.cumsum(batch.move_counts)[:-1])
        weights = 1 << np.arange(NUM_CARDS, dtype=np.int64)
        for label, legal in zip(batch.labels[:, :NUM_CARDS].astype(np.int64) @ weights, of_row, strict=True):
            assert cards_from_labels(np.array([label]))[0] in legal


def cards_from_labels(labels: np.ndarray) -> np.ndarray:
    """Masks of played cards."""
    return np.array([mask_of([k for k in range(NUM_CARDS) if int(label) >> k & 1]) for label in labels])


def test_the_legal_moves_of_a_step_that_is_none(paths):
    """Sequences of which the moves of one turn are taken for another's."""
    batch = next(iter(Loader(rounds_source(paths, "sequence"), 16, steps=6, seed=2, moves=True)))
    counts = batch.move_counts.reshape(16, 6)
    assert (counts[~batch.mask] == 1).all()
    assert len(batch.moves) == counts.sum() > counts.size
    with pytest.raises(ValueError, match="legal moves are those of plays"):
        MoveFinder(spec("bomb-375"))


def test_a_data_set_holds_what_its_shards_hold(paths):
    """Rows that are scaled twice, belong to another game, or stand in the wrong group."""
    order = dataset.DatasetRequest(size=600, seed=2, drop_forced=True)
    made = dataset.make_dataset(paths, "play", order)
    assert made.samples["train"] == 600
    found = spec("play-375")
    rows = {}
    for month in MONTHS:
        shard = pq.read_table(shards.shard_file(paths, found, month))
        source = ShardSource([shards.shard_file(paths, found, month)], found)
        keys = zip(*(shard[name].to_pylist() for name in ("game_id", "round_index", "turn", "seat")), strict=True)
        rows |= dict(zip(keys, samples_of(source), strict=True))
    with h5py.File(made.path) as file:
        assert file.attrs["names"].tolist() == list(found.names)
        constants = json.loads(file.attrs["scaling"])["variables"]
        assert constants["points"]["high"] == CONSTANTS["points"].high
        for number, name in enumerate(SPLITS):
            group = {key: column[:] for key, column in file[name].items()}  # once: a row by itself unpacks its chunk
            for i in range(0, len(group["labels"]), 17):
                row = rows[tuple(int(group[key][i]) for key in ("game_id", "round_index", "turn", "seat"))]
                record = as_records(row[None], found)[0]
                assert record["split"] == number
                assert record["forced"] == 0
                raw = features_of(row, found)
                for k, feature in enumerate(found.names):
                    value = float(raw.get(feature, 0))
                    variable = feature.split(".")[0]
                    if variable in CONSTANTS:
                        c = CONSTANTS[variable]
                        value = (min(max(value, c.low), c.high) - c.offset) / c.scale
                    assert group["features"][i, k] == np.float32(value)
                assert group["labels"][i].tolist() == [int(record["label"]) >> k & 1 for k in range(57)]
                assert group["value"][i] == np.float32(np.clip(record["value"], -400, 400) / 400)
                assert group["rtg"][i] == np.float32(record["rtg"] / 100)
    assert dataset.mixed_games([made.path]) == []
    again = dataset.make_dataset(paths, "play", order)
    assert again.reused
    assert again.samples == made.samples


def test_data_sets_are_balanced(paths):
    """Nine passes for every bomb: a network that learns to pass."""
    of_all = dataset.DatasetRequest(filters=Filters(clean_games=False))
    made = dataset.make_dataset(paths, "balanced", replace(of_all, size=900))
    everything = as_records(samples_of(shard_source(paths, "play-375")), spec("play-375"))
    there = (everything["split"] == 0) & (everything["forced"] == 0)
    rows = samples_of(shard_source(paths, "play-375"))[there]
    counts = Counter(classes_of(rows, spec("play-375")).tolist())
    names = list(made.classes)
    assert made.samples["train"] == min(900, len(rows))
    share = max(made.classes.values())
    for kind, count in counts.items():
        assert made.classes[names[kind]] >= min(count, share - 1)
    weighed = dataset.make_dataset(paths, "weighed", replace(of_all, size=5000, balance="weights"))
    with h5py.File(weighed.path) as file:
        classes, weights = file["train/class"][:], file["train/weight"][:]
    of_class = {int(k): weights[classes == k] for k in np.unique(classes)}
    assert all(len(np.unique(same)) == 1 for same in of_class.values())
    products = [counts[k] * float(w[0]) for k, w in of_class.items()]
    assert np.allclose(products, products[0], rtol=1e-5)


@pytest.mark.parametrize("counts", [[5, 0, 100], [1, 1, 1], [1000, 3, 20, 20], [0, 0]])
@pytest.mark.parametrize("size", [1, 7, 50, 5000])
def test_shares_are_fair(counts, size):
    """A loop without end, or a class that is left out."""
    shares = groups.fair_shares(np.array(counts), size)
    assert shares.sum() == min(size, sum(counts))
    assert (shares <= counts).all()
    short = shares < counts
    assert not short.any() or shares.max() - shares[short].min() <= 1


def test_what_has_changed_is_made_anew_and_nothing_else(paths, tmp_path, monkeypatch):
    """Training on shards of old rounds or of an old spec; or days of work repeated for nothing."""
    found = spec("wish-233")
    assert all(shard.reused for shard in shards.make_shards(paths, found, MONTHS))
    order = dataset.DatasetRequest(spec="wish-233", size=100)
    first = dataset.make_dataset(paths, "wish", order)
    newer = replace(found, version=2)
    assert not shards.is_current(paths, newer, MONTHS[0])
    with pytest.raises(SourceError, match="version 1; expected wish-233, version 2"):
        ShardSource([shards.shard_file(paths, newer, MONTHS[0])], newer)
    monkeypatch.setattr(dataset, "spec", lambda _: newer)
    with pytest.raises(dataset.DatasetError, match="materialise the stage features again"):
        dataset.make_dataset(paths, "wish", order)
    monkeypatch.undo()
    text = paths.scaling.read_text()
    try:
        paths.scaling.write_text(text.replace("a stamp", "another"))
        second = dataset.make_dataset(paths, "wish", order)
        assert not second.reused
        assert second.stamp != first.stamp
    finally:
        paths.scaling.write_text(text)
    assert not dataset.make_dataset(paths, "wish", replace(order, size=50)).reused


def test_foreign_and_truncated_files_are_refused_by_name(paths, tmp_path):
    """A stack trace, or training on half a file."""
    shard = shards.shard_file(paths, spec("play-375"), MONTHS[0])
    cut = tmp_path / "2024-01.parquet"
    cut.write_bytes(shard.read_bytes()[:-100])
    for file in (cut, tmp_path / "missing.parquet", month_file(paths.rounds, MONTHS[0])):
        with pytest.raises(SourceError, match=file.name):
            ShardSource([file], spec("play-375"))
    with pytest.raises(SourceError, match="expected play-376"):
        ShardSource([shard], spec("play-376"))
    with pytest.raises(SourceError, match=cut.name):
        RoundsSource([cut], spec("play-375"))
    for text in ("{}", "[1]", '{"stamp": "x", "variables": {"points": {"clip": [0, 1], "offset": 0, "scale": 0}}}'):
        (tmp_path / "scaling.json").write_text(text)
        with pytest.raises(ScalingError, match=r"scaling\.json"):
            Scaling.load(tmp_path / "scaling.json")
    with pytest.raises(ScalingError, match="trick_points"):
        Scaling("x", {}).check(spec("play-375").table)


def test_nothing_is_left_of_a_shard_that_failed(paths, monkeypatch):
    """Half a month taken for a whole one."""
    found = spec("dragon-204")
    file: Path = shards.shard_file(paths, found, MONTHS[0])
    before = file.read_bytes()

    def broken(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(shards, "to_shard", broken)
    with pytest.raises(OSError, match="no space"):
        shards.make_shard(paths, found, MONTHS[0], force=True)
    assert file.read_bytes() == before
    assert sorted(path.stem for path in file.parent.iterdir()) == MONTHS


def test_the_example_of_the_documentation_runs(paths, capsys):
    """The first thing that somebody with a network of their own copies fails."""
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "training.md").read_text(), flags=re.DOTALL)
    exec(example.replace("data/", f"{paths.root}/"), {})
    assert capsys.readouterr().out == "(4096, 376) (4096, 57)\n"
