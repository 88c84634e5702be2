"""The index is the same however it was fed, and damage to it is never fatal."""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.errors import StoreUnavailable
from conductd.index import schema
from conductd.index.apply import apply_record
from conductd.index.reader import IndexReader
from conductd.index.writer import IndexWriter
from conductd.model import Stored
from index.journals import Journal, contents, random_journal

ROOT = Path(__file__).parents[2]


def fed(path: Path, *batches: list[Stored]) -> Path:
    writer = IndexWriter(path)
    for batch in batches:
        assert writer.apply(batch)
    writer.close()
    return path


def mark_as_opened_on_another_boot(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('open since boot', 'long ago')")
    connection.commit()
    connection.close()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 120), max_size=6), st.integers(0, 40))
def test_any_split_and_any_repetition_gives_the_same_index(seed: int, cuts: list[int], overlap: int) -> None:
    records = random_journal(seed, 120)
    edges = [0, *sorted(cuts), len(records)]
    batches = [records[max(0, low - overlap) : high] for low, high in itertools.pairwise(edges)]
    with tempfile.TemporaryDirectory() as directory:
        whole = fed(Path(directory, "whole"), records)
        split = fed(Path(directory, "split"), *batches)
        assert contents(split) == contents(whole)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 119), st.integers(0, 119))
def test_a_crash_inside_a_batch_then_going_on_gives_the_same_index(seed: int, cut: int, torn: int) -> None:
    records = random_journal(seed, 120)
    with tempfile.TemporaryDirectory() as directory:
        whole = fed(Path(directory, "whole"), records)
        path = Path(directory, "crashed")
        writer = IndexWriter(path)
        writer.apply(records[:cut])
        # What a process leaves that dies inside a transaction.
        connection = writer._connection
        connection.execute("BEGIN IMMEDIATE")
        for stored in records[cut : cut + torn]:
            apply_record(connection, stored)
        connection.close()
        again = IndexWriter(path)
        position = again.position()
        assert position == (records[cut - 1].seq if cut else 0)
        again.apply([stored for stored in records if stored.seq > position])
        again.close()
        assert contents(path) == contents(whole)


