"""The demo: what it generates, what it leaves alone, and the table it prints."""

from __future__ import annotations

import zipfile
from types import SimpleNamespace

import pytest
from rich.console import Console

from tichu_pipeline.tools import demo, warm_up
from tichu_pipeline.tools.stage_list import StageList

REQUEST = demo.CorpusRequest(games=3, months=["2024-01", "2024-02"], seed=1)


@pytest.fixture
def generated(monkeypatch):
    """A generator that writes one small archive; the list tells how many games each call was asked for."""
    calls: list[int] = []

    def generate(out, *, games, months, seed, quirks):
        calls.append(games)
        with zipfile.ZipFile(out / "2024.zip", "w") as archive:
            archive.writestr("202401/1.tch", "x" * games)
        return SimpleNamespace(games=games, rounds=9 * games, bytes=100 * games)

    monkeypatch.setattr(demo.corpus, "generate", generate)
    return calls


def test_the_same_corpus_is_made_once(tmp_path, generated):
    """Generating again on every run would make a second demo as slow as the first."""
    first = demo.ensure_corpus(tmp_path, REQUEST)
    again = demo.ensure_corpus(tmp_path, REQUEST)
    assert generated == [3]
    assert (again.rows, again.bytes) == (first.rows, first.bytes) == (3, 300)


def test_another_order_is_another_corpus(tmp_path, generated):
    """GAMES=... would be ignored after the first demo."""
    demo.ensure_corpus(tmp_path, REQUEST)
    assert demo.ensure_corpus(tmp_path, demo.CorpusRequest(4, REQUEST.months, REQUEST.seed)).rows == 4
    assert generated == [3, 4]


def test_an_interrupted_generator_is_run_again(tmp_path, generated, monkeypatch):
    """A demo that was stopped in its first minute would refuse to start ever after."""

    def killed(out, **_):
        (out / "2024.zip").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(demo.corpus, "generate", killed)
        with pytest.raises(KeyboardInterrupt):
            demo.ensure_corpus(tmp_path, REQUEST)
    demo.ensure_corpus(tmp_path, REQUEST)
    assert generated == [3]


@pytest.mark.parametrize("foreign", ["2024.zip", "2024/202403.zip"])
def test_logs_of_others_are_never_touched(tmp_path, generated, foreign):
    """A demo in the folder of somebody's collected logs would overwrite a year of them."""
    path = tmp_path / foreign
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"collected")
    with pytest.raises(demo.ForeignLogsError, match=r"not the demo's.*make demo DATA=DIR"):
        demo.ensure_corpus(tmp_path, REQUEST)
    assert path.read_bytes() == b"collected"
    assert generated == []


def test_an_archive_put_in_place_of_the_demos_is_kept(tmp_path, generated):
    """Real logs put over the demo's would be taken for the demo's and generated over."""
    demo.ensure_corpus(tmp_path, REQUEST)
    (tmp_path / "2024.zip").write_bytes(b"collected")
    with pytest.raises(demo.ForeignLogsError):
        demo.ensure_corpus(tmp_path, REQUEST)
    assert (tmp_path / "2024.zip").read_bytes() == b"collected"


def test_the_table_adds_up_the_months_and_leaves_gaps_open():
    """A stage that tells no bytes would be shown with zero, and a monthly one with its last month only."""
    stage = demo.Stage("rounds")
    stage.add({"rows": 10, "seconds": 0.5, "stamp": "a"})
    stage.add({"rows": 20, "seconds": 0.25, "stamp": "b"})
    assert (stage.rows, stage.bytes, stage.seconds) == (30, None, 0.75)

    console = Console(width=80)
    with console.capture() as captured:
        demo.show(console, [stage], demo.Stage("data folder", None, 1_234_567, 2.0))
    lines = captured.get().splitlines()
    row = next(line for line in lines if "rounds" in line)
    assert row.replace("│", " ").split() == ["rounds", "30", "0.75"]
    assert any("data folder" in line and "1.2 MB" in line for line in lines)


def test_the_table_says_what_was_not_made_again():
    """A second demo that looks as if it had made everything anew; or one month that was, hidden behind the others."""
    for months, shown in (((True, True), "reused"), ((True, False), "2.00"), ((False, True), "2.00")):
        stage = demo.Stage("rounds")
        for reused in months:
            stage.add({"rows": 1, "seconds": 1.0, "reused": reused})
        console = Console(width=80)
        with console.capture() as captured:
            demo.show(console, [stage], demo.Stage("data folder"))
        assert next(line for line in captured.get().splitlines() if "rounds" in line).split()[-2] == shown


def test_kernels_that_do_not_compile_are_told(monkeypatch):
    """A traceback of the demo's own, in which nobody finds the compiler's message."""

    def fail(report):
        raise warm_up.CompileError("kernels of search: no room left")

    monkeypatch.setattr(warm_up, "is_compiled", lambda: False)
    monkeypatch.setattr(warm_up, "compile_all", fail)
    stages = StageList([demo.KERNELS])
    assert not demo.compile_kernels(stages)
    (failed,) = stages.failed
    assert (failed.name, failed.progress) == (demo.KERNELS, "kernels of search: no room left")
