"""`forget --check` finds what is planted in each place where the daemon keeps things, and names it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conductd.cli import render_forget
from conductd.core.forget import Marks, fold, literal, pieces
from conductd.core.temp_name import temp_name
from conductd.engine.forgetting.forget_check import check
from conductd.index.writer import IndexWriter
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import CheckpointRecord, EventClass, EventRecord, ForgetRecord, Severity
from conductd.ports import SystemClock
from conductd.views import ForgetCheckView
from support.journals import WORKSPACE, version

SECRET = "Example-Pass-4711"
LINE = f"- nas password is {SECRET}"
TEXT = "# Memory\n\n" + "".join(f"- entry {n} about the garden\n" for n in range(40))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory in which a forgetting of the line has been erased, and nothing of it is left."""
    directory = tmp_path / "state"
    directory.mkdir()
    (tmp_path / "ws").mkdir()
    with DirectoryStorage(directory / "journal", exclusive=True) as storage:
        journal, _ = Journal.open(storage, clock=SystemClock(), writer="test")
        with closing(journal), closing(IndexWriter(directory / "index.sqlite3", journal.uuid)) as index:
            mark = next(pieces(LINE.encode(), journal.key)).entry.fingerprint
            forget = ForgetRecord(None, "erased", entries=(mark,), guards=(literal(fold(SECRET), journal.key),))
            stored = journal.append([version(TEXT.encode()), version(TEXT.replace("3", "4").encode()), Draft(forget)])
            index.apply(stored)
    return directory


def looked(state: Path, text: str) -> ForgetCheckView:
    with DirectoryStorage(state / "journal") as storage:
        journal, _ = Journal.open(storage, clock=SystemClock(), writer="test", read_only=True)
        with closing(journal):
            *_, view = check(journal, str(state), text, [bytes(state.parent / "ws")])
    assert isinstance(view, ForgetCheckView)
    return view


def written(state: Path, *drafts: Draft) -> None:
    with DirectoryStorage(state / "journal", exclusive=True) as storage:
        journal, _ = Journal.open(storage, clock=SystemClock(), writer="test")
        with closing(journal):
            journal.append(drafts)


def in_a_version(state: Path) -> None:
    written(state, version((TEXT + LINE + "\n").encode()))


def in_a_version_of_another_encoding(state: Path) -> None:
    written(state, version((TEXT + LINE + "\r\n").encode("utf-16")))


def in_a_snapshot(state: Path) -> None:
    written(state, Draft(CheckpointRecord(1), b"\xa5state\xd9\x24" + LINE.encode() + b"\xc0"))


def in_the_words_of_a_record(state: Path) -> None:
    written(state, Draft(EventRecord(EventClass.CLOCK_JUMP, Severity.INFO, WORKSPACE, detail=f"look: {SECRET}")))


def in_unused_space_of_a_segment(state: Path) -> None:
    newest = max((state / "journal").glob("*.seg"))
    with newest.open("r+b") as file:
        file.seek(-4096, 2)
        file.write(LINE.encode())


def in_the_spare_segment(state: Path) -> None:
    (state / "journal" / "spare").write_bytes(bytes(500) + LINE.encode() + bytes(500))


def in_a_segment_that_a_crash_left(state: Path) -> None:
    """Packed, in a file that is none of the journal: no raw search would find it."""
    words = "".join(f"- {hash_of(n)} {hash_of(n + 500)}\n" for n in range(300))
    other = state.parent / "other"
    other.mkdir()
    written(other, version((words + LINE + "\n" + words[::-1]).encode()))
    held = (other / "journal" / "00000001.seg").read_bytes()
    assert SECRET.encode() not in held
    (state / "journal" / "00000007.new").write_bytes(held)


def hash_of(number: int) -> str:
    return f"{number * 2654435761 % 2**32:08x}"


