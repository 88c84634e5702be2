"""Journals written by earlier releases stay readable for good (made by `make_fixture.py`)."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from conductd.errors import ContentUnavailable
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from support.journals import StepClock, version

FIXTURES = sorted(path for path in (Path(__file__).parent / "fixtures").iterdir() if path.is_dir())


def digest(journal: Journal, seq: int) -> str | None:
    try:
        return hashlib.sha256(journal.body(seq)).hexdigest()
    except ContentUnavailable:
        return None


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name)
def test_a_journal_of_every_released_format_is_read_and_written(fixture: Path, tmp_path: Path) -> None:
    shutil.copytree(fixture / "journal", tmp_path / "journal")
    expected = json.loads((fixture / "expected.json").read_text())
    for read_only in (True, False):
        with DirectoryStorage(tmp_path / "journal", exclusive=not read_only) as storage:
            journal, recovery = Journal.open(storage, clock=StepClock(), writer="0.1.0", read_only=read_only)
            assert recovery.clean
            assert [stored.record.kind for stored in journal.replay()] == expected["kinds"]
            for seq, body in expected["bodies"].items():
                assert digest(journal, int(seq)) == body
            assert journal.verify(None).ok
            if not read_only:
                last = journal.last_seq
                journal.append([version(b"written by this release\n")])
                assert journal.body(last + 1) == b"written by this release\n"
            journal.close()


def test_there_is_a_fixture_of_the_current_format() -> None:
    assert "format-1.0" in [path.name for path in FIXTURES]
