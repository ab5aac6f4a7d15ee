"""Where logs come from: yearly and monthly archives, loose files, and all that may be wrong with them."""

from __future__ import annotations

import io
import os
import random
import stat
import struct
import time
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tichu_pipeline.brettspielwelt.archives import deflated
from tichu_pipeline.brettspielwelt.archives import inflate as inflating
from tichu_pipeline.brettspielwelt.archives.catalogue import Catalogue
from tichu_pipeline.brettspielwelt.archives.index_pages import listed_games
from tichu_pipeline.brettspielwelt.archives.inflate import CHUNK_BYTES, CHUNK_GAMES, inflate, read, split
from tichu_pipeline.brettspielwelt.archives.members import SIZE_LIMIT, Members
from tichu_pipeline.brettspielwelt.archives.scan import scan
from tichu_pipeline.brettspielwelt.archives.zip_directory import read_entries

Content = dict[str, bytes]
LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def log(game_id: int, rounds: int = 4) -> bytes:
    """Text that deflates about as well as a log."""
    lines = random.Random(game_id).choices(["(0)anna passt.\n", "(1)bert: S9 B9\n", "(2)c: Ph\n"], k=rounds * 60)
    return f"---------------Gr.Tichukarten------------------ {game_id}\n{''.join(lines)}".encode()