def test_a_killed_process_loses_nothing_that_was_applied(tmp_path: Path) -> None:
    script = f"""
import sys
sys.path[:0] = [{str(ROOT / "daemon")!r}, {str(ROOT / "tests")!r}]
from conductd.index.writer import IndexWriter
from index.journals import random_journal
records = random_journal(7, 4000)
writer = IndexWriter({str(tmp_path / "killed")!r})
for at in range(0, len(records), 20):
    writer.apply(records[at:at + 20])
    print(writer.position(), flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(12):
            reached = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    records = random_journal(7, 4000)
    writer = IndexWriter(tmp_path / "killed")
    assert writer.position() >= reached
    assert writer.apply(records)
    writer.close()
    assert contents(tmp_path / "killed") == contents(fed(tmp_path / "whole", records))


def test_the_file_is_private(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path / "index")
    writer.apply(random_journal(1, 10))
    for name in os.listdir(tmp_path):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name
    writer.close()


def test_reset_empties_while_a_reader_goes_on(tmp_path: Path) -> None:
    records = random_journal(3, 60)
    writer = IndexWriter(tmp_path / "index")
    writer.apply(records)
    reader = IndexReader(tmp_path / "index")
    before = reader.counts()
    assert before.versions > 0
    writer.reset()
    assert writer.position() == 0
    assert reader.counts().versions == 0
    assert reader.events(0, 10) == []
    assert writer.apply(records)
    assert reader.counts() == before
    writer.close()


@pytest.mark.parametrize("damage", [b"not a database", b"SQLite format 3\0" + b"\xff" * 5000, b""])
def test_a_file_that_is_no_index_is_moved_aside(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "index"
    path.write_bytes(damage)
    writer = IndexWriter(path)
    assert writer.position() == 0
    assert writer.apply(random_journal(1, 20))
    writer.close()
    assert (tmp_path / "index.damaged").exists() == bool(damage)


def test_a_truncated_index_is_fed_again(tmp_path: Path) -> None:
    records = random_journal(5, 400)
    path = fed(tmp_path / "index", records)
    os.truncate(path, path.stat().st_size // 2)
    writer = IndexWriter(path)
    while not writer.apply(records):
        assert writer.position() == 0
    writer.close()
    assert contents(path) == contents(fed(tmp_path / "whole", records))


def test_damage_met_while_running_empties_and_says_so(tmp_path: Path) -> None:
    records = random_journal(5, 400)
    path = fed(tmp_path / "index", records[:300])
    writer = IndexWriter(path)
    reader = IndexReader(path)
    assert reader.counts().versions
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xaa" * (path.stat().st_size - 4096))
    # The pages the writer holds in memory hide the damage; a new connection has none.
    writer._connection.execute("PRAGMA shrink_memory")
    assert not writer.apply(records[300:])
    assert writer.position() == 0
    assert writer.apply(records)
    assert reader.counts().position == records[-1].seq
    writer.close()


@pytest.mark.parametrize("number", [0, schema.SCHEMA + 1, 99])
def test_an_index_of_another_schema_is_emptied(tmp_path: Path, number: int) -> None:
    path = tmp_path / "index"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE versions ("no such" TEXT)')
    connection.execute("CREATE TABLE other (x)")
    connection.execute(f"PRAGMA user_version = {number}")
    connection.commit()
    connection.close()
    writer = IndexWriter(path)
    assert writer.position() == 0
    writer.apply(random_journal(1, 20))
    writer.close()
    assert "other" not in contents(path)


def test_an_index_of_another_journal_is_emptied(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path / "index", "one")
    writer.apply(random_journal(1, 20))
    writer.close()
    assert IndexWriter(tmp_path / "index", "one").position() > 0
    assert IndexWriter(tmp_path / "index", "two").position() == 0


def test_an_index_that_is_ahead_of_its_journal_is_emptied(tmp_path: Path) -> None:
    records = random_journal(1, 20)
    path = fed(tmp_path / "index")
    writer = IndexWriter(path)
    writer.apply(records)
    writer.close()
    writer = IndexWriter(path, journal_end=records[-1].seq)
    assert writer.position() == records[-1].seq
    writer.close()
    assert IndexWriter(path, journal_end=records[-1].seq - 1).position() == 0


@pytest.mark.skipif(not schema.boot_id(), reason="this platform names no boot")
def test_an_index_left_open_by_a_dead_process_is_kept_and_by_a_dead_machine_emptied(tmp_path: Path) -> None:
    records = random_journal(1, 20)
    writer = IndexWriter(tmp_path / "index")
    writer.apply(records)
    writer._connection.close()
    again = IndexWriter(tmp_path / "index")
    assert again.position() == records[-1].seq
    again._connection.close()
    mark_as_opened_on_another_boot(tmp_path / "index")
    assert IndexWriter(tmp_path / "index").position() == 0


def test_a_closed_index_survives_the_machine(tmp_path: Path) -> None:
    records = random_journal(1, 20)
    path = fed(tmp_path / "index", records)
    assert IndexWriter(path).position() == records[-1].seq
    assert not (tmp_path / "index.damaged").exists()


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        IndexWriter(tmp_path / "no" / "such" / "index")


def test_a_failing_batch_leaves_nothing_and_can_be_tried_again(tmp_path: Path) -> None:
    records = random_journal(2, 400)
    writer = IndexWriter(tmp_path / "index")
    writer.apply(records[:50])
    before = contents(tmp_path / "index")
    pages = writer._connection.execute("PRAGMA page_count").fetchone()[0]
    # SQLite's own limit stands for a full disk: the same error by the same path.
    writer._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable):
        writer.apply(records[50:])
    assert contents(tmp_path / "index") == before
    assert writer.position() == records[49].seq
    writer._connection.execute("PRAGMA max_page_count = 1000000")
    assert writer.apply(records[50:])
    writer.close()
    assert contents(tmp_path / "index") == contents(fed(tmp_path / "whole", records))


def test_a_record_that_cannot_be_stored_leaves_nothing_behind(tmp_path: Path) -> None:
    journal = Journal()
    journal.workspace()
    journal.version(size=1 << 70)
    writer = IndexWriter(tmp_path / "index")
    with pytest.raises(OverflowError):
        writer.apply(journal.records)
    assert writer.position() == 0
    assert writer.apply(journal.records[:1])


def test_a_closed_writer_takes_nothing_and_harms_nothing(tmp_path: Path) -> None:
    records = random_journal(1, 20)
    writer = IndexWriter(tmp_path / "index")
    writer.apply(records)
    writer.close()
    with pytest.raises(StoreUnavailable):
        writer.apply(records)
    assert IndexWriter(tmp_path / "index").position() == records[-1].seq


def test_an_unknown_sequence_gap_is_no_obstacle(tmp_path: Path) -> None:
    journal = Journal()
    journal.workspace()
    journal.version()
    journal.seq += 1000
    journal.version()
    assert IndexReader(fed(tmp_path / "index", journal.records)).counts().versions == 2
