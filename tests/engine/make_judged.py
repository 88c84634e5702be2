"""Makes the fixture of judged changes: `python tests/engine/make_judged.py`, with `tests` and `daemon` on PYTHONPATH.

A daemon lives through every kind of change; its journal is copied without what is of the machine it ran on. The fixture
is made once for each JUDGE_VERSION; `--accept` keeps the journal and only writes down what the rules decide now: the
difference of `decisions.json` is then what a change of the rules has changed, to be read before it is committed.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import msgspec

from conductd.config.load import parse
from conductd.engine.explaining.replaying import replay
from conductd.errors import ConductdError
from conductd.journal import writer
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import (
    ChangeRecord,
    EventClass,
    EvidenceRecord,
    IncidentRecord,
    NoticeRecord,
    Record,
    RepairDoneRecord,
    RepairPlanRecord,
    Severity,
    VersionRecord,
    WorkspaceRecord,
)
from conductd.ports import SystemClock
from engine.conftest import notes
from engine.explaining import test_replaying
from support.daemon import Daemon

PLACE = Path(__file__).parent / "fixtures" / "judged"
ROOT = b"/home/somebody/notes"
_COPIED = (VersionRecord, ChangeRecord, IncidentRecord, EvidenceRecord, RepairPlanRecord, RepairDoneRecord)
_FILLER = NoticeRecord(EventClass.DECISION, Severity.INFO, "not copied")  # sequences stay as they were


class _Then(SystemClock):
    """The moment of the record that is copied."""

    at = (0, 0)

    def wall_ns(self) -> int:
        return self.at[0]

    def mono_ns(self) -> int:
        return self.at[1]


def make() -> None:
    shutil.rmtree(PLACE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as directory:
        workspace = Path(directory) / "notes"
        (workspace / "memory").mkdir(parents=True)
        (workspace / "MEMORY.md").write_text(notes())
        with Daemon(Path(directory) / "d", [workspace], config=test_replaying.CONFIG) as daemon:
            test_replaying.everything(daemon, workspace)
            test_replaying.git_takes_it(daemon, workspace)
            daemon.stop()
            _copy(daemon.state_dir / "journal")
    accept()


def _copy(source: Path) -> None:
    clock = _Then()
    writer.SMALLEST = 8192
    old, _ = Journal.open(DirectoryStorage(source), clock=clock, writer="0.1.0", read_only=True)
    other = secrets.token_bytes
    secrets.token_bytes = lambda size=None: old.key if size == len(old.key) else other(size)
    try:
        with DirectoryStorage(PLACE / "journal", exclusive=True) as storage, closing(old):
            new, _ = Journal.open(storage, clock=clock, writer="0.1.0")
            with closing(new):
                for stored in old.replay():
                    clock.at = (stored.wall_ns, stored.mono_ns)
                    record = _plain(stored.record)
                    new.append((Draft(record, _body(old, stored.seq, record)),))
    finally:
        secrets.token_bytes = other
    for name in ("lock", "spare"):
        (PLACE / "journal" / name).unlink(missing_ok=True)


def _plain(record: Record) -> Record:
    if isinstance(record, WorkspaceRecord):
        return msgspec.structs.replace(record, root=ROOT)
    return record if isinstance(record, _COPIED) else _FILLER


def _body(journal: Journal, seq: int, record: Record) -> bytes | None:
    if not isinstance(record, VersionRecord | RepairPlanRecord):
        return None
    try:
        return journal.body(seq)
    except ConductdError:
        return None


def decisions() -> dict[str, list[str]]:
    """By version, what the rules decide now: class, action, severity, rule."""
    storage = DirectoryStorage(PLACE / "journal")
    journal, _ = Journal.open(storage, clock=SystemClock(), writer="test", read_only=True)
    with closing(journal):
        recorded = {
            str(stored.seq): [*map(str, (v.event_class, v.action, v.severity)), v.rule]
            for stored in journal.replay()
            if isinstance(stored.record, ChangeRecord)
            for v in (stored.record.verdict,)
        }
        *_, view = replay(journal, parse(test_replaying.CONFIG))
    assert not isinstance(view, float)
    assert not view.not_replayable, view.reasons
    for each in view.differences:
        now = each.replayed
        recorded[str(each.seq)] = [now.event_class, now.action, now.severity, now.rule]
    return recorded


def accept() -> None:
    lines = [f"{json.dumps(seq)}: {json.dumps(found)}" for seq, found in decisions().items()]
    (PLACE / "decisions.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    accept() if sys.argv[1:] == ["--accept"] else make()