def write_zip(path: Path, members: Content, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """An archive of these members."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def patched(path: Path, signature: bytes, name: str, at: int, value: bytes) -> Path:
    """Overwrites a field of one member's local or central header."""
    data = bytearray(path.read_bytes())
    name_at = data.find(name.encode()) if signature == LOCAL else data.rfind(name.encode())
    start = name_at - (30 if signature == LOCAL else 46)
    assert data[start : start + 4] == signature
    data[start + at : start + at + len(value)] = value
    path.write_bytes(data)
    return path


def contents(members: Members) -> dict[int, bytes]:
    """All these logs; none may be missing."""
    found: dict[int, bytes] = {}
    for chunk in read(members):
        assert not chunk.problems
        found |= {int(game): chunk.log(index) for index, game in enumerate(chunk.game_ids)}
    return found


def everything(catalogue: Catalogue) -> tuple[dict[int, bytes], list[tuple[str, str, str]]]:
    """All logs that can be read, and kind, file and member of every problem."""
    logs: dict[int, bytes] = {}
    problems = list(catalogue.problems)
    for month in catalogue.months:
        for chunk in read(catalogue.month(month)):
            logs |= {int(game): chunk.log(index) for index, game in enumerate(chunk.game_ids)}
            problems += chunk.problems
    assert all(problem.reason and problem.remedy for problem in problems)
    return logs, [(problem.kind, problem.file, problem.member) for problem in problems]


def set_time(path: Path, seconds: int) -> None:
    """Makes a file as old as this."""
    os.utime(path, (seconds, seconds))


# What is there


def test_mixed_sources(tmp_path: Path) -> None:
    """Prevents that a way of keeping logs is passed over: all of them may lie below one raw folder."""
    yearly = {f"202301/{game}.tch": log(game) for game in (11, 12)}
    write_zip(tmp_path / "2023.zip", {**yearly, "202302/13.tch": log(13), "202302/index.html": b""})
    write_zip(tmp_path / "2024" / "202401.zip", {"202401/21.tch": log(21)})
    write_zip(tmp_path / "2024" / "202402.zip", {"22.tch": log(22)}, zipfile.ZIP_STORED)
    (tmp_path / "2024" / "202403").mkdir()
    (tmp_path / "2024" / "202403" / "23.tch").write_bytes(log(23))
    (tmp_path / "2024" / "202403" / "24.tch").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("mine")
    catalogue = scan(tmp_path)
    assert catalogue.problems == ()
    assert {month: catalogue.month(month).game_ids.tolist() for month in catalogue.months} == {
        "2023-01": [11, 12],
        "2023-02": [13],
        "2024-01": [21],
        "2024-02": [22],
        "2024-03": [23, 24],
    }
    logs, problems = everything(catalogue)
    assert not problems
    assert logs == {game: log(game) for game in (11, 12, 13, 21, 22, 23)} | {24: b""}
    march = catalogue.month("2024-03")
    assert (march.file(0), march.member(0)) == ("2024/202403", "23.tch")
    january = catalogue.month("2023-01")
    assert (january.file(1), january.member(1)) == ("2023.zip", "202301/12.tch")
    assert len(catalogue.month("1999-01")) == 0


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """Prevents that a Latin-1 name, on disk or in an archive, breaks the report that tells of it."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/R\xe4ume"))
    archive = write_zip(folder / "202401.zip", {"1.tch": log(1), "xxxx/2.tch": log(2), "xxxx/a.tch": b""})
    patched(archive, CENTRAL, "xxxx/2.tch", 16, b"\1\2\3\4")
    archive.write_bytes(archive.read_bytes().replace(b"xxxx", b"\xfc\xff\xfe\xfd"))
    (folder / os.fsdecode(b"\xff.tch")).write_bytes(b"")
    logs, problems = everything(scan(tmp_path))
    assert logs == {1: log(1)}
    assert [kind for kind, _, _ in problems] == ["not a log", "not a log", "damaged"]
    assert "".join(text for problem in problems for text in problem).encode()
    assert problems[-1][1:] == ("R\ufffdume/202401.zip", "\ufffd\ufffd\ufffd\ufffd/2.tch")


def test_single_archive_and_missing_folder(tmp_path: Path) -> None:
    """Prevents that a path to one archive, or to nothing, ends in a stack trace without a remedy."""
    path = write_zip(tmp_path / "202401.zip", {"5.tch": log(5)})
    assert scan(path).months == ("2024-01",)
    with pytest.raises(FileNotFoundError, match="fetch or generate logs first"):
        scan(tmp_path / "nothing")


def test_empty_raw_folder(tmp_path: Path) -> None:
    """Prevents that a first run without any log crashes in NumPy."""
    assert (scan(tmp_path).months, len(scan(tmp_path))) == ((), 0)
    write_zip(tmp_path / "2024.zip", {})
    (tmp_path / "x.tch").write_bytes(b"")
    assert len(scan(tmp_path)) == 0


def test_unfinished_downloads_and_hidden_files_are_no_sources(tmp_path: Path) -> None:
    """Prevents that games are read that a download still fetches, or that macOS's resource forks are."""
    for folder in ("2024/202401.part", ".trash/202401", "__MACOSX/202401"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "1.tch").write_bytes(log(1))
    write_zip(tmp_path / "2024.zip", {"__MACOSX/202401/._7.tch": b"\0", "202401/._7.tch": b"\0"})
    catalogue = scan(tmp_path)
    assert (len(catalogue), catalogue.problems) == (0, ())


def test_deep_folders_and_odd_names(tmp_path: Path) -> None:
    """Prevents that an archive packed one level higher, or with umlauts in a folder, loses its months."""
    write_zip(tmp_path / "all.zip", {"./Räume/2024/202405/6.tch": log(6)})
    catalogue = scan(tmp_path)
    assert catalogue.months == ("2024-05",)
    assert everything(catalogue) == ({6: log(6)}, [])


# Months


def test_month_from_index_pages(tmp_path: Path) -> None:
    """Prevents that logs in no month's folder are lost though an index page tells their month; pages of
    2014 to 2018 are not valid UTF-8."""
    page = b'<html>\n<a href="31.tch">anna, \xe4\xff\xfe bert</a>\n<a href="/32.tch">x</a>\n'
    write_zip(tmp_path / "2015.zip", {"201503/index.html": page})
    (tmp_path / "201504").mkdir()
    (tmp_path / "201504" / "index.html").write_bytes(b"<A HREF=33.tch>")
    for game in (31, 33, 34):
        (tmp_path / f"{game}.tch").write_bytes(log(game))
    write_zip(tmp_path / "some.zip", {"32.tch": log(32)})
    catalogue = scan(tmp_path)
    assert {month: catalogue.month(month).game_ids.tolist() for month in catalogue.months} == {
        "2015-03": [31, 32],
        "2015-04": [33],
    }
    (problem,) = catalogue.problems
    assert (problem.kind, problem.file, problem.member) == ("month unknown", ".", "34.tch")
    assert "no index page lists it" in problem.reason
    assert "202403/index.html" in problem.remedy


def test_month_from_another_source(tmp_path: Path) -> None:
    """Prevents that a loose copy of a log counts as lost when an archive tells its month."""
    write_zip(tmp_path / "2024.zip", {"202401/1.tch": log(1)})
    (tmp_path / "1.tch").write_bytes(log(1))
    catalogue = scan(tmp_path)
    assert (catalogue.months, len(catalogue), catalogue.problems) == (("2024-01",), 1, ())


def test_damaged_index_page(tmp_path: Path) -> None:
    """Prevents that a broken index page hides the others, or that it stays unsaid."""
    path = write_zip(tmp_path / "2015.zip", {"201503/index.html": b'<a href="1.tch">' * 50})
    patched(path, CENTRAL, "201503/index.html", 16, b"\1\2\3\4")
    write_zip(tmp_path / "2016.zip", {"201603/index.html": b'<a href="2.tch">'})
    for game in (1, 2):
        (tmp_path / f"{game}.tch").write_bytes(log(game))
    catalogue = scan(tmp_path)
    assert catalogue.months == ("2016-03",)
    kinds = [(problem.kind, problem.member) for problem in catalogue.problems]
    assert kinds == [("damaged", "201503/index.html"), ("month unknown", "1.tch")]


def test_index_page_of_contradictory_sizes(tmp_path: Path) -> None:
    """Prevents that a stored page that claims to be longer than it is reads what lies behind it in memory."""
    page = {"201503/index.html": b'<a href="1.tch">' * 50}
    path = write_zip(tmp_path / "2015.zip", page, zipfile.ZIP_STORED)
    patched(path, CENTRAL, "201503/index.html", 24, struct.pack("<I", 30 << 20))
    patched(path, LOCAL, "201503/index.html", 22, struct.pack("<I", 30 << 20))
    (tmp_path / "1.tch").write_bytes(log(1))
    assert [problem.kind for problem in scan(tmp_path).problems] == ["damaged", "month unknown"]


def test_listed_games() -> None:
    """Prevents that links to other pages, or quotes set differently, change what a month has."""
    page = b"""<a href="../">up</a><a href='7.tch'>\xff</a> <a HREF = "http://host/x/8.tch?y">
        <a href="7.tch"> <a href="0.tch"> <a href="9.tchx"> <a href="abc.tch"> 10.tch"""
    assert listed_games(page) == [7, 8]


@pytest.mark.parametrize("unit", [b"href=", b"href=/", b"href ", b"href=1", b"href = ", b"<a href='"])
def test_pages_made_to_be_searched_for_ever(unit: bytes) -> None:
    """Prevents that an index page of a few megabytes holds a scan or a download for hours."""
    started = time.process_time()
    assert listed_games(unit * 200_000 + b'<a href="7.tch">') == [7]
    assert time.process_time() - started < 5


# Doubles, and stamps


def test_identical_doubles_count_once(tmp_path: Path) -> None:
    """Prevents that a game that lies in a yearly and a monthly archive is counted twice, or reported."""
    members = {f"202401/{game}.tch": log(game) for game in range(1, 30)}
    write_zip(tmp_path / "2024.zip", members)
    write_zip(tmp_path / "2024" / "202401.zip", members, zipfile.ZIP_STORED)
    catalogue = scan(tmp_path)
    assert catalogue.problems == ()
    assert contents(catalogue.month("2024-01")) == {game: log(game) for game in range(1, 30)}


def test_later_double_wins(tmp_path: Path) -> None:
    """Prevents that the older of two different logs of a game is used, or that the choice stays unsaid."""
    old = write_zip(tmp_path / "b.zip", {"202401/1.tch": log(1), "202401/2.tch": log(2)})
    new = write_zip(tmp_path / "a.zip", {"202401/1.tch": log(1), "202401/2.tch": log(99)})
    set_time(old, 1_600_000_000)
    set_time(new, 1_700_000_000)
    catalogue = scan(tmp_path)
    assert contents(catalogue.month("2024-01")) == {1: log(1), 2: log(99)}
    assert [(p.kind, p.file, p.member) for p in catalogue.problems] == [("superseded", "b.zip", "202401/2.tch")]
    set_time(new, 1_600_000_000)  # of the same time: the later name
    assert contents(scan(tmp_path).month("2024-01"))[2] == log(2)


def test_double_within_an_archive(tmp_path: Path) -> None:
    """Prevents that a member appended anew to an archive is shadowed by the stale one before it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the very thing that is to be tested
        with zipfile.ZipFile(tmp_path / "2024.zip", "w") as archive:
            archive.writestr("202401/1.tch", log(8))
            archive.writestr("202401/1.tch", log(1))
    catalogue = scan(tmp_path)
    assert contents(catalogue.month("2024-01")) == {1: log(1)}
    assert [problem.kind for problem in catalogue.problems] == ["superseded"]


def test_double_in_two_months(tmp_path: Path) -> None:
    """Prevents that a game stands in two months, and so twice in every table."""
    write_zip(tmp_path / "202401.zip", {"1.tch": log(1)})
    later = write_zip(tmp_path / "202402.zip", {"1.tch": log(1)})
    set_time(later, 2_000_000_000)
    catalogue = scan(tmp_path)
    assert catalogue.months == ("2024-02",)
    assert [(problem.kind, problem.file) for problem in catalogue.problems] == [("superseded", "202401.zip")]


def test_stamp(tmp_path: Path) -> None:
    """Prevents that an unchanged month is read again because it moved, or a changed one is not."""
    members = {f"202401/{game}.tch": log(game) for game in (3, 1, 2)}
    yearly, monthly, loose = tmp_path / "y", tmp_path / "m", tmp_path / "l"
    write_zip(yearly / "2024.zip", {**members, "202402/9.tch": log(9)})
    write_zip(monthly / "2024" / "202401.zip", dict(reversed(members.items())), zipfile.ZIP_STORED)
    for name, content in members.items():
        (loose / name).parent.mkdir(parents=True, exist_ok=True)
        (loose / name).write_bytes(content)
    stamps = {scan(raw).stamp("2024-01") for raw in (yearly, monthly, loose)}
    assert len(stamps) == 1
    before = scan(loose).stamp("2024-01")
    (loose / "202401" / "1.tch").write_bytes(log(1)[:-1] + b"!")  # the same size
    changed = scan(loose).stamp("2024-01")
    (loose / "202401" / "1.tch").unlink()
    assert len({before, changed, scan(loose).stamp("2024-01")}) == 3
    assert scan(yearly).stamp("2024-02") not in stamps


# Hostile archives: each costs the member or the file, and is told


@pytest.mark.parametrize(
    "name",
    ["/202401/66.tch", "../202401/66.tch", "202401/../../66.tch", "..\\202401\\66.tch", "C:/202401/66.tch"],
)
def test_path_tricks(tmp_path: Path, name: str) -> None:
    """Prevents that a name that leads out of the archive is followed, or costs more than that member."""
    write_zip(tmp_path / "raw" / "2024.zip", {"202401/1.tch": log(1), name: log(66)})
    before = sorted(tmp_path.rglob("*"))
    assert everything(scan(tmp_path / "raw")) == ({1: log(1)}, [("unsafe name", "2024.zip", name)])
    assert sorted(tmp_path.rglob("*")) == before


def test_name_with_a_nul(tmp_path: Path) -> None:
    """Prevents that a name is cut at a NUL and so passes for another one."""
    path = write_zip(tmp_path / "2024.zip", {"202401/1.tch": log(1), "202401/2.tchx": log(2)})
    path.write_bytes(path.read_bytes().replace(b"202401/2.tchx", b"202401/2.tch\0"))
    assert everything(scan(tmp_path)) == ({1: log(1)}, [("unsafe name", "2024.zip", "202401/2.tch")])


@pytest.mark.parametrize("name", ["readme.tch", "007.tch", "-3.tch", "1e3.tch", "9" * 30 + ".tch", "5.TCH", "٣.tch"])
def test_name_that_is_no_game_id(tmp_path: Path, name: str) -> None:
    """Prevents that a name is bent into some game's id, in archives and folders alike."""
    write_zip(tmp_path / "zip" / "2024.zip", {f"202401/{name}": log(1), "202401/5.tch": log(5)})
    (tmp_path / "loose" / "202401").mkdir(parents=True)
    (tmp_path / "loose" / "202401" / name).write_bytes(log(1))
    for raw in ("zip", "loose"):
        problems = scan(tmp_path / raw).problems
        assert [problem.kind for problem in problems] == ["not a log"]


def bomb(path: Path, claimed: int | None) -> Path:
    """An archive with a log, and one that inflates to 64 MiB, whatever size it claims to have."""
    write_zip(path, {"202401/1.tch": log(1), "202401/2.tch": bytes(64 << 20), "202401/3.tch": log(3)})
    if claimed is not None:
        patched(path, CENTRAL, "202401/2.tch", 24, struct.pack("<I", claimed))
        patched(path, LOCAL, "202401/2.tch", 22, struct.pack("<I", claimed))
    return path


@pytest.mark.parametrize(("claimed", "kind"), [(None, "too large"), (20_000, "damaged"), (0, "damaged")])
@pytest.mark.parametrize("library", ["deflate", "zlib"])
def test_zip_bomb(
    tmp_path: Path, claimed: int | None, kind: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prevents that a member that inflates beyond the limit, or its own claim, fills the memory."""
    use(library, monkeypatch)
    bomb(tmp_path / "2024.zip", claimed)
    logs, problems = everything(scan(tmp_path))
    assert logs == {1: log(1), 3: log(3)}
    assert problems == [(kind, "2024.zip", "202401/2.tch")]


def test_size_limit_of_loose_files(tmp_path: Path) -> None:
    """Prevents that a huge loose file is read whole only to be refused."""
    (tmp_path / "202401").mkdir()
    with (tmp_path / "202401" / "1.tch").open("wb") as file:
        file.truncate(1 << 40)  # takes no space on disk
    (tmp_path / "202401" / "2.tch").write_bytes(bytes(SIZE_LIMIT))
    catalogue = scan(tmp_path)
    assert [problem.kind for problem in catalogue.problems] == ["too large"]
    assert catalogue.month("2024-01").game_ids.tolist() == [2]


@pytest.mark.parametrize(
    ("signature", "at", "value", "kind"),
    [
        (CENTRAL, 8, b"\1\0", "encrypted"),
        (LOCAL, 6, b"\1\0", "damaged"),  # the local header alone says so
        (CENTRAL, 10, b"\x0c\0", "unsupported"),  # bzip2
        (LOCAL, 8, b"\0\0", "damaged"),  # stored here, deflated there
        (CENTRAL, 16, b"\1\2\3\4", "damaged"),  # wrong CRC in the directory
        (LOCAL, 14, b"\1\2\3\4", "damaged"),  # wrong CRC in the local header
        (CENTRAL, 24, b"\1\1\0\0", "damaged"),  # wrong size
        (CENTRAL, 42, b"\1\0\0\0", "damaged"),  # the local header is elsewhere
        (CENTRAL, 42, b"\0\0\0\x70", "damaged"),  # and beyond the end of the file
        (CENTRAL, 20, b"\xff\xff\xff\0", "too large"),  # a compressed size of 16 MB
        (LOCAL, 30 + 7, b"9", "damaged"),  # another name
        (LOCAL, 0, b"PK\7\7", "damaged"),
    ],
)
def test_damaged_member(tmp_path: Path, signature: bytes, at: int, value: bytes, kind: str) -> None:
    """Prevents that a member that is not what the directory says is used, or costs its neighbours."""
    path = write_zip(tmp_path / "2024.zip", {f"202401/{game}.tch": log(game) for game in (1, 2, 3)})
    patched(path, signature, "202401/2.tch", at, value)
    logs, problems = everything(scan(tmp_path))
    assert logs == {1: log(1), 3: log(3)}
    assert problems == [(kind, "2024.zip", "202401/2.tch")]


@pytest.mark.parametrize("library", ["deflate", "zlib"])
def test_damaged_content(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevents that flipped bits in the compressed data get into the tables, whichever library inflates."""
    use(library, monkeypatch)
    clean = write_zip(tmp_path / "2024.zip", {f"202401/{game}.tch": log(game) for game in (1, 2, 3)}).read_bytes()
    start = clean.find(b"202401/2.tch") + 12
    end = clean.find(b"PK\x03\x04", start)
    for at in range(start, end, 7):
        data = bytearray(clean)
        data[at] ^= 0x10
        (tmp_path / "2024.zip").write_bytes(data)
        logs, problems = everything(scan(tmp_path))
        assert logs == {1: log(1), 3: log(3)}
        assert problems == [("damaged", "2024.zip", "202401/2.tch")]


def test_symbolic_link_in_an_archive(tmp_path: Path) -> None:
    """Prevents that a link's target is taken for a log's text."""
    entry = zipfile.ZipInfo("202401/2.tch")
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "2024.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
        archive.writestr("202401/1.tch", log(1))
    assert everything(scan(tmp_path)) == ({1: log(1)}, [("special file", "2024.zip", "202401/2.tch")])


def test_links_and_special_files(tmp_path: Path) -> None:
    """Prevents that a link leads out of the raw folder or in circles, and that a pipe is waited for."""
    raw, outside = tmp_path / "raw", tmp_path / "outside"
    (raw / "202401").mkdir(parents=True)
    outside.mkdir()
    (outside / "66.tch").write_bytes(log(66))
    write_zip(outside / "2024.zip", {"202401/67.tch": log(67)})
    (raw / "202401" / "1.tch").write_bytes(log(1))
    (raw / "202401" / "66.tch").symlink_to(outside / "66.tch")
    (raw / "202401" / "circle").symlink_to(raw)
    (raw / "2024.zip").symlink_to(outside / "2024.zip")
    os.mkfifo(raw / "202401" / "5.tch")
    os.mkfifo(raw / "2025.zip")
    logs, problems = everything(scan(raw))
    assert logs == {1: log(1)}
    assert sorted(problems) == [
        ("special file", "2024.zip", ""),
        ("special file", "202401", "5.tch"),
        ("special file", "202401", "66.tch"),
        ("special file", "202401/circle", ""),
        ("special file", "2025.zip", ""),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a zip"),
        (b"<html><body>404 Not Found</body></html>", "not a zip"),
        (b"PK\5\6", "not a zip"),
        (b"PK\5\6\2\0\1\0" + bytes(14), "split"),
        (b"PK\5\6\0\0\0\0\1\0\1\0\x40\0\0\0\0\0\0\0\0\0", "outside the file"),
        (b"x" * 100 + b"PK\5\6\0\0\0\0\1\0\1\0\x40\0\0\0\0\0\0\0\0\0", "damaged after 0 members"),
        (b"PK\5\6\0\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\0\0", "lists 0 members where 1"),
    ],
)
def test_not_a_zip(tmp_path: Path, content: bytes, reason: str) -> None:
    """Prevents that a file that is no archive, an error page say, stops the others or passes unsaid."""
    (tmp_path / "2023.zip").write_bytes(content)
    write_zip(tmp_path / "2024.zip", {"202401/1.tch": log(1)})
    catalogue = scan(tmp_path)
    assert everything(catalogue)[0] == {1: log(1)}
    (problem,) = catalogue.problems
    assert (problem.kind, problem.file) == ("unreadable", "2023.zip")
    assert reason in problem.reason
    assert "fetch it again" in str(problem)


def test_truncated_archive(tmp_path: Path) -> None:
    """Prevents that an archive whose copying was cut off is read as far as it goes and taken for whole."""
    members = {f"202401/{game}.tch": log(game) for game in range(1, 9)}
    clean = write_zip(tmp_path / "2024.zip", members).read_bytes()
    for length in range(0, len(clean), 97):
        (tmp_path / "2024.zip").write_bytes(clean[:length])
        logs, problems = everything(scan(tmp_path))
        assert (logs, problems) == ({}, [("unreadable", "2024.zip", "")])


def test_damaged_directory_keeps_what_is_before(tmp_path: Path) -> None:
    """Prevents that one bad entry of a directory costs the whole year silently, or altogether."""
    path = write_zip(tmp_path / "2024.zip", {f"202401/{game}.tch": log(game) for game in (1, 2, 3)})
    patched(path, CENTRAL, "202401/3.tch", 0, b"XX")
    catalogue = scan(tmp_path)
    assert everything(catalogue)[0] == {1: log(1), 2: log(2)}
    assert "damaged after 2 members" in catalogue.problems[0].reason


def test_other_archives_are_told(tmp_path: Path) -> None:
    """Prevents that a year packed with another program is missing without a word."""
    (tmp_path / "2024.7z").write_bytes(b"7z")
    (problem,) = scan(tmp_path).problems
    assert (problem.kind, problem.file) == ("unreadable", "2024.7z")


def test_archives_in_archives_are_told(tmp_path: Path) -> None:
    """Prevents that a year of logs, packed once more for safe keeping, is missing without a word; or is opened, and
    the archive in it, and so on."""
    inner = write_zip(tmp_path / "inner", {"202401/1.tch": log(1)}).read_bytes()
    (tmp_path / "raw").mkdir()
    members = {"202401/2.tch": log(2), "202401.zip": inner, "a/b.TAR": b"", "__MACOSX/202402.zip": inner}
    write_zip(tmp_path / "raw" / "2024.zip", members)
    assert everything(scan(tmp_path / "raw")) == (
        {2: log(2)},
        [("unreadable", "2024.zip", "202401.zip"), ("unreadable", "2024.zip", "a/b.TAR")],
    )


@pytest.mark.parametrize(
    "month", ["202413", "202400", "2024-13", "0", "99999999999999999999", "190001", "２０２４０１"]
)
def test_folders_that_are_no_months(tmp_path: Path, month: str) -> None:
    """Prevents a partition 2024-13, or a crash on a number that is no month."""
    (tmp_path / "raw" / month).mkdir(parents=True)
    (tmp_path / "raw" / month / "1.tch").write_bytes(log(1))
    write_zip(tmp_path / "raw" / "all.zip", {f"{month}/2.tch": log(2), f"{month}/index.html": b'<a href="1.tch">'})
    catalogue = scan(tmp_path / "raw")
    assert catalogue.months == ()
    assert [problem.kind for problem in catalogue.problems] == ["month unknown", "month unknown"]


def test_names_that_would_rule_the_terminal(tmp_path: Path) -> None:
    """Prevents that a file's name clears the screen of whoever reads the messages, or adds a line of its own."""
    name = "\x1b[2J\n2024 fine\x9b"
    write_zip(tmp_path / f"{name}.zip", {f"202401/{name}.tch": log(1), f"{name}/2.tch": log(2)})
    (tmp_path / f"{name}.tch").write_bytes(log(1))
    problems = scan(tmp_path).problems
    assert [problem.kind for problem in problems] == ["not a log", "not a log", "month unknown"]
    assert all(str(problem).isprintable() for problem in problems)


def test_folders_too_deep_for_the_system(tmp_path: Path) -> None:
    """Prevents that a path beyond what the system takes ends the walk through all the others."""
    (tmp_path / "202401").mkdir()
    (tmp_path / "202401" / "1.tch").write_bytes(log(1))
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    logs, problems = everything(scan(tmp_path))
    assert logs == {1: log(1)}
    assert [kind for kind, _, _ in problems] == ["unreadable"]


def test_members_that_share_their_bytes(tmp_path: Path) -> None:
    """Prevents that one member is read a hundred thousand times because as many entries point to it."""
    path = write_zip(tmp_path / "2024.zip", {f"202401/{game}.tch": log(1) for game in range(1, 50)})
    with path.open("rb") as file:
        first = next(read_entries(file)).offsets[0]
    for game in range(2, 50):
        patched(path, CENTRAL, f"202401/{game}.tch", 42, struct.pack("<I", int(first)))
    logs, problems = everything(scan(tmp_path))
    assert logs == {1: log(1)}
    assert {kind for kind, _, _ in problems} == {"damaged"}
    assert len(problems) == 48


def test_a_million_problems_are_told_briefly(tmp_path: Path) -> None:
    """Prevents that a broken archive's problems take more memory than the logs."""
    write_zip(tmp_path / "2024.zip", {f"202401/x{number}.tch": b"" for number in range(1_000)})
    problems = scan(tmp_path).problems
    assert len(problems) == 101
    assert problems[-1].member == "(900 more)"


def test_source_changed_after_the_scan(tmp_path: Path) -> None:
    """Prevents that logs are cut out of an archive with the directory of the one it replaced."""
    path = write_zip(tmp_path / "2024.zip", {"202401/1.tch": log(1)})
    (tmp_path / "202402").mkdir()
    loose = tmp_path / "202402" / "2.tch"
    loose.write_bytes(log(2))
    catalogue = scan(tmp_path)
    set_time(write_zip(path, {"202401/1.tch": log(9)}), 1_700_000_000)
    loose.write_bytes(log(3))
    assert everything(catalogue) == ({}, [("changed", "2024.zip", ""), ("changed", "202402", "2.tch")])
    path.unlink()
    loose.unlink()
    assert everything(catalogue) == ({}, [("unreadable", "2024.zip", ""), ("unreadable", "202402", "2.tch")])


def test_any_byte_may_be_wrong(tmp_path: Path) -> None:
    """Prevents that some damage of an archive nobody thought of ends in a crash, or in a wrong log."""
    members = {f"202401/{game}.tch": log(game) for game in (1, 2, 3)} | {"7.tch": log(7)}
    clean = write_zip(tmp_path / "2024.zip", {**members, "202402/index.html": b'<a href="7.tch">'}).read_bytes()
    chance = random.Random(1)
    for _ in range(800):
        data = bytearray(clean)
        for _ in range(chance.choice([1, 1, 2, 8])):
            at = chance.randrange(len(data)) if chance.random() < 0.3 else -chance.randrange(1, 500)
            data[at] = chance.choice([0, 0xFF, data[at] ^ 1 << chance.randrange(8), chance.randrange(256)])
        (tmp_path / "2024.zip").write_bytes(data)
        logs, _ = everything(scan(tmp_path))
        assert set(logs.values()) <= {*(log(game) for game in (1, 2, 3, 7))}


# The formats of archives


def use(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inflates with this library, or skips the test without it."""
    if library == "zlib":
        monkeypatch.setattr(deflated, "NATIVE", False)
    elif not deflated.NATIVE:
        pytest.skip("the deflate package is not installed, or kernels are not compiled")


@pytest.mark.parametrize("library", ["deflate", "zlib"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_both_libraries_read_the_same(
    tmp_path: Path, method: int, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prevents that a machine without the fast library reads something else, empty logs included."""
    use(library, monkeypatch)
    members = {f"202401/{game}.tch": log(game, game % 7) for game in range(1, 60)}
    write_zip(tmp_path / "2024.zip", {**members, "202401/60.tch": b"", "202401/61.tch": b"x"}, method)
    found = contents(scan(tmp_path).month("2024-01"))
    assert found == {game: log(game, game % 7) for game in range(1, 60)} | {60: b"", 61: b"x"}


class Unseekable(io.RawIOBase):
    """A pipe: an archive written to it leaves sizes open in its local headers."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.data += data
        return len(data)


def test_streamed_archive_with_something_before_it(tmp_path: Path) -> None:
    """Prevents that archives made through a pipe, or with a program before them, are taken for damaged."""
    pipe = Unseekable()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for game in (1, 2):
            archive.writestr(f"202401/{game}.tch", log(game))
        archive.comment = b"PK\x05\x06 is no end"
    (tmp_path / "2024.zip").write_bytes(b"#!/bin/sh\n" * 9 + pipe.data)
    assert everything(scan(tmp_path)) == ({1: log(1), 2: log(2)}, [])


@pytest.mark.parametrize(("comment", "appended"), [(b"of PK\x05\x06 " * 9, b""), (b"", b"\n"), (b"mine", b"\0" * 99)])
def test_end_of_an_archive(tmp_path: Path, comment: bytes, appended: bytes) -> None:
    """Prevents that a whole archive is taken for one of several parts because its comment quotes the format; or for
    truncated because something was appended to it."""
    with zipfile.ZipFile(tmp_path / "2024.zip", "w") as archive:
        archive.writestr("202401/1.tch", log(1))
        archive.comment = comment
    with (tmp_path / "2024.zip").open("ab") as file:
        file.write(appended)
    assert everything(scan(tmp_path)) == ({1: log(1)}, [])


def test_zip64_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevents that the 64-bit fields of large archives are misread: here members and the end have them."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    path = write_zip(tmp_path / "2024.zip", {f"202401/{game}.tch": log(game) for game in range(1, 9)})
    assert b"PK\6\6" in path.read_bytes()
    assert everything(scan(tmp_path)) == ({game: log(game) for game in range(1, 9)}, [])
    path.write_bytes(b"something before" + path.read_bytes())
    assert everything(scan(tmp_path)) == ({game: log(game) for game in range(1, 9)}, [])


def test_archive_beyond_four_gigabytes(tmp_path: Path) -> None:
    """Prevents that the real archives of 7 GB are cut at the 32-bit mark."""
    path = tmp_path / "all.zip"
    with path.open("wb") as file:
        file.truncate(5 << 30)  # takes no space on disk
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for game in (1, 2, 3):
            archive.writestr(f"20240{game}/{game}.tch", log(game))
    catalogue = scan(tmp_path)
    assert int(catalogue.members.rows["offset"].min()) >= 5 << 30
    assert everything(catalogue) == ({game: log(game) for game in (1, 2, 3)}, [])


def test_more_members_than_sixteen_bits_count(tmp_path: Path) -> None:
    """Prevents that a year of 120,000 games is cut at 65,535, or between two blocks of the directory."""
    count = 70_000
    with zipfile.ZipFile(tmp_path / "2024.zip", "w") as archive:
        for game in range(1, count + 1):
            archive.writestr(zipfile.ZipInfo(f"2024{1 + game % 12:02d}/{game}.tch"), b"%d" % game)
    catalogue = scan(tmp_path)
    assert (len(catalogue), len(catalogue.months)) == (count, 12)
    assert contents(catalogue.month("2024-03"))[65_006] == b"65006"


def test_directory_equals_zipfile(tmp_path: Path) -> None:
    """Prevents that the fast reader of directories and the standard library's disagree on any field."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(300):
            entry = zipfile.ZipInfo(f"20240{1 + number % 9}/{'a' * (number % 50)}{number}.tch")
            entry.comment, entry.extra = (
                b"c" * (number % 5),
                struct.pack("<HH", 0x7777, number % 4) + b"e" * (number % 4),
            )
            entry.compress_type = number % 2 * zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, log(number, number % 3))
        archive.comment = b"comment"
    with (tmp_path / "x.zip").open("rb") as file:
        (entries,) = read_entries(file)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        infos = archive.infolist()
    assert entries.names.tolist() == [info.filename.encode() for info in infos]
    for ours, theirs in (
        (entries.crcs, "CRC"),
        (entries.sizes, "file_size"),
        (entries.compressed, "compress_size"),
        (entries.offsets, "header_offset"),
        (entries.methods, "compress_type"),
        (entries.flags, "flag_bits"),
    ):
        assert ours.tolist() == [getattr(info, theirs) for info in infos]
    assert entries.modes.tolist() == [0o100644] * 300


# Reading


def test_chunks_are_bounded_and_complete(tmp_path: Path) -> None:
    """Prevents that memory grows with the month, or that a log falls between two chunks."""
    members = {f"202401/{game}.tch": b"" for game in range(1, 3 * CHUNK_GAMES)}
    members |= {f"202401/{game}.tch": bytes(1 << 20) for game in range(10_000, 10_030)}
    members["202401/20000.tch"] = bytes(SIZE_LIMIT)
    write_zip(tmp_path / "2024.zip", members)
    month = scan(tmp_path).month("2024-01")
    parts = list(split(month))
    assert all(0 < len(part) <= CHUNK_GAMES and part.bytes <= CHUNK_BYTES for part in parts)
    assert np.array_equal(np.concatenate([part.game_ids for part in parts]), month.game_ids)
    assert len(parts) <= 9
    lengths = {
        int(game): int(size)
        for chunk in read(month)
        for game, size in zip(chunk.game_ids, chunk.ends - chunk.starts, strict=True)
    }
    assert lengths == {int(name[7:-4]): len(content) for name, content in members.items()}


def test_chunk_of_several_sources_keeps_the_order(tmp_path: Path) -> None:
    """Prevents that logs of a month are handed out under each other's ids when its sources interleave."""
    for game in range(1, 40):
        if game % 3 == 0:
            (tmp_path / "202401").mkdir(exist_ok=True)
            (tmp_path / "202401" / f"{game}.tch").write_bytes(log(game))
    backwards = [game for game in range(39, 0, -1) if game % 3 == 1]
    write_zip(tmp_path / "a.zip", {f"202401/{game}.tch": log(game) for game in backwards})
    write_zip(tmp_path / "202401.zip", {f"{game}.tch": log(game) for game in range(1, 40) if game % 3 == 2})
    chunk = inflate(scan(tmp_path).month("2024-01"))
    assert chunk.game_ids.tolist() == list(range(1, 40))
    assert [chunk.log(index) for index in range(39)] == [log(game) for game in range(1, 40)]


def test_threads_read_the_same(tmp_path: Path) -> None:
    """Prevents that threads that read the same archive side by side disturb each other."""
    write_zip(tmp_path / "2024.zip", {f"202401/{game}.tch": log(game) for game in range(1, 400)})
    month = scan(tmp_path).month("2024-01")
    parts = [month[start : start + 25] for start in range(0, len(month), 25)] * 4
    with ThreadPoolExecutor(4) as pool:
        for chunk in pool.map(inflate, parts):
            assert all(chunk.log(index) == log(int(game)) for index, game in enumerate(chunk.game_ids))


def test_members_far_apart_are_read_apart(tmp_path: Path) -> None:
    """Prevents that reading two members loads all that lies between them."""
    filler = {f"202402/{game}.tch": os.urandom(1 << 16) for game in range(100, 150)}
    write_zip(tmp_path / "2024.zip", {"202401/1.tch": log(1), **filler, "202401/2.tch": log(2)})
    month = scan(tmp_path).month("2024-01")
    runs = list(inflating._runs(month.rows, np.arange(2)))
    assert len(runs) == 2
    assert all(length < 1 << 18 for _, _, length in runs)
    assert contents(month) == {1: log(1), 2: log(2)}
