"""`verify` and `index rebuild` on a real journal while no daemon runs."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conductd.journal.journal import Draft, Journal
from conductd.journal.lock import StateLock
from conductd.journal.storage import DirectoryStorage
from conductd.model import Cause, FileState, Mode, VersionRecord, WorkspaceRecord
from conductd.ports import SystemClock

from .conftest import Run

WORKSPACE = "0" * 32
# Bodies that do not compress, so that a flipped byte hits one.
CONTENTS = [hashlib.sha512(b"%d" % number).hexdigest().encode() * 20 for number in range(40)]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """40 versions of one file."""
    place = tmp_path / "journal"
    with DirectoryStorage(place, exclusive=True) as storage:
        opened = Journal.open(storage, clock=SystemClock(), writer="test")[0]
        with closing(opened):
            opened.append([Draft(WorkspaceRecord(WORKSPACE, b"/ws", Mode.PROTECT))])
            for data in CONTENTS:
                digest = hashlib.sha256(data).digest()
                record = VersionRecord(
                    WORKSPACE, 1, b"MEMORY.md", FileState.FILE, Cause.CHANGE, digest=digest, size=len(data)
                )
                opened.append([Draft(record, data)])
    return place


def test_a_whole_journal(run: Run, journal: Path) -> None:
    ran = run("verify", "--json")
    report = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr, report["ok"]) == (0, b"", True)
    assert report["versions"] == report["restorable"] == len(CONTENTS)
    assert run("verify").stdout.startswith(b"the journal is whole")


def test_damage_is_named_and_has_its_own_exit_code(run: Run, journal: Path) -> None:
    segment = max(journal.iterdir(), key=lambda path: path.read_bytes().count(b"MEMORY.md"))
    data = bytearray(segment.read_bytes())
    at = data.index(b"MEMORY.md")
    data[at + 2_000] ^= 0xFF
    segment.write_bytes(data)
    ran = run("verify", "--json")
    report = json.loads(ran.stdout)
    assert (ran.returncode, report["ok"]) == (10, False)
    assert report["damage"][0]["segment"] == segment.name
    assert report["not_restorable"] >= 1
    assert report["restorable"] + report["not_restorable"] == len(CONTENTS)
    assert segment.name.encode() in run("verify").stdout


def test_verify_changes_nothing_on_disk(run: Run, journal: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in journal.iterdir()}
    assert run("verify").returncode == 0
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in journal.iterdir()} == before


def test_the_index_is_made_anew(run: Run, journal: Path, tmp_path: Path) -> None:
    ran = run("index", "rebuild", "--json")
    assert json.loads(ran.stdout) == {"records": len(CONTENTS) + 1}, ran.stderr
    index = tmp_path / "index.sqlite3"
    assert index.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(index)) as connection:
        assert connection.execute("SELECT count(*) FROM versions").fetchone() == (len(CONTENTS),)


def test_the_index_of_a_daemon_that_runs_elsewhere_is_left_alone(run: Run, journal: Path, tmp_path: Path) -> None:
    lock = StateLock.acquire(tmp_path / "lock")
    try:
        ran = run("index", "rebuild")
    finally:
        lock.release()
    assert ran.returncode == 7
    assert f"process {os.getpid()}".encode() in ran.stderr
    assert not (tmp_path / "index.sqlite3").exists()
