"""The index fed live and the index fed again from a real journal are the same."""

from __future__ import annotations

from pathlib import Path

from conductd.index.writer import IndexWriter
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.ports import SystemClock
from index.journals import contents, random_journal


def test_replay_gives_the_index_that_was_fed_live(tmp_path: Path) -> None:
    records = [stored.record for stored in random_journal(21, 200) if stored.record.kind != "checkpoint"]
    (tmp_path / "journal").mkdir()
    storage = DirectoryStorage(str(tmp_path / "journal"))
    journal, _ = Journal.open(storage, clock=SystemClock(), writer="test")
    live = IndexWriter(tmp_path / "live", journal.uuid)
    for at in range(0, len(records), 7):
        live.apply(journal.append([Draft(record) for record in records[at : at + 7]]))
    live.close()
    journal.close()
    again, _ = Journal.open(storage, clock=SystemClock(), writer="test")
    rebuilt = IndexWriter(tmp_path / "rebuilt", again.uuid, again.last_seq)
    rebuilt.apply(list(again.replay()))
    assert rebuilt.position() == again.last_seq
    rebuilt.close()
    again.close()
    assert contents(tmp_path / "rebuilt") == contents(tmp_path / "live")