def in_a_row_of_the_index(state: Path) -> None:
    with closing(sqlite3.connect(state / "index.sqlite3")) as sql, sql:
        sql.execute("CREATE TABLE more (text)")
        sql.execute("INSERT INTO more VALUES (?)", ("x" * 5000 + "\n" + LINE,))


def in_a_free_page_of_the_index(state: Path) -> None:
    in_a_row_of_the_index(state)
    with closing(sqlite3.connect(state / "index.sqlite3", isolation_level=None)) as sql:
        sql.execute("PRAGMA secure_delete = OFF")
        sql.execute("DROP TABLE more")
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def in_the_log_of_the_index(state: Path) -> None:
    (state / "index.sqlite3-wal").write_bytes(bytes(100) + LINE.encode())


def in_an_index_set_aside(state: Path) -> None:
    (state / "index.sqlite3.damaged").write_bytes(b"SQLite format 3\0" + LINE.encode())


def in_a_log(state: Path) -> None:
    (state / "daemon.log").write_text('{"event": "x", "text": "' + LINE + '"}\n')


def in_a_file_of_any_name(state: Path) -> None:
    (state / "spool").mkdir()
    (state / "spool" / "7").write_bytes(LINE.encode("utf-16-le"))


def in_a_temporary_file_in_a_workspace(state: Path) -> None:
    place = state.parent / "ws" / "memory"
    place.mkdir()
    (place / temp_name(b"12345678").decode()).write_text(TEXT + LINE)


PLACES: list[Callable[[Path], None]] = [
    in_a_version,
    in_a_version_of_another_encoding,
    in_a_snapshot,
    in_the_words_of_a_record,
    in_unused_space_of_a_segment,
    in_the_spare_segment,
    in_a_segment_that_a_crash_left,
    in_a_row_of_the_index,
    in_a_free_page_of_the_index,
    in_the_log_of_the_index,
    in_an_index_set_aside,
    in_a_log,
    in_a_file_of_any_name,
    in_a_temporary_file_in_a_workspace,
]


@pytest.mark.parametrize("text", ["", SECRET, "nas password"], ids=["by fingerprint", "the secret", "a description"])
def test_nothing_is_found_where_nothing_is(state: Path, text: str) -> None:
    view = looked(state, text)
    assert view.clean, view.left
    assert not view.unreadable
    assert {"index.sqlite3", "journal/00000001.seg"} <= set(view.files)


@pytest.mark.parametrize("text", [SECRET, ""], ids=["the secret", "by fingerprint"])
@pytest.mark.parametrize("plant", PLACES, ids=lambda plant: plant.__name__)
def test_it_is_found(state: Path, plant: Callable[[Path], None], text: str) -> None:
    plant(state)
    view = looked(state, text)
    assert not view.clean
    assert view.left
    assert SECRET not in str(view)


def test_a_mark_finds_no_other_text(state: Path) -> None:
    written(state, version(b"- nas password is Example-Pass-4712\n"))
    assert looked(state, "").clean
    assert not looked(state, "nas password").clean


def test_marks_are_false_when_there_are_none() -> None:
    assert not Marks()


@pytest.mark.parametrize("ended", ["", "cancelled", "erased"])
def test_what_is_only_hidden_yet_is_said_to_be(state: Path, ended: str) -> None:
    in_a_version(state)
    (left,) = [each for each in looked(state, SECRET).left if each.where == "journal"]
    assert left.erased_ns == 0
    number = int(left.what.split()[-1])
    written(state, Draft(ForgetRecord(None, "hidden", due_ns=2_000_000_000 * 10**9, versions=(number,))))
    if ended:
        written(state, Draft(ForgetRecord(number + 1, ended, versions=(number,))))
    view = looked(state, SECRET)
    (left,) = [each for each in view.left if each.where == "journal"]
    assert not view.clean
    assert left.erased_ns == (0 if ended else 2_000_000_000 * 10**9)
    said = [line for line in render_forget.check(view) if "hidden, will be erased 2033-05-18" in line]
    assert len(said) == (0 if ended else 1)
    assert all("--now erases at once" in line for line in said)
