"""Makes the fixture journal of the current format: `python tests/journal/make_fixture.py DIR`.

A fixture is made once per released format and then kept for good: `test_fixtures.py` reads every one of them.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from conductd.journal import writer
from conductd.journal.erase import KEEP
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import CheckpointRecord, EventClass, NoticeRecord, RepairPlanRecord, Severity
from support.journals import WORKSPACE, StepClock, growing, noise, version


def make(directory: Path) -> None:
    writer.SMALLEST = 8192
    with DirectoryStorage(directory / "journal", exclusive=True) as storage:
        journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0")
        for at, body in enumerate(growing(70)):
            drafts = [version(body, parents=(journal.last_seq,) if at else ())]
            if at % 10 == 3:
                drafts += [
                    version(noise(120, seed=at), file=2, path=b"memory/\xff.md"),
                    version(None, file=3, path=b"gone"),
                ]
            if at % 25 == 7:
                drafts += [
                    Draft(
                        NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, "overwritten", WORKSPACE, (b"MEMORY.md",))
                    ),
                    Draft(RepairPlanRecord(WORKSPACE, 1, b"MEMORY.md", "repair", None, None, b".t"), body, stream=1),
                    Draft(CheckpointRecord(journal.last_seq), b"state"),
                ]
            journal.append(drafts)
            if at == 40:
                journal.erase(lambda stored, _body: None if stored.seq in (5, 20) else KEEP, "gc")
        bodies: dict[str, str | None] = {}
        for stored in journal.replay():
            try:
                bodies[str(stored.seq)] = hashlib.sha256(journal.body(stored.seq)).hexdigest()
            except Exception:  # whatever it is, there is no body
                bodies[str(stored.seq)] = None
        kinds = [stored.record.kind for stored in journal.replay()]
        journal.close()
    (directory / "journal" / "lock").unlink()
    (directory / "journal" / "spare").unlink(missing_ok=True)
    (directory / "expected.json").write_text(json.dumps({"kinds": kinds, "bodies": bodies}, indent=0) + "\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
