"""What the index held is in none of its files after it was made anew for `forget`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conductd.errors import StoreUnavailable
from conductd.index.writer import IndexWriter
from conductd.model import EventClass, EventRecord, Severity, Stored

HELD = b"Example-Pass-4711"


def filled(path: Path) -> IndexWriter:
    index = IndexWriter(path)
    event = EventRecord(EventClass.CLOCK_JUMP, Severity.INFO, detail=HELD.decode())
    index.apply([Stored(seq, seq, seq, event) for seq in range(1, 400)])
    return index


def files_with_it(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir() if HELD in path.read_bytes()]


def test_no_page_log_or_copy_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    with closing(filled(path)) as index:
        (tmp_path / "index.sqlite3.damaged").write_bytes(HELD)
        assert files_with_it(tmp_path)
        index.scrub()
        assert not files_with_it(tmp_path)
        assert index.position() == 0
        index.apply([Stored(1, 1, 1, EventRecord(EventClass.CLOCK_JUMP, Severity.INFO))])
        assert index.position() == 1


def test_a_reader_in_the_way_is_told(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    with closing(filled(path)) as index, closing(sqlite3.connect(path)) as reader:
        index._connection.execute("PRAGMA busy_timeout = 20")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        with pytest.raises(StoreUnavailable):
            index.scrub()
        reader.execute("ROLLBACK")
        index.scrub()
        assert not files_with_it(tmp_path)
